// SPDX-License-Identifier: Apache-2.0

// Tags written into some nodes of a model, among others that keep theirs.
#ifndef ONNX_HIER_LIB_TAGS_SOME_TAG_EDITS_H_
#define ONNX_HIER_LIB_TAGS_SOME_TAG_EDITS_H_

#include <vector>

#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

// TagEdits() of the nodes that are `given`, in `annotation`. The others stay as they are, but for
// spaces behind tags of an earlier run.
Edits SomeTagEdits(const Model& model, const Annotation& annotation,
                   const std::vector<bool>& given);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_SOME_TAG_EDITS_H_
