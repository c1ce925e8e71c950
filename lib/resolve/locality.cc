#include "lib/resolve/resolve.h"

namespace onnx_hier {
namespace {

// Shares of files with known owners in which a common ancestor is the owner itself.
constexpr float kReadersConfidence = 0.9f;
constexpr float kLocalityConfidence = 0.5f;
constexpr float kNothingKnownConfidence = 0.1f;

class Locality {
 public:
  Locality(const Graph& graph, const ModulePaths& paths, Assignments& assignments)
      : graph_(graph),
        paths_(paths),
        assignments_(assignments),
        upstream_(graph.node_count()),
        downstream_(graph.node_count()) {}

  bool Run() {
    for (NodeId id : graph_.node_ids()) LookUpstream(id);
    for (size_t i = graph_.node_count(); i-- > 0;) LookDownstream(NodeId(i));
    bool changed = false;
    for (NodeId id : graph_.node_ids()) changed |= Decide(id);
    return changed;
  }

 private:
  // The common ancestor of both; none counts for nothing.
  PathId Join(PathId a, PathId b) const {
    if (!a.valid()) return b;
    if (!b.valid()) return a;
    return paths_.CommonAncestor(a, b);
  }

  // Nodes come after what they read (in a cycle some do not: those edges count for nothing).
  void LookUpstream(NodeId id) {
    for (ValueId value : graph_.inputs(id)) {
      if (!value.valid()) continue;
      const NodeId producer = graph_.value(value).producer;
      if (!producer.valid() || !(producer < id)) continue;
      const PathId known = assignments_[producer].primary;
      upstream_[id] = Join(upstream_[id], known.valid() ? known : upstream_[producer]);
    }
  }

  void LookDownstream(NodeId id) {
    for (ValueId value : graph_.outputs(id)) {
      if (!value.valid()) continue;
      for (const Use& use : graph_.uses(value)) {
        if (!(id < use.node)) continue;
        const PathId known = assignments_[use.node].primary;
        downstream_[id] = Join(downstream_[id], known.valid() ? known : downstream_[use.node]);
      }
    }
  }

  bool Decide(NodeId id) {
    Assignment& assignment = assignments_[id];
    if (assignment.primary.valid()) return false;
    if (graph_.inputs(id).empty() && downstream_[id].valid()) {
      assignment.primary = downstream_[id];
      assignment.method = Method::kReaders;
      assignment.confidence = kReadersConfidence;
      return true;
    }
    const PathId near = Join(upstream_[id], downstream_[id]);
    assignment.primary = near.valid() ? near : paths_.root();
    assignment.method = near.valid() ? Method::kLocality : Method::kNone;
    assignment.confidence = near.valid() ? kLocalityConfidence : kNothingKnownConfidence;
    return true;
  }

  const Graph& graph_;
  const ModulePaths& paths_;
  Assignments& assignments_;
  IdVector<NodeId, PathId> upstream_;    // what the nearest placed nodes that feed it share
  IdVector<NodeId, PathId> downstream_;  // what the nearest placed nodes that it feeds share
};

}  // namespace

bool ResolveByLocality(const Graph& graph, const ModulePaths& paths, Assignments& assignments) {
  return Locality(graph, paths, assignments).Run();
}

}  // namespace onnx_hier
