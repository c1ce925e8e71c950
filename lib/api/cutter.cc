#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/api/model_source.h"
#include "lib/base/json_text.h"
#include "lib/base/status_macros.h"
#include "lib/edits/wire_writer.h"
#include "lib/files/file_place.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/schema.h"
#include "lib/parts/closure.h"
#include "lib/parts/instances.h"
#include "lib/parts/kept.h"
#include "lib/parts/repeatable.h"
#include "lib/parts/units.h"
#include "lib/types/value_type.h"
#include "lib/types/value_types.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
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
  }
  return "";
}

}  // namespace

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

  absl::StatusOr<std::vector<Unit>> OwnUnits(const PartRequest& request) const;
  absl::Status NotInMainGraph(ModuleId module) const;
  Part PartOf(const PartRequest& request, Closure closure) const;
  absl::StatusOr<std::string> InfoOf(ValueId value) const;
  std::string OriginOf(const Part& part) const;

  const Model& model;
  const Hierarchy& hierarchy;
  const Graph& graph;
  const ValueTypes types;
  const Units units;
  const Repeatable repeatable;
};

absl::StatusOr<std::vector<Unit>> Cutter::State::OwnUnits(const PartRequest& request) const {
  std::vector<Unit> own;
  for (ModuleId module : request.modules) {
    if (request.call.has_value() && *request.call >= hierarchy.modules().module(module).calls) {
      return absl::InvalidArgumentError(absl::StrCat(
          TagOf(module), " has no call ", *request.call, ": it runs ",
          hierarchy.modules().module(module).calls, " times, and the first call is 0"));
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

Part Cutter::State::PartOf(const PartRequest& request, Closure closure) const {
  Part part;
  part.request = request;
  part.copied = closure.copied;
  IdSet<ValueId> seen(graph.value_count());
  for (Unit unit : closure.units) {
    part.nodes.push_back(units.node(unit));
    for (ValueId value : units.reads(unit)) {
      const Value& read = graph.value(value);
      if (read.kind != ValueKind::kInitializer || seen.Has(value)) continue;
      seen.Add(value);
      ++part.parameters;
      part.parameter_bytes += graph.tensor(read.tensor).bytes;
    }
  }
  std::sort(part.nodes.begin(), part.nodes.end());
  part.inputs = OwnOnesFirst(graph.inputs(graph.main_block()), closure.inputs);
  part.outputs = OwnOnesFirst(graph.outputs(graph.main_block()), closure.outputs);
  return part;
}

// The bytes of a ValueInfoProto.
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

Cutter::Cutter(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cutter::Cutter(Cutter&&) noexcept = default;
Cutter& Cutter::operator=(Cutter&&) noexcept = default;
Cutter::~Cutter() = default;

absl::StatusOr<Cutter> Cutter::For(const Model& model, const Hierarchy& hierarchy) {
  const ModelSource& source = ModelAccess::Source(model);
  OH_ASSIGN_OR_RETURN(ValueTypes types, ValueTypes::Find(source.image, source.scanned));
  return Cutter(std::make_unique<State>(model, hierarchy, std::move(types)));
}

uint32_t Cutter::CallsOf(ModuleId module) const {
  return state_->hierarchy.modules().module(module).calls;
}

std::string Cutter::TypeOf(ValueId value) const { return TypeText(state_->types.type(value)); }

absl::StatusOr<Part> Cutter::Cut(const PartRequest& request) const {
  const Units& units = state_->units;
  const Repeatable& repeatable = state_->repeatable;
  OH_ASSIGN_OR_RETURN(std::vector<Unit> own, state_->OwnUnits(request));
  std::vector<Unit> between;
  if (request.reach == Reach::kUpTo) {
    own = WithMakers(units, own);
  } else if (request.reach == Reach::kFrom) {
    own = WithReaders(units, repeatable, own);
  } else {
    between = Between(units, repeatable, own);
  }
  const bool is_range = request.modules.size() > 1;
  if (is_range) {
    own.insert(own.end(), between.begin(), between.end());
    std::sort(own.begin(), own.end());
  }
  Part part = state_->PartOf(request, Close(units, repeatable, own));
  if (is_range) {
    part.between = between.size();
  } else {
    for (Unit unit : between) part.reentrant.push_back(units.node(unit));
    std::sort(part.reentrant.begin(), part.reentrant.end());
  }
  return part;
}

absl::StatusOr<Edits> Cutter::EditsOf(const Part& part) const {
  const Graph& graph = state_->graph;
  const BlockId main = graph.main_block();
  const Kept kept(state_->units, part);
  Edits edits = TagEdits(state_->model, state_->hierarchy.annotation(), kept.nodes());
  for (NodeId node : graph.nodes(main)) {
    if (!kept.Has(node)) edits.LeaveOut(node);
  }
  for (TensorId tensor : kept.left_out_initializers()) edits.LeaveOut(tensor);
  for (BlockId function : kept.left_out_functions()) edits.LeaveOut(function);
  for (ValueId value : state_->types.described()) {
    const bool is_new = kept.IsNewInput(value) || kept.IsNewOutput(value);
    if (is_new || !kept.Has(value)) edits.LeaveOutValueInfo(main, graph.value(value).name);
  }
  for (ValueId value : state_->types.annotated()) {
    if (!kept.Has(value)) edits.LeaveOutQuantization(main, graph.value(value).name);
  }
  for (size_t i = 0; i < graph.inputs(main).size(); ++i) {
    if (!kept.Has(graph.inputs(main)[i])) edits.LeaveOutInput(main, i);
  }
  for (size_t i = 0; i < graph.outputs(main).size(); ++i) {
    if (!kept.IsOutput(graph.outputs(main)[i])) edits.LeaveOutOutput(main, i);
  }
  for (ValueId value : part.inputs) {
    if (!kept.IsNewInput(value)) continue;
    OH_ASSIGN_OR_RETURN(const std::string info, state_->InfoOf(value));
    edits.AddInput(main, info);
  }
  for (ValueId value : part.outputs) {
    if (!kept.IsNewOutput(value)) continue;
    OH_ASSIGN_OR_RETURN(const std::string info, state_->InfoOf(value));
    edits.AddOutput(main, info);
  }
  edits.LeaveOutTraining();
  edits.SetMetadata("onnx_hier.part", state_->OriginOf(part));
  return edits;
}

Edits Cutter::ProbeEditsOf(const Part& part) const {
  const BlockId main = state_->graph.main_block();
  const Kept kept(state_->units, part);
  Edits edits;
  const auto add = [&](ValueId value) {
    const absl::StatusOr<std::string> info = state_->InfoOf(value);
    std::string name_only;
    AppendField(schema::value_info::kName, state_->graph.value(value).name, &name_only);
    edits.AddOutput(main, info.ok() ? *info : name_only);
  };
  for (ValueId value : part.inputs) {
    if (kept.IsNewInput(value) && !state_->units.is_output(value)) add(value);
  }
  for (ValueId value : part.outputs) {
    if (kept.IsNewOutput(value)) add(value);
  }
  return edits;
}

}  // namespace onnx_hier
