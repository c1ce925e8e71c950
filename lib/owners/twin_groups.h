// SPDX-License-Identifier: Apache-2.0

// Known nodes by what they look like: those that some open node is like, in order of their ranks.
#ifndef ONNX_HIER_LIB_OWNERS_TWIN_GROUPS_H_
#define ONNX_HIER_LIB_OWNERS_TWIN_GROUPS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/base/call_once.h"
#include "absl/types/span.h"
#include "lib/graph/fingerprints.h"
#include "lib/owners/known_modules.h"

namespace onnx_hier {

class TwinGroups {
 public:
  // Both must outlive this.
  TwinGroups(const Fingerprints& fingerprints, const KnownModules& known);

  // The known nodes that are like the one at `rank`, which is open; ascending. The first call for a
  // likeness is linear in nodes: the less telling ones are hardly ever asked for. Several threads
  // may ask.
  absl::Span<const Rank> Like(Rank rank, Likeness likeness) const {
    Groups& groups = groups_[static_cast<size_t>(likeness)];
    absl::call_once(groups.once, [&] { Group(likeness, groups); });
    const uint32_t print = fingerprints_.at(likeness, rank);
    return absl::MakeConstSpan(groups.known)
        .subspan(groups.begin[print], groups.begin[print + 1] - groups.begin[print]);
  }

 private:
  struct Groups {
    absl::once_flag once;
    std::vector<uint32_t> begin;  // by fingerprint, of its group in `known`, and one past the last
    std::vector<Rank> known;
  };

  void Group(Likeness likeness, Groups& groups) const;

  const Fingerprints& fingerprints_;
  const KnownModules& known_;
  std::vector<Rank> open_;
  mutable std::array<Groups, kLikenessCount> groups_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_TWIN_GROUPS_H_
