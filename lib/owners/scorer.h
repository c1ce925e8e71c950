// SPDX-License-Identifier: Apache-2.0

// Weighs what features say and decides, or backs off to what surely contains the node.
#ifndef ONNX_HIER_LIB_OWNERS_SCORER_H_
#define ONNX_HIER_LIB_OWNERS_SCORER_H_

#include <vector>

#include "absl/types/span.h"
#include "lib/owners/features.h"
#include "lib/owners/walk_weight.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct Weight {
  const char* name;  // FeatureName(feature), for the reader and for a test
  FeatureId feature;
  float weight;
};

// How a module was decided, as far as the confidence depends on it.
enum class Basis : uint8_t {
  kNamed,            // best candidate, some names left
  kNamedBack,        // what contains the likely candidates
  kNamedWalk,        // likeliest step of the way, some names left: a module that holds others
  kNamedWalkInLeaf,  // ... one that holds none
  kNameless,         // likeliest step of the way, no names left: a module that holds others
  kNamelessOwn,      // ... of an operator that is a module by itself as a rule
  kNamelessInLeaf,   // ... one that holds none
  kNamelessBack,
  kAnchor,        // no names left: owner of its parameters
  kAnchorMatrix,  // ... which it multiplies by
  kLentMatrix,    // ... in a module that has parameters itself: it may multiply by both
  kReaders,       // no names left: a constant follows its readers
  kBeforeAnchor,  // ... which are known by their parameters
};
constexpr size_t kBasisCount = static_cast<size_t>(Basis::kBeforeAnchor) + 1;

// A score up to `score` means that the module is exactly right, or that it holds the node, with
// this probability. Ascending by basis, then score; between two points the line between them.
struct CalibrationPoint {
  Basis basis;
  float score;
  float probability;
};

struct WeightTables {
  absl::Span<const Weight> named;
  WalkWeights walk;
  WalkWeights walk_among_names;                    // instead of those, where some names are left
  absl::Span<const CalibrationPoint> calibration;  // exactly right: of Decision::score
  absl::Span<const CalibrationPoint> containment;  // holds the node: of Decision::inside
};

// The tables in weights_table.inc and calibration_tables.inc.
const WeightTables& FittedTables();

float Calibrated(absl::Span<const CalibrationPoint> points, Basis basis, float score);

class Scorer {
 public:
  explicit Scorer(absl::Span<const Weight> weights);

  // One probability for each candidate, summing to 1: softmax of the sums of weights.
  void Score(absl::Span<const Candidate> candidates, std::vector<float>& probabilities) const;
  float WeightOf(FeatureId feature) const { return weights_[feature]; }

 private:
  std::vector<float> weights_;  // by feature
};

struct Decision {
  size_t best = 0;       // the most likely candidate
  size_t runner_up = 0;  // the next; `best` where there is only one
  PathId path;           // the best, or what contains the likely ones
  float score = 0;       // probability of the best, or of all that the path contains
  float inside = 0;      // probability of all that the path contains
  bool backed_off = false;
};

struct Thresholds {
  float exact;   // a best candidate below this gives way to what contains the likely ones
  float inside;  // which must together reach this
  float layer;   // no step into a numbered module that is less likely than this
};

Decision Decide(absl::Span<const Candidate> candidates, absl::Span<const float> probabilities,
                const Thresholds& thresholds, const ModulePaths& paths);

// The probability of the candidates that the module is or contains.
float MassInside(PathId module, absl::Span<const Candidate> candidates,
                 absl::Span<const float> probabilities, const ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_SCORER_H_
