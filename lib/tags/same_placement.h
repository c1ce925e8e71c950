// Which nodes are equal in all that is written of their place: many are, and mostly those that
// stand side by side, so that their text need not be put together for each of them.
#ifndef ONNX_HIER_LIB_TAGS_SAME_PLACEMENT_H_
#define ONNX_HIER_LIB_TAGS_SAME_PLACEMENT_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "lib/base/hash.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

// Equality and hash of nodes, as containers take them.
struct SamePlacement {
  const Annotation* annotation;

  size_t operator()(NodeId node) const {
    const Assignment& assignment = annotation->assignments[node];
    uint64_t hash = MixHash(assignment.primary.index(), assignment.call);
    hash = MixHash(hash, static_cast<uint64_t>(assignment.method));
    hash = MixHash(hash, std::bit_cast<uint32_t>(assignment.confidence));
    hash = MixHash(hash, std::bit_cast<uint32_t>(assignment.containment));
    for (PathId path : annotation->auxiliary_of(node)) hash = MixHash(hash, path.index());
    return hash;
  }
  bool operator()(NodeId a, NodeId b) const {
    const Assignment& first = annotation->assignments[a];
    const Assignment& second = annotation->assignments[b];
    return first.primary == second.primary && first.method == second.method &&
           first.confidence == second.confidence && first.containment == second.containment &&
           first.call == second.call && first.auxiliary.size() == second.auxiliary.size() &&
           (first.auxiliary.size() == 0 ||
            annotation->auxiliary_of(a) == annotation->auxiliary_of(b));
  }
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_SAME_PLACEMENT_H_
