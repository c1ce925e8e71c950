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
    if (!graph_.has_metadata()) return;
    MetadataReader metadata;
    PathId place;
    for (NodeId id : graph_.node_ids()) {
      if (graph_.metadata(id).empty()) continue;
      const std::optional<MetadataScope>& scope = metadata.Read(graph_.metadata(id));
      if (!scope.has_value()) continue;
      if (!metadata.is_same()) {
        for (const MetadataModule& module : scope->modules) {
          place = paths_.Parse(module.qualified_name);
          NoteClass(place, module.class_name);
        }
      }
      NodeEvidence& node = evidence_.nodes[id];
      node.place = place;
      node.witness = Witness::kMetadata;
    }
  }

 private:
  void NoteClass(PathId path, const std::string& class_name) {
    if (class_name.empty()) return;
    if (path.index() >= has_class_.size()) has_class_.Resize(paths_.size());
    if (has_class_.Has(path)) return;
    has_class_.Add(path);
    evidence_.classes.emplace_back(path, class_name);
  }

  const Graph& graph_;
  ModulePaths& paths_;
  Evidence& evidence_;
  IdSet<PathId> has_class_;
};

}  // namespace

void PlaceByMetadata(const Graph& graph, ModulePaths& paths, Evidence& evidence) {
  Placer(graph, paths, evidence).Run();
}

}  // namespace onnx_hier
