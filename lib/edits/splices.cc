// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/splices.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"
#include "lib/onnx/wire_writer.h"

namespace onnx_hier {
namespace {

// A tag and a length.
constexpr size_t kLongestHeader = 16;

uint64_t TagOf(uint32_t field) {
  return uint64_t{field} << 3 | static_cast<uint64_t>(WireType::kBytes);
}

int64_t FieldSize(uint32_t field, uint64_t contents) {
  return VarintSize(TagOf(field)) + VarintSize(contents) + static_cast<int64_t>(contents);
}

// Of what comes in with a change.
int64_t NewSize(const Change& change) {
  if (change.field != 0 && !change.is_whole) return FieldSize(change.field, change.text.size());
  return static_cast<int64_t>(change.text.size() + (change.copied.end - change.copied.begin));
}

int64_t NewSize(const DocEdit& edit) {
  return edit.present ? FieldSize(schema::node::kDocString, edit.text.size()) : 0;
}

// Two messages that have a change at one place are one in the other, which ends there: the inner
// one comes first. Its frame has the larger number; the model, which has none, is the outermost.
bool ComesBefore(const Change& a, const Change& b) {
  if (a.at != b.at) return a.at < b.at;
  if (a.frame != b.frame) return a.frame + 1 > b.frame + 1;
  if ((a.remove == 0) != (b.remove == 0)) return a.remove == 0;
  return a.field < b.field;
}

// Things of a model mostly are in order already.
template <class List, class Less>
void Sort(List& list, const Less& less) {
  if (!std::is_sorted(list.begin(), list.end(), less)) {
    std::stable_sort(list.begin(), list.end(), less);
  }
}

// Bytes of the length of a message that grows by `delta`.
inline uint64_t NewLengthSize(const Frame& frame, int64_t delta) {
  const uint64_t old_length = frame.end - frame.begin;
  const int needed = VarintSize(old_length + static_cast<uint64_t>(delta));
  const bool padded = frame.length_size > VarintSize(old_length);
  return static_cast<uint64_t>(padded ? std::max<int>(needed, frame.length_size) : needed);
}

// Hands splices over, with room for the tags and lengths among them.
class SplicePutter {
 public:
  explicit SplicePutter(absl::FunctionRef<absl::Status(const Splice&)> visit) : visit_(visit) {}

  absl::Status Put(const Change& change) {
    const bool has_header = change.field != 0 && !change.is_whole;
    return visit_({change.at, change.remove, has_header ? Header(change.field, change.text) : "",
                   change.text, change.copied});
  }
  // A doc_string, at `at` instead of `remove` bytes.
  absl::Status Put(const DocEdit& edit, uint64_t at, uint64_t remove) {
    if (!edit.present) return visit_({at, remove, "", "", {}});
    return visit_({at, remove, Header(schema::node::kDocString, edit.text), edit.text, {}});
  }
  // The length of a message.
  absl::Status PutLength(const Frame& frame, uint64_t length, uint64_t size) {
    const char* const end = WriteVarint(length, static_cast<int>(size), header_);
    return visit_({frame.begin - frame.length_size, frame.length_size, HeaderUntil(end), "", {}});
  }

 private:
  absl::string_view Header(uint32_t field, absl::string_view text) {
    char* const length = WriteVarint(TagOf(field), 1, header_);
    return HeaderUntil(WriteVarint(text.size(), 1, length));
  }
  absl::string_view HeaderUntil(const char* end) const {
    return absl::string_view(header_, static_cast<size_t>(end - header_));
  }

  const absl::FunctionRef<absl::Status(const Splice&)> visit_;
  char header_[kLongestHeader];
};

std::vector<DocField>::const_iterator FirstDocField(const ScannedModel& model, uint64_t from) {
  return std::lower_bound(model.doc_fields.begin(), model.doc_fields.end(), from,
                          [](const DocField& f, uint64_t at) { return f.begin < at; });
}

}  // namespace

uint64_t DocFieldSize(const ScannedModel& model, NodeId node) {
  if (model.doc_fields.empty() || !model.graph.has_doc_string(node)) return 0;
  const auto field = FirstDocField(model, model.frames[model.node_frames[node]].doc_at);
  return field->end - field->begin;
}

Splices::Splices(const ScannedModel& model, const std::vector<DocEdit>& docs, ChangeList changes)
    : Splices(model) {
  texts_ = std::move(changes.texts);
  Docs pointers;
  pointers.reserve(docs.size());
  for (const DocEdit& edit : docs) pointers.push_back(&edit);
  if (!changes.moves.empty()) TakeMoves(changes.moves, pointers, changes.changes);
  Take(std::move(pointers), std::move(changes.changes));
}

void Splices::Take(Docs docs, std::vector<Change> changes) {
  changes_ = std::move(changes);
  docs_ = std::move(docs);
  TakeDocs();
  Sort(changes_, ComesBefore);
  for (const Change& change : changes_) {
    Grow(change.frame, NewSize(change) - static_cast<int64_t>(change.remove));
  }
  GrowOutwards();
}

void Splices::TakeMoves(const std::vector<FrameMove>& moves, Docs& docs,
                        std::vector<Change>& changes) {
  // A message comes before those inside of it.
  std::vector<bool> is_moved(model_.frames.size(), false);
  for (const FrameMove& move : moves) is_moved[move.frame] = true;
  for (size_t i = 0; i < is_moved.size(); ++i) {
    const uint32_t parent = model_.frames[i].parent;
    if (parent != kNoFrame && is_moved[parent]) is_moved[i] = true;
  }
  const auto stays = [&](uint32_t frame) { return frame == kNoFrame || !is_moved[frame]; };
  const auto moved_docs = std::stable_partition(docs.begin(), docs.end(), [&](const DocEdit* doc) {
    return stays(model_.node_frames[doc->node]);
  });
  const auto moved_changes = std::stable_partition(
      changes.begin(), changes.end(), [&](const Change& change) { return stays(change.frame); });
  Splices inside(model_);
  inside.Take(Docs(moved_docs, docs.end()), std::vector<Change>(moved_changes, changes.end()));
  docs.erase(moved_docs, docs.end());
  changes.erase(moved_changes, changes.end());
  std::vector<Pieces> pieces = inside.Cut(moves, texts_);
  for (size_t i = 0; i < moves.size(); ++i) {
    const FrameMove& move = moves[i];
    const Frame& frame = model_.frames[move.frame];
    std::string header;
    AppendVarint(TagOf(move.field), &header);
    AppendVarint(frame.end - frame.begin + static_cast<uint64_t>(inside.deltas_[move.frame]),
                 &header);
    pieces[i].insert(pieces[i].begin(), {.text = texts_.Add(header)});
    for (Change& piece : pieces[i]) {
      piece.at = move.at;
      piece.frame = move.to;
      piece.field = move.field;
      piece.is_whole = true;
      changes.push_back(piece);
    }
  }
}

// The contents of each message that is moved, piece by piece: the input's own bytes, and what is
// new between them.
std::vector<Splices::Pieces> Splices::Cut(const std::vector<FrameMove>& moves,
                                          KeptTexts& texts) const {
  std::vector<size_t> order(moves.size());
  std::iota(order.begin(), order.end(), 0);
  const auto frame_of = [&](size_t i) -> const Frame& { return model_.frames[moves[i].frame]; };
  Sort(order, [&](size_t a, size_t b) { return frame_of(a).begin < frame_of(b).begin; });
  std::vector<Pieces> pieces(moves.size());
  auto next = order.begin();
  uint64_t from = 0;  // of the contents of *next; 0: none of them was seen yet
  const auto end_before = [&](uint64_t at) {
    for (; next != order.end() && frame_of(*next).end < at; ++next, from = 0) {
      pieces[*next].push_back(
          {.copied = {std::max(from, frame_of(*next).begin), frame_of(*next).end}});
    }
  };
  ForEach([&](const Splice& splice) {
    end_before(splice.at);
    if (next == order.end() || splice.at < frame_of(*next).begin) return absl::OkStatus();
    pieces[*next].push_back({.copied = {std::max(from, frame_of(*next).begin), splice.at}});
    pieces[*next].push_back({.text = texts.Add(splice.insert)});
    pieces[*next].push_back({.text = splice.text, .copied = splice.copied});
    from = splice.at + splice.remove;
    return absl::OkStatus();
  }).IgnoreError();
  end_before(UINT64_MAX);
  return pieces;
}

void Splices::TakeDocs() {
  // Fields are in file order, which is node order but for nodes inside nodes.
  std::vector<DocField> fields(model_.doc_fields);
  Sort(fields, [](const DocField& a, const DocField& b) { return a.node < b.node; });
  Sort(docs_, [](const DocEdit* a, const DocEdit* b) { return a->node < b->node; });
  size_t first = 0;
  size_t kept = 0;
  for (const DocEdit* edit : docs_) {
    while (first < fields.size() && fields[first].node < edit->node) ++first;
    size_t last = first;
    while (last < fields.size() && fields[last].node == edit->node) ++last;
    if (TakeDoc(*edit, absl::MakeConstSpan(fields).subspan(first, last - first))) {
      docs_[kept++] = edit;
    }
  }
  docs_.resize(kept);
  Sort(docs_, [this](const DocEdit* a, const DocEdit* b) {
    const uint32_t frame_a = model_.node_frames[a->node];
    const uint32_t frame_b = model_.node_frames[b->node];
    const uint64_t at_a = model_.frames[frame_a].doc_at;
    const uint64_t at_b = model_.frames[frame_b].doc_at;
    return at_a != at_b ? at_a < at_b : frame_a > frame_b;
  });
}

// False if nothing changes. `old` are the doc_strings that the node has.
bool Splices::TakeDoc(const DocEdit& edit, absl::Span<const DocField> old) {
  int64_t growth = NewSize(edit);
  if (old.empty()) {
    if (!edit.present) return false;
  } else {
    // Of several the last one's place is kept.
    growth -= static_cast<int64_t>(old.back().end - old.back().begin);
    const bool same = old.size() == 1 && edit.present && growth == 0 &&
                      model_.graph.doc_string(edit.node) == edit.text;
    if (same) return false;
  }
  const uint32_t frame = model_.node_frames[edit.node];
  Grow(frame, growth);
  for (size_t i = 0; i + 1 < old.size(); ++i) {
    changes_.push_back({.at = old[i].begin, .remove = old[i].end - old[i].begin, .frame = frame});
  }
  return true;
}

// Of the model itself, where there is no frame.
void Splices::Grow(uint32_t frame, int64_t by) {
  if (frame == kNoFrame) {
    growth_ += by;
    return;
  }
  deltas_[frame] += by;
  grown_[frame / 64] |= uint64_t{1} << (frame % 64);
}

// With its length.
int64_t Splices::GrowthOf(uint32_t frame) const {
  const Frame& old = model_.frames[frame];
  return deltas_[frame] + static_cast<int64_t>(NewLengthSize(old, deltas_[frame])) -
         old.length_size;
}

// Those around a frame have smaller numbers.
void Splices::GrowOutwards() {
  for (size_t word = grown_.size(); word-- > 0;) {
    for (uint64_t left = grown_[word]; left != 0;) {
      const auto bit = static_cast<uint32_t>(63 - std::countl_zero(left));
      left &= ~(uint64_t{1} << bit);
      const auto index = static_cast<uint32_t>(word * 64) + bit;
      if (deltas_[index] == 0) continue;
      const uint64_t before = grown_[word];
      Grow(model_.frames[index].parent, GrowthOf(index));
      left |= grown_[word] & ~before;
    }
  }
}

bool Splices::MayKeep(uint64_t length, uint64_t size) const {
  uint64_t from = 0;
  auto next = docs_.begin();
  for (;;) {
    // Up to the last edit in reach no two are so far apart.
    const auto beyond = std::partition_point(
        next, docs_.end(), [&](const DocEdit* edit) { return PlaceOf(edit) < from + length; });
    if (beyond == next) return beyond != docs_.end() || size - from >= length;
    from = PlaceOf(*(beyond - 1));
    next = beyond;
  }
}

std::vector<Splices::Part> Splices::Parts(size_t count) const {
  std::vector<Part> parts = {Whole()};
  if (docs_.empty() || !changes_.empty()) return parts;
  // Nodes of the main graph at which parts may begin: around them is only the graph.
  std::vector<uint32_t> first_frames;
  for (size_t i = 1; i < count; ++i) {
    const uint32_t frame = model_.node_frames[docs_[docs_.size() * i / count]->node];
    const uint32_t around = model_.frames[frame].parent;
    if (around == kNoFrame || model_.frames[around].parent != kNoFrame) continue;
    if (first_frames.empty() || first_frames.back() < frame) first_frames.push_back(frame);
  }
  // The file grows before one of them with all messages directly in the model that have begun, but
  // for what is still to come in the graph.
  int64_t outside = 0;        // with messages directly in the model
  int64_t inside = 0;         // with those directly in `graph`
  uint32_t graph = kNoFrame;  // directly in the model, the last that something is in
  size_t begin = 0;
  for (const uint32_t first : first_frames) {
    ForEachGrown(begin, first, [&](uint32_t frame) {
      const uint32_t parent = model_.frames[frame].parent;
      if (parent == kNoFrame) {
        outside += GrowthOf(frame);
      } else if (model_.frames[parent].parent == kNoFrame) {
        inside = (parent == graph ? inside : 0) + GrowthOf(frame);
        graph = parent;
      }
      return true;
    });
    begin = first;
    const Frame& frame = model_.frames[first];
    const int64_t to_come = deltas_[frame.parent] - (frame.parent == graph ? inside : 0);
    Part part = Whole();
    part.from = frame.begin - frame.length_size;
    part.at = part.from + static_cast<uint64_t>(outside - to_come);
    part.first_frame = first;
    part.first_doc = static_cast<size_t>(
        std::partition_point(docs_.begin(), docs_.end(),
                             [&](const DocEdit* doc) { return PlaceOf(doc) < frame.begin; }) -
        docs_.begin());
    Part& before = parts.back();
    before.to = part.from;
    before.last_frame = part.first_frame;
    before.last_doc = part.first_doc;
    parts.push_back(part);
  }
  return parts;
}

// Calls `visit` for those of the frames [begin, end) that grow or shrink, until it says false.
void Splices::ForEachGrown(size_t begin, size_t end,
                           absl::FunctionRef<bool(uint32_t)> visit) const {
  constexpr size_t kBits = 64;
  for (size_t word = begin / kBits; word * kBits < end; ++word) {
    uint64_t left = grown_[word];
    if (word == begin / kBits) left &= ~uint64_t{0} << (begin % kBits);
    for (; left != 0; left &= left - 1) {
      const size_t i = word * kBits + static_cast<size_t>(std::countr_zero(left));
      if (i >= end) return;
      if (deltas_[i] != 0 && !visit(static_cast<uint32_t>(i))) return;
    }
  }
}

absl::Status Splices::ForEachIn(const Part& part,
                                absl::FunctionRef<absl::Status(const Splice&)> visit) const {
  SplicePutter out(visit);
  auto change = changes_.begin();
  const auto put_changes = [&](const Change& next) -> absl::Status {
    for (; change != changes_.end() && ComesBefore(*change, next); ++change) {
      OH_RETURN_IF_ERROR(out.Put(*change));
    }
    return absl::OkStatus();
  };
  size_t doc = part.first_doc;
  auto doc_field = FirstDocField(model_, part.from);
  // Of the one that is there already; asked for in file order.
  const auto size_of_field = [&](NodeId node, uint64_t at) -> uint64_t {
    if (!model_.graph.has_doc_string(node)) return 0;
    while (doc_field->begin < at) ++doc_field;
    return doc_field->end - doc_field->begin;
  };
  const auto put_fields = [&](uint64_t before) -> absl::Status {
    for (; doc != part.last_doc; ++doc) {
      const DocEdit& edit = *docs_[doc];
      const uint32_t frame = model_.node_frames[edit.node];
      const uint64_t at = model_.frames[frame].doc_at;
      if (at >= before) break;
      const uint64_t remove = size_of_field(edit.node, at);
      if (change != changes_.end()) {
        OH_RETURN_IF_ERROR(put_changes(
            {.at = at, .remove = remove, .frame = frame, .field = schema::node::kDocString}));
      }
      OH_RETURN_IF_ERROR(out.Put(edit, at, remove));
    }
    return change == changes_.end() ? absl::OkStatus() : put_changes({.at = before});
  };
  absl::Status status;
  ForEachGrown(part.first_frame, part.last_frame, [&](uint32_t i) {
    const Frame& frame = model_.frames[i];
    status = put_fields(frame.begin - frame.length_size);
    if (!status.ok()) return false;
    status = out.PutLength(frame, frame.end - frame.begin + static_cast<uint64_t>(deltas_[i]),
                           NewLengthSize(frame, deltas_[i]));
    return status.ok();
  });
  return status.ok() ? put_fields(UINT64_MAX) : status;
}

}  // namespace onnx_hier
