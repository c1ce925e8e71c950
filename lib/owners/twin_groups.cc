// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/twin_groups.h"

namespace onnx_hier {

TwinGroups::TwinGroups(const Fingerprints& fingerprints, const KnownModules& known)
    : fingerprints_(fingerprints), known_(known) {
  for (Rank i : known.ranks()) {
    if (known.is_open(i)) open_.push_back(i);
  }
}

// A counting sort.
void TwinGroups::Group(Likeness likeness, Groups& groups) const {
  std::vector<bool> wanted(fingerprints_.count(likeness));
  for (Rank i : open_) wanted[fingerprints_.at(likeness, i)] = true;
  // While nodes are put in rank, begin[print + 1] is where its next one goes; when they all are,
  // that is one past its last.
  std::vector<uint32_t>& begin = groups.begin;
  begin.assign(wanted.size() + 2, 0);
  const auto each_known = [&](const auto& visit) {
    for (Rank i : known_.ranks()) {
      const uint32_t print = fingerprints_.at(likeness, i);
      if (wanted[print] && known_[i].valid()) visit(print, i);
    }
  };
  each_known([&](uint32_t print, Rank) { ++begin[print + 2]; });
  for (size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
  groups.known.resize(begin.back());
  each_known([&](uint32_t print, Rank rank) { groups.known[begin[print + 1]++] = rank; });
}

}  // namespace onnx_hier
