#include "lib/api/cutter_state.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/base/json_text.h"
#include "lib/onnx/wire_writer.h"
#include "lib/files/file_place.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/schema.h"
#include "lib/parts/instances.h"
#include "lib/types/value_type.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/safe_text.h"

namespace onnx_hier {
namespace {

bool StatesType(absl::string_view value_info) {
  for (MessageFields fields(value_info); fields.Next();) {
    if (fields.number() == schema::value_info::kType && !WithoutShape(fields.bytes()).empty()) {
      return true;
    }
  }
  return false;
}

// Those that the model itself has come first, and in its order, as they do in the file.
std::vector<ValueId> OwnOnesFirst(absl::Span<const ValueId> of_model,
                                  absl::Span<const ValueId> of_part) {
  absl::flat_hash_set<ValueId> waiting(of_part.begin(), of_part.end());
  std::vector<ValueId> sorted;
  for (ValueId value : of_model) {
    if (waiting.erase(value) > 0) sorted.push_back(value);
  }
  for (ValueId value : of_part) {
    if (waiting.contains(value)) sorted.push_back(value);
  }
  return sorted;
}

absl::string_view ReachName(Reach reach) {
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

absl::StatusOr<std::vector<Unit>> Cutter::State::OwnUnits(const PartRequest& request) const {
  std::vector<Unit> own;
  for (ModuleId module : request.modules) {
    const uint32_t calls = hierarchy.modules().module(module).calls;
    if (request.call.has_value() && *request.call >= calls) {
      return absl::InvalidArgumentError(absl::StrCat(
          TagOf(module), " has no call ", *request.call,
          calls == 1 ? ": it runs once, which is call 0"
                     : absl::StrCat(": it runs ", calls, " times, and the first call is 0")));
    }
    const absl::Span<const NodeId> nodes = hierarchy.Nodes(module);
    const size_t before = own.size();
    for (NodeId node : nodes) {
      const Unit unit = units.unit(node);
      if (!unit.valid() || units.node(unit) != node) continue;
      if (!request.call.has_value() || CallOf(hierarchy, node, module) == *request.call) {
        own.push_back(unit);
      }
    }
    if (own.size() > before) continue;
    if (nodes.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(TagOf(module), " holds no nodes"));
    }
    return NotInMainGraph(module);
  }
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  return own;
}

absl::Status Cutter::State::NotInMainGraph(ModuleId module) const {
  const NodeId node = hierarchy.Nodes(module).front();
  const Unit unit = units.unit(node);
  if (!unit.valid()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the nodes of ", TagOf(module), " are not in the main graph but in the body of a function ",
        "(node ", graph.NodePath(node), "): take the module that calls it"));
  }
  const NodeId holder = units.node(unit);
  return absl::FailedPreconditionError(
      absl::StrCat("the nodes of ", TagOf(module), " are inside of node ", graph.NodePath(holder),
                   " '", SafeForTerminal(graph.node(holder).name, kLongestShownName), "' (",
                   SafeForTerminal(graph.op(holder).type),
                   "): take the module that it belongs to, ", TagOf(hierarchy.ModuleOf(holder))));
}

Part Cutter::State::PartOf(const PartRequest& request, const Closure& closure) const {
  Part part;
  part.request = request;
  part.copied = closure.copied;
  for (Unit unit : closure.units) part.nodes.push_back(units.node(unit));
  for (ValueId value : ParametersIn(units, closure)) {
    ++part.parameters;
    part.parameter_bytes += graph.tensor(graph.value(value).tensor).bytes;
  }
  std::sort(part.nodes.begin(), part.nodes.end());
  part.inputs = OwnOnesFirst(graph.inputs(graph.main_block()), closure.inputs);
  part.outputs = OwnOnesFirst(graph.outputs(graph.main_block()), closure.outputs);
  return part;
}

absl::StatusOr<std::string> Cutter::State::InfoOf(ValueId value) const {
  const absl::string_view stated = types.stated(value);
  if (StatesType(stated)) return std::string(stated);
  std::string info;
  AppendField(schema::value_info::kName, graph.value(value).name, &info);
  if (types.type(value).empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the type of the value '", SafeForTerminal(graph.value(value).name, kLongestShownName),
        "' cannot be told: write it into the model with onnx.shape_inference first"));
  }
  AppendField(schema::value_info::kType, types.type(value), &info);
  return info;
}

std::string Cutter::State::OriginOf(const Part& part) const {
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  json.Key("model").String(FileNameOf(model.path()));
  json.Key("reach").String(ReachName(part.request.reach));
  json.Key("modules").BeginArray();
  for (ModuleId module : part.request.modules) json.String(TagOf(module));
  json.EndArray();
  if (part.request.call.has_value()) json.Key("call").Unsigned(*part.request.call);
  json.Key("generator").String(absl::StrCat("onnx-hier ", Version()));
  json.EndObject();
  return text;
}

}  // namespace onnx_hier
