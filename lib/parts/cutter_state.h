// SPDX-License-Identifier: Apache-2.0

// What a Cutter has worked out of a model, once for all parts.
#ifndef ONNX_HIER_LIB_PARTS_CUTTER_STATE_H_
#define ONNX_HIER_LIB_PARTS_CUTTER_STATE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/cost/known_shapes.h"
#include "lib/edits/edit_list.h"
#include "lib/onnx/value_types.h"
#include "lib/parts/closure.h"
#include "lib/parts/function_calls.h"
#include "lib/parts/kept.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/units.h"
#include "onnx_hier/parts.h"

namespace onnx_hier {

// A graph that parts are cut out of; a function's body in one of its calls.
struct Cutter::Place {
  Place(const Graph& graph, BlockId block, GivenTensors given, ValueTypes value_types)
      : types(std::move(value_types)),
        units(graph, block, std::move(given)),
        repeatable(units),
        interface(graph, block) {}

  const ValueTypes types;
  const Units units;
  const Repeatable repeatable;
  const Interface interface;
};

struct Cutter::State {
  State(const Model& source, const Hierarchy& modules)
      : model(source),
        hierarchy(modules),
        graph(source.graph()),
        calls(graph),
        interface(graph, graph.main_block()) {}

  std::string TagOf(ModuleId module) const { return hierarchy.annotation().Tag(module); }
  const Place& main() const { return *places.at({graph.main_block(), {}}); }
  const Place& PlaceOf(const Part& part) const { return *places.at({part.graph, part.callers}); }

  // Where what is asked for is: the main graph, if it has any of it, else the outermost others of
  // it, or of one function.
  std::vector<BlockId> GraphsOf(const PartRequest& request) const;
  uint32_t CallsOf(ModuleId module) const;
  // Whether nodes themselves tell of the calls of some module.
  bool HasToldCalls(const PartRequest& request) const;
  // The nodes that call the function which the graph is in, in the call that is meant.
  std::vector<NodeId> WayTo(BlockId block, const PartRequest& request) const;
  absl::Status CheckCall(const PartRequest& request) const;
  absl::StatusOr<const Place*> Enter(BlockId block, const std::vector<NodeId>& callers);

  Kept KeptOf(const Part& part) const { return Kept(PlaceOf(part).units, calls, interface, part); }

  // The graph that a request is about; the main one, where it holds no nodes that run.
  absl::StatusOr<BlockId> BlockOf(const PartRequest& request) const;
  // Of the modules and nodes in the graph, in order. kFailedPrecondition: one has none there.
  absl::StatusOr<std::vector<Unit>> OwnUnits(const Place& place, const PartRequest& request) const;
  absl::Status NotInGraph(const Place& place, ModuleId module, NodeId node) const;
  absl::Status NotInGraph(const Place& place, NodeId node) const;
  absl::Status CheckInGraph(const Place& place, ValueId value) const;
  // What lies between the values of a request.
  absl::StatusOr<Part> CutAtValues(const Place& place, const PartRequest& request) const;
  Part PartOf(const Place& place, const PartRequest& request, const Closure& closure) const;
  // Of the main graph and the graphs inside its nodes.
  absl::StatusOr<CountedShape> ShapeOf(ValueId value) const;
  // The bytes of a ValueInfoProto. kFailedPrecondition: nothing tells the value's type.
  absl::StatusOr<std::string> InfoOf(const Place& place, ValueId value) const;
  // What stays of the main graph, and of functions.
  KeptOnly OnlyOf(const Place& place, const Kept& kept) const;
  // Of a part that is not of the main graph: what brings it there.
  absl::Status Lift(const Part& part, const Kept& kept, Edits& edits) const;
  // What a part says of where it comes from, as JSON.
  std::string OriginOf(const Part& part) const;

  const Model& model;
  const Hierarchy& hierarchy;
  const Graph& graph;
  const FunctionCalls calls;
  const Interface interface;  // of the main graph
  // By the graph, and the nodes that call the function.
  std::map<std::pair<BlockId, std::vector<NodeId>>, std::unique_ptr<const Place>> places;
  mutable std::unique_ptr<const KnownShapes> shapes;  // found when one is first asked for
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_CUTTER_STATE_H_
