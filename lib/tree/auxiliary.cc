// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/auxiliary.h"

#include <algorithm>

#include "lib/names/path_relation.h"

namespace onnx_hier {
namespace {

// More contexts than these tell a reader nothing, and a value may have any number of readers.
constexpr size_t kMostContexts = 16;
constexpr size_t kMostReaders = 64;

class ContextFinder {
 public:
  ContextFinder(const GraphAnalysis& analysis, const Evidence& evidence, const ModulePaths& paths,
                const Assignments& assignments)
      : flow_(analysis.flow()),
        dominators_(analysis.dominators()),
        evidence_(evidence),
        paths_(paths),
        assignments_(assignments) {}

  // Distinct modules other than the node's own, in the order in which they are met.
  const std::vector<PathId>& Of(Rank rank) {
    contexts_.clear();
    const PathId fused = evidence_.nodes[flow_.node(rank)].fused_place();
    if (fused.valid() && fused != ModuleOf(rank)) AddNew(fused);
    AddJoined(rank);
    if (dominators_.is_skip_join(rank)) {
      for (const Flow::Edge& edge : flow_.producers(rank)) {
        if (!flow_.is_constant(edge.rank)) Add(rank, ModuleOf(edge.rank));
      }
    }
    const absl::Span<const Flow::Edge> readers = FirstReaders(rank);
    if (IsSharedByLayers(rank, readers)) {
      for (const Flow::Edge& edge : readers) AddReader(rank, ModuleOf(edge.rank));
    }
    return contexts_;
  }

 private:
  PathId ModuleOf(Rank rank) const { return assignments_[flow_.node(rank)].primary; }

  // The modules of what it reads, where these lie side by side: each is a context of its own, be it
  // in the node's module or not. A constant of its own module is a weight, and none.
  void AddJoined(Rank rank) {
    const absl::Span<const Flow::Edge> producers = flow_.producers(rank);
    if (producers.size() < 2) return;
    const PathId own = ModuleOf(rank);
    operands_.clear();
    for (const Flow::Edge& edge : producers) {
      if (operands_.size() == kMostContexts) break;
      const PathId module = ModuleOf(edge.rank);
      if (std::find(operands_.begin(), operands_.end(), module) != operands_.end()) continue;
      if (flow_.is_constant(edge.rank) && paths_.Contains(own, module)) continue;
      operands_.push_back(module);
    }
    if (operands_.size() < 2) return;
    for (PathId module : operands_) {
      const auto is_beside = [&](PathId other) {
        return !paths_.Contains(module, other) && !paths_.Contains(other, module);
      };
      if (module != own && contexts_.size() < kMostContexts &&
          std::any_of(operands_.begin(), operands_.end(), is_beside)) {
        AddNew(module);
      }
    }
  }

  absl::Span<const Flow::Edge> FirstReaders(Rank rank) const {
    const absl::Span<const Flow::Edge> readers = flow_.consumers(rank);
    return readers.subspan(0, std::min(readers.size(), kMostReaders));
  }

  // Made once, read by several members of a list of layers, and made in none of these; exporters
  // keep one Constant of those that are equal, where the first layer had it.
  bool IsSharedByLayers(Rank rank, absl::Span<const Flow::Edge> readers) const {
    for (size_t i = 1; i < readers.size(); ++i) {
      const PathId a = ModuleOf(readers[i - 1].rank);
      const PathId b = ModuleOf(readers[i].rank);
      if (a == b || RelationOf(a, b, paths_) != Relation::kOtherNumber) continue;
      if (flow_.is_constant(rank)) return true;
      if (paths_.Contains(ModuleOf(rank), paths_.CommonAncestor(a, b))) return true;
    }
    return false;
  }

  // What is shared was made outside all of its readers' layers: these are named, wherever they are.
  void AddReader(Rank rank, PathId reader) {
    if (contexts_.size() < kMostContexts && reader != ModuleOf(rank)) AddNew(reader);
  }

  void Add(Rank rank, PathId context) {
    // What is inside the node's own module is no other module.
    if (contexts_.size() >= kMostContexts || paths_.Contains(ModuleOf(rank), context)) return;
    AddNew(context);
  }

  void AddNew(PathId context) {
    if (std::find(contexts_.begin(), contexts_.end(), context) == contexts_.end()) {
      contexts_.push_back(context);
    }
  }

  const Flow& flow_;
  const Dominators& dominators_;
  const Evidence& evidence_;
  const ModulePaths& paths_;
  const Assignments& assignments_;
  std::vector<PathId> contexts_;
  std::vector<PathId> operands_;
};

}  // namespace

std::vector<PathId> FindAuxiliary(const GraphAnalysis& analysis, const Evidence& evidence,
                                  const ModulePaths& paths, Assignments& assignments) {
  std::vector<PathId> auxiliary;
  const Flow& flow = analysis.flow();
  ContextFinder finder(analysis, evidence, paths, assignments);
  for (Rank i : flow.ranks()) {
    const std::vector<PathId>& contexts = finder.Of(i);
    if (contexts.empty()) continue;
    Range& range = assignments[flow.node(i)].auxiliary;
    range.begin = static_cast<uint32_t>(auxiliary.size());
    auxiliary.insert(auxiliary.end(), contexts.begin(), contexts.end());
    range.end = static_cast<uint32_t>(auxiliary.size());
  }
  return auxiliary;
}

}  // namespace onnx_hier
