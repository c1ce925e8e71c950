// SPDX-License-Identifier: Apache-2.0

// Known nodes by what they look like: those that some open node is like, in order of their ranks.
#ifndef ONNX_HIER_LIB_OWNERS_TWIN_GROUPS_H_
#define ONNX_HIER_LIB_OWNERS_TWIN_GROUPS_H_

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

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
    std::call_once(groups.once, [&] { Group(likeness, groups); });
    return groups.known.of(PrintId(fingerprints_.at(likeness, rank)));
  }

 private:
  using PrintId = Id<struct PrintIdTag>;
  struct Groups {
    std::once_flag once;
    Grouped<PrintId, Rank> known;  // by fingerprint
  };

  void Group(Likeness likeness, Groups& groups) const;

  const Fingerprints& fingerprints_;
  const KnownModules& known_;
  std::vector<Rank> open_;
  mutable std::array<Groups, kLikenessCount> groups_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_TWIN_GROUPS_H_
