// SPDX-License-Identifier: Apache-2.0

// Ids for operators that come one after the other: equal operators, equal ids.
#ifndef ONNX_HIER_LIB_GRAPH_OP_TABLE_H_
#define ONNX_HIER_LIB_GRAPH_OP_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "lib/graph/domain.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// The first different operator is 0, the next 1, and so on. Holds views: the text must outlive it.
class OpTable {
 public:
  OpId IdOf(absl::string_view domain, absl::string_view type, absl::string_view overload) {
    domain = StandardDomain(domain);
    OpId& recent = recent_[RecentSlot(type)];
    const auto is_that = [&](const Op& op) {
      return op.type == type && op.domain == domain && op.overload == overload;
    };
    if (!recent.valid() || !is_that(ops_[recent])) {
      const auto [known, added] = ids_.try_emplace(std::make_tuple(domain, type, overload));
      if (added) known->second = ops_.push_back({domain, type, overload});
      recent = known->second;
    }
    return recent;
  }

  const IdVector<OpId, Op>& ops() const& { return ops_; }
  IdVector<OpId, Op> ops() && { return std::move(ops_); }

 private:
  static constexpr size_t kRecent = 64;

  // Where recent_ has an operator of that type.
  static size_t RecentSlot(absl::string_view type) {
    if (type.empty()) return 0;
    const auto first = static_cast<uint8_t>(type.front());
    const auto last = static_cast<uint8_t>(type.back());
    return (first + 5u * last + 11u * type.size()) % kRecent;
  }

  IdVector<OpId, Op> ops_;
  absl::flat_hash_map<std::tuple<absl::string_view, absl::string_view, absl::string_view>, OpId>
      ids_;
  // The latest operator of each kind of name: a graph has few operators, and many nodes of each.
  std::array<OpId, kRecent> recent_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_OP_TABLE_H_
