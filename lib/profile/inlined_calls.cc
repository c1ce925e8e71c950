// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/inlined_calls.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/graph/callees.h"
#include "lib/graph/top_blocks.h"

namespace onnx_hier {
namespace {

// Functions that call each other again and again run more often than anything could be measured.
constexpr size_t kMostCalls = 1 << 16;

// The number of a further call; below all of these: the name has none.
int64_t NumberIn(absl::string_view kernel_name, absl::string_view function) {
  const std::string prefix = absl::StrCat("_inlfunc_", function, "_token_");
  const size_t at = kernel_name.rfind(prefix);
  if (at == absl::string_view::npos) return -1;
  kernel_name.remove_prefix(at + prefix.size());
  int64_t number = 0;
  return absl::SimpleAtoi(kernel_name.substr(0, kernel_name.find('_')), &number) ? number : -1;
}

}  // namespace

InlinedCalls::InlinedCalls(const Hierarchy& hierarchy)
    : hierarchy_(hierarchy), graph_(hierarchy.graph()), tops_(FindTopBlocks(graph_)) {
  ListCalls();
  if (calls_.empty()) return;
  modules_.resize(calls_.size());
}

// In the order of the file, those of a body behind the call that runs it.
void InlinedCalls::ListCalls() {
  const IdVector<OpId, BlockId> callees = FindCallees(graph_);
  if (callees.empty()) return;
  absl::flat_hash_map<BlockId, std::vector<NodeId>> nodes;  // that call, by what they stand in
  for (NodeId node : graph_.node_ids()) {
    if (callees[graph_.node(node).op].valid()) {
      nodes[tops_[graph_.node(node).block]].push_back(node);
    }
  }
  std::vector<Call> open;
  const auto push = [&](BlockId block, uint32_t caller) {
    const std::vector<NodeId>& list = nodes[block];
    for (size_t i = list.size(); i-- > 0;) open.push_back({list[i], caller});
  };
  push(graph_.main_block(), kMostCalls);
  while (!open.empty() && calls_.size() < kMostCalls && open.size() < kMostCalls) {
    const auto id = static_cast<uint32_t>(calls_.size());
    calls_.push_back(open.back());
    open.pop_back();
    if (calls_[id].caller == kMostCalls) calls_[id].caller = id;
    const BlockId body = callees[graph_.node(calls_[id].node).op];
    calls_of_[body].push_back(id);
    push(body, id);
  }
  if (open.empty()) return;
  calls_.clear();
  calls_of_.clear();
}

bool InlinedCalls::IsInBody(NodeId node) const {
  return !calls_.empty() && calls_of_.contains(tops_[graph_.node(node).block]);
}

void InlinedCalls::Note(NodeId node, absl::string_view kernel_name) {
  const BlockId body = tops_[graph_.node(node).block];
  numbers_[body].insert(NumberIn(kernel_name, graph_.block(body).name));
}

ModuleId InlinedCalls::ModuleIn(uint32_t call, NodeId node) {
  const ModuleTree& tree = hierarchy_.modules();
  const ModuleId around = ModuleOfCall(call);
  if (const ModuleId own = hierarchy_.ModuleOf(node); tree.Contains(around, own)) return own;
  for (ModuleId module : hierarchy_.ModulesInFurtherCalls(node)) {
    if (tree.Contains(around, module)) return module;
  }
  return around;
}

ModuleId InlinedCalls::ModuleOfCall(uint32_t call) {
  // Callers come first.
  std::vector<uint32_t> chain = {call};
  while (!modules_[chain.back()].valid() && !IsTop(chain.back())) {
    chain.push_back(calls_[chain.back()].caller);
  }
  for (size_t i = chain.size(); i-- > 0;) {
    ModuleId& module = modules_[chain[i]];
    if (module.valid()) continue;
    const NodeId node = calls_[chain[i]].node;
    module = IsTop(chain[i]) ? hierarchy_.ModuleOf(node) : ModuleIn(calls_[chain[i]].caller, node);
  }
  return modules_[call];
}

std::optional<uint32_t> InlinedCalls::CallOf(NodeId node, absl::string_view kernel_name) const {
  const BlockId body = tops_[graph_.node(node).block];
  const std::vector<uint32_t>& calls = calls_of_.at(body);
  const std::set<int64_t>& numbers = numbers_.at(body);
  if (numbers.size() != calls.size()) return std::nullopt;
  const auto at = numbers.find(NumberIn(kernel_name, graph_.block(body).name));
  if (at == numbers.end()) return std::nullopt;
  return calls[static_cast<size_t>(std::distance(numbers.begin(), at))];
}

absl::Span<const uint32_t> InlinedCalls::CallsBetween(NodeId node, std::optional<uint32_t> before,
                                                      std::optional<uint32_t> after) const {
  const std::vector<uint32_t>& calls = calls_of_.at(tops_[graph_.node(node).block]);
  const auto first = before ? std::upper_bound(calls.begin(), calls.end(), *before) : calls.begin();
  const auto end = after ? std::lower_bound(first, calls.end(), *after) : calls.end();
  return absl::MakeConstSpan(calls).subspan(static_cast<size_t>(first - calls.begin()),
                                            static_cast<size_t>(end - first));
}

}  // namespace onnx_hier
