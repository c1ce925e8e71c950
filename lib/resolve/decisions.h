// Decides the module of every open node by weighing features.
//
// A file with some names left is decided in two passes: what is sure after the first counts as
// known in the second. A file without names is decided between the owners of its parameters; its
// constants follow the nodes that read them.
#ifndef ONNX_HIER_LIB_RESOLVE_DECISIONS_H_
#define ONNX_HIER_LIB_RESOLVE_DECISIONS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/evidence/evidence.h"
#include "lib/resolve/flow.h"
#include "lib/resolve/known.h"
#include "lib/resolve/scorer.h"
#include "lib/resolve/wiring.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct OpenDecision {
  Place place = 0;
  PathId path;
  Basis basis = Basis::kReaders;
  float score = 0;           // not yet calibrated
  Idea idea = Idea::kPrior;  // what spoke most for it against the runner-up
  Place witness = kNowhere;  // a node that the idea points at
  bool by_readers = false;   // a constant that follows its readers
};

// The candidates of some nodes and their probabilities when they were last judged.
class DecisionTrace {
 public:
  struct Scored {
    PathId path;
    float probability = 0;
  };

  explicit DecisionTrace(const std::vector<Place>& places) : scored_(places.size()) {
    for (size_t i = 0; i < places.size(); ++i) asked_.emplace(places[i], i);
  }

  void Record(Place place, absl::Span<const Candidate> candidates,
              absl::Span<const float> probabilities);
  // Of the i-th node asked for, the most likely first; empty: it was not judged.
  const std::vector<Scored>& scored(size_t i) const { return scored_[i]; }

 private:
  absl::flat_hash_map<Place, size_t> asked_;  // which of those asked for
  std::vector<std::vector<Scored>> scored_;
};

struct ResolveOptions {
  const WeightTables& tables = FittedTables();
  DecisionTrace* trace = nullptr;  // null: nobody looks
  bool beside = false;             // a second thread may help; the result is the same
};

// Whether so few nodes say where they are that the others cannot be compared with them.
bool IsSparse(const Flow& flow, const KnownModules& known);

// One for each open node, in order of their places. `paths` grows by modules that twins suggest.
std::vector<OpenDecision> DecideOpenNodes(const Wiring& wiring, const Evidence& evidence,
                                          KnownModules known, const ResolveOptions& options,
                                          ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_DECISIONS_H_
