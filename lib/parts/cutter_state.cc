// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/cutter_state.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_place.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/value_type.h"
#include "lib/onnx/wire_writer.h"
#include "lib/parts/instances.h"
#include "lib/parts/run_order.h"
#include "lib/parts/undefined_value.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/version.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

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
template <class Places>
void PutOwnOnesFirst(const Places& places, std::vector<ValueId>& values) {
  const auto others = std::stable_partition(values.begin(), values.end(),
                                            [&](ValueId value) { return !places(value).empty(); });
  std::sort(values.begin(), others,
            [&](ValueId a, ValueId b) { return places(a).front() < places(b).front(); });
}

}  // namespace

std::vector<BlockId> Cutter::State::GraphsOf(const PartRequest& request) const {
  absl::btree_set<BlockId> all;
  uint32_t least = FunctionCalls::kNever;  // calls around them
  const auto add = [&](BlockId block) {
    const uint32_t depth = calls.DepthOf(calls.TopOf(block));
    if (depth < least) all.clear();
    least = std::min(least, depth);
    if (depth == least && depth != FunctionCalls::kNever) all.insert(block);
  };
  for (ModuleId module : request.modules) {
    const bool is_told = hierarchy.modules().module(module).calls > 1;
    for (NodeId node : hierarchy.Nodes(module)) {
      if (is_told && request.call && CallOf(hierarchy, node, module) != *request.call) continue;
      add(graph.node(node).block);
    }
  }
  for (NodeId node : request.nodes) add(graph.node(node).block);
  for (const std::vector<ValueId>* values : {&request.inputs, &request.outputs}) {
    for (ValueId value : *values) add(graph.value(value).block);
  }
  // What lies in another one is a part of it; of functions, the first one counts.
  std::vector<BlockId> outermost;
  for (BlockId block : all) {
    BlockId around = graph.block(block).parent;
    while (around.valid() && !all.contains(around)) around = graph.block(around).parent;
    const bool is_first = outermost.empty() || calls.TopOf(block) == calls.TopOf(outermost[0]);
    if (!around.valid() && is_first) outermost.push_back(block);
  }
  return outermost;
}

absl::StatusOr<BlockId> Cutter::State::BlockOf(const PartRequest& request) const {
  const std::vector<BlockId> graphs = GraphsOf(request);
  if (request.graph.valid()) {
    if (absl::c_linear_search(graphs, request.graph)) return request.graph;
    return absl::InvalidArgumentError(
        absl::StrCat("nothing that is asked for is in ",
                     SafeForTerminal(graph.BlockPath(request.graph), kLongestShownName)));
  }
  if (graphs.empty()) return graph.main_block();
  const size_t which = HasToldCalls(request) ? 0 : request.call.value_or(0);
  return graphs[which < graphs.size() ? which : 0];
}

bool Cutter::State::HasToldCalls(const PartRequest& request) const {
  return absl::c_any_of(request.modules, [&](ModuleId module) {
    return hierarchy.modules().module(module).calls > 1;
  });
}

uint32_t Cutter::State::CallsOf(ModuleId module) const {
  const uint32_t calls_told = hierarchy.modules().module(module).calls;
  if (calls_told > 1) return calls_told;
  const std::vector<BlockId> graphs = GraphsOf({.modules = {module}});
  if (graphs.empty()) return calls_told;
  if (graphs.size() > 1) return static_cast<uint32_t>(graphs.size());
  const BlockId top = calls.TopOf(graphs[0]);
  return top == graph.main_block() ? 1 : calls.CountOf(top);
}

// A call that the module's own nodes tell is one in the first call of the function.
std::vector<NodeId> Cutter::State::WayTo(BlockId block, const PartRequest& request) const {
  const BlockId top = calls.TopOf(block);
  if (top == graph.main_block()) return {};
  const bool is_of_function = !HasToldCalls(request) && GraphsOf(request).size() == 1;
  return calls.WayTo(top, is_of_function ? request.call.value_or(0) : 0);
}

absl::Status Cutter::State::CheckCall(const PartRequest& request) const {
  for (ModuleId module : request.modules) {
    const uint32_t count = CallsOf(module);
    if (!request.call.has_value() || *request.call < count) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        TagOf(module), " has no call ", *request.call,
        count == 1 ? ": it runs once, which is call 0"
                   : absl::StrCat(": it runs ", count, " times, and the first call is 0")));
  }
  return absl::OkStatus();
}

absl::StatusOr<const Cutter::Place*> Cutter::State::Enter(BlockId block,
                                                          const std::vector<NodeId>& callers) {
  const auto known = places.find({block, callers});
  if (known != places.end()) return known->second.get();
  const ModelSource& source = ModelAccess::Source(model);
  OH_ASSIGN_OR_RETURN(ValueTypes types, ValueTypes::Find(source.image, source.scanned, callers));
  auto place =
      std::make_unique<const Place>(graph, block, calls.GivenOn(callers), std::move(types));
  OH_RETURN_IF_ERROR(CheckRunOrder(place->units));
  return places.emplace(std::pair(block, callers), std::move(place)).first->second.get();
}

absl::StatusOr<std::vector<Unit>> Cutter::State::OwnUnits(const Place& place,
                                                          const PartRequest& request) const {
  const Units& units = place.units;
  std::vector<Unit> own;
  for (ModuleId module : request.modules) {
    const bool is_told = hierarchy.modules().module(module).calls > 1;
    const absl::Span<const NodeId> nodes = hierarchy.Nodes(module);
    const size_t before = own.size();
    for (NodeId node : nodes) {
      const Unit unit = units.unit(node);
      if (!unit.valid() || units.node(unit) != node) continue;
      if (!request.call.has_value() || !is_told ||
          CallOf(hierarchy, node, module) == *request.call) {
        own.push_back(unit);
      }
    }
    if (nodes.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(TagOf(module), " holds no nodes"));
    }
    if (own.size() == before) return NotInGraph(place, module, nodes.front());
  }
  for (NodeId node : request.nodes) {
    const Unit unit = units.unit(node);
    if (!unit.valid() || units.node(unit) != node) return NotInGraph(place, node);
    own.push_back(unit);
  }
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  return own;
}

absl::Status Cutter::State::NotInGraph(const Place& place, NodeId node) const {
  const absl::Span<const NodeId> nodes = graph.nodes(place.units.block());
  return absl::FailedPreconditionError(absl::StrCat(
      "what is asked for is not all in one graph: node ", graph.NodePath(node),
      nodes.empty() ? " is inside of another one"
                    : absl::StrCat(" is not where node ", graph.NodePath(nodes.front()), " is")));
}

absl::Status Cutter::State::CheckInGraph(const Place& place, ValueId value) const {
  if (graph.value(value).block == place.units.block()) return absl::OkStatus();
  const NodeId maker = graph.value(value).producer;
  const std::string name = SafeForTerminal(graph.value(value).name, kLongestShownName);
  return absl::FailedPreconditionError(absl::StrCat(
      "the value '", name, "' is ",
      maker.valid() ? absl::StrCat("made by node ", graph.NodePath(maker)) : "given to a graph",
      ", inside of another node: values of one graph can be cut at together"));
}

absl::StatusOr<Part> Cutter::State::CutAtValues(const Place& place,
                                                const PartRequest& request) const {
  const Units& units = place.units;
  for (const std::vector<ValueId>* values : {&request.inputs, &request.outputs}) {
    for (ValueId value : *values) OH_RETURN_IF_ERROR(CheckInGraph(place, value));
  }
  std::vector<Unit> behind;
  for (ValueId value : request.inputs) {
    const absl::Span<const Unit> readers = units.readers(value);
    behind.insert(behind.end(), readers.begin(), readers.end());
  }
  behind = WithReaders(units, place.repeatable, behind);
  const auto nothing = [&](ValueId value, absl::string_view says) {
    return absl::FailedPreconditionError(
        absl::StrCat(QuotedName(graph.value(value).name), " ", says));
  };
  if (request.reach == Reach::kFrom && behind.empty()) {
    return nothing(request.inputs.front(), "is read by no node: nothing comes from it");
  }
  if (request.reach == Reach::kFrom) {
    return PartOf(place, request, Close(units, place.repeatable, behind, {request.inputs}));
  }
  std::vector<ValueId> outputs = request.outputs;
  if (outputs.empty()) {
    const absl::flat_hash_set<Unit> is_behind(behind.begin(), behind.end());
    for (ValueId value : graph.outputs(units.block())) {
      if (value.valid() && units.maker(value).valid() && is_behind.contains(units.maker(value))) {
        outputs.push_back(value);
      }
    }
    if (outputs.empty()) {
      return absl::FailedPreconditionError(
          "nothing that is given out needs what the part is given: name outputs, too");
    }
  }
  const absl::flat_hash_set<ValueId> given(request.inputs.begin(), request.inputs.end());
  std::vector<Unit> own;
  for (ValueId value : outputs) {
    if (units.maker(value).valid() && !given.contains(value)) own.push_back(units.maker(value));
  }
  if (own.empty()) return nothing(outputs.front(), "is made by no node of the part");
  own = WithMakers(units, own, request.inputs);
  return PartOf(place, request, Close(units, place.repeatable, own, {request.inputs, outputs}));
}

absl::Status Cutter::State::NotInGraph(const Place& place, ModuleId module, NodeId node) const {
  const BlockId block = place.units.block();
  if (graph.nodes(block).empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "nothing runs the nodes of ", TagOf(module), ": the main graph has none, and node ",
        graph.NodePath(node), " is in a function that is not called"));
  }
  const NodeId first = graph.nodes(block).front();
  return absl::FailedPreconditionError(absl::StrCat(
      "the nodes of ", TagOf(module), " are not all in one graph: node ", graph.NodePath(node),
      " is not where node ", graph.NodePath(first), " is; take a module that holds both"));
}

Part Cutter::State::PartOf(const Place& place, const PartRequest& request,
                           const Closure& closure) const {
  const Units& units = place.units;
  Part part;
  part.request = request;
  part.graph = units.block();
  part.copied = closure.copied;
  for (Unit unit : closure.units) part.nodes.push_back(units.node(unit));
  for (ValueId value : ParametersIn(units, closure)) {
    ++part.parameters;
    part.parameter_bytes += graph.tensor(units.tensor(value)).bytes;
  }
  std::sort(part.nodes.begin(), part.nodes.end());
  part.inputs = closure.inputs;
  part.outputs = closure.outputs;
  PutOwnOnesFirst([&](ValueId value) { return place.interface.inputs(value); }, part.inputs);
  PutOwnOnesFirst([&](ValueId value) { return place.interface.outputs(value); }, part.outputs);
  if (units.block() != graph.main_block()) {
    PutOwnOnesFirst([&](ValueId value) { return interface.inputs(value); }, part.inputs);
  }
  return part;
}

KeptOnly Cutter::State::OnlyOf(const Place& place, const Kept& kept) const {
  const BlockId main = graph.main_block();
  KeptOnly only;
  for (NodeId node : kept.nodes()) {
    if (graph.node(node).block == main) only.nodes.push_back(node);
  }
  for (ValueId value : kept.parameters()) {
    const TensorId tensor = place.units.tensor(value);
    if (graph.tensor(tensor).block == main) only.initializers.push_back(tensor);
  }
  only.functions = kept.functions();
  for (ValueId value : kept.values()) {
    if (graph.value(value).block != main) continue;
    const bool is_new = kept.IsNewInput(value) || kept.IsNewOutput(value);
    only.values.push_back({graph.value(value).name, is_new});
    for (const size_t input : interface.inputs(value)) only.inputs.push_back(input);
    if (!kept.IsOutput(value)) continue;
    for (const size_t output : interface.outputs(value)) only.outputs.push_back(output);
  }
  return only;
}

absl::StatusOr<std::string> Cutter::State::InfoOf(const Place& place, ValueId value) const {
  const ValueTypes& types = place.types;
  const absl::string_view stated = types.stated(value);
  if (StatesType(stated)) return std::string(stated);
  std::string info;
  AppendField(schema::value_info::kName, graph.value(value).name, &info);
  if (graph.value(value).kind == ValueKind::kUndefined) return NothingMakes(graph, value);
  if (types.type(value).empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the type of the value ", QuotedName(graph.value(value).name),
                     " cannot be told: write it into the model with onnx.shape_inference first"));
  }
  const absl::string_view type = types.type(value);
  CountedShape shape;
  if (DataTypeOf(type) != 0) {
    OH_ASSIGN_OR_RETURN(shape, ShapeOf(value));
  }
  AppendField(schema::value_info::kType, shape ? WithShape(type, *shape) : type, &info);
  return info;
}

absl::StatusOr<CountedShape> Cutter::State::ShapeOf(ValueId value) const {
  if (shapes == nullptr) {
    OH_ASSIGN_OR_RETURN(KnownShapes found, KnownShapes::Find(model, main().types));
    shapes = std::make_unique<const KnownShapes>(std::move(found));
  }
  return shapes->shape(value);
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
  const auto values = [&](absl::string_view key, const std::vector<ValueId>& ids) {
    if (ids.empty()) return;
    json.Key(key).BeginArray();
    for (ValueId value : ids) json.String(graph.value(value).name);
    json.EndArray();
  };
  if (!part.request.nodes.empty()) {
    json.Key("node_ids").BeginArray();
    for (NodeId node : part.request.nodes) json.String(graph.NodePath(node));
    json.EndArray();
  }
  values("inputs", part.request.inputs);
  values("outputs", part.request.outputs);
  if (part.graph != graph.main_block()) {
    json.Key("graph").String(graph.BlockPath(part.graph));
    json.Key("callers").BeginArray();
    for (NodeId caller : part.callers) json.String(graph.NodePath(caller));
    json.EndArray();
  }
  if (part.request.call.has_value()) json.Key("call").Unsigned(*part.request.call);
  json.Key("generator").String(absl::StrCat("onnx-hier ", kVersion));
  json.EndObject();
  return text;
}

}  // namespace onnx_hier
