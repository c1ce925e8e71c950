// What a Cutter has worked out of a model, once for all parts.
#ifndef ONNX_HIER_LIB_API_CUTTER_STATE_H_
#define ONNX_HIER_LIB_API_CUTTER_STATE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/parts/closure.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/units.h"
#include "lib/types/value_types.h"
#include "onnx_hier/parts.h"

namespace onnx_hier {

struct Cutter::State {
  State(const Model& source, const Hierarchy& modules, ValueTypes value_types)
      : model(source),
        hierarchy(modules),
        graph(source.graph()),
        types(std::move(value_types)),
        units(graph, graph.main_block()),
        repeatable(units) {}

  std::string TagOf(ModuleId module) const {
    return hierarchy.annotation().paths.Tag(hierarchy.modules().module(module).path);
  }

  // Of the modules in the main graph, in order. kInvalidArgument: there is no such call.
  // kFailedPrecondition: a module has none there.
  absl::StatusOr<std::vector<Unit>> OwnUnits(const PartRequest& request) const;
  absl::Status NotInMainGraph(ModuleId module) const;
  Part PartOf(const PartRequest& request, const Closure& closure) const;
  // The bytes of a ValueInfoProto. kFailedPrecondition: nothing tells the value's type.
  absl::StatusOr<std::string> InfoOf(ValueId value) const;
  // What a part says of where it comes from, as JSON.
  std::string OriginOf(const Part& part) const;

  const Model& model;
  const Hierarchy& hierarchy;
  const Graph& graph;
  const ValueTypes types;
  const Units units;
  const Repeatable repeatable;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_CUTTER_STATE_H_
