// SPDX-License-Identifier: Apache-2.0

// Tags that come from elsewhere than Annotate(): from a sidecar that was edited by hand, from
// another tool, from a check that put wrong ones right.
#ifndef ONNX_HIER_GIVEN_TAGS_H_
#define ONNX_HIER_GIVEN_TAGS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"
#include "onnx_hier/module_map.h"
#include "onnx_hier/tag_file.h"

namespace onnx_hier {

// Of a tag whose source does not say how sure it is: as likely right as wrong.
constexpr float kSidecarConfidence = 0.5f;

struct GivenTag {
  NodeId node;
  std::vector<std::string> tags;  // the primary one first
  Method method = Method::kSidecar;
  float confidence = kSidecarConfidence;
  float containment = 0;  // as in Assignment; what is less than `confidence` counts as that
  uint32_t call = 0;
};

// What the entries of a tag file say of the nodes that they mean, as `matches` has them.
std::vector<GivenTag> GivenTagsOf(std::deque<TagEntry> entries, const TagMatches& matches);

// Like TagEdits, for these nodes only: the others stay as they are, but for spaces behind tags of
// an earlier run. `classes` are of modules; may be empty.
Edits GivenTagEdits(const Model& model, const std::vector<GivenTag>& tags,
                    const ModuleMap& classes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_GIVEN_TAGS_H_
