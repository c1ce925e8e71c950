// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "lib/base/status_macros.h"
#include "lib/graph/callees.h"
#include "lib/graph/data_type.h"
#include "lib/graph/flow.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/onnx/value_shape.h"
#include "lib/onnx/value_type.h"
#include "lib/shapes/operator_attributes.h"
#include "lib/shapes/shape_rules.h"
#include "lib/shapes/value_shapes.h"

namespace onnx_hier {
namespace {

// Functions and graphs that nest deeper, tensors of more dimensions, are nobody's.
constexpr int kDeepestGraph = 64;
constexpr size_t kMostDims = 16;
// What is followed at most: nodes and values of all calls, for each that the file has and these
// besides; elements of small tensors, of all values together.
constexpr uint64_t kStepsEach = 16;
constexpr uint64_t kStepsBesides = 1 << 20;
constexpr size_t kMostKept = 1 << 22;
constexpr size_t kChunk = 1 << 14;               // dimensions that are kept together
constexpr double kLargest = 9007199254740992.0;  // 2^53: numbers beyond are not exact
constexpr int kMostRounds = 3;                   // of a loop, until its values keep their shapes

bool IsShape(Dim dim) {
  if (!dim.is_number()) return true;
  return dim.number() >= 0 && dim.number() <= kLargest && std::trunc(dim.number()) == dim.number();
}

}  // namespace

class ShapeFinder {
 public:
  ShapeFinder(const ShapeSource& source, OperatorAttributes attributes, Expressions& all,
              ValueShapes::Visit visit, bool is_silent, ValueShapes& shapes)
      : graph_(source.model.graph),
        types_(source.types),
        attributes_(std::move(attributes)),
        contents_(source.image, source.model, source.folder),
        all_(all),
        visit_(visit),
        shapes_(shapes),
        callees_(FindCallees(graph_)),
        budget_(kStepsBesides),
        is_silent_(is_silent) {
    shapes_.known_.resize(graph_.value_count());
    budget_ += kStepsEach * (graph_.node_count() + graph_.value_count());
    for (const OpsetImport& import : graph_.info().opset_imports) {
      if (import.domain.empty() || import.domain == "ai.onnx") opset_ = import.version;
    }
    for (OpId op : graph_.op_ids()) {
      rules_.push_back(ShapeRuleOf(graph_.op(op).domain, graph_.op(op).type));
    }
  }

  absl::Status Find(const InputShapes& inputs) {
    for (ValueId id : graph_.value_ids()) {
      const Value& value = graph_.value(id);
      if (value.kind != ValueKind::kInitializer) continue;
      const absl::Span<const int64_t> dims = graph_.dims(value.tensor);
      Set(id, DimList(dims.begin(), dims.end()));
      shapes_.known_[id].is_constant = true;
    }
    std::optional<Flow> flow;
    if (!IsInOrder()) flow_ = &flow.emplace(graph_);
    const absl::Span<const ValueId> formal = graph_.inputs(graph_.main_block());
    for (size_t i = 0; i < formal.size() && i < inputs.size(); ++i) {
      if (!formal[i].valid() || graph_.value(formal[i]).kind != ValueKind::kInput) continue;
      if (const std::optional<DimList>& dims = inputs[i]) Set(formal[i], *dims);
    }
    Enter(graph_.main_block(), 1, 0);
    flow_ = nullptr;
    return status_;
  }

 private:
  using Known = ValueShapes::Known;
  using Attribute = OperatorAttributes::Attribute;

  // The node at hand as rules see it.
  class AtHand final : public ShapedNode {
   public:
    AtHand(ShapeFinder& finder, NodeId node)
        : ShapedNode(finder.graph_.op(node).type, finder.graph_.op(node).domain, finder.opset_,
                     finder.all_),
          finder_(finder),
          node_(node),
          inputs_(finder.graph_.inputs(node)),
          outputs_(finder.graph_.outputs(node)) {}

    size_t inputs() const override { return inputs_.size(); }
    size_t outputs() const override { return outputs_.size(); }
    bool Has(size_t input) const override {
      return input < inputs_.size() && inputs_[input].valid();
    }
    std::optional<absl::Span<const Dim>> DimsOf(size_t input) const override {
      if (!Has(input)) return std::nullopt;
      return finder_.shapes_.dims(inputs_[input]);
    }
    std::optional<absl::Span<const Dim>> ElementsOf(size_t input) const override {
      if (!Has(input)) return std::nullopt;
      finder_.ReadElements(inputs_[input]);
      return finder_.shapes_.elements(inputs_[input]);
    }
    bool IsInteger(size_t input) const override {
      return Has(input) && finder_.IsInteger(inputs_[input]);
    }
    bool HasAttribute(absl::string_view name) const override {
      return finder_.Find(node_, name) != nullptr;
    }
    absl::Span<const double> Numbers(absl::string_view name) const override {
      const Attribute* const attribute = finder_.Find(node_, name);
      if (attribute == nullptr) return {};
      if (attribute->numbers.size() > 0) return finder_.attributes_.numbers(*attribute);
      return finder_.NumbersOfTensor(node_);
    }
    absl::string_view Text(absl::string_view name) const override {
      const Attribute* const attribute = finder_.Find(node_, name);
      return attribute == nullptr ? absl::string_view() : attribute->text;
    }

    void Make(size_t output, DimList dims) override {
      if (output < outputs_.size()) finder_.Set(outputs_[output], dims);
    }
    void Make(size_t output, DimList dims, Elements elements) override {
      if (output >= outputs_.size()) return;
      finder_.Set(outputs_[output], dims);
      finder_.SetElements(outputs_[output], elements);
    }

   private:
    ShapeFinder& finder_;
    NodeId node_;
    absl::Span<const ValueId> inputs_;
    absl::Span<const ValueId> outputs_;
  };

  // Whether each node comes behind those that it reads.
  bool IsInOrder() const {
    for (NodeId node : graph_.node_ids()) {
      for (ValueId input : graph_.inputs(node)) {
        if (!input.valid() || !graph_.value(input).producer.valid()) continue;
        const Node& producer = graph_.node(graph_.value(input).producer);
        if (producer.block == graph_.node(node).block &&
            producer.index >= graph_.node(node).index) {
          return false;
        }
      }
    }
    return true;
  }

  absl::Span<const Dim> Keep(absl::Span<const Dim> dims) {
    std::deque<std::vector<Dim>>& pool = shapes_.pool_;
    if (pool.empty() || pool.back().capacity() - pool.back().size() < dims.size()) {
      pool.emplace_back().reserve(std::max(kChunk, dims.size()));
    }
    std::vector<Dim>& chunk = pool.back();
    const size_t begin = chunk.size();
    chunk.insert(chunk.end(), dims.begin(), dims.end());
    return absl::MakeConstSpan(chunk).subspan(begin);
  }

  void Set(ValueId value, DimList dims) {
    if (!value.valid()) return;
    Known& known = shapes_.known_[value];
    known = Known();
    if (dims.size() > kMostDims) return;
    for (Dim& dim : dims) {
      if (!IsShape(dim)) dim = Dim();
    }
    known.has_dims = true;
    known.dims = Keep(dims);
  }

  void SetElements(ValueId value, absl::Span<const Dim> elements) {
    if (!value.valid() || elements.size() > kMostElements) return;
    if (kept_ + elements.size() > kMostKept) return;
    kept_ += elements.size();
    Known& known = shapes_.known_[value];
    known.has_elements = known.has_dims;
    known.elements = Keep(elements);
  }

  void Forget(ValueId value) {
    if (value.valid()) shapes_.known_[value] = Known();
  }

  // Of a parameter, when somebody asks.
  void ReadElements(ValueId id) {
    const Value& value = graph_.value(id);
    if (value.kind != ValueKind::kInitializer || shapes_.known_[id].has_elements) return;
    if (graph_.tensor(value.tensor).elements > kMostElements) return;
    if (const std::optional<std::vector<double>> numbers = Read(value.tensor)) {
      SetElements(id, Elements(numbers->begin(), numbers->end()));
    }
  }

  std::optional<std::vector<double>> Read(TensorId tensor) {
    const uint64_t count = graph_.tensor(tensor).elements;
    if (count > kMostElements) return std::nullopt;
    const absl::StatusOr<bool> is_there = contents_.Begin(tensor);
    if (!is_there.ok()) status_.Update(is_there.status());
    if (!is_there.ok() || !*is_there) return std::nullopt;
    std::vector<double> numbers(count);
    const absl::Status status = contents_.Read(absl::MakeSpan(numbers));
    if (!status.ok()) {
      status_.Update(status);
      return std::nullopt;
    }
    return numbers;
  }

  // Of the one tensor that an attribute of the node holds; until the next one is read.
  absl::Span<const double> NumbersOfTensor(NodeId node) {
    of_attribute_.clear();
    if (graph_.tensors(node).size() == 1) {
      of_attribute_ = Read(graph_.tensors(node)[0]).value_or(std::vector<double>());
    }
    return of_attribute_;
  }

  bool IsInteger(ValueId value) const {
    switch (DataTypeOf(types_.type(value))) {
      case data_type::kInt64:
      case data_type::kInt32:
      case data_type::kInt16:
      case data_type::kInt8:
      case data_type::kUint64:
      case data_type::kUint32:
      case data_type::kUint16:
      case data_type::kUint8:
        return true;
      default:
        return false;
    }
  }

  // An attribute of a node in a function may be one of the node that calls it.
  const Attribute* Find(NodeId node, absl::string_view name) const {
    for (size_t level = callers_.size();; --level) {
      const absl::Span<const Attribute> all = attributes_.of(node);
      const auto found = absl::c_find_if(all, [&](const auto& each) { return each.name == name; });
      if (found == all.end()) return nullptr;
      if (found->reference.empty()) return &*found;
      if (level == 0) return nullptr;
      name = found->reference;
      node = callers_[level - 1];
    }
  }

  void Enter(BlockId block, Dim times, int depth) {
    if (depth == kDeepestGraph) {
      shapes_.is_cut_short_ = true;
      return;
    }
    const absl::Span<const NodeId> nodes = graph_.nodes(block);
    if (flow_ == nullptr) {
      for (NodeId node : nodes) Look(node, times, depth);
      return;
    }
    std::vector<NodeId> ordered(nodes.begin(), nodes.end());
    absl::c_sort(ordered, [&](NodeId a, NodeId b) { return flow_->rank(a) < flow_->rank(b); });
    for (NodeId node : ordered) Look(node, times, depth);
  }

  void Look(NodeId node, Dim times, int depth) {
    const uint64_t steps = 1 + graph_.inputs(node).size() + graph_.outputs(node).size();
    if (budget_ < steps) {
      shapes_.is_cut_short_ = true;
      return;
    }
    budget_ -= steps;
    for (ValueId output : graph_.outputs(node)) Forget(output);
    AtHand at_hand(*this, node);
    const absl::string_view op = graph_.op(node).type;
    if (const BlockId callee = CalleeOf(graph_.node(node).op, callees_); callee.valid()) {
      Call(node, callee, times, depth);
    } else if (op == "If") {
      Branch(node, times, depth);
    } else if (op == "Loop") {
      Loop(node, times, depth);
    } else if (op == "Scan") {
      Scan(at_hand, node, times, depth);
    } else if (op == "Constant") {
      MakeConstant(at_hand, node);
      for (ValueId output : graph_.outputs(node)) {
        if (output.valid()) shapes_.known_[output].is_constant = true;
      }
    } else if (const ShapeRule rule = rules_[graph_.node(node).op]; rule != nullptr) {
      rule(at_hand);
      if (!shapes_.misfit_.valid() && IsMisfit(node)) shapes_.misfit_ = node;
    }
    for (ValueId output : graph_.outputs(node)) TakeStated(output);
    if (!is_silent_) visit_({node, at_hand, times}, shapes_);
  }

  bool IsMisfit(NodeId node) const {
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    if (outputs.empty() || !outputs[0].valid() || shapes_.dims(outputs[0])) return false;
    return absl::c_all_of(graph_.inputs(node), [this](ValueId input) {
      if (!input.valid()) return true;
      const std::optional<absl::Span<const Dim>> dims = shapes_.dims(input);
      return dims && absl::c_all_of(*dims, [](Dim dim) { return dim.is_number(); });
    });
  }

  // Where no rule tells a shape, the file may.
  void TakeStated(ValueId value) {
    if (!value.valid() || shapes_.known_[value].has_dims || types_.stated(value).empty()) return;
    const std::optional<std::vector<StatedDim>> stated = StatedShape(types_.stated(value));
    if (!stated) return;
    DimList dims;
    for (const StatedDim& dim : *stated) {
      const Dim named = dim.name.empty() ? Dim() : all_.Symbol(dim.name);
      dims.push_back(dim.number >= 0     ? Dim(static_cast<double>(dim.number))
                     : named.is_number() ? named
                                         : Dim());
    }
    Set(value, dims);
  }

  void MakeConstant(AtHand& node, NodeId id) {
    if (graph_.tensors(id).size() == 1) {
      const TensorId tensor = graph_.tensors(id)[0];
      const absl::Span<const int64_t> sizes = graph_.dims(tensor);
      const DimList dims(sizes.begin(), sizes.end());
      if (graph_.tensor(tensor).elements > kMostElements) return node.Make(0, dims);
      const std::optional<std::vector<double>> numbers = Read(tensor);
      if (!numbers) return node.Make(0, dims);
      return node.Make(0, dims, Elements(numbers->begin(), numbers->end()));
    }
    for (const char* name : {"value_int", "value_float", "value_ints", "value_floats"}) {
      if (!node.HasAttribute(name)) continue;
      const absl::Span<const double> numbers = node.Numbers(name);
      const bool is_list = name[std::char_traits<char>::length(name) - 1] == 's';
      const DimList dims = is_list ? DimList{static_cast<double>(numbers.size())} : DimList();
      return node.Make(0, dims, Elements(numbers.begin(), numbers.end()));
    }
    if (node.HasAttribute("value_string")) node.Make(0, {});
  }

  void Copy(ValueId from, ValueId to) {
    if (!to.valid()) return;
    if (from.valid()) ReadElements(from);
    shapes_.known_[to] = from.valid() ? shapes_.known_[from] : Known();
  }

  static bool AreAlike(const Known& a, const Known& b) {
    const auto alike = [](absl::Span<const Dim> x, absl::Span<const Dim> y) {
      const bool is_one = x.data() == y.data() && x.size() == y.size();
      return is_one || absl::c_equal(x, y, [](Dim p, Dim q) {
               return p.is_known() ? p == q : !q.is_known();
             });
    };
    return a.has_dims == b.has_dims && a.has_elements == b.has_elements &&
           a.is_constant == b.is_constant && alike(a.dims, b.dims) && alike(a.elements, b.elements);
  }

  // Where nobody is told of runs, a function that is given what it was given last makes what it
  // made. What nodes in it take of the call's attributes is not compared.
  void Call(NodeId node, BlockId function, Dim times, int depth) {
    const absl::Span<const ValueId> given = graph_.inputs(node);
    const absl::Span<const ValueId> formal = graph_.inputs(function);
    // Of a body with less nodes than inputs, to compare these takes longer than to run it.
    bool is_same = is_silent_ && formal.size() <= graph_.nodes(function).size() &&
                   attributes_.of(node).empty() && ran_.contains(function);
    for (size_t i = 0; i < formal.size(); ++i) {
      if (!formal[i].valid()) continue;
      const Known last = is_same ? shapes_.known_[formal[i]] : Known();
      Copy(i < given.size() ? given[i] : ValueId(), formal[i]);
      is_same = is_same && AreAlike(last, shapes_.known_[formal[i]]);
    }
    if (!is_same) {
      callers_.push_back(node);
      Enter(function, times, depth + 1);
      callers_.pop_back();
    }
    if (attributes_.of(node).empty()) {
      ran_.insert(function);
    } else {
      ran_.erase(function);
    }
    const absl::Span<const ValueId> made = graph_.outputs(function);
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    for (size_t i = 0; i < outputs.size() && i < made.size(); ++i) Copy(made[i], outputs[i]);
  }

  // What both are; what differs is not known.
  DimList Joined(absl::Span<const Dim> a, absl::Span<const Dim> b) const {
    DimList dims;
    for (size_t i = 0; i < a.size(); ++i) dims.push_back(a[i] == b[i] ? a[i] : Dim());
    return dims;
  }
  // False: they have not even as many dimensions.
  bool Join(ValueId a, ValueId b, ValueId to) {
    const std::optional<absl::Span<const Dim>> left = a.valid() ? shapes_.dims(a) : std::nullopt;
    const std::optional<absl::Span<const Dim>> right = b.valid() ? shapes_.dims(b) : std::nullopt;
    if (!left || !right || left->size() != right->size()) return false;
    Set(to, Joined(*left, *right));
    return true;
  }

  void Branch(NodeId node, Dim times, int depth) {
    const absl::Span<const ValueId> inputs = graph_.inputs(node);
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    const absl::Span<const BlockId> branches = graph_.blocks(node);
    Dim condition;
    if (!inputs.empty() && inputs[0].valid()) {
      ReadElements(inputs[0]);
      const std::optional<absl::Span<const Dim>> elements = shapes_.elements(inputs[0]);
      if (elements && elements->size() == 1) condition = (*elements)[0];
    }
    std::vector<BlockId> run;
    for (BlockId branch : branches) {
      const bool is_then = graph_.block(branch).attribute == "then_branch";
      if (!condition.is_number() || condition.Is(0) != is_then) run.push_back(branch);
    }
    for (BlockId branch : run) Enter(branch, times, depth + 1);
    if (run.size() == 2) shapes_.has_open_branches_ = true;
    for (size_t i = 0; i < outputs.size() && !run.empty(); ++i) {
      if (!outputs[i].valid()) continue;
      const auto made = [&](BlockId branch) {
        const absl::Span<const ValueId> all = graph_.outputs(branch);
        return i < all.size() ? all[i] : ValueId();
      };
      if (run.size() == 1) {
        Copy(made(run[0]), outputs[i]);
      } else {
        Join(made(run[0]), made(run[1]), outputs[i]);
      }
    }
  }

  // Runs the body until what goes from one round to the next keeps its shape, and then for good.
  // `first`, `first_made`: of these, in what the body is given and what it makes.
  void GoRound(BlockId body, size_t first, size_t first_made, size_t count, Dim times, int depth) {
    const absl::Span<const ValueId> formal = graph_.inputs(body);
    const absl::Span<const ValueId> made = graph_.outputs(body);
    const auto state = [&](absl::Span<const ValueId> values, size_t i) {
      return i < values.size() ? values[i] : ValueId();
    };
    std::vector<Known> begin;
    for (size_t i = 0; i < count; ++i) {
      const ValueId value = state(formal, first + i);
      begin.push_back(value.valid() ? shapes_.known_[value] : Known());
    }
    const bool was_silent = std::exchange(is_silent_, true);
    for (int round = 0; round < kMostRounds; ++round) {
      Enter(body, times, depth + 1);
      bool has_changed = false;
      for (size_t i = 0; i < count; ++i) {
        const ValueId before = state(formal, first + i);
        const ValueId after = state(made, first_made + i);
        if (!before.valid()) continue;
        // Contents change from round to round.
        begin[i].has_elements = false;
        shapes_.known_[before] = begin[i];
        const Known known = begin[i];
        if (!Join(before, after, before)) Forget(before);
        const std::optional<absl::Span<const Dim>> now = shapes_.dims(before);
        const absl::Span<const Dim> then = known.dims;
        has_changed = has_changed || known.has_dims != now.has_value() ||
                      (now && !std::equal(now->begin(), now->end(), then.begin(), then.end(),
                                          [](Dim a, Dim b) {
                                            return a == b || a.is_known() == b.is_known();
                                          }));
        begin[i] = shapes_.known_[before];
      }
      if (!has_changed && round > 0) break;
    }
    is_silent_ = was_silent;
    Enter(body, times, depth + 1);
  }

  void Loop(NodeId node, Dim times, int depth) {
    if (graph_.blocks(node).empty()) return;
    const BlockId body = graph_.blocks(node)[0];
    const absl::Span<const ValueId> inputs = graph_.inputs(node);
    const absl::Span<const ValueId> formal = graph_.inputs(body);
    const auto element = [&](size_t input) {
      if (input >= inputs.size() || !inputs[input].valid()) return Dim();
      ReadElements(inputs[input]);
      const std::optional<absl::Span<const Dim>> elements = shapes_.elements(inputs[input]);
      return elements && elements->size() == 1 ? (*elements)[0] : Dim();
    };
    // It may end before, if its condition says so; loops that are exported go on.
    const Dim rounds = element(0);
    for (size_t i = 0; i < formal.size(); ++i) {
      if (i < 2) {
        Set(formal[i], {});
      } else {
        Copy(i < inputs.size() ? inputs[i] : ValueId(), formal[i]);
      }
    }
    const size_t count = inputs.size() > 2 ? inputs.size() - 2 : 0;
    GoRound(body, 2, 1, count, all_.Times(times, rounds), depth);
    const absl::Span<const ValueId> made = graph_.outputs(body);
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    for (size_t i = 0; i < outputs.size() && i + 1 < made.size(); ++i) {
      if (i < count) {
        if (!Join(formal[i + 2], made[i + 1], outputs[i])) Forget(outputs[i]);
      } else {
        Stack(made[i + 1], rounds, 0, outputs[i]);
      }
    }
  }

  // What all rounds make, behind each other along a new axis.
  void Stack(ValueId each, Dim rounds, double axis, ValueId to) {
    const std::optional<absl::Span<const Dim>> dims =
        each.valid() ? shapes_.dims(each) : std::nullopt;
    if (!dims || !to.valid()) return;
    DimList stacked(dims->begin(), dims->end());
    const double at = axis < 0 ? axis + static_cast<double>(stacked.size()) + 1 : axis;
    if (at < 0 || at > static_cast<double>(stacked.size())) return;
    stacked.insert(stacked.begin() + static_cast<ptrdiff_t>(at), rounds);
    Set(to, stacked);
  }

  void Scan(const AtHand& at_hand, NodeId node, Dim times, int depth) {
    if (graph_.blocks(node).empty() || opset_ < 9) return;
    const BlockId body = graph_.blocks(node)[0];
    const absl::Span<const ValueId> inputs = graph_.inputs(node);
    const absl::Span<const ValueId> formal = graph_.inputs(body);
    const auto scanned = static_cast<size_t>(
        std::clamp(at_hand.Number("num_scan_inputs", 1), 0.0, static_cast<double>(inputs.size())));
    const size_t count = inputs.size() - scanned;
    const absl::Span<const double> axes = at_hand.Numbers("scan_input_axes");
    const std::vector<double> in_axes(axes.begin(), axes.end());
    Dim rounds;
    for (size_t i = 0; i < inputs.size() && i < formal.size(); ++i) {
      Copy(inputs[i], formal[i]);
      if (i < count || !formal[i].valid()) continue;
      const std::optional<absl::Span<const Dim>> dims = shapes_.dims(formal[i]);
      const double axis = i - count < in_axes.size() ? in_axes[i - count] : 0;
      DimList each;
      if (dims) each.assign(dims->begin(), dims->end());
      const double at = axis < 0 ? axis + static_cast<double>(each.size()) : axis;
      if (at < 0 || at >= static_cast<double>(each.size())) {
        Forget(formal[i]);
        continue;
      }
      const auto place = each.begin() + static_cast<ptrdiff_t>(at);
      rounds = *place;
      each.erase(place);
      Set(formal[i], each);
    }
    GoRound(body, 0, 0, count, all_.Times(times, rounds), depth);
    const absl::Span<const ValueId> made = graph_.outputs(body);
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    const absl::Span<const double> out_axes = at_hand.Numbers("scan_output_axes");
    const std::vector<double> to(out_axes.begin(), out_axes.end());
    for (size_t i = 0; i < outputs.size() && i < made.size(); ++i) {
      if (i < count) {
        if (!Join(formal[i], made[i], outputs[i])) Forget(outputs[i]);
      } else {
        Stack(made[i], rounds, i - count < to.size() ? to[i - count] : 0, outputs[i]);
      }
    }
  }

  const Graph& graph_;
  const ValueTypes& types_;
  const OperatorAttributes attributes_;
  StoredTensorValues contents_;
  Expressions& all_;
  ValueShapes::Visit visit_;
  ValueShapes& shapes_;
  const IdVector<OpId, BlockId> callees_;
  IdVector<OpId, ShapeRule> rules_;
  std::vector<NodeId> callers_;       // of the functions we are in
  absl::flat_hash_set<BlockId> ran_;  // functions whose inputs are what they were given last
  std::vector<double> of_attribute_;
  int64_t opset_ = 1;
  uint64_t budget_;
  size_t kept_ = 0;
  bool is_silent_;              // nobody is told of what runs
  const Flow* flow_ = nullptr;  // whose order is that of the nodes; null: the file's is
  absl::Status status_;
};

absl::StatusOr<ValueShapes> ValueShapes::Find(const ShapeSource& source, const InputShapes& inputs,
                                              Expressions& all, Visit visit) {
  return Find(source, inputs, all, visit, /*is_silent=*/false);
}

absl::StatusOr<ValueShapes> ValueShapes::Find(const ShapeSource& source, const InputShapes& inputs,
                                              Expressions& all) {
  return Find(
      source, inputs, all, [](const NodeVisit&, const ValueShapes&) {}, /*is_silent=*/true);
}

absl::StatusOr<ValueShapes> ValueShapes::Find(const ShapeSource& source, const InputShapes& inputs,
                                              Expressions& all, Visit visit, bool is_silent) {
  OH_ASSIGN_OR_RETURN(OperatorAttributes attributes,
                      OperatorAttributes::Read(source.image, source.model));
  ValueShapes shapes;
  ShapeFinder finder(source, std::move(attributes), all, visit, is_silent, shapes);
  OH_RETURN_IF_ERROR(finder.Find(inputs));
  return shapes;
}

}  // namespace onnx_hier
