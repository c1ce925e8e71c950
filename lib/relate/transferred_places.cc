// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/transferred_places.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/graph/top_blocks.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

class TransferPlacer {
 public:
  TransferPlacer(const GraphMatch& match, const Annotation& original, const Graph& graph,
                 ModulePaths& paths, Evidence& evidence)
      : match_(match),
        original_(original),
        graph_(graph),
        tops_(FindTopBlocks(graph)),
        paths_(paths),
        evidence_(evidence) {}

  TransferredPlaces Place() {
    TranslatePaths();
    result_.sources.resize(graph_.node_count());
    for (NodeId node : graph_.node_ids()) {
      const NodeMatch& match = match_.nodes[node];
      const NodeId main = match_.main_of(node);
      if (!main.valid()) continue;
      const Assignment& owner = original_.assignments[main];
      const PathId place = PlaceOf(node);
      if (match.in_call) {
        PutInside(node, place);
        continue;
      }
      Put(node, place, owner.call, match.by);
      result_.sources[node] = main;
    }
    PlaceServants();
    TellCalled();
    return std::move(result_);
  }

 private:
  void TranslatePaths() {
    result_.paths.resize(original_.paths.size());
    for (PathId path : original_.paths.ids()) {
      const PathId parent = original_.paths.parent(path);
      result_.paths[path] = parent.valid()
                                ? paths_.Child(result_.paths[parent], original_.paths.name(path))
                                : paths_.root();
    }
  }

  // What holds all modules whose weights the node works with.
  PathId PlaceOf(NodeId node) const {
    PathId place;
    for (NodeId main : match_.mains_of(node)) {
      place = paths_.Join(result_.paths[original_.assignments[main].primary], place);
    }
    return place;
  }

  bool IsServant(NodeId node) const {
    return !match_.main_of(node).valid() && IsMover(graph_.op(node).type) &&
           tops_[graph_.node(node).block] == graph_.main_block();
  }

  // Nodes that were put in, one after the other perhaps, are there for the operator with a weight
  // that reads or makes their value; those beside none, for what reads it.
  void PlaceServants() {
    served_.resize(graph_.node_count());
    for (size_t i = graph_.node_count(); i-- > 0;) {
      if (IsServant(NodeId(i))) Serve(NodeId(i), OnlyReader(NodeId(i), /*weighted=*/true));
    }
    for (NodeId node : graph_.node_ids()) {
      if (!IsServant(node) || served_[node].valid()) continue;
      const NodeId maker = Served(MakerOf(graph_, node, 0));
      if (maker.valid() && IsWeighted(graph_.op(maker).type)) Serve(node, maker);
    }
    for (size_t i = graph_.node_count(); i-- > 0;) {
      const NodeId node(i);
      if (!IsServant(node) || served_[node].valid()) continue;
      const NodeId reader = OnlyReader(node, /*weighted=*/false);
      Serve(node, reader.valid() ? reader : Served(MakerOf(graph_, node, 0)));
    }
  }

  // The node itself, or what it is there for; none: that is not known.
  NodeId Served(NodeId node) const {
    return node.valid() && IsServant(node) ? served_[node] : node;
  }

  // One of those that read the node's value, if all are in one module; none: they are not.
  NodeId OnlyReader(NodeId node, bool weighted) const {
    NodeId only;
    for (ValueId value : graph_.outputs(node)) {
      if (!value.valid()) continue;
      for (const Use& use : graph_.uses(value)) {
        const NodeId reader = Served(use.node);
        if (!reader.valid() || !evidence_.nodes[reader].place.valid()) return NodeId();
        if (weighted && !IsWeighted(graph_.op(reader).type)) return NodeId();
        if (only.valid() && evidence_.nodes[only].place != evidence_.nodes[reader].place) {
          return NodeId();
        }
        only = reader;
      }
    }
    return only;
  }

  void Serve(NodeId node, NodeId served) {
    if (!served.valid() || !evidence_.nodes[served].place.valid()) return;
    served_[node] = served;
    Statement said = evidence_.nodes[served];
    said.method = Method::kTransferRegion;
    said.neighbour = NodeId();
    evidence_.nodes.Say(node, said);
    result_.sources[node] = result_.sources[served];
  }

  void Put(NodeId node, PathId place, uint32_t call, Method method) {
    evidence_.nodes.Say(node, {.place = place, .method = method, .call = call});
  }

  // What a function's body became is somewhere in the module that called it: what else is known of
  // the node tells where.
  void PutInside(NodeId node, PathId around) {
    if (around == paths_.root()) return;
    const PathId place = evidence_.nodes[node].place;
    if (place.valid() && paths_.Contains(around, place)) return;
    const auto owners = evidence_.owners_of(node);
    const auto is_inside = [&](PathId owner) { return paths_.Contains(around, owner); };
    if (!owners.empty() && std::all_of(owners.begin(), owners.end(), is_inside)) return;
    evidence_.nodes.Say(node,
                        {.place = around, .method = Method::kTransferRegion, .is_around = true});
  }

  void TellCalled() {
    if (evidence_.called.size() > 0) {
      evidence_.called.Resize(paths_.size());
    } else {
      evidence_.called = IdSet<PathId>(paths_.size());
    }
    evidence_.called.Add(paths_.root());
    for (const Assignment& assignment : original_.assignments) {
      evidence_.called.Add(result_.paths[assignment.primary]);
    }
    for (ModuleId id : original_.modules.ids()) {
      const Module& module = original_.modules.module(id);
      if (module.class_name.empty()) continue;
      evidence_.classes.emplace_back(result_.paths[module.path], module.class_name);
    }
  }

  const GraphMatch& match_;
  const Annotation& original_;
  const Graph& graph_;
  const IdVector<BlockId, BlockId> tops_;
  ModulePaths& paths_;
  Evidence& evidence_;
  IdVector<NodeId, NodeId> served_;  // by nodes that were put in
  TransferredPlaces result_;
};

}  // namespace

TransferredPlaces PlaceTransferred(const GraphMatch& match, const Annotation& original,
                                   const Graph& graph, ModulePaths& paths, Evidence& evidence) {
  return TransferPlacer(match, original, graph, paths, evidence).Place();
}

}  // namespace onnx_hier
