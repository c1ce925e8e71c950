// SPDX-License-Identifier: Apache-2.0

// The tags that a check is to look at, from wherever they are.
#ifndef ONNX_HIER_TOOLS_CHECKED_TAGS_H_
#define ONNX_HIER_TOOLS_CHECKED_TAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/tags.h"

namespace onnx_hier::cli {

struct CheckedTags {
  Tags tags;
  std::vector<NodeId> malformed;     // nodes whose tags cannot be read
  std::vector<std::string> sidecar;  // what is wrong with the sidecar that they are from
};

// Those of `sidecar`, a text, or else those that the nodes carry. kInvalidArgument: the text holds
// no tags, or those of another model (CheckMatches).
absl::StatusOr<CheckedTags> TagsToCheck(const Graph& graph,
                                        const std::optional<std::string>& sidecar);
// Of a folded model, as tags of the flat one: those that it had before it was folded first.
absl::StatusOr<CheckedTags> TagsOfFolded(const Model& folded, const UnfoldedModel& unfolded,
                                         const std::optional<std::string>& sidecar,
                                         const AnnotateOptions& options);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CHECKED_TAGS_H_
