#include "lib/resolve/anchor_habits.h"

namespace onnx_hier {

AnchorHabits::AnchorHabits(const Flow& flow, const Fingerprints& fingerprints,
                           const Evidence& evidence, const KnownModules& known,
                           const ModulePaths& paths)
    : fingerprints_(fingerprints), counts_(fingerprints.count(Likeness::kLoose0)) {
  for (Place i = 0; i < flow.size(); ++i) {
    if (known.is_open(i)) continue;
    const PathId owner = AnchorOf(evidence, flow.node(i), paths);
    if (!owner.valid()) continue;
    ++counts_[fingerprints.at(Likeness::kLoose0, i)]
             [static_cast<size_t>(StandOf(known[i], owner, paths))];
  }
}

AnchorHabits::Stand AnchorHabits::StandOf(PathId module, PathId owner, const ModulePaths& paths) {
  if (module == owner) return Stand::kEqual;
  return owner != paths.root() && module == paths.parent(owner) ? Stand::kParent : Stand::kOther;
}

std::array<AnchorHabits::Share, 3> AnchorHabits::Of(Place place) const {
  std::array<Share, 3> shares{};
  const Counts& counts = counts_[fingerprints_.at(Likeness::kLoose0, place)];
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
