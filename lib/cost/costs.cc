// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "lib/base/status_macros.h"
#include "lib/cost/input_sizes.h"
#include "lib/cost/known_shapes.h"
#include "lib/cost/operations.h"
#include "lib/graph/callees.h"
#include "lib/graph/data_type.h"
#include "lib/graph/top_blocks.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/value_type.h"
#include "lib/onnx/value_types.h"
#include "lib/shapes/rule_parts.h"
#include "lib/shapes/value_shapes.h"
#include "onnx_hier/cost.h"

namespace onnx_hier {
namespace {

constexpr char kMacs[] = "macs";
constexpr char kOperations[] = "operations";
constexpr char kRead[] = "read";
constexpr char kWritten[] = "written";
constexpr char kAlive[] = "alive";
constexpr char kIntensity[] = "intensity";
constexpr char kBound[] = "bound";
constexpr char kAchieved[] = "achieved";

// Numbers beyond are not exact, and no model's.
constexpr double kLargest = 9007199254740992.0;  // 2^53

// An amount that may lack something.
struct Sum {
  Amount amount;
  bool is_known = true;

  void Add(Dim dim) {
    if (dim.is_number() && dim.number() >= 0 && dim.number() <= kLargest) {
      amount += Amount(static_cast<uint64_t>(dim.number()));
    } else {
      is_known = false;
    }
  }
};

// Of all runs of a node.
struct NodeCost {
  Sum macs;
  Sum operations;
  Sum read;
  Sum weights;
  Sum written;
};

class Counting {
 public:
  Counting(const Graph& graph, const ValueTypes& types, Expressions& all)
      : graph_(graph),
        types_(types),
        all_(all),
        callees_(FindCallees(graph)),
        costs_(graph.node_count()),
        formulas_(graph.node_count(), Dim(0)) {
    for (OpId op : graph.op_ids()) work_.push_back(OperatorWork(graph.op(op).type));
  }

  void Count(const NodeVisit& run, const ValueShapes& shapes) {
    const absl::Span<const ValueId> outputs = graph_.outputs(run.node);
    std::optional<absl::Span<const Dim>> made;
    if (!outputs.empty() && outputs[0].valid()) made = shapes.dims(outputs[0]);
    const Operations operations = work_[graph_.node(run.node).op].Of(run.at_hand, made);
    // A loop of which nothing tells how often it goes round counts as one round.
    Dim times = run.times;
    if (!times.is_known()) {
      times = 1;
      has_open_loops_ = true;
    }
    NodeCost& cost = costs_[run.node];
    const Dim macs = all_.Times(times, operations.macs);
    formulas_[run.node] = all_.Add(formulas_[run.node], macs);
    cost.macs.Add(macs);
    cost.operations.Add(all_.Times(times, operations.others));
    // What only holds others is read and written by those.
    const bool is_call = CalleeOf(graph_.node(run.node).op, callees_).valid();
    if (is_call || !graph_.blocks(run.node).empty()) return;
    for (ValueId input : graph_.inputs(run.node)) {
      if (!input.valid()) continue;
      (shapes.is_constant(input) ? cost.weights : cost.read)
          .Add(all_.Times(times, BytesOf(input, shapes)));
    }
    if (graph_.op(run.node).type == "Constant") return;
    for (ValueId output : outputs) {
      if (output.valid()) cost.written.Add(all_.Times(times, BytesOf(output, shapes)));
    }
  }

  const NodeCost& cost(NodeId node) const { return costs_[node]; }
  Dim formula(NodeId node) const { return formulas_[node]; }
  bool has_open_loops() const { return has_open_loops_; }

  // Bytes of activations that are there while a node of the main graph runs: what is made is there
  // from then until it was read for the last time.
  std::vector<Sum> Alive(const ValueShapes& shapes) const {
    const absl::Span<const NodeId> nodes = graph_.nodes(graph_.main_block());
    const absl::Span<const ValueId> given_out = graph_.outputs(graph_.main_block());
    const absl::flat_hash_set<ValueId> to_the_end(given_out.begin(), given_out.end());
    std::vector<double> changes(nodes.size() + 1);
    std::vector<int> unknown(nodes.size() + 1);
    const auto add = [&](ValueId value, size_t from) {
      size_t last = from;
      for (const Use& use : graph_.uses(value)) {
        const size_t at = PlaceOf(use.node);
        if (at < nodes.size()) last = std::max(last, at);
      }
      if (to_the_end.contains(value)) last = nodes.size() - 1;
      const Dim bytes = BytesOf(value, shapes);
      const bool is_known = bytes.is_number();
      changes[from] += is_known ? bytes.number() : 0;
      changes[last + 1] -= is_known ? bytes.number() : 0;
      unknown[from] += is_known ? 0 : 1;
      unknown[last + 1] -= is_known ? 0 : 1;
    };
    if (nodes.empty()) return {};
    for (ValueId input : graph_.inputs(graph_.main_block())) {
      if (input.valid() && graph_.value(input).kind == ValueKind::kInput) add(input, 0);
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (graph_.op(nodes[i]).type == "Constant") continue;
      for (ValueId output : graph_.outputs(nodes[i])) {
        if (output.valid()) add(output, i);
      }
    }
    std::vector<Sum> alive(nodes.size());
    double bytes = 0;
    int open = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      bytes += changes[i];
      open += unknown[i];
      alive[i].Add(bytes);
      alive[i].is_known = open == 0;
    }
    return alive;
  }

 private:
  // As it is stored: of types of less than a byte, several in one.
  Dim BytesOf(ValueId id, const ValueShapes& shapes) const {
    const Value& value = graph_.value(id);
    if (value.kind == ValueKind::kInitializer) {
      return static_cast<double>(graph_.tensor(value.tensor).bytes);
    }
    const std::optional<absl::Span<const Dim>> dims = shapes.dims(id);
    const uint32_t bits = BitsOf(types_.type(id));
    if (!dims || bits == 0) return Dim();
    return all_.Divide(all_.Times(CountOf(all_, *dims), bits), 8, Rounding::kCeiling);
  }

  // Types lie in one place each, and most values have that of the one before.
  uint32_t BitsOf(absl::string_view type) const {
    if (type.data() != last_type_.data()) {
      last_type_ = type;
      last_bits_ = data_type::Bits(DataTypeOf(type));
    }
    return last_bits_;
  }

  // The node of the main graph that is, or holds, a node; behind all: it is in a function.
  size_t PlaceOf(NodeId node) const {
    BlockId block = graph_.node(node).block;
    while (block != graph_.main_block()) {
      node = graph_.block(block).owner;
      if (!node.valid()) return graph_.node_count();
      block = graph_.node(node).block;
    }
    return graph_.node(node).index;
  }

  const Graph& graph_;
  const ValueTypes& types_;
  Expressions& all_;
  const IdVector<OpId, BlockId> callees_;
  IdVector<OpId, OperatorWork> work_;
  IdVector<NodeId, NodeCost> costs_;
  IdVector<NodeId, Dim> formulas_;
  mutable absl::string_view last_type_;
  mutable uint32_t last_bits_ = 0;
  bool has_open_loops_ = false;
};

Measure MeasureNamed(absl::string_view id) {
  const std::vector<Measure> measures = CostMeasures();
  return *absl::c_find_if(measures, [&](const auto& each) { return each.id == id; });
}

Amount Ratio(Amount part, Amount of) {
  return of.is_zero() ? Amount() : Amount(part.real() / of.real());
}

// Fills columns from what was counted.
class Filling {
 public:
  Filling(const Hierarchy& hierarchy, const Counting& counted, Costs& costs)
      : hierarchy_(hierarchy), graph_(hierarchy.graph()), counted_(counted), costs_(costs) {}

  void Fill(const std::optional<Device>& device, const ValueShapes& shapes) {
    FillSums(kMacs, &NodeCost::macs);
    FillSums(kOperations, &NodeCost::operations);
    FillSums(kRead, &NodeCost::read);
    FillSums(kWritten, &NodeCost::written);
    FillAlive(shapes);
    FillIntensity();
    if (device) FillBound(*device);
    for (NodeId node : graph_.node_ids()) {
      if (!counted_.cost(node).macs.is_known) costs_.unknown.push_back(node);
    }
  }

 private:
  Column& NewColumn(absl::string_view id) {
    return costs_.columns.emplace_back(MeasureNamed(id), hierarchy_.modules());
  }

  void Add(Column& column, NodeId node, const Sum& sum) {
    const ModuleId module = hierarchy_.ModuleOf(node);
    if (!module.valid()) return;  // of another graph, which is not asked about
    if (!sum.is_known) column.AddUnknown(module, 1);
    // What is known of it counts all the same, as do nodes that have none of it.
    column.Add(module, sum.amount, sum.is_known ? 1 : 0);
    column.SetNode(node, sum.amount);
  }

  void FillSums(absl::string_view id, Sum NodeCost::*part) {
    Column& column = NewColumn(id);
    for (NodeId node : graph_.node_ids()) Add(column, node, counted_.cost(node).*part);
    column.AddUp(hierarchy_.modules());
  }

  void FillAlive(const ValueShapes& shapes) {
    Column& column = NewColumn(kAlive);
    const std::vector<Sum> alive = counted_.Alive(shapes);
    const absl::Span<const NodeId> nodes = graph_.nodes(graph_.main_block());
    Amount most;
    for (size_t i = 0; i < nodes.size(); ++i) {
      Add(column, nodes[i], alive[i]);
      if (costs_.peak.valid() && !(most < alive[i].amount)) continue;
      most = alive[i].amount;
      costs_.peak = nodes[i];
    }
    column.AddUp(hierarchy_.modules());
  }

  // Of sums, which is no sum of nodes.
  void FillIntensity() {
    Column& column = NewColumn(kIntensity);
    Column bytes({.unit = MeasureUnit::kBytes}, hierarchy_.modules());
    for (NodeId node : graph_.node_ids()) {
      const ModuleId module = hierarchy_.ModuleOf(node);
      if (!module.valid()) continue;
      Sum moved;
      for (Sum NodeCost::*part : {&NodeCost::read, &NodeCost::written, &NodeCost::weights}) {
        moved.amount += (counted_.cost(node).*part).amount;
      }
      bytes.Add(module, moved.amount);
    }
    bytes.AddUp(hierarchy_.modules());
    const Column& macs = *costs_.Find(kMacs);
    for (ModuleId module : hierarchy_.modules().ids()) {
      const Figure& of = macs.figure(module);
      const Figure& moved = bytes.figure(module);
      column.Set(module, {Ratio(of.own, moved.own), Ratio(of.total, moved.total), of.own_known,
                          of.known, of.unknown});
    }
  }

  // What takes longer, to calculate or to move.
  void FillBound(const Device& device) {
    Column& column = NewColumn(kBound);
    for (NodeId node : graph_.node_ids()) {
      const NodeCost& cost = counted_.cost(node);
      const double moved =
          cost.read.amount.real() + cost.written.amount.real() + cost.weights.amount.real();
      const double done = 2 * cost.macs.amount.real() + cost.operations.amount.real();
      Sum bound;
      bound.amount = Amount(std::max(done / device.gflops, moved / device.gbytes_per_second));
      bound.is_known = cost.macs.is_known && cost.operations.is_known && cost.read.is_known &&
                       cost.written.is_known && cost.weights.is_known;
      Add(column, node, bound);
    }
    column.AddUp(hierarchy_.modules());
  }

  const Hierarchy& hierarchy_;
  const Graph& graph_;
  const Counting& counted_;
  Costs& costs_;
};

// Of each module and all inside it, in symbols.
IdVector<ModuleId, std::string> FormulasOf(const Hierarchy& hierarchy, const Counting& counted,
                                           Expressions& all) {
  const ModuleTree& modules = hierarchy.modules();
  IdVector<ModuleId, Dim> sums(modules.size(), Dim(0));
  for (NodeId node : hierarchy.graph().node_ids()) {
    const ModuleId module = hierarchy.ModuleOf(node);
    if (module.valid()) sums[module] = all.Add(sums[module], counted.formula(node));
  }
  for (size_t i = modules.size(); i-- > 1;) {
    Dim& around = sums[modules.module(ModuleId(i)).parent];
    around = all.Add(around, sums[ModuleId(i)]);
  }
  IdVector<ModuleId, std::string> formulas(modules.size());
  for (ModuleId module : modules.ids()) {
    if (sums[module].is_known()) formulas[module] = all.Text(sums[module]);
  }
  return formulas;
}

// Of what nodes make that are in no function, whose values have other shapes in each call.
std::vector<CountedValue> ValuesOf(const Graph& graph, const ValueShapes& shapes,
                                   const Expressions& all) {
  const IdVector<BlockId, BlockId> tops = FindTopBlocks(graph);
  std::vector<CountedValue> values;
  for (NodeId node : graph.node_ids()) {
    if (tops[graph.node(node).block] != graph.main_block()) continue;
    for (ValueId output : graph.outputs(node)) {
      if (output.valid()) values.push_back({output, CountedShapeOf(shapes.dims(output), all)});
    }
  }
  return values;
}

}  // namespace

const Column* Costs::Find(absl::string_view id) const {
  const auto found =
      absl::c_find_if(columns, [id](const Column& each) { return each.measure().id == id; });
  return found == columns.end() ? nullptr : &*found;
}

std::vector<Measure> CostMeasures() {
  return {
      {kMacs, "MACs", MeasureUnit::kCount, Adds::kSum},
      {kOperations, "other ops", MeasureUnit::kCount, Adds::kSum},
      {kRead, "read", MeasureUnit::kBytes, Adds::kSum},
      {kWritten, "written", MeasureUnit::kBytes, Adds::kSum},
      {kAlive, "alive", MeasureUnit::kBytes, Adds::kMost},
      {kIntensity, "MACs/byte", MeasureUnit::kNumber, Adds::kMean},
      {kBound, "at least", MeasureUnit::kNanoseconds, Adds::kSum},
      {kAchieved, "GMAC/s", MeasureUnit::kNumber, Adds::kMean},
  };
}

Column AchievedRate(const Column& macs, const Column& times, uint64_t runs,
                    const ModuleTree& tree) {
  const auto rate = [runs](Amount done, Amount taken) {
    return Ratio(Amount(done.real() * static_cast<double>(runs)), taken);
  };
  Column column(MeasureNamed(kAchieved), tree);
  for (ModuleId module : tree.ids()) {
    const Figure& done = macs.figure(module);
    const Figure& taken = times.figure(module);
    column.Set(module, {rate(done.own, taken.own), rate(done.total, taken.total),
                        taken.own.is_zero() ? 0 : taken.own_known,
                        taken.total.is_zero() ? 0 : taken.known, done.unknown + taken.unknown});
  }
  return column;
}

bool IsCostMeasure(absl::string_view id) {
  const std::vector<Measure> measures = CostMeasures();
  return absl::c_any_of(measures, [id](const Measure& each) { return each.id == id; });
}

absl::StatusOr<Costs> MeasureCosts(const Model& model, const Hierarchy& hierarchy,
                                   const CostOptions& options) {
  const ModelSource& source = ModelAccess::Source(model);
  const Graph& graph = model.graph();
  OH_ASSIGN_OR_RETURN(const ValueTypes types, ValueTypes::Find(source.image, source.scanned));
  OH_ASSIGN_OR_RETURN(InputSizes sizes, ReadInputSizes(graph, types, options, BatchSize::kOne));
  Counting counting(graph, types, sizes.all);
  OH_ASSIGN_OR_RETURN(const ValueShapes shapes,
                      ValueShapes::Find(ShapeSourceOf(model, types), sizes.shapes, sizes.all,
                                        [&](const NodeVisit& run, const ValueShapes& so_far) {
                                          counting.Count(run, so_far);
                                        }));
  Costs costs;
  const absl::Span<const ValueId> inputs = graph.inputs(graph.main_block());
  bool is_open = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].valid() || graph.value(inputs[i]).kind != ValueKind::kInput) continue;
    const std::optional<DimList>& dims = sizes.shapes[i];
    CountedValue& input = costs.inputs.emplace_back(CountedValue{inputs[i], std::nullopt});
    if (!dims) continue;
    input.shape = CountedShapeOf(absl::MakeConstSpan(*dims), sizes.all);
    for (Dim dim : *dims) is_open = is_open || !dim.is_number();
  }
  costs.has_open_loops = counting.has_open_loops();
  costs.misfit = shapes.misfit();
  costs.has_open_branches = shapes.has_open_branches();
  costs.is_cut_short = shapes.is_cut_short();
  if (options.values) costs.values = ValuesOf(graph, shapes, sizes.all);
  if (is_open || options.symbolic) {
    costs.formulas = FormulasOf(hierarchy, counting, sizes.all);
  } else {
    Filling(hierarchy, counting, costs).Fill(options.device, shapes);
  }
  return costs;
}

}  // namespace onnx_hier
