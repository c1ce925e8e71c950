// SPDX-License-Identifier: Apache-2.0

// What can be said about a candidate module of a node, as numbered features.
//
// A feature is a yes (value 1) or a share (0 to 1). Its number is stable within one version of
// this file; the weights (weights_table.inc) are kept by number, with the name beside it so that a
// test can tell when the two fall apart. "before.3-5.equal" reads: the known node before this one
// in the file is three to five places away, and it is in the candidate itself.
#ifndef ONNX_HIER_LIB_OWNERS_FEATURES_H_
#define ONNX_HIER_LIB_OWNERS_FEATURES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/graph/flow.h"
#include "lib/names/path_relation.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

using FeatureId = uint16_t;

struct Feature {
  FeatureId id = 0;
  float value = 1;
};

// As a copy, for which the compiler needs no call: there are a hundred of them a node.
inline void AddFeature(std::vector<Feature>& features, FeatureId id, float value = 1) {
  const Feature feature = {id, value};
  features.push_back(feature);
}

struct Candidate {
  PathId path;
  std::vector<Feature> features;
  Rank twin;  // the nearest of the twins that say so
};
using Candidates = std::vector<Candidate>;

// The families. Their digits are in features.cc, what these are called in feature_labels.h.
enum class FeatureKind : uint8_t {
  kBefore,         // candidate against the known node before, in file order
  kAfter,          // ... and behind
  kBothSides,      // both are in the same module
  kOrderAncestor,  // against what contains both
  kInside,         // whether the node stands among the candidate's known nodes
  kUpNear,         // against the known nodes it reads
  kUpNearAll,      // it reads from the candidate only
  kUpFar,          // against known nodes it reads through unknown ones
  kDownNear,       // the same for the nodes that read it
  kDownNearAll,
  kDownFar,
  kUpAncestor,    // the candidate is what contains all upstream
  kDownAncestor,  // ... downstream
  kFlowAncestor,  // against what contains both
  kTwin,          // share of the twins that say so
  kTwinsAgree,    // they all do
  kAnchor,        // against the owner of its parameters, which holds other modules or none
  kAnchorHabit,   // ... as known nodes that read such parameters are to theirs, see AnchorHabits
  kRoom,          // whether modules of the candidate's make hold such nodes, see Inventory
  kHasNodes,      // the candidate is known to have nodes of its own
  kRoot,
  kResidual,  // against what the branch of a skip connection says
};

constexpr size_t kFeatureKindCount = static_cast<size_t>(FeatureKind::kResidual) + 1;

// The number of a feature; digits beyond those of its kind are 0.
FeatureId FeatureNumber(FeatureKind kind, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
// One past the largest.
size_t FeatureCount();
// "before"
const char* FeatureFamilyName(FeatureKind kind);
// "before.3-5.equal"
std::string FeatureName(FeatureId id);

// A feature taken apart: FeatureNumber(kind, digits[0], digits[1], digits[2]).
struct FeatureParts {
  FeatureKind kind;
  std::array<uint32_t, 3> digits;
};
FeatureParts PartsOf(FeatureId id);
FeatureKind KindOf(FeatureId id);
// What speaks where such a feature does; kNone: it holds of most nodes.
Method MethodOf(FeatureKind kind);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_FEATURES_H_
