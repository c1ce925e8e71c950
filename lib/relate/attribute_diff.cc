// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/attribute_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/relate/module_text.h"

namespace onnx_hier {
namespace {

// What nodes say in one attribute, and how many of them; "", 0: those that do not have it.
using Said = std::map<std::pair<std::string, uint64_t>, uint64_t>;
// Of an operator, by the attribute's name.
using SaidByName = std::map<std::pair<std::string, std::string>, Said>;

SaidByName SaidIn(const ModuleAttributes& attributes, GroupId module) {
  const Graph& graph = attributes.groups().graph();
  SaidByName said;
  for (const AttributeMeaning& meaning : attributes.of(module)) {
    ++said[{OperatorText(graph.op(meaning.node)), meaning.name}][{meaning.text, meaning.hash}];
  }
  return said;
}

// What of `said` the others do not say, each as often as it is left, of `nodes` in all.
std::vector<std::string> Without(const Said& said, const Said& others, uint64_t nodes) {
  const auto whole = [nodes](Said counts) {
    uint64_t silent = nodes;
    for (const auto& [value, count] : counts) silent -= std::min(silent, count);
    if (silent > 0) counts[{"", 0}] += silent;
    return counts;
  };
  const Said all_others = whole(others);
  std::vector<std::string> left;
  for (const auto& [value, count] : whole(said)) {
    const auto other = all_others.find(value);
    const uint64_t taken = other == all_others.end() ? 0 : std::min(count, other->second);
    left.insert(left.end(), count - taken, value.first);
  }
  return left;
}

}  // namespace

absl::StatusOr<ModuleAttributes> ModuleAttributes::Read(const ModuleGroups& groups,
                                                        const std::vector<GroupId>& modules,
                                                        const AttributeMeanings& meanings) {
  ModuleAttributes attributes(groups);
  std::vector<NodeId> nodes;
  for (GroupId module : modules) {
    nodes.insert(nodes.end(), groups.group(module).nodes.begin(), groups.group(module).nodes.end());
  }
  std::sort(nodes.begin(), nodes.end());
  OH_ASSIGN_OR_RETURN(std::vector<AttributeMeaning> told, meanings.Tell(nodes));
  for (AttributeMeaning& meaning : told) {
    attributes.meanings_[groups.group_of(meaning.node)].push_back(std::move(meaning));
  }
  return attributes;
}

std::vector<AttributeDiff> CompareAttributes(const ModuleAttributes& a, GroupId in_a,
                                             const ModuleAttributes& b, GroupId in_b) {
  const SaidByName said_a = SaidIn(a, in_a);
  SaidByName said_b = SaidIn(b, in_b);
  for (const auto& [name, said] : said_a) said_b.try_emplace(name);
  const KindCounts nodes_a = OperatorsOf(a.groups(), in_a);
  const KindCounts nodes_b = OperatorsOf(b.groups(), in_b);
  std::vector<AttributeDiff> diffs;
  for (const auto& [name, of_b] : said_b) {
    const auto count_a = nodes_a.find(name.first);
    const auto count_b = nodes_b.find(name.first);
    if (count_a == nodes_a.end() || count_b == nodes_b.end() || count_a->second != count_b->second)
      continue;
    const auto found = said_a.find(name);
    const Said of_a = found == said_a.end() ? Said() : found->second;
    const std::vector<std::string> before = Without(of_a, of_b, count_a->second);
    const std::vector<std::string> after = Without(of_b, of_a, count_a->second);
    for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      const bool is_again = !diffs.empty() && diffs.back().op == name.first &&
                            diffs.back().name == name.second && diffs.back().a == before[i] &&
                            diffs.back().b == after[i];
      if (!is_again) diffs.push_back({name.first, name.second, before[i], after[i]});
      ++diffs.back().nodes;
    }
  }
  return diffs;
}

}  // namespace onnx_hier
