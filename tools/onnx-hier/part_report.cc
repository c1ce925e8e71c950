#include "tools/onnx-hier/part_report.h"

#include <vector>

#include "absl/types/span.h"

namespace onnx_hier::cli {
namespace {

std::string ReachName(Reach reach) {
  switch (reach) {
    case Reach::kModules:
      return "modules";
    case Reach::kUpTo:
      return "up_to";
    case Reach::kFrom:
      return "from";
    case Reach::kSplit:
      return "split";
  }
  return "";
}

}  // namespace

std::string TagOf(const Hierarchy& hierarchy, ModuleId module) {
  const Annotation& annotation = hierarchy.annotation();
  return annotation.paths.Tag(annotation.modules.module(module).path);
}

PartResult DescribePart(const Graph& graph, const Hierarchy& hierarchy, const Cutter& cutter,
                        const Part& part) {
  const auto values = [&](absl::Span<const ValueId> ids) {
    std::vector<PartResult::PartValue> list;
    for (ValueId id : ids) {
      const NodeId maker = graph.value(id).producer;
      list.push_back({std::string(graph.value(id).name), cutter.TypeOf(part, id),
                      maker.valid() ? TagOf(hierarchy, hierarchy.ModuleOf(maker)) : ""});
    }
    return list;
  };
  PartResult result;
  for (ModuleId module : part.request.modules) result.modules.push_back(TagOf(hierarchy, module));
  result.call = part.request.call;
  result.reach = ReachName(part.request.reach);
  result.nodes = part.nodes.size();
  result.copied = part.copied;
  result.between = part.between;
  result.parameters = part.parameters;
  result.parameter_bytes = part.parameter_bytes;
  result.inputs = values(part.inputs);
  result.outputs = values(part.outputs);
  for (NodeId node : part.reentrant) result.reentrant.push_back(graph.NodePath(node));
  return result;
}

}  // namespace onnx_hier::cli
