// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/audit/name_evidence.h"
#include "lib/names/named_parameters.h"
#include "lib/names/readable_graph.h"
#include "lib/names/scoped_name.h"
#include "onnx_hier/check.h"

namespace onnx_hier {
namespace {

// Every module that a tag may name: those of which the name of a node, a value or a parameter
// speaks, and those that `tag` knows, with all around them.
class SpelledModules {
 public:
  SpelledModules(const Graph& graph, const IdVector<NodeId, NodeNameEvidence>& name_evidence,
                 const Annotation& written, ModulePaths& paths)
      : paths_(paths) {
    // By way of their texts: that is how tags are read.
    for (ModuleId id : written.modules.ids()) {
      Add(PathOf(written.paths.Tag(written.modules.module(id).path)));
    }
    for (NodeId node : graph.node_ids()) {
      const NodeNameEvidence& said = name_evidence[node];
      for (PathId path : {said.name, said.output, said.module, said.other_module, said.owner}) {
        Add(path);
      }
    }
  }

  bool any() const { return known_.size() > 1; }
  bool Contains(PathId path) const { return known_.contains(path); }
  bool ContainsTag(absl::string_view tag) { return Contains(PathOf(tag)); }

 private:
  PathId PathOf(absl::string_view tag) { return AppendComponents(tag, paths_.root(), paths_); }
  void Add(PathId path) {
    for (; path.valid() && known_.insert(path).second; path = paths_.parent(path)) {
    }
  }

  ModulePaths& paths_;
  absl::flat_hash_set<PathId> known_;
};

}  // namespace

absl::string_view GapKindName(GapKind kind) {
  switch (kind) {
    case GapKind::kUntagged:
      return "untagged";
    case GapKind::kUnplaced:
      return "unplaced";
    case GapKind::kUnknownModule:
      return "unknown_module";
    case GapKind::kMalformed:
      return "malformed";
    case GapKind::kSidecar:
      return "sidecar";
  }
  return "";
}

Coverage FindGaps(const Graph& graph, const ModuleMap& module_map, const Annotation& written,
                  Tags& tags, const std::vector<NodeId>& malformed,
                  const std::vector<std::string>& sidecar) {
  Coverage coverage;
  const NamedParameters named(graph, tags.parameter_names);
  const IdVector<NodeId, NodeNameEvidence> name_evidence =
      CollectNameEvidence(ReadableGraph(named.graph()), module_map, tags).nodes;
  SpelledModules known(graph, name_evidence, written, tags.paths());
  coverage.modules_known = known.any() && !TagsAreClasses(tags, name_evidence);
  const absl::flat_hash_set<NodeId> unreadable(malformed.begin(), malformed.end());
  for (NodeId node : graph.node_ids()) {
    const NodeTag& tag = tags[node];
    if (unreadable.contains(node)) {
      coverage.gaps.push_back({GapKind::kMalformed, node, "the doc_string is no valid tag JSON"});
    } else if (tag.unplaced && known.ContainsTag(tags.Text(node))) {
      continue;  // a module that happens to have such a name
    } else if (tag.unplaced) {
      coverage.gaps.push_back({GapKind::kUnplaced, node, absl::StrCat("tagged ", tags.Text(node))});
    } else if (!tag.primary.valid()) {
      coverage.gaps.push_back({GapKind::kUntagged, node, "no tag"});
    } else if (coverage.modules_known && !known.Contains(tag.primary)) {
      coverage.gaps.push_back({GapKind::kUnknownModule, node,
                               absl::StrCat("no name in the model knows ", tags.Text(node))});
    }
  }
  for (const std::string& text : sidecar) {
    coverage.gaps.push_back({GapKind::kSidecar, NodeId(), text});
  }
  std::stable_sort(coverage.gaps.begin(), coverage.gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.kind < b.kind; });
  return coverage;
}

}  // namespace onnx_hier
