// SPDX-License-Identifier: Apache-2.0

// Which bytes of a model change when fields come, go or get other contents, and nothing else.
//
//   before:  ... [len=40] node .............. | [len=12] node ...
//   after:   ... [len=97] node .... doc_string | [len=12] node ...   (lengths outwards follow)
//
// Growth is summed from the innermost message outwards, since a longer text makes longer length
// prefixes, which make longer messages. Prefixes keep a width that was longer than needed.
#ifndef ONNX_HIER_LIB_EDITS_SPLICES_H_
#define ONNX_HIER_LIB_EDITS_SPLICES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/kept_texts.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// What a node's doc_string becomes.
struct DocEdit {
  NodeId node;
  bool present = true;  // false: the node is to have no doc_string
  absl::string_view text;
};

// The bytes of the doc_string field of `node` in the file, of several the last one's; 0 if there is
// none.
uint64_t DocFieldSize(const ScannedModel& model, NodeId node);

struct ByteSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// `remove` bytes at `at`, which are whole fields, give way to a new field, or to none.
struct Change {
  uint64_t at = 0;
  uint64_t remove = 0;
  absl::string_view text;     // contents of the new field
  uint32_t frame = kNoFrame;  // the innermost one around the fields
  uint32_t field = 0;         // number of the new field; 0: `text` is all there is to be
  bool is_whole = false;      // `text` has the field's tag and length already, or is a piece of it
  ByteSpan copied;            // of the input, behind `text`; only where that is whole
};

// The message of a frame becomes a field of another message, at `at`, with all changes inside.
struct FrameMove {
  uint32_t frame = kNoFrame;
  uint64_t at = 0;
  uint32_t to = kNoFrame;
  uint32_t field = 0;
};

struct ChangeList {
  std::vector<Change> changes;
  std::vector<FrameMove> moves;
  KeptTexts texts;  // of some of the changes
};

// One piece of the file that is different: `remove` bytes at `at` give way to `insert`, then
// `text`, then bytes that the input has elsewhere.
struct Splice {
  uint64_t at = 0;
  uint64_t remove = 0;
  absl::string_view insert;
  absl::string_view text;
  ByteSpan copied;

  uint64_t size() const { return insert.size() + text.size() + (copied.end - copied.begin); }
};

class Splices {
 public:
  // Of doc_strings, at most one edit a node, and of other things, both in any order. What two
  // changes take away must not overlap, and nothing changes inside of what another takes away.
  // Where several put something at one place of one message, what puts only comes before what takes
  // away, and fields are in the order of their numbers, else in the order given. What is moved may
  // lie in what is taken away; where it does not, a change takes it away. `model`, `docs` and the
  // texts must outlive this.
  Splices(const ScannedModel& model, const std::vector<DocEdit>& docs, ChangeList changes = {});

  // By how many bytes the file grows (or shrinks, below 0).
  int64_t growth() const { return growth_; }
  bool empty() const { return docs_.empty() && changes_.empty(); }

  // False: of a file of `size` bytes no stretch of so many stays in one piece. Found without
  // looking at each splice.
  bool MayKeep(uint64_t length, uint64_t size) const;

  // A stretch of the file and what changes in it: it can be copied by itself.
  struct Part {
    uint64_t from = 0;         // bytes of the file
    uint64_t to = UINT64_MAX;  // UINT64_MAX: to its end
    uint64_t at = 0;           // where its copy begins
    // Places in lists.
    size_t first_doc = 0, last_doc = 0;
    size_t first_frame = 0, last_frame = 0;
  };
  // At most so many that together are the file, with about as many doc_strings each. One, where
  // other things change.
  std::vector<Part> Parts(size_t count) const;
  Part Whole() const {
    Part whole;
    whole.last_doc = docs_.size();
    whole.last_frame = model_.frames.size();
    return whole;
  }

  // Calls `visit` for each splice in file order, no two overlapping; stops at the first error.
  absl::Status ForEach(absl::FunctionRef<absl::Status(const Splice&)> visit) const {
    return ForEachIn(Whole(), visit);
  }
  // For those of a part.
  absl::Status ForEachIn(const Part& part,
                         absl::FunctionRef<absl::Status(const Splice&)> visit) const;

 private:
  using Docs = std::vector<const DocEdit*>;

  using Pieces = std::vector<Change>;

  uint64_t PlaceOf(const DocEdit* edit) const {
    return model_.frames[model_.node_frames[edit->node]].doc_at;
  }
  void ForEachGrown(size_t begin, size_t end, absl::FunctionRef<bool(uint32_t)> visit) const;

  explicit Splices(const ScannedModel& model)
      : model_(model), deltas_(model.frames.size(), 0), grown_(model.frames.size() / 64 + 1, 0) {}
  void Take(Docs docs, std::vector<Change> changes);
  void TakeMoves(const std::vector<FrameMove>& moves, Docs& docs, std::vector<Change>& changes);
  std::vector<Pieces> Cut(const std::vector<FrameMove>& moves, KeptTexts& texts) const;
  void TakeDocs();
  bool TakeDoc(const DocEdit& edit, absl::Span<const DocField> old);
  void Grow(uint32_t frame, int64_t by);
  int64_t GrowthOf(uint32_t frame) const;
  void GrowOutwards();

  const ScannedModel& model_;
  // In file order. Of large models every node's doc_string changes: those have no Change each.
  Docs docs_;
  std::vector<Change> changes_;
  std::vector<int64_t> deltas_;  // growth of each frame's contents
  // A bit for each frame that grows or shrinks: of a large model's many parts, each changes few.
  std::vector<uint64_t> grown_;
  int64_t growth_ = 0;
  KeptTexts texts_;  // tags and lengths of what is moved, and texts inside of it
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_SPLICES_H_
