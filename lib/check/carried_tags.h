// Tags held against what nodes stand for in the model that theirs was made from.
#ifndef ONNX_HIER_LIB_CHECK_CARRIED_TAGS_H_
#define ONNX_HIER_LIB_CHECK_CARRIED_TAGS_H_

#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/check/name_findings.h"
#include "lib/compare/tag_audit.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// A node and the modules of what it stands for: its own first, then those of what was fused to it.
struct CarriedPlace {
  NodeId node;
  absl::InlinedVector<PathId, 2> paths;
  float confidence = 0;
};
using CarriedPlaces = std::vector<CarriedPlace>;

// Of nodes that stand for nodes of the original, in graph order; their paths are added to `paths`.
CarriedPlaces PlacesOf(const Annotation& carried, ModulePaths& paths);

// Settles each of these nodes that has a tag.
void CheckCarried(const TagAudit& audit, const CarriedPlaces& places, NameFindings& result);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_CHECK_CARRIED_TAGS_H_
