// SPDX-License-Identifier: Apache-2.0

// Features of the nodes of a file in which no names are left but those of parameters.
//
// A node then belongs somewhere on the way from the module of the anchor before it to that of the
// anchor behind it: up from the one to what contains both, and down to the other. Where on that
// way it is, the wiring tells: how many values are alive, joins, what all anchors of one look have
// around them.
#ifndef ONNX_HIER_LIB_OWNERS_NAMELESS_FEATURES_H_
#define ONNX_HIER_LIB_OWNERS_NAMELESS_FEATURES_H_

#include <vector>

#include "lib/graph/dominators.h"
#include "lib/graph/live_values.h"
#include "lib/owners/bodies.h"
#include "lib/owners/context.h"
#include "lib/owners/neighbourhood.h"
#include "lib/owners/residual.h"

namespace onnx_hier {

// What they are looked up in: worked out once, then read by as many threads as there are.
struct NamelessIndex {
  // `context` must outlive this. Of these nodes features will be asked for. `its_whole`: modules
  // that have all of their nodes.
  NamelessIndex(const Context& context, const IdSet<PathId>& its_whole,
                absl::Span<const Rank> ranks);

  const IdSet<PathId>& whole;
  const LiveValues live;
  const Bodies bodies;
  ResidualOwners residual_owners;
};

class NamelessFeatures {
 public:
  // Both arguments must outlive this.
  NamelessFeatures(const Context& context, const NamelessIndex& index);

  // Of an unknown node that is no constant; where it `is_alone`, whole modules are no candidates.
  // The result is good until the next call.
  absl::Span<const Candidate> Of(Rank rank, bool is_alone);
  // Whether there would have been more candidates for the node last asked about.
  bool left_out() const { return left_out_; }
  // Whether members of a list of which no parameter tells may stand around it.
  bool misses_members() const { return misses_members_; }
  // Whether many nodes compute between the anchors around the node last asked about: one mistake
  // is made for all of them.
  bool InLongGap() const;

 private:
  // From one known node to the next.
  struct Gap {
    Rank before;
    Rank after;
    bool measured = false;
    uint32_t computing = 0;  // nodes that are no constants
    uint32_t narrowest = 0;  // fewest values alive
    Rank first_narrow;       // where
    Rank last_narrow = Rank(0);
  };
  // The way from A = the module before to B = the module behind, by way of what contains both.
  struct Way {
    PathId a, b, top;
  };
  // LCAs of pairs of neighbours.
  struct Pairs {
    std::vector<PathId> ancestors;
    int64_t deepest = -1;  // depth
  };

  void MeasureGap(Rank rank);
  void ListWay(const Way& way, bool is_alone);
  bool MissesMembers(const Way& way) const;
  uint32_t StateOf(PathId candidate, const Way& way) const;
  void FindTraits(Rank rank, const Way& way, const Neighbourhood& around);
  void AddWayFeatures(Rank rank, const Way& way, PathId residual, Candidate& candidate);
  void AddPairFeatures(FeatureKind kind, const Pairs& pairs, Candidate& candidate) const;
  void AddWithinFeatures(const Neighbourhood& around, Candidate& candidate) const;
  void AddPair(PathId a, PathId b, Pairs& pairs) const;
  bool ReadsOwnerlessWeight(Rank rank) const;
  Rank PreviousComputing(Rank rank) const;

  const Context& context_;
  const NamelessIndex& index_;
  const Flow& flow_;
  const Surroundings& surroundings_;
  const Dominators& dominators_;
  const ModulePaths& paths_;
  Relations relations_;
  Gap gap_;
  std::vector<PathId> way_;
  bool left_out_ = false;
  bool misses_members_ = false;
  std::vector<uint32_t> traits_;
  uint32_t shape_ = 0;     // the combined trait
  uint32_t join_ = 0;      // 0: no join, 1: a join, 2: over a skip connection
  Candidates candidates_;  // the first of them; the others keep their room for later
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NAMELESS_FEATURES_H_
