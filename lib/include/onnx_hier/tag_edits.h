// SPDX-License-Identifier: Apache-2.0

// Tags written into a model, and taken out of it again.
//
//   Write(model, TagEdits(model, annotation), Destination::File("out.onnx"));
#ifndef ONNX_HIER_TAG_EDITS_H_
#define ONNX_HIER_TAG_EDITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"
#include "onnx_hier/tags.h"

namespace onnx_hier {

// What is written beside a tag in every doc_string.
struct TagForms {
  // The tag in the node's metadata_props, too, as onnx_hier.*, and for these readers as each of
  // them looks for it (MetadataForms()).
  std::vector<std::string> metadata = {};
};

// "explorer": Model Explorer's `namespace`; "torch": the scopes and classes that torch writes,
// which tools for its exports read; "winml": winml-cli's hierarchy; "ort": `layer_ann`, by which
// onnxruntime assigns layers to devices (the path with a slash behind it).
std::vector<std::string> MetadataForms();

// Every node gets its tag as its doc_string. Where weights of 16 MiB and more follow, spaces follow
// one of the tags in front of them, so that a file system can share them between input and output.
// Nodes get their names of `names`, and those that an earlier run gave stay. So do tags in
// metadata: where an earlier run put any, they are written anew.
Edits TagEdits(const Model& model, const Annotation& annotation, const GivenNames& names = {},
               const TagForms& forms = {});
// Only `nodes`, and without such spaces.
Edits TagEdits(const Model& model, const Annotation& annotation, absl::Span<const NodeId> nodes);
// Nodes that carry a tag that TagEdits made get back what they had before, and lose names that it
// gave them; so they do labels of devices that 'place' gave them.
Edits StripEdits(const Model& model);
Edits StripEdits(const Model& model, absl::Span<const NodeId> nodes);
// How many nodes carry such a tag or label.
uint64_t CountTagged(const Model& model);

}  // namespace onnx_hier

#endif  // ONNX_HIER_TAG_EDITS_H_
