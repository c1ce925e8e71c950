// Which bytes of a model change when doc_strings of nodes change, and nothing else.
//
//   before:  ... [len=40] node .............. | [len=12] node ...
//   after:   ... [len=97] node .... doc_string | [len=12] node ...   (lengths outwards follow)
//
// Growth is summed from the innermost message outwards, since a longer text makes longer length
// prefixes, which make longer messages. Prefixes keep a width that was longer than needed.
#ifndef ONNX_HIER_LIB_ONNX_DOC_SPLICE_H_
#define ONNX_HIER_LIB_ONNX_DOC_SPLICE_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
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

// One change of the file: `remove` bytes at `at` give way to `insert` and then `text`.
struct Splice {
  uint64_t at = 0;
  uint64_t remove = 0;
  absl::string_view insert;
  absl::string_view text;
};

class DocSplices {
 public:
  // `edits` in ascending node order, at most one a node; both arguments must outlive this.
  DocSplices(const ScannedModel& model, const std::vector<DocEdit>& edits);

  // By how many bytes the file grows (or shrinks, below 0).
  int64_t growth() const { return growth_; }
  bool empty() const { return changed_.empty(); }

  // Calls `visit` for each change in file order, no two overlapping; stops at the first error.
  absl::Status ForEach(absl::FunctionRef<absl::Status(const Splice&)> visit) const;

 private:
  uint64_t NewLengthSize(const Frame& frame, int64_t delta) const;

  const ScannedModel& model_;
  std::vector<const DocEdit*> changed_;  // edits that change something, in node order
  std::vector<int64_t> deltas_;          // growth of each frame's contents
  std::vector<DocField> repeated_;       // doc_strings that a later one of the same node overrules
  int64_t growth_ = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_DOC_SPLICE_H_
