// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"
#include "lib/graph/domain.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/node_messages.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/value_type.h"
#include "lib/onnx/wire_writer.h"
#include "lib/parts/cutter_state.h"
#include "lib/parts/instances.h"

namespace onnx_hier {
namespace {

// Behind the name of a value: what is given in its place, in another type or shape.
constexpr absl::string_view kGiven = "/given";

// Of units of one run.
class BoundaryFinder {
 public:
  BoundaryFinder(const Units& units, const Repeatable& repeatable)
      : units_(units),
        repeatable_(repeatable),
        runs_(units.size(), 0),
        read_(units.graph().value_count(), 0) {}

  void Find(absl::Span<const std::pair<uint32_t, Unit>> run, Boundary& boundary) {
    ++run_;
    for (const auto& [call, unit] : run) runs_[unit] = run_;
    for (const auto& [call, unit] : run) {
      for (ValueId value : units_.reads(unit)) {
        if (!IsFed(value) || read_[value] == run_) continue;
        read_[value] = run_;
        boundary.inputs.push_back(value);
      }
      for (ValueId value : units_.makes(unit)) {
        if (value.valid() && IsGiven(value)) boundary.outputs.push_back(value);
      }
    }
  }

 private:
  bool IsFed(ValueId value) const {
    const Unit maker = units_.maker(value);
    if (maker.valid()) return runs_[maker] != run_ && !repeatable_.Has(maker);
    return !units_.tensor(value).valid() && units_.graph().value(value).kind == ValueKind::kInput;
  }

  bool IsGiven(ValueId value) const {
    const absl::Span<const Unit> readers = units_.readers(value);
    return units_.is_output(value) ||
           std::any_of(readers.begin(), readers.end(), [this](Unit reader) {
             return runs_[reader] != run_ && !repeatable_.Has(reader);
           });
  }

  const Units& units_;
  const Repeatable& repeatable_;
  IdVector<Unit, uint32_t> runs_;  // the last one that it was in
  IdVector<ValueId, uint32_t> read_;
  uint32_t run_ = 0;
};

// The bytes of a node or a ValueInfoProto, with another name for a value.
std::string Renamed(absl::string_view message, uint32_t field, absl::string_view from,
                    absl::string_view to) {
  std::string renamed;
  for (MessageFields fields(message); fields.Next();) {
    if (fields.number() == field && fields.bytes() == from) {
      AppendField(field, to, &renamed);
    } else {
      renamed.append(fields.whole().data(), fields.whole().size());
    }
  }
  return renamed;
}

int32_t DataTypeIn(absl::string_view value_info) {
  for (MessageFields fields(value_info); fields.Next();) {
    if (fields.number() == schema::value_info::kType) {
      return DataTypeOf(WithoutShape(fields.bytes()));
    }
  }
  return 0;
}

std::string IntegerAttribute(absl::string_view name, int64_t value) {
  constexpr int64_t kInteger = 2;  // AttributeProto.INT
  std::string attribute;
  AppendField(schema::attribute::kName, name, &attribute);
  AppendNumber(schema::attribute::kInteger, value, &attribute);
  AppendNumber(schema::attribute::kType, kInteger, &attribute);
  return attribute;
}

std::string NodeBytes(absl::string_view op_type, absl::string_view domain,
                      std::initializer_list<absl::string_view> inputs, absl::string_view output,
                      absl::string_view attribute) {
  std::string node;
  for (absl::string_view input : inputs) AppendField(schema::node::kInput, input, &node);
  AppendField(schema::node::kOutput, output, &node);
  AppendField(schema::node::kOpType, op_type, &node);
  if (!attribute.empty()) AppendField(schema::node::kAttribute, attribute, &node);
  if (!domain.empty()) AppendField(schema::node::kDomain, domain, &node);
  return node;
}

std::string PackNode(absl::string_view plain, absl::string_view packed) {
  return NodeBytes("ReorderInput", kNchwcDomain, {plain}, packed, "");
}

std::string UnpackNode(absl::string_view packed, int64_t channels, absl::string_view plain) {
  return NodeBytes("ReorderOutput", kNchwcDomain, {packed}, plain,
                   IntegerAttribute("channels", channels));
}

// None: it is not stated.
std::optional<size_t> RankIn(absl::string_view value_info) {
  for (MessageFields fields(value_info); fields.Next();) {
    if (fields.number() != schema::value_info::kType) continue;
    for (MessageFields type(fields.bytes()); type.Next();) {
      if (type.number() != schema::type::kTensor) continue;
      for (MessageFields tensor(type.bytes()); tensor.Next();) {
        if (tensor.number() != schema::type::kShape) continue;
        size_t rank = 0;
        for (MessageFields dims(tensor.bytes()); dims.Next();) ++rank;
        return rank;
      }
    }
  }
  return std::nullopt;
}

// Edits of a graph by which values become inputs, and what is made in their places outputs.
class Isolator {
 public:
  explicit Isolator(const Graph& graph) : graph_(graph) {
    for (ValueId value : graph.value_ids()) names_.insert(graph.value(value).name);
  }

  // `name`: in the original. The value infos are of there, and of here; `nodes` holds the bytes of
  // the node that makes it, and what comes right behind that. False: it cannot be done, and nothing
  // has changed.
  bool Isolate(const ValuePair& pair, absl::string_view name, absl::string_view given,
               absl::string_view info, absl::Span<const size_t> outputs,
               std::vector<std::string>& nodes, Isolated& isolated) {
    const BlockId main = graph_.main_block();
    const absl::string_view own_name = graph_.value(pair.value).name;
    const int32_t type = DataTypeIn(info);
    const int32_t given_type = DataTypeIn(given);
    const bool has_type = type == given_type;
    const bool can_be_cast =
        data_type::IsFloatingPoint(type) && data_type::IsFloatingPoint(given_type);
    if (!has_type && !can_be_cast) return false;
    const bool has_rank = RankIn(info).has_value() && RankIn(info) == RankIn(given);
    // What has to be put into another form has to be told from what comes of that.
    const bool is_same = has_type && has_rank;
    const std::string input =
        name == own_name && !is_same ? absl::StrCat(name, kGiven) : std::string(name);
    std::string made = absl::StrCat(name, kMadeEnding);
    if (names_.contains(made) || (input != own_name && names_.contains(input))) return false;
    nodes[0] = Renamed(nodes[0], schema::node::kOutput, own_name, made);
    if (input != own_name) PutIntoForm(input, made, own_name, type, nodes);
    isolated.edits.AddInput(main, Renamed(given, schema::value_info::kName, name, input));
    const std::string output = Renamed(info, schema::value_info::kName, own_name, made);
    for (const size_t index : outputs) isolated.edits.SetOutput(main, index, output);
    if (outputs.empty()) isolated.edits.AddOutput(main, output);
    isolated.values.push_back({pair, std::move(made)});
    return true;
  }

  // The same of a value that is packed.
  bool IsolatePacked(const ValuePair& pair, absl::string_view name, absl::string_view given,
                     std::optional<int64_t> channels, std::vector<std::string>& nodes,
                     Isolated& isolated) {
    const absl::string_view own_name = graph_.value(pair.value).name;
    const std::string packed = absl::StrCat(own_name, "/packed");
    std::string made = absl::StrCat(name, kMadeEnding);
    if (!channels.has_value() || names_.contains(name) || names_.contains(made)) return false;
    nodes[0] = Renamed(nodes[0], schema::node::kOutput, own_name, packed);
    nodes.push_back(UnpackNode(packed, *channels, made));
    nodes.push_back(PackNode(name, own_name));
    isolated.edits.AddInput(graph_.main_block(), given);
    isolated.edits.AddOutput(graph_.main_block(),
                             Renamed(given, schema::value_info::kName, name, made));
    isolated.values.push_back({pair, std::move(made)});
    return true;
  }

 private:
  // Of an input the value that its readers read: of this type, and as large as what was made.
  static void PutIntoForm(absl::string_view input, absl::string_view made, absl::string_view value,
                          int32_t type, std::vector<std::string>& nodes) {
    const std::string cast = absl::StrCat(value, "/cast");
    const std::string shape = absl::StrCat(value, "/shape");
    nodes.push_back(NodeBytes("Cast", "", {input}, cast, IntegerAttribute("to", type)));
    nodes.push_back(NodeBytes("Shape", "", {made}, shape, ""));
    nodes.push_back(NodeBytes("Reshape", "", {cast, shape}, value, ""));
  }

  const Graph& graph_;
  absl::flat_hash_set<absl::string_view> names_;
};

}  // namespace

uint32_t Cutter::BitsOf(ValueId value) const {
  return data_type::Bits(DataTypeOf(state_->main().types.type(value)));
}

std::vector<Boundary> Cutter::BoundariesOf(absl::Span<const ModuleId> modules,
                                           Inside inside) const {
  const Hierarchy& hierarchy = state_->hierarchy;
  const Place& place = state_->main();
  BoundaryFinder finder(place.units, place.repeatable);
  std::vector<Boundary> boundaries;
  std::vector<std::pair<uint32_t, Unit>> units;  // with the run
  for (ModuleId module : modules) {
    units.clear();
    for (NodeId node :
         inside == Inside::kIncluded ? hierarchy.Nodes(module) : hierarchy.OwnNodes(module)) {
      const Unit unit = place.units.unit(node);
      const bool counts =
          unit.valid() && place.units.node(unit) == node && !place.repeatable.Has(unit);
      if (counts) units.emplace_back(CallOf(hierarchy, node, module), unit);
    }
    std::sort(units.begin(), units.end());
    for (auto begin = units.begin(); begin != units.end();) {
      const auto end = std::find_if(begin, units.end(),
                                    [&](const auto& one) { return one.first != begin->first; });
      Boundary& boundary = boundaries.emplace_back(Boundary{module, begin->first, {}, {}});
      finder.Find({&*begin, static_cast<size_t>(end - begin)}, boundary);
      begin = end;
    }
  }
  return boundaries;
}

Edits Cutter::ProbeEdits(const Cutter& original, absl::Span<const ValuePair> pairs) const {
  const Graph& graph = state_->graph;
  const BlockId main = graph.main_block();
  const Place& place = state_->main();
  Edits edits;
  for (const ValuePair& pair : pairs) {
    const ValueId value = pair.value;
    if (pair.is_packed) {
      const std::optional<int64_t> channels = original.ChannelsOf(pair.original);
      const absl::StatusOr<std::string> info =
          original.state_->InfoOf(original.state_->main(), pair.original);
      if (!channels.has_value() || !info.ok()) continue;
      edits.PutInAtEnd(main, UnpackNode(graph.value(value).name, *channels,
                                        original.state_->graph.value(pair.original).name));
      edits.AddOutput(main, *info);
      continue;
    }
    if (place.units.is_output(value) || !place.units.maker(value).valid()) continue;
    const absl::StatusOr<std::string> info = state_->InfoOf(place, value);
    std::string name_only;
    AppendField(schema::value_info::kName, graph.value(value).name, &name_only);
    edits.AddOutput(main, info.ok() ? *info : name_only);
  }
  return edits;
}

std::optional<int64_t> Cutter::ChannelsOf(ValueId value) const {
  constexpr size_t kChannels = 1;  // which of the dimensions
  const absl::StatusOr<CountedShape> shape = state_->ShapeOf(value);
  if (!shape.ok()) return std::nullopt;
  const CountedShape& dims = *shape;
  int64_t channels = 0;
  if (!dims.has_value() || dims->size() <= kChannels) return std::nullopt;
  if (!absl::SimpleAtoi((*dims)[kChannels], &channels)) return std::nullopt;
  return channels;
}

absl::StatusOr<Isolated> Cutter::IsolatedEdits(const Cutter& original,
                                               absl::Span<const ValuePair> pairs) const {
  const Graph& graph = state_->graph;
  const Place& place = state_->main();
  std::vector<std::pair<NodeId, ValuePair>> made;
  std::vector<NodeId> makers;
  for (const ValuePair& pair : pairs) {
    const Unit maker = place.units.maker(pair.value);
    if (maker.valid()) made.emplace_back(place.units.node(maker), pair);
  }
  std::stable_sort(made.begin(), made.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [node, pair] : made) {
    if (makers.empty() || makers.back() != node) makers.push_back(node);
  }
  const ModelSource& source = ModelAccess::Source(state_->model);
  OH_ASSIGN_OR_RETURN(const NodeMessages messages,
                      NodeMessages::Read(source.image, source.scanned, makers));
  Isolator isolator(graph);
  Isolated isolated;
  for (size_t i = 0; i < made.size();) {
    const NodeId node = made[i].first;
    std::vector<std::string> nodes = {std::string(messages[node])};
    const size_t before = isolated.values.size();
    for (; i < made.size() && made[i].first == node; ++i) {
      const ValuePair& pair = made[i].second;
      const absl::StatusOr<std::string> info = state_->InfoOf(place, pair.value);
      const absl::StatusOr<std::string> given =
          original.state_->InfoOf(original.state_->main(), pair.original);
      const absl::string_view name = original.state_->graph.value(pair.original).name;
      const bool is_known = !nodes[0].empty() && given.ok() && (pair.is_packed || info.ok());
      const bool is_done =
          is_known &&
          (pair.is_packed
               ? isolator.IsolatePacked(pair, name, *given, original.ChannelsOf(pair.original),
                                        nodes, isolated)
               : isolator.Isolate(pair, name, *given, *info, place.interface.outputs(pair.value),
                                  nodes, isolated));
      if (!is_done) isolated.left.push_back(pair);
    }
    if (isolated.values.size() == before) continue;
    for (const std::string& bytes : nodes) isolated.edits.PutInBefore(node, bytes);
    isolated.edits.LeaveOut(node);
  }
  return isolated;
}

}  // namespace onnx_hier
