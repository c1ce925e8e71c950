// SPDX-License-Identifier: Apache-2.0

// Where nodes that read parameters are found to be, by what they read.
//
// The product with `out_proj.weight` may run in out_proj, or in the attention around it that
// reaches for the weight itself: where such products are known to be in other layers tells.
#ifndef ONNX_HIER_LIB_OWNERS_ANCHOR_HABITS_H_
#define ONNX_HIER_LIB_OWNERS_ANCHOR_HABITS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "lib/graph/fingerprints.h"
#include "lib/owners/context.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class AnchorHabits {
 public:
  // What a node's module is to the owner of its parameters.
  enum class Stand : uint8_t { kEqual, kParent, kOther };
  static constexpr size_t kStands = static_cast<size_t>(Stand::kOther) + 1;
  // How often that is so of settled nodes that look alike; as the features' labels.
  enum class Share : uint8_t { kUnheard, kNever, kSome, kMost, kAlways };
  static constexpr size_t kShares = static_cast<size_t>(Share::kAlways) + 1;

  // `context` must outlive this. Linear in nodes.
  explicit AnchorHabits(const Context& context);

  static Stand StandOf(PathId module, PathId owner, const ModulePaths& paths);
  // Of an open node.
  std::array<Share, 3> Of(Rank rank) const;

 private:
  using Counts = std::array<uint32_t, 3>;  // by stand

  const Fingerprints& fingerprints_;
  std::vector<Counts> counts_;  // by fingerprint
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_ANCHOR_HABITS_H_
