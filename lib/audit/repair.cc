// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "onnx_hier/check.h"

namespace onnx_hier {
namespace {

constexpr int kMostChecks = 8;

// `keep_old`: the tag that is replaced becomes an auxiliary one.
void Retag(const Finding& finding, bool keep_old, Tags& tags) {
  std::vector<std::string> texts = {tags.Spell(finding.expected)};
  if (keep_old) texts.emplace_back(tags.Text(finding.node));
  for (PathId path : tags.auxiliary_of(finding.node)) {
    std::string text = tags.Spell(path);
    if (path != finding.expected) texts.push_back(std::move(text));
  }
  tags.Set(finding.node, texts);
}

}  // namespace

Repairs Repair(const Graph& graph, const ModuleMap& module_map, std::vector<Finding> found,
               Tags& tags) {
  Repairs repairs;
  absl::flat_hash_map<NodeId, size_t> repaired;  // in repairs.done
  absl::flat_hash_set<std::pair<NodeId, PathId>> had;
  for (int i = 0; i < kMostChecks && !found.empty(); ++i) {
    size_t repeated = 0;
    for (const Finding& finding : found) {
      had.insert({finding.node, finding.actual});
      if (!had.insert({finding.node, finding.expected}).second) {
        ++repeated;
        continue;
      }
      const auto [entry, first] = repaired.try_emplace(finding.node, repairs.done.size());
      if (first) {
        repairs.done.push_back(finding);
      } else {
        repairs.done[entry->second].expected = finding.expected;
        repairs.done[entry->second].layer_only = finding.layer_only;
      }
      Retag(finding, first, tags);
    }
    if (repeated == found.size()) break;
    found = FindContamination(graph, module_map, tags);
  }
  repairs.left = std::move(found);
  repairs.layer_only =
      static_cast<size_t>(std::count_if(repairs.done.begin(), repairs.done.end(),
                                        [](const Finding& finding) { return finding.layer_only; }));
  std::sort(repairs.done.begin(), repairs.done.end(),
            [](const Finding& a, const Finding& b) { return a.node < b.node; });
  return repairs;
}

}  // namespace onnx_hier
