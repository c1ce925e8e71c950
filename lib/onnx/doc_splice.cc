#include "lib/onnx/doc_splice.h"

#include <algorithm>

#include "lib/base/status_macros.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

constexpr char kDocTag =
    static_cast<char>(schema::node::kDocString << 3 | static_cast<uint32_t>(WireType::kBytes));

uint64_t NewFieldSize(const DocEdit& edit) {
  if (!edit.present) return 0;
  return 1 + static_cast<uint64_t>(VarintSize(edit.text.size())) + edit.text.size();
}

// A doc_string that waits for its place in the file while inner nodes come first.
struct Pending {
  uint64_t at = 0;
  uint64_t remove = 0;
  const DocEdit* edit = nullptr;
};

}  // namespace

uint64_t DocFieldSize(const ScannedModel& model, NodeId node) {
  if (!model.graph.node(node).has_doc_string) return 0;
  const auto field = std::lower_bound(model.doc_fields.begin(), model.doc_fields.end(),
                                      model.frames[model.node_frames[node]].doc_at,
                                      [](const DocField& f, uint64_t at) { return f.begin < at; });
  return field->end - field->begin;
}

DocSplices::DocSplices(const ScannedModel& model, const std::vector<DocEdit>& edits)
    : model_(model), deltas_(model.frames.size(), 0) {
  // Fields are in file order, which is node order but for nodes inside nodes.
  std::vector<DocField> fields(model.doc_fields);
  std::stable_sort(fields.begin(), fields.end(),
                   [](const DocField& a, const DocField& b) { return a.node < b.node; });
  auto field = fields.begin();
  for (const DocEdit& edit : edits) {
    while (field != fields.end() && field->node < edit.node) ++field;
    uint64_t old_size = 0;
    size_t old_fields = 0;
    for (; field != fields.end() && field->node == edit.node; ++field) {
      old_size += field->end - field->begin;
      ++old_fields;
    }
    const Node& node = model.graph.node(edit.node);
    const uint64_t new_size = NewFieldSize(edit);
    const bool same = old_fields <= 1 && node.has_doc_string == edit.present &&
                      new_size == old_size && (!edit.present || node.doc_string == edit.text);
    if (same) continue;
    changed_.push_back(&edit);
    deltas_[model.node_frames[edit.node]] +=
        static_cast<int64_t>(new_size) - static_cast<int64_t>(old_size);
    if (old_fields > 1) repeated_.insert(repeated_.end(), field - old_fields, field - 1);
  }
  std::sort(repeated_.begin(), repeated_.end(),
            [](const DocField& a, const DocField& b) { return a.begin < b.begin; });

  for (size_t i = deltas_.size(); i-- > 0;) {
    if (deltas_[i] == 0) continue;
    const Frame& frame = model.frames[i];
    const int64_t outwards =
        deltas_[i] + static_cast<int64_t>(NewLengthSize(frame, deltas_[i])) - frame.length_size;
    (frame.parent == kNoFrame ? growth_ : deltas_[frame.parent]) += outwards;
  }
}

uint64_t DocSplices::NewLengthSize(const Frame& frame, int64_t delta) const {
  const uint64_t old_length = frame.end - frame.begin;
  const int needed = VarintSize(old_length + static_cast<uint64_t>(delta));
  const bool padded = frame.length_size > VarintSize(old_length);
  return static_cast<uint64_t>(padded ? std::max<int>(needed, frame.length_size) : needed);
}

absl::Status DocSplices::ForEach(absl::FunctionRef<absl::Status(const Splice&)> visit) const {
  std::vector<Pending> pending;
  auto repeated = repeated_.begin();
  auto edit = changed_.begin();
  char header[16];

  const auto drop_repeated = [&](uint64_t before) -> absl::Status {
    for (; repeated != repeated_.end() && repeated->begin < before; ++repeated) {
      OH_RETURN_IF_ERROR(visit({repeated->begin, repeated->end - repeated->begin, "", ""}));
    }
    return absl::OkStatus();
  };
  const auto write_pending = [&](uint64_t before) -> absl::Status {
    while (!pending.empty() && pending.back().at < before) {
      const Pending next = pending.back();
      pending.pop_back();
      OH_RETURN_IF_ERROR(drop_repeated(next.at));
      Splice splice{next.at, next.remove, "", ""};
      if (next.edit->present) {
        header[0] = kDocTag;
        const char* end = WriteVarint(next.edit->text.size(), 1, header + 1);
        splice.insert = absl::string_view(header, static_cast<size_t>(end - header));
        splice.text = next.edit->text;
      }
      OH_RETURN_IF_ERROR(visit(splice));
    }
    return absl::OkStatus();
  };

  for (size_t i = 0; i < model_.frames.size(); ++i) {
    const Frame& frame = model_.frames[i];
    const uint64_t length_at = frame.begin - frame.length_size;
    OH_RETURN_IF_ERROR(write_pending(length_at));
    OH_RETURN_IF_ERROR(drop_repeated(length_at));
    if (deltas_[i] != 0) {
      const uint64_t length = frame.end - frame.begin + static_cast<uint64_t>(deltas_[i]);
      const char* end =
          WriteVarint(length, static_cast<int>(NewLengthSize(frame, deltas_[i])), header);
      OH_RETURN_IF_ERROR(visit({length_at, frame.length_size,
                                absl::string_view(header, static_cast<size_t>(end - header)), ""}));
    }
    if (edit == changed_.end()) continue;
    const NodeId node = (*edit)->node;
    if (model_.node_frames[node] != i) continue;
    pending.push_back({frame.doc_at, DocFieldSize(model_, node), *edit});
    ++edit;
  }
  OH_RETURN_IF_ERROR(write_pending(UINT64_MAX));
  return drop_repeated(UINT64_MAX);
}

}  // namespace onnx_hier
