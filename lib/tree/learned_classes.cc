// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/learned_classes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_split.h"
#include "lib/audit/unsure.h"
#include "lib/tags/earlier_tag.h"

namespace onnx_hier {
namespace {

constexpr double kLeastAgreement = 0.9;

// A module, and the members of lists that lead to it: "layer.1" of "encoder.layer.1.attention" is
// one.
struct Step {
  PathId module;
  absl::string_view numbers;  // "1"; of a tag: what stands behind its class
  absl::string_view name;
};

// "/BertModel/BertLayer.1" -> BertModel; BertLayer, 1.
std::vector<Step> StepsOfTag(absl::string_view tag) {
  std::vector<Step> steps;
  for (absl::string_view part : absl::StrSplit(tag, '/', absl::SkipEmpty())) {
    const size_t dot = std::min(part.find('.'), part.size());
    steps.push_back({PathId(), part.substr(std::min(dot + 1, part.size())), part.substr(0, dot)});
  }
  return steps;
}

class ClassLearner {
 public:
  ClassLearner(const Graph& graph, const ModulePaths& paths, const Assignments& assignments,
               Evidence& evidence)
      : graph_(graph), paths_(paths), assignments_(assignments), evidence_(evidence) {}

  void Run() {
    if (!graph_.has_metadata()) return;
    for (NodeId node : graph_.node_ids()) {
      if (graph_.metadata(node).empty() || !SaysItself(assignments_[node])) continue;
      const absl::string_view tag = TagInMetadata(graph_.metadata(node));
      if (!tag.empty()) Hear(assignments_[node].primary, tag);
    }
    // Names of modules, not of their classes.
    if (2 * same_ > heard_) return;
    IdSet<PathId> has_class(paths_.size());
    for (const auto& [path, class_name] : evidence_.classes) has_class.Add(path);
    for (PathId path : paths_.ids()) {
      const auto found = votes_.find(path);
      if (found == votes_.end() || has_class.Has(path)) continue;
      const absl::string_view winner = Winner(found->second);
      if (!winner.empty()) evidence_.classes.emplace_back(path, std::string(winner));
    }
  }

 private:
  using Votes = absl::flat_hash_map<absl::string_view, size_t>;

  void Hear(PathId module, absl::string_view tag) {
    const std::vector<Step> classes = StepsOfTag(tag);
    std::vector<Step> steps;
    for (PathId at = module; at.valid(); at = paths_.parent(at)) {
      if (!paths_.is_number(at)) {
        steps.push_back({at, "", paths_.name(at)});
        continue;
      }
      steps.push_back({at, paths_.name(at), ""});
      // What holds a member only lists it.
      const PathId list = paths_.parent(at);
      if (list != paths_.root() && !paths_.is_number(list)) at = list;
    }
    std::reverse(steps.begin(), steps.end());
    if (steps.size() != classes.size()) return;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].numbers != classes[i].numbers) return;
    }
    for (size_t i = 0; i < steps.size(); ++i) {
      ++votes_[steps[i].module][classes[i].name];
      heard_ += steps[i].name.empty() ? 0 : 1;
      same_ += !steps[i].name.empty() && steps[i].name == classes[i].name ? 1 : 0;
    }
  }

  static absl::string_view Winner(const Votes& votes) {
    size_t total = 0, most = 0;
    absl::string_view winner;
    for (const auto& [name, count] : votes) {
      total += count;
      if (count > most) winner = name;
      most = std::max(most, count);
    }
    const bool agree = static_cast<double>(most) >= kLeastAgreement * static_cast<double>(total);
    return agree ? winner : absl::string_view();
  }

  const Graph& graph_;
  const ModulePaths& paths_;
  const Assignments& assignments_;
  Evidence& evidence_;
  absl::flat_hash_map<PathId, Votes> votes_;
  size_t heard_ = 0;  // parts of tags that stand for a module with a name
  size_t same_ = 0;   // of these, parts that are this name
};

}  // namespace

void LearnClasses(const Graph& graph, const ModulePaths& paths, const Assignments& assignments,
                  Evidence& evidence) {
  ClassLearner(graph, paths, assignments, evidence).Run();
}

}  // namespace onnx_hier
