// Features of the nodes of a file in which some names are left: neighbours in file order and in
// the data flow, twins, parameters.
#ifndef ONNX_HIER_LIB_RESOLVE_DENSE_FEATURES_H_
#define ONNX_HIER_LIB_RESOLVE_DENSE_FEATURES_H_

#include "lib/resolve/anchor_habits.h"
#include "lib/resolve/inventory.h"
#include "lib/resolve/module_children.h"
#include "lib/resolve/neighbourhood.h"
#include "lib/resolve/structure.h"
#include "lib/resolve/twins.h"

namespace onnx_hier {

class DenseFeatures {
 public:
  // All arguments must outlive this.
  DenseFeatures(const Flow& flow, const Evidence& evidence, const KnownModules& known,
                const Surroundings& surroundings, const ModuleChildren& children,
                const Branches& branches, const Fingerprints& fingerprints, Twins& twins,
                const ModulePaths& paths)
      : flow_(flow),
        evidence_(evidence),
        known_(known),
        surroundings_(surroundings),
        children_(children),
        branches_(branches),
        twins_(twins),
        paths_(paths),
        inventory_(flow, fingerprints, evidence, known, paths),
        habits_(flow, fingerprints, evidence, known, paths),
        residual_owners_(flow, branches, known, surroundings, children, paths),
        relations_(paths),
        list_(paths) {}

  // Of an open node. The result is good until the next call.
  absl::Span<const Candidate> Of(Place place);
  // The nearest twin that put the node last asked about into `path`; kNowhere: none did.
  Place TwinFor(PathId path) const;

 private:
  PathId ResidualOwner(Place place, const Neighbourhood& around);
  void AddTwinFeatures(Candidate& candidate) const;
  void AddHabitFeatures(Place place, PathId anchor, Candidate& candidate) const;
  void AddRoomFeatures(bool constant, Candidate& candidate);

  const Flow& flow_;
  const Evidence& evidence_;
  const KnownModules& known_;
  const Surroundings& surroundings_;
  const ModuleChildren& children_;
  const Branches& branches_;
  Twins& twins_;
  const ModulePaths& paths_;
  Inventory inventory_;
  const AnchorHabits habits_;
  ResidualOwners residual_owners_;
  Relations relations_;
  CandidateList list_;
  std::vector<TwinVote> votes_;
  Candidates candidates_;  // the first of them; the others keep their room for later
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_DENSE_FEATURES_H_
