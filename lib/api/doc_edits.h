// What becomes of the doc_strings of a model's nodes, as DocSplices takes it.
#ifndef ONNX_HIER_LIB_API_DOC_EDITS_H_
#define ONNX_HIER_LIB_API_DOC_EDITS_H_

#include <deque>
#include <string>
#include <vector>

#include "lib/onnx/doc_splice.h"
#include "lib/tags/doc_string.h"
#include "onnx_hier/given_tags.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

struct DocEdits {
  std::vector<DocEdit> docs;      // in ascending node order
  std::deque<std::string> texts;  // that some of them point to
};

// Every node gets its tag. The texts belong to `writer` too. Where there are long spans of weights,
// the result is padded so that they can be shared (lib/onnx/long_spans.h).
DocEdits TagEdits(const Model& model, DocStringWriter& writer);
// The nodes of `tags` get theirs, tags that others have from an earlier run stay.
DocEdits GivenTagEdits(const Model& model, const std::vector<GivenTag>& tags,
                       DocStringWriter& writer);
// Nodes that carry our tags get back what they had before.
DocEdits StripEdits(const Graph& graph);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_DOC_EDITS_H_
