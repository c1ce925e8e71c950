// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/twin_groups.h"

namespace onnx_hier {

TwinGroups::TwinGroups(const Fingerprints& fingerprints, const KnownModules& known)
    : fingerprints_(fingerprints), known_(known) {
  for (Rank i : known.ranks()) {
    if (known.is_open(i)) open_.push_back(i);
  }
}

void TwinGroups::Group(Likeness likeness, Groups& groups) const {
  std::vector<bool> wanted(fingerprints_.count(likeness));
  for (Rank i : open_) wanted[fingerprints_.at(likeness, i)] = true;
  groups.known = Grouped<PrintId, Rank>(wanted.size(), [&](const auto& visit) {
    for (Rank i : known_.ranks()) {
      const uint32_t print = fingerprints_.at(likeness, i);
      if (wanted[print] && known_[i].valid()) visit(PrintId(print), i);
    }
  });
}

}  // namespace onnx_hier
