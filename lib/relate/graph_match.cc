// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/graph_match.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"
#include "lib/graph/callees.h"
#include "lib/graph/top_blocks.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/relate/growth.h"
#include "lib/relate/name_index.h"
#include "lib/relate/pairing.h"
#include "lib/relate/parameter_match.h"
#include "lib/relate/regions.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {
namespace {

// --- Whether one model was made from another at all: names alone say little, exporters give the
// same ones to all models ("add_1", "/encoder/layer.0/Add").

struct Agreement {
  uint64_t compared = 0;
  uint64_t agreed = 0;
};

// Inputs that are compared of one node, and nodes that were put in before it, one after the other.
constexpr size_t kMostInputs = 8;
constexpr int kMostMovers = 4;

class Comparison {
 public:
  Comparison(const Pairing& pairing, const Regions& regions, const ParameterMatches& parameters)
      : pairing_(pairing),
        regions_(regions),
        parameters_(parameters),
        tops_(FindTopBlocks(pairing.to)) {}

  Agreement Compare() const {
    Agreement agreement{parameters_.agree + parameters_.disagree, parameters_.agree};
    Agreement of_readers;
    for (NodeId node : pairing_.to.node_ids()) {
      if (pairing_.to.inputs(node).empty() || !Counts(node)) continue;
      if (!pairing_.Has(node) && IsMover(pairing_.to.op(node).type)) continue;
      ++agreement.compared;
      if (!pairing_.Has(node)) continue;
      if (ReadsTheSame(node)) ++agreement.agreed;
      CompareWeights(node, of_readers);
    }
    // Functions whose bodies were put in made many nodes of few.
    agreement.compared = std::max(agreement.agreed, std::min(agreement.compared, SizeOfOriginal()));
    // Models of one kind are wired alike: what they read tells them apart.
    return IsLower(of_readers, agreement) ? of_readers : agreement;
  }

 private:
  static bool IsLower(const Agreement& a, const Agreement& b) {
    return static_cast<double>(a.agreed) * static_cast<double>(b.compared) <
           static_cast<double>(b.agreed) * static_cast<double>(a.compared);
  }

  // Of a node with weights that stands for nodes with weights: whether one of them is as large.
  void CompareWeights(NodeId node, Agreement& agreement) const {
    // Operators of an optimiser's own may want their weights in another layout, with what fills it.
    const NodeId counterpart = pairing_.counterparts[node];
    const Method by = pairing_.by[node];
    const bool is_named = by == Method::kTransferValue || by == Method::kTransferName;
    if (is_named && pairing_.to.op(node).domain != pairing_.from.op(counterpart).domain) return;
    const auto is_kept = [this](NodeId maker) { return pairing_.Has(maker); };
    const Sizes sizes = WeightsOf(pairing_.to, node, is_kept);
    Sizes others;
    const absl::Span<const NodeId> region = regions_.of(node);
    for (NodeId other : region.subspan(0, std::min(region.size(), kMostInputs))) {
      const Sizes more = WeightsOf(
          pairing_.from, other, [this](NodeId maker) { return pairing_.taken_by[maker].valid(); });
      others.insert(others.end(), more.begin(), more.end());
    }
    if (sizes.empty() || others.empty()) return;
    ++agreement.compared;
    if (std::find_first_of(sizes.begin(), sizes.end(), others.begin(), others.end()) !=
        sizes.end()) {
      ++agreement.agreed;
    }
  }

  using Sizes = absl::InlinedVector<uint64_t, kMostInputs>;

  // In elements; of what is read by way of nodes that were put in or taken away, too.
  template <class IsKept>
  static Sizes WeightsOf(const Graph& graph, NodeId node, IsKept is_kept) {
    Sizes sizes;
    const absl::Span<const ValueId> inputs = graph.inputs(node);
    for (ValueId value : inputs.subspan(0, std::min(inputs.size(), kMostInputs))) {
      if (!value.valid()) continue;
      const Value& origin = graph.value(Origin(graph, value, is_kept));
      if (origin.kind != ValueKind::kInitializer) continue;
      const Tensor& tensor = graph.tensor(origin.tensor);
      if (IsWeight(tensor)) sizes.push_back(tensor.elements);
    }
    return sizes;
  }

  bool Counts(NodeId node) const {
    return tops_[pairing_.to.node(node).block] == pairing_.to.main_block();
  }

  uint64_t SizeOfOriginal() const {
    const Graph& from = pairing_.from;
    uint64_t size = 0;
    for (NodeId node : from.nodes(from.main_block())) {
      if (!from.inputs(node).empty()) ++size;
    }
    for (ValueId value : from.value_ids()) {
      const Value& parameter = from.value(value);
      if (parameter.kind == ValueKind::kInitializer && IsWeight(from.tensor(parameter.tensor))) {
        ++size;
      }
    }
    return size;
  }

  bool ReadsTheSame(NodeId node) const {
    const absl::Span<const ValueId> inputs = pairing_.to.inputs(node);
    for (ValueId value : inputs.subspan(0, std::min(inputs.size(), kMostInputs))) {
      if (!value.valid()) continue;
      const ValueId origin =
          Origin(pairing_.to, value, [this](NodeId maker) { return pairing_.Has(maker); });
      if (IsReadBy(origin, regions_.of(node))) return true;
    }
    return false;
  }

  // What is behind the nodes that were put in, or taken away.
  template <class IsKept>
  static ValueId Origin(const Graph& graph, ValueId value, IsKept is_kept) {
    for (int i = 0; i < kMostMovers; ++i) {
      const NodeId maker = graph.value(value).producer;
      if (!maker.valid() || is_kept(maker) || !IsMover(graph.op(maker).type)) break;
      if (graph.inputs(maker).empty() || !graph.inputs(maker)[0].valid()) break;
      value = graph.inputs(maker)[0];
    }
    return value;
  }

  bool IsReadBy(ValueId value, absl::Span<const NodeId> region) const {
    for (NodeId other : region.subspan(0, std::min(region.size(), kMostInputs))) {
      const absl::Span<const ValueId> inputs = pairing_.from.inputs(other);
      for (ValueId read : inputs.subspan(0, std::min(inputs.size(), kMostInputs))) {
        if (!read.valid()) continue;
        const ValueId origin = Origin(
            pairing_.from, read, [this](NodeId maker) { return pairing_.taken_by[maker].valid(); });
        if (IsSame(value, read) || IsSame(value, origin)) return true;
      }
    }
    return false;
  }

  bool IsSame(ValueId value, ValueId other) const {
    const Value& here = pairing_.to.value(value);
    const Value& there = pairing_.from.value(other);
    switch (here.kind) {
      case ValueKind::kInitializer:
        // A Constant may have become an initializer.
        return parameters_.of[value] == other ||
               (there.kind == ValueKind::kNodeOutput && there.name == here.name);
      case ValueKind::kNodeOutput:
        return there.producer.valid() && pairing_.counterparts[here.producer] == there.producer;
      case ValueKind::kInput:
      case ValueKind::kUndefined:
        return there.kind == here.kind && there.name == here.name;
    }
    return false;
  }

  const Pairing& pairing_;
  const Regions& regions_;
  const ParameterMatches& parameters_;
  const IdVector<BlockId, BlockId> tops_;  // of the new graph
};

// Nodes and weights of the new graph, but for those of functions: a node agrees if it reads
// something of what its counterpart reads, a weight if it is as large as its namesake. Where fewer
// of the nodes with weights have some of the same size as their counterparts, these are what
// counts. Nodes that were put in are not compared.
Agreement CompareMatches(const Pairing& pairing, const Regions& regions,
                         const ParameterMatches& parameters) {
  return Comparison(pairing, regions, parameters).Compare();
}

// Endings that are taken off a name, one after the other.
constexpr int kMostEndings = 6;

// The node of that name, or the one that made the value of that name.
NodeId FindNodeOrMaker(const Graph& from, const NameIndex& names, absl::string_view name) {
  const NodeId node = names.FindNode(name);
  if (node.valid()) return node;
  const ValueId value = names.FindValue(name);
  return value.valid() ? from.value(value).producer : NodeId();
}

bool IsNumber(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return absl::ascii_isdigit(c); });
}

// Without the last of the words that were put behind it; "" where the last word may be part of a
// name that exporters count up.
absl::string_view WithoutEnding(absl::string_view name) {
  while (absl::ConsumeSuffix(&name, "/")) {
  }
  const size_t at = name.find_last_of("/_");
  if (at == absl::string_view::npos || at == 0) return "";
  const absl::string_view before = name.substr(0, at);
  if (!IsNumber(name.substr(at + 1))) return before;
  return absl::EndsWith(before, "_token") ? before : absl::string_view();
}

NodeId FindByEndings(const Graph& from, const NameIndex& names, absl::string_view name) {
  for (int i = 0; i < kMostEndings && !name.empty(); ++i) {
    const NodeId node = FindNodeOrMaker(from, names, name);
    if (node.valid()) return node;
    name = WithoutEnding(name);
  }
  return NodeId();
}

// The node of `from` that `node` of `to` is named after; none: there is none, or no only one. Names
// that optimisers made of a node's name are known by the names that there were:
//
//   "node_MatMul_255/MatMulAddFusion"   node_MatMul_255, if there was such a node
//   "/relu/Relu_output_0_nchwc"         the node that made /relu/Relu_output_0
//   "Conv_12_quant", "Conv_12_token_3"  Conv_12
//   "Conv_12"                           nothing: what Conv was is another node
NodeId FindNamesake(const Graph& from, const NameIndex& names, const Graph& to, NodeId node) {
  const absl::string_view name = to.node(node).name;
  if (name.empty()) return NodeId();
  const NodeId same = names.FindNode(name);
  if (same.valid()) return same;
  NodeId namesake;
  for (const absl::string_view original : OriginalNames(name)) {
    const NodeId found = FindByEndings(from, names, original);
    if (!found.valid()) continue;
    // Of two that were fused, the one with the weight.
    if (!namesake.valid() || IsWeighted(from.op(found).type)) namesake = found;
  }
  return namesake;
}

// A parameter that more nodes read does not tell which of them one is.
constexpr size_t kMostReaders = 16;

using FunctionName = std::tuple<absl::string_view, absl::string_view, absl::string_view>;

FunctionName NameOf(const Block& function) {
  return {function.domain, function.name, function.overload};
}

class GraphMatcher {
 public:
  GraphMatcher(const Graph& from, const Graph& to)
      : from_(from),
        to_(to),
        tops_(FindTopBlocks(to)),
        names_(from),
        callees_(FindCallees(from)),
        pairing_(from, to) {}

  absl::StatusOr<GraphMatch> Match(TensorValues& from_values, TensorValues& to_values) {
    MatchValues();
    MatchNames();
    MatchFunctions();
    OH_ASSIGN_OR_RETURN(const ParameterMatches parameters,
                        MatchParameters(from_, names_, from_values, to_, to_values));
    MatchReaders(parameters);
    GrowPairs(pairing_);
    const Regions regions(pairing_);
    return ResultOf(regions, CompareMatches(pairing_, regions, parameters));
  }

 private:
  bool Counts(NodeId node) const { return tops_[to_.node(node).block] == to_.main_block(); }

  void MatchValues() {
    for (NodeId node : to_.node_ids()) {
      if (!Counts(node)) continue;
      for (ValueId value : to_.outputs(node)) {
        const NodeId maker = value.valid() ? FormerMaker(value) : NodeId();
        if (!maker.valid()) continue;
        if (IsCall(maker) && !IsSameOperator(node, maker)) {
          // One of the many nodes of the function's body: which, its name does not tell.
          pairing_.calls[node] = maker;
          continue;
        }
        pairing_.Pair(node, maker, Method::kTransferValue);
        PassOn(node, maker);
        break;
      }
    }
  }

  NodeId FormerMaker(ValueId value) const {
    const ValueId former = names_.FindValue(to_.value(value).name);
    return former.valid() ? from_.value(former).producer : NodeId();
  }

  bool IsSameOperator(NodeId node, NodeId other) const {
    return pairing_.AreAlike(node, other) && to_.op(node).domain == from_.op(other).domain;
  }

  bool IsCall(NodeId node) const { return CalleeOf(from_.node(node).op, callees_).valid(); }

  // What only moves a value has its name; the node before it computes it now.
  void PassOn(NodeId mover, NodeId former) {
    if (!IsMover(to_.op(mover).type) || pairing_.AreAlike(mover, former)) return;
    const NodeId maker = MakerOf(to_, mover, 0);
    if (!maker.valid() || pairing_.Has(maker) || !Counts(maker)) return;
    if (to_.outputs(maker).size() == 1) pairing_.Pair(maker, former, Method::kTransferValue);
  }

  void MatchNames() {
    for (NodeId node : to_.node_ids()) {
      if (pairing_.Has(node) || !Counts(node)) continue;
      const NodeId namesake = FindNamesake(from_, names_, to_, node);
      if (!namesake.valid()) continue;
      // A mover that was put in is named after what it was put in for.
      const bool was_put_in = IsMover(to_.op(node).type) && !pairing_.AreAlike(node, namesake);
      if (!was_put_in) pairing_.Pair(node, namesake, Method::kTransferName);
    }
  }

  // Functions that are as they were, node by node.
  void MatchFunctions() {
    absl::flat_hash_map<FunctionName, BlockId> functions;
    for (BlockId id : from_.block_ids()) {
      if (from_.block(id).kind == BlockKind::kFunction) functions[NameOf(from_.block(id))] = id;
    }
    if (functions.empty()) return;
    for (BlockId id : to_.block_ids()) {
      if (to_.block(id).kind != BlockKind::kFunction) continue;
      const auto found = functions.find(NameOf(to_.block(id)));
      if (found != functions.end()) MatchBodies(to_.nodes(id), from_.nodes(found->second));
    }
  }

  void MatchBodies(absl::Span<const NodeId> nodes, absl::Span<const NodeId> others) {
    const auto same = [this](NodeId node, NodeId other) { return IsSameOperator(node, other); };
    if (!std::equal(nodes.begin(), nodes.end(), others.begin(), others.end(), same)) return;
    for (size_t i = 0; i < nodes.size(); ++i) {
      pairing_.Pair(nodes[i], others[i], Method::kTransferName);
    }
  }

  void MatchReaders(const ParameterMatches& parameters) {
    for (NodeId node : to_.node_ids()) {
      if (pairing_.Has(node) || !Counts(node)) continue;
      for (ValueId value : to_.inputs(node)) {
        if (!value.valid() || !parameters.of[value].valid()) continue;
        if (!IsWeight(to_.tensor(to_.value(value).tensor))) continue;
        const NodeId reader = ReaderLike(node, value, parameters.of[value]);
        if (!reader.valid()) continue;
        pairing_.Pair(node, reader, Method::kTransferParameter);
        break;
      }
    }
  }

  // Of the nodes that read a parameter, the one that stands for the node, which reads what was made
  // of it: the only one, or the only one of the node's operator, or of as many as read it now, that
  // in the same run. None: it is none of these, or another node stands for it.
  NodeId ReaderLike(NodeId node, ValueId value, ValueId parameter) const {
    const auto uses = from_.uses(parameter);
    const auto uses_now = to_.uses(value);
    if (uses.size() > kMostReaders || uses_now.size() > kMostReaders) return NodeId();
    std::vector<NodeId> readers;
    for (const Use& use : uses) {
      if (uses.size() > 1 && !pairing_.AreAlike(node, use.node)) continue;
      if (readers.empty() || readers.back() != use.node) readers.push_back(use.node);
    }
    if (readers.empty()) return NodeId();
    size_t run = 0;
    if (readers.size() > 1) {
      std::vector<NodeId> now;
      for (const Use& use : uses_now) {
        const bool is_like = to_.node(use.node).op == to_.node(node).op;
        if (is_like && (now.empty() || now.back() != use.node)) now.push_back(use.node);
      }
      if (now.size() != readers.size()) return NodeId();
      run = static_cast<size_t>(std::find(now.begin(), now.end(), node) - now.begin());
    }
    return pairing_.taken_by[readers[run]].valid() ? NodeId() : readers[run];
  }

  static Range Append(absl::Span<const NodeId> nodes, std::vector<NodeId>& all) {
    const auto begin = static_cast<uint32_t>(all.size());
    all.insert(all.end(), nodes.begin(), nodes.end());
    return {begin, static_cast<uint32_t>(all.size())};
  }

  GraphMatch ResultOf(const Regions& regions, const Agreement& agreement) const {
    GraphMatch result;
    result.nodes.resize(to_.node_count());
    result.compared = agreement.compared;
    result.agreed = agreement.agreed;
    for (NodeId node : to_.node_ids()) {
      if (!pairing_.Has(node)) continue;
      NodeMatch& match = result.nodes[node];
      const std::vector<NodeId> mains = regions.MainsOf(node);
      const NodeId main = mains.front();
      match.mains = Append(mains, result.mains);
      match.in_call = IsCall(main) && !IsSameOperator(node, main);
      match.by = main == pairing_.counterparts[node] ? pairing_.by[node] : Method::kTransferRegion;
      match.region = Append(regions.of(node), result.regions);
    }
    return result;
  }

  const Graph& from_;
  const Graph& to_;
  const IdVector<BlockId, BlockId> tops_;  // of `to`
  const NameIndex names_;
  const IdVector<OpId, BlockId> callees_;
  Pairing pairing_;
};

}  // namespace

absl::StatusOr<GraphMatch> MatchGraphs(const Graph& from, TensorValues& from_values,
                                       const Graph& to, TensorValues& to_values) {
  return GraphMatcher(from, to).Match(from_values, to_values);
}

}  // namespace onnx_hier
