#include "lib/contamination/repair.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "lib/contamination/referee.h"

namespace onnx_hier {
namespace {

constexpr int kMostChecks = 8;

void Retag(const Finding& finding, Tags& tags) {
  const ModulePaths& paths = tags.paths();
  std::vector<std::string> texts = {paths.Tag(finding.expected),
                                    std::string(tags.Text(finding.node))};
  for (PathId path : tags.auxiliary_of(finding.node)) {
    std::string text = paths.Tag(path);
    if (path != finding.expected) texts.push_back(std::move(text));
  }
  tags.Set(finding.node, texts);
}

}  // namespace

Repairs Repair(const Graph& graph, const ModuleMap& module_map, std::vector<Finding> found,
               Tags& tags) {
  Repairs repairs;
  absl::flat_hash_set<NodeId> repaired;
  for (int i = 0; i < kMostChecks && !found.empty(); ++i) {
    repairs.left.clear();
    for (const Finding& finding : found) {
      if (!repaired.insert(finding.node).second) {
        repairs.left.push_back(finding);
        continue;
      }
      Retag(finding, tags);
      repairs.done.push_back(finding);
    }
    if (repairs.left.size() == found.size()) break;
    found = FindContamination(graph, module_map, tags);
    if (found.empty()) repairs.left.clear();
  }
  std::sort(repairs.done.begin(), repairs.done.end(),
            [](const Finding& a, const Finding& b) { return a.node < b.node; });
  return repairs;
}

}  // namespace onnx_hier
