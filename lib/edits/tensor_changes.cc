// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/tensor_changes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/base/kept_texts.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/leaf_messages.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

bool HoldsTensor(const Field& field) {
  return field.Is(schema::attribute::kTensor) || field.Is(schema::attribute::kTensors);
}
bool HoldsSparseTensor(const Field& field) {
  return field.Is(schema::attribute::kSparseTensor) || field.Is(schema::attribute::kSparseTensors);
}
bool HoldsGraph(const Field& field) {
  return field.Is(schema::attribute::kGraph) || field.Is(schema::attribute::kGraphs);
}

// Rewrites fields with tensors in them, one behind the other as they stand in the file. Of a field
// that changes, the length in front changes too.
class TensorRewriter {
 public:
  TensorRewriter(FileImage& image, const ScannedModel& model, const DataCut* cut, KeptTexts& texts)
      : reader_(image), model_(model), cut_(cut), texts_(texts) {}

  // In the order of the file.
  std::vector<Change> Take() { return std::exchange(changes_, {}); }

  // The field at `begin`, a tensor or a sparse one; named so if `name` is not null.
  absl::Status RewriteInitializer(const FieldSpan& span, const absl::string_view* name) {
    frame_ = span.frame;
    reader_.set_position(span.begin);
    Field field;
    OH_RETURN_IF_ERROR(reader_.ReadField(span.end, &field));
    return field.Is(schema::graph::kSparseInitializer) ? RewriteSparse(field, name).status()
                                                       : RewriteTensor(field, name).status();
  }

  // Of a node all attributes, but not the nodes inside of it.
  absl::Status RewriteNode(uint32_t frame) {
    const Frame& node = model_.frames[frame];
    reader_.set_position(node.begin);
    while (reader_.position() < node.end) {
      Field field;
      OH_RETURN_IF_ERROR(reader_.ReadField(node.end, &field));
      frame_ = frame;
      if (field.Is(schema::node::kAttribute)) OH_RETURN_IF_ERROR(RewriteAttribute(field));
      reader_.Skip(field);
    }
    return absl::OkStatus();
  }

 private:
  using Growth = absl::StatusOr<int64_t>;

  void Replace(uint64_t begin, uint64_t end, absl::string_view text) {
    changes_.push_back({.at = begin,
                        .remove = end - begin,
                        .text = texts_.Add(text),
                        .frame = frame_,
                        .is_whole = true});
  }

  // Puts the length of a field in front of the changes from `first` on, which are inside of it and
  // let it grow by so much. By how much the field grows.
  int64_t Enclose(const Field& field, size_t first, int64_t growth) {
    if (changes_.size() == first) return 0;
    std::string header;
    AppendVarint(uint64_t{field.number} << 3 | static_cast<uint64_t>(WireType::kBytes), &header);
    AppendVarint(field.end - field.begin + static_cast<uint64_t>(growth), &header);
    Replace(field.start, field.begin, header);
    std::rotate(changes_.begin() + static_cast<ptrdiff_t>(first), changes_.end() - 1,
                changes_.end());
    return growth + static_cast<int64_t>(header.size()) -
           static_cast<int64_t>(field.begin - field.start);
  }

  Growth RewriteTensor(const Field& field, const absl::string_view* name) {
    const size_t first = changes_.size();
    OH_RETURN_IF_ERROR(ReadTensor(reader_, field, &contents_));
    if (name != nullptr) {
      const FieldExtent& old = contents_.name_field;
      std::string text;
      AppendField(schema::tensor::kName, *name, &text);
      Replace(old.end == 0 ? field.begin : old.begin, old.end == 0 ? field.begin : old.end, text);
    }
    if (!contents_.external_places.empty()) MoveData();
    std::stable_sort(changes_.begin() + static_cast<ptrdiff_t>(first), changes_.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    int64_t growth = 0;
    for (size_t i = first; i < changes_.size(); ++i) {
      growth += static_cast<int64_t>(changes_[i].text.size() - changes_[i].remove);
    }
    return Enclose(field, first, growth);
  }

  // The entries stand where the first one was.
  void MoveData() {
    if (cut_ == nullptr) return;
    const std::optional<DataCut::Range> range = cut_->Find(contents_.external_places.front());
    if (!range.has_value()) return;
    std::string entries;
    const auto add = [&entries](absl::string_view key, absl::string_view value) {
      std::string entry;
      AppendField(schema::string_entry::kKey, key, &entry);
      AppendField(schema::string_entry::kValue, value, &entry);
      AppendField(schema::tensor::kExternalData, entry, &entries);
    };
    add("location", cut_->location());
    add("offset", absl::StrCat(range->offset));
    add("length", absl::StrCat(range->length));
    for (const FieldExtent& old : contents_.external_fields) {
      Replace(old.begin, old.end, std::exchange(entries, ""));
    }
  }

  // Its values bear the name.
  Growth RewriteSparse(const Field& field, const absl::string_view* name) {
    const size_t first = changes_.size();
    int64_t growth = 0;
    while (reader_.position() < field.end) {
      Field part;
      OH_RETURN_IF_ERROR(reader_.ReadField(field.end, &part));
      if (part.Is(schema::sparse_tensor::kValues) || part.Is(schema::sparse_tensor::kIndices)) {
        const bool is_named = part.Is(schema::sparse_tensor::kValues);
        OH_ASSIGN_OR_RETURN(const int64_t grown, RewriteTensor(part, is_named ? name : nullptr));
        growth += grown;
      }
      reader_.Skip(part);
    }
    return Enclose(field, first, growth);
  }

  // One that refers to an attribute of the function holds nothing itself. One with graphs has a
  // frame, whose length the splices see to.
  absl::Status RewriteAttribute(const Field& field) {
    const size_t first = changes_.size();
    int64_t growth = 0;
    bool has_frame = false;
    bool refers = false;
    while (reader_.position() < field.end) {
      Field part;
      OH_RETURN_IF_ERROR(reader_.ReadField(field.end, &part));
      has_frame = has_frame || HoldsGraph(part);
      refers = refers || part.Is(schema::attribute::kRefAttrName);
      if (HoldsTensor(part) || HoldsSparseTensor(part)) {
        OH_ASSIGN_OR_RETURN(const int64_t grown, HoldsTensor(part) ? RewriteTensor(part, nullptr)
                                                                   : RewriteSparse(part, nullptr));
        growth += grown;
      }
      reader_.Skip(part);
    }
    if (refers) {
      changes_.resize(first);
    } else if (has_frame) {
      const uint32_t frame = FrameAt(field.begin);
      for (size_t i = first; i < changes_.size(); ++i) changes_[i].frame = frame;
    } else {
      Enclose(field, first, growth);
    }
    return absl::OkStatus();
  }

  uint32_t FrameAt(uint64_t begin) const {
    const auto found =
        std::lower_bound(model_.frames.begin(), model_.frames.end(), begin,
                         [](const Frame& frame, uint64_t at) { return frame.begin < at; });
    return static_cast<uint32_t>(found - model_.frames.begin());
  }

  WireReader reader_;
  const ScannedModel& model_;
  const DataCut* const cut_;
  KeptTexts& texts_;
  std::vector<Change> changes_;
  TensorContents contents_;
  uint32_t frame_ = kNoFrame;  // around what is rewritten now
};

// What is to be rewritten at one place of the file.
struct Rewriting {
  TensorId initializer;
  NodeId node;                              // or else its attributes
  const absl::string_view* name = nullptr;  // null: as it is
};

// By where they stand: the file is read from front to back.
std::map<uint64_t, Rewriting> RewritingsOf(const ScannedModel& model, FieldIndex& index,
                                           const EditList& edits, const DataMove& data) {
  std::map<uint64_t, Rewriting> rewritings;
  for (const InitializerName& edit : edits.initializer_names) {
    Rewriting& rewriting = rewritings[index.initializer(edit.initializer).begin];
    rewriting.initializer = edit.initializer;
    rewriting.name = &edit.name;
  }
  for (TensorId tensor : data.tensors) {
    const NodeId node = model.graph.tensor(tensor).owner;
    if (node.valid()) {
      rewritings[model.frames[model.node_frames[node]].begin].node = node;
    } else {
      rewritings[index.initializer(tensor).begin].initializer = tensor;
    }
  }
  return rewritings;
}

// An initializer becomes one of another graph: the input's own bytes, and what is new between them.
void AddMoved(const MoveEdit& edit, const std::vector<Change>& inside, FieldIndex& index,
              std::vector<Change>& changes) {
  const FieldSpan& field = index.initializer(edit.initializer);
  Change piece = {.at = index.EndOf(edit.to, field.number),
                  .frame = index.last_frame(edit.to),
                  .field = field.number,
                  .is_whole = true};
  uint64_t from = field.begin;
  const auto add = [&](absl::string_view text, uint64_t begin, uint64_t end) {
    piece.text = text;
    piece.copied = {begin, end};
    changes.push_back(piece);
  };
  absl::string_view text;
  for (const Change& change : inside) {
    add(text, from, change.at);
    text = change.text;
    from = change.at + change.remove;
  }
  add(text, from, field.end);
}

}  // namespace

absl::Status AddTensorChanges(const FileImage& image, const ScannedModel& model, FieldIndex& index,
                              const EditList& edits, const DataMove& data, ChangeList& changes) {
  absl::flat_hash_map<TensorId, std::vector<Change>> moved;
  for (const MoveEdit& edit : edits.moves) {
    if (edit.initializer.valid()) moved.try_emplace(edit.initializer);
  }
  const std::map<uint64_t, Rewriting> rewritings = RewritingsOf(model, index, edits, data);
  if (!rewritings.empty()) {
    OH_ASSIGN_OR_RETURN(FileImage again, image.Again());
    TensorRewriter rewriter(again, model, data.cut, changes.texts);
    for (const auto& [at, rewriting] : rewritings) {
      OH_RETURN_IF_ERROR(rewriting.node.valid()
                             ? rewriter.RewriteNode(model.node_frames[rewriting.node])
                             : rewriter.RewriteInitializer(index.initializer(rewriting.initializer),
                                                           rewriting.name));
      std::vector<Change> made = rewriter.Take();
      const auto move = moved.find(rewriting.initializer);
      if (!rewriting.node.valid() && move != moved.end()) {
        move->second = std::move(made);
      } else {
        changes.changes.insert(changes.changes.end(), made.begin(), made.end());
      }
    }
    OH_RETURN_IF_ERROR(again.VerifyUnchanged());
  }
  for (const MoveEdit& edit : edits.moves) {
    if (edit.initializer.valid()) {
      AddMoved(edit, moved.at(edit.initializer), index, changes.changes);
    }
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
