// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "lib/base/status_macros.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier {

AskedColumns::~AskedColumns() = default;

absl::Status AskedColumns::Fill(ColumnsAsked asked) {
  std::optional<TimedProfile> timed;
  if (asked.profile.has_value()) {
    profile_ = std::move(asked.profile);
    columns_.Add(profile_->placed.amounts);
    timed.emplace(profile_->timed());
  }
  std::vector<std::string> ids = asked.ids;
  ids.push_back(asked.sort);
  OH_ASSIGN_OR_RETURN(costs_, AddCosts(model_, hierarchy_, asked.cost, ids,
                                       timed.has_value() ? &*timed : nullptr, columns_));
  OH_ASSIGN_OR_RETURN(shown_, columns_.FindAll(asked.ids));
  if (profile_ && !absl::c_linear_search(shown_, &profile_->placed.amounts)) {
    shown_.push_back(&profile_->placed.amounts);
  }
  if (asked.sort.empty()) return absl::OkStatus();
  OH_ASSIGN_OR_RETURN(sort_by_, columns_.Find(asked.sort));
  return absl::OkStatus();
}

std::vector<const Column*> AskedColumns::BesidesUsual() const {
  const std::vector<std::string> usual = UsualColumns();
  std::vector<const Column*> columns;
  absl::c_copy_if(shown_, std::back_inserter(columns), [&](const Column* column) {
    return !absl::c_linear_search(usual, column->measure().id);
  });
  return columns;
}

std::vector<const Column*> AskedColumns::BesidesProfile() const {
  std::vector<const Column*> columns;
  absl::c_copy_if(shown_, std::back_inserter(columns), [this](const Column* column) {
    return !profile_ || column != &profile_->placed.amounts;
  });
  return columns;
}

std::vector<std::pair<NodeId, uint64_t>> WholeAmounts(const Column& column) {
  double most = 0;
  bool is_whole = true;
  for (const auto& [node, amount] : column.nodes()) {
    most = std::max(most, amount.real());
    is_whole = is_whole && amount.is_whole();
  }
  constexpr double kFinest = 1 << 30;
  const double scale = is_whole || most <= 0 ? 1 : kFinest / most;
  std::vector<std::pair<NodeId, uint64_t>> amounts;
  for (const auto& [node, amount] : column.nodes()) {
    amounts.emplace_back(node, is_whole ? amount.whole() : Amount(amount.real() * scale).whole());
  }
  return amounts;
}

}  // namespace onnx_hier
