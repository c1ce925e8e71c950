// SPDX-License-Identifier: Apache-2.0

// Owners that come from elsewhere than Annotate().
#ifndef ONNX_HIER_APPLY_H_
#define ONNX_HIER_APPLY_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/tags.h"
#include "onnx_hier/value_pairs.h"

namespace onnx_hier {

// --- from a file

// Tags that come from elsewhere than Annotate(): from a sidecar that was edited by hand, from
// another tool, from a check that put wrong ones right.

// Of a tag whose source does not say how sure it is: as likely right as wrong.
constexpr float kSidecarConfidence = 0.5f;

struct GivenTag {
  NodeId node;
  TagList tags;
  Method method = Method::kSidecar;
  float confidence = kSidecarConfidence;
  float containment = 0;  // as in Assignment; what is less than `confidence` counts as that
  uint32_t call = 0;
};

// What the entries of a tag file say of the nodes that they mean, as `matches` has them. The texts
// lie where those of the entries do.
std::vector<GivenTag> GivenTagsOf(std::deque<TagEntry> entries, const TagMatches& matches);

// Like TagEdits, for these nodes only: the others stay as they are, but for spaces behind tags of
// an earlier run. `classes` are of modules; may be empty.
Edits GivenTagEdits(const Model& model, const std::vector<GivenTag>& tags,
                    const ModuleMap& classes);

// --- from another model

// Owners from the model that another one was made from: optimisers drop what exporters wrote.
//
//   const absl::StatusOr<Annotation> annotation = AnnotateFrom(exported, optimised);
//   if (!annotation.ok()) return annotation.status();   // "shares 3 of 120 nodes and weights ..."
//   Write(optimised, TagEdits(optimised, *annotation), Destination::File("out.onnx"));
//
// Nodes are matched by the values that they make, by names, by the parameters that they read (by
// name, then by content), then by where they stand. One that several were fused to belongs to the
// module of the weighted operator among them, and the others' modules are auxiliary. What was put
// in belongs to what it serves. What has no counterpart is worked out as Annotate() does, with all
// others known.

// kFailedPrecondition, with what says so: `original` seems to have been made from `model`, and not
// the other way round.
absl::Status CheckOrder(const Model& original, const Model& model);

// Of `model`. kFailedPrecondition: it was not made from `original`, by how little they share;
// errors of reading weights, whose contents are compared where their names tell nothing. Those in
// data files beside a model that has a path are compared, too; of files that could not be read,
// `warnings` tells, if it is given. It takes the two in any order: CheckOrder() looks at that.
absl::StatusOr<Annotation> AnnotateFrom(const Model& original, const Model& model,
                                        const AnnotateOptions& options = {},
                                        std::vector<std::string>* warnings = nullptr);

// What says the same in the model as values of the original, both in the main graphs: by names,
// else what is given out by the node that stands for its maker. Errors and
// warnings as of AnnotateFrom().
absl::StatusOr<ValuePairs> PairValues(const Model& original, const Model& model,
                                      std::vector<std::string>* warnings = nullptr);

}  // namespace onnx_hier

#endif  // ONNX_HIER_APPLY_H_
