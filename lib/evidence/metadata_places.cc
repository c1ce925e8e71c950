#include "lib/evidence/metadata_places.h"

#include <optional>
#include <vector>

#include "lib/scope/metadata_scope.h"

namespace onnx_hier {
namespace {

class Placer {
 public:
  Placer(const Graph& graph, ModulePaths& paths, Evidence& evidence)
      : graph_(graph), paths_(paths), evidence_(evidence) {}

  void Run() {
    for (NodeId id : graph_.node_ids()) {
      if (graph_.node(id).metadata.size() == 0) continue;
      const std::optional<MetadataScope> scope = ReadMetadataScope(graph_.metadata(id));
      if (!scope.has_value()) continue;
      PathId place;
      for (const MetadataModule& module : scope->modules) {
        place = paths_.Parse(module.qualified_name);
        NoteClass(place, module.class_name);
      }
      NodeEvidence& node = evidence_.nodes[id];
      node.place = place;
      node.witness = Witness::kMetadata;
      node.call = Enter(id, place);
    }
  }

 private:
  struct Runs {
    OpId first_op;
    uint32_t count = 0;
    bool has_class = false;
  };

  Runs& runs(PathId path) {
    if (!runs_.contains(path)) runs_.resize(paths_.size());
    return runs_[path];
  }

  void NoteClass(PathId path, const std::string& class_name) {
    if (class_name.empty() || runs(path).has_class) return;
    runs(path).has_class = true;
    evidence_.classes.emplace_back(path, class_name);
  }

  // Counts the modules that are entered on the way from the last node's place to this one's.
  uint32_t Enter(NodeId id, PathId place) {
    const OpId op = graph_.node(id).op;
    const PathId common = last_.valid() ? paths_.CommonAncestor(last_, place) : PathId();
    for (PathId at = place; at.valid() && at != common; at = paths_.parent(at)) {
      Runs& run = runs(at);
      if (run.count == 0) run.first_op = op;
      if (run.first_op == op) ++run.count;
    }
    last_ = place;
    return runs(place).count - 1;
  }

  const Graph& graph_;
  ModulePaths& paths_;
  Evidence& evidence_;
  IdVector<PathId, Runs> runs_;
  PathId last_;
};

}  // namespace

void PlaceByMetadata(const Graph& graph, ModulePaths& paths, Evidence& evidence) {
  Placer(graph, paths, evidence).Run();
}

}  // namespace onnx_hier
