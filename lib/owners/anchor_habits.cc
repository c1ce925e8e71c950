// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/anchor_habits.h"

namespace onnx_hier {

AnchorHabits::AnchorHabits(const Context& context)
    : fingerprints_(context.analysis.fingerprints()),
      counts_(fingerprints_.count(Likeness::kLoose0)) {
  const ModulePaths& paths = context.paths;
  for (Rank i : context.flow.ranks()) {
    if (context.known.is_open(i)) continue;
    const PathId owner = AnchorOf(context.evidence, context.flow.node(i), paths);
    if (!owner.valid()) continue;
    ++counts_[fingerprints_.at(Likeness::kLoose0, i)]
             [static_cast<size_t>(StandOf(context.known[i], owner, paths))];
  }
}

AnchorHabits::Stand AnchorHabits::StandOf(PathId module, PathId owner, const ModulePaths& paths) {
  if (module == owner) return Stand::kEqual;
  return owner != paths.root() && module == paths.parent(owner) ? Stand::kParent : Stand::kOther;
}

std::array<AnchorHabits::Share, 3> AnchorHabits::Of(Rank rank) const {
  std::array<Share, 3> shares{};
  const Counts& counts = counts_[fingerprints_.at(Likeness::kLoose0, rank)];
  const uint32_t all = counts[0] + counts[1] + counts[2];
  if (all == 0) return shares;
  for (size_t i = 0; i < counts.size(); ++i) {
    shares[i] = counts[i] == 0        ? Share::kNever
                : counts[i] == all    ? Share::kAlways
                : 2 * counts[i] > all ? Share::kMost
                                      : Share::kSome;
  }
  return shares;
}

}  // namespace onnx_hier
