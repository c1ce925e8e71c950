// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/optimised_places.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "lib/base/rules.h"
#include "lib/graph/domain.h"
#include "lib/graph/integer_operator.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"
#include "lib/names/dialects/torchscript.h"
#include "lib/names/parameter_name.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kOptimisersDomain = "com.microsoft";
constexpr absl::string_view kRuleName = ".rewriter.rule_name";
// How often a product is where a bias is added to it: of 463 that were quantised, 459 are.
constexpr float kWithBias = 0.99f;
// QuantizeLinear, then DequantizeLinear.
constexpr int kMostInARow = 2;

class OptimisedPlacer {
 public:
  OptimisedPlacer(const Graph& graph, const ModulePaths& paths, Evidence& evidence)
      : graph_(graph), paths_(paths), evidence_(evidence), kinds_(graph.op_count()) {
    for (OpId op : graph.op_ids()) kinds_[op] = KindsOf(graph.op(op));
  }

  void Run() {
    ForEach(kDequantizer, [this](NodeId node) {
      if (!IsActivationDequantizer(node) || IsNamedByExporter(node)) return;
      if (IsTrained(graph_.value(graph_.inputs(node)[0]).producer)) {
        FollowMaker(node);
      } else {
        PlaceDequantizer(node);
      }
    });
    ForEach(kWeighted, [this](NodeId node) {
      if (!IsFused(node)) return;
      PlaceWithWeight(node);
      if (!evidence_.nodes[node].place.valid()) PlaceWithBias(node, node);
    });
    if (IsOn(Rule::kIntegerOperators)) {
      ForEach(kInteger, [this](NodeId node) { PlaceInteger(node); });
    }
    // Nodes that were put in follow others, which must have their places.
    ForEach(kMayBeInserted, [this](NodeId node) {
      if (!evidence_.nodes[node].place.valid()) PlaceInserted(node);
    });
    ForEach(kCast, [this](NodeId node) { FollowNamesake(node); });
    // Of several that stand for one operator, the last one has its name.
    for (size_t i = graph_.node_count(); i-- > 0;) {
      const NodeId node(i);
      if (!evidence_.nodes[node].place.valid() && IsInsideOperator(node)) FollowReaders(node);
    }
  }

 private:
  // What a node may be here, by its operator.
  enum Kind : uint8_t {
    kDequantizer = 1,
    kWeighted = 2,
    kMayBeInserted = 4,
    kCast = 8,
    kInteger = 16,
  };

  static uint8_t KindsOf(const Op& op) {
    if (op.type == "DequantizeLinear") return kDequantizer | kMayBeInserted;
    if (IsIntegerOperator(op.type)) return kWeighted | kInteger;
    if (IsWeighted(op.type)) return kWeighted;
    if (op.type == "Cast") return kCast;
    return op.type == "Reshape" || op.type == "QuantizeLinear" || op.domain == kNchwcDomain
               ? kMayBeInserted
               : 0;
  }

  // Most graphs have no node of such a kind.
  template <class Function>
  void ForEach(Kind kind, const Function& function) {
    const auto is_of_kind = [kind](uint8_t kinds) { return (kinds & kind) != 0; };
    if (absl::c_none_of(kinds_, is_of_kind)) return;
    for (NodeId node : graph_.node_ids()) {
      if (is_of_kind(kinds_[graph_.node(node).op])) function(node);
    }
  }

  bool IsActivationDequantizer(NodeId id) const {
    if (graph_.outputs(id).empty() || graph_.inputs(id).empty() || !graph_.outputs(id)[0].valid() ||
        !graph_.inputs(id)[0].valid()) {
      return false;
    }
    return graph_.value(graph_.inputs(id)[0]).kind == ValueKind::kNodeOutput;
  }

  // Quantisers put those of all weights in front of everything else.
  bool IsWeightDequantizer(NodeId id) const {
    const absl::Span<const ValueId> inputs = graph_.inputs(id);
    return graph_.op(id).type == "DequantizeLinear" && !inputs.empty() && inputs[0].valid() &&
           graph_.value(inputs[0]).kind == ValueKind::kInitializer &&
           !evidence_.value_owners[inputs[0]].valid();
  }

  // What quantisation-aware training left is in its place.
  bool IsTrained(NodeId maker) const {
    return maker.valid() && graph_.op(maker).type == "QuantizeLinear" && IsNamedByExporter(maker) &&
           evidence_.nodes[maker].place.valid();
  }

  // One that quantisation-aware training left has a scope and its own operator for a name.
  bool IsNamedByExporter(NodeId id) const {
    return evidence_.nodes[id].method == Method::kNodeName &&
           TorchScopes().ReadNode(graph_.node(id).name, graph_.op(id).type).is_own;
  }

  // Quantisers put one before each reader and name it after the value, which says where the value
  // was made; it is there for its readers.
  void PlaceDequantizer(NodeId id) {
    const absl::Span<const Use> readers = graph_.uses(graph_.outputs(id)[0]);
    const PathId place = PlaceOf(readers);
    if (place.valid()) Move(id, place, Method::kReaders, readers[0].node);
  }

  bool IsFused(NodeId node) const {
    if (absl::StartsWith(graph_.op(node).domain, kOptimisersDomain)) return true;
    // What is called after the operator on floats is where that was.
    if (IsIntegerOperator(graph_.op(node).type)) {
      return !evidence_.nodes[node].place.valid() && IsOn(Rule::kIntegerOperators);
    }
    const auto metadata = graph_.metadata(node);
    return std::any_of(metadata.begin(), metadata.end(),
                       [](const StringPair& pair) { return absl::EndsWith(pair.key, kRuleName); });
  }

  void PlaceWithWeight(NodeId id) {
    const ValueId weight = LargestWeight(graph_, id);
    if (!weight.valid()) return;
    const NodeEvidence& node = evidence_.nodes[id];
    const PathId owner = evidence_.value_owners[weight];
    if (owner.valid()) {
      // A weight that others read too says less than the node's own name.
      if (graph_.uses(weight).size() > 1 ||
          (node.place.valid() && paths_.Contains(owner, node.place)) ||
          (node.method == Method::kMetadata && IsBelowMetadata(owner, node.place)))
        return;
      Move(id, owner, Method::kParameters);
    } else if (node.place.valid() && node.place != paths_.root() && IsNamedAfterActivation(id)) {
      const PathId around = node.is_around ? node.place : paths_.parent(node.place);
      const PathId of_bias = OwnerOfBias(id);
      if (of_bias.valid() && paths_.Contains(around, of_bias)) {
        Move(id, of_bias, Method::kParameters);
        return;
      }
      Move(id, {.place = around, .method = node.method, .is_around = true});
    }
  }

  // Whether a module lies inside of `around`, deeper than any that the file's metadata knows.
  bool IsBelowMetadata(PathId module, PathId around) {
    if (in_metadata_.size() == 0) {
      in_metadata_ = IdSet<PathId>(paths_.size());
      for (const NodeEvidence& node : evidence_.nodes) {
        if (node.method == Method::kMetadata) paths_.AddWithAround(node.place, in_metadata_);
      }
    }
    return paths_.Contains(around, module) && !in_metadata_.Has(module);
  }

  void PlaceInteger(NodeId id) {
    const IntegerOperator integer = IntegerOperatorAt(graph_, id);
    if (!integer.scaling.valid()) return;
    if (!evidence_.nodes[id].place.valid()) PlaceWithBias(id, integer.scaling);
    const PathId place = evidence_.nodes[id].place;
    const auto follow = [&](NodeId node, Method method, NodeId neighbour) {
      if (!place.valid() || !node.valid() || evidence_.nodes[node].place.valid()) return;
      Move(node, {.place = place,
                  .method = method,
                  .neighbour = neighbour,
                  .confidence = evidence_.nodes[id].confidence});
    };
    follow(integer.cast, Method::kLocality, id);
    follow(integer.scaling, Method::kLocality, integer.cast);
    follow(integer.scales, Method::kReaders, integer.scaling);
  }

  // `last` makes the product: where the weight has lost its name, the bias that is added tells.
  void PlaceWithBias(NodeId id, NodeId last) {
    const NodeId add = OnlyReader(graph_, last, "Add");
    if (!add.valid() || !AddsBias(add)) return;
    const ValueId weight = LargestWeight(graph_, id);
    if (!weight.valid() || evidence_.value_owners[weight].valid()) return;
    Move(id, {.place = evidence_.nodes[add].place,
              .method = Method::kReaders,
              .neighbour = add,
              .confidence = kWithBias});
  }

  // Whether the node reads a vector that is its own module's, as a linear layer's bias is.
  bool AddsBias(NodeId id) const {
    const PathId place = evidence_.nodes[id].place;
    for (ValueId value : graph_.inputs(id)) {
      if (!value.valid() || !place.valid() || evidence_.value_owners[value] != place) continue;
      const TensorId tensor = graph_.value(value).tensor;
      if (tensor.valid() && graph_.dims(tensor).size() == 1) return true;
    }
    return false;
  }

  // Of the vectors that it alone reads and that are not another operator's, folded into it; none:
  // there is none, or they have several owners.
  PathId OwnerOfBias(NodeId id) const {
    PathId owner;
    for (ValueId value : graph_.inputs(id)) {
      if (!value.valid() || !evidence_.value_owners[value].valid()) continue;
      if (graph_.uses(value).size() > 1 || IsFoldedParameterName(graph_.value(value).name))
        continue;
      if (owner.valid() && owner != evidence_.value_owners[value]) return PathId();
      owner = evidence_.value_owners[value];
    }
    return owner;
  }

  // Whether the name is that of another operator, one without a weight.
  bool IsNamedAfterActivation(NodeId id) const {
    bool is_value = false;
    const absl::string_view name =
        NodeOfValueName(OriginalNames(graph_.node(id).name).back(), &is_value);
    return is_value && !IsWeighted(OperatorInName(name));
  }

  void PlaceInserted(NodeId id) {
    const Op& op = graph_.op(id);
    const absl::string_view name = graph_.node(id).name;
    const bool reorders = op.domain == kNchwcDomain;
    const bool reshapes = op.type == "Reshape";
    if ((reorders && op.type == "ReorderInput") ||
        (reshapes && absl::StartsWith(name, "gemm_input_reshape")) || IsWeightDequantizer(id)) {
      FollowReaders(id);
    } else if ((reorders && op.type == "ReorderOutput") ||
               (reshapes && absl::StartsWith(name, "gemm_output_reshape")) ||
               IsPutInByQuantiser(graph_, id)) {
      FollowMaker(id);
    }
  }

  // What a converter of types puts before or behind a node is called after it: "node_Conv_3" and
  // "node_Conv_3_input_cast0".
  void FollowNamesake(NodeId id) {
    const absl::string_view name = graph_.node(id).name;
    const absl::string_view original = WithoutDecorations(name);
    if (original.size() == name.size() || original.empty()) return;
    const auto is_called_so = [&](NodeId node) {
      return node.valid() && graph_.node(node).name == original;
    };
    for (ValueId value : graph_.inputs(id)) {
      if (value.valid() && is_called_so(graph_.value(value).producer)) return FollowMaker(id);
    }
    for (ValueId value : graph_.outputs(id)) {
      if (!value.valid()) continue;
      for (const Use& use : graph_.uses(value)) {
        if (is_called_so(use.node)) return FollowReaders(id);
      }
    }
  }

  bool IsInsideOperator(NodeId id) const {
    const absl::Span<const ValueId> outputs = graph_.outputs(id);
    return outputs.size() == 1 && outputs[0].valid() &&
           onnx_hier::IsInsideOperator(graph_.value(outputs[0]).name);
  }

  void FollowReaders(NodeId id) {
    std::vector<NodeId> readers;
    AddReaders(id, kMostInARow, readers);
    PathId place;
    for (NodeId reader : readers) {
      if (!evidence_.nodes[reader].place.valid()) return;
      place = paths_.Join(place, evidence_.nodes[reader].place);
    }
    if (place.valid()) Move(id, place, Method::kReaders, readers[0]);
  }

  // Quantisation in between is no reader.
  void AddReaders(NodeId id, int most_in_a_row, std::vector<NodeId>& readers) const {
    const absl::Span<const ValueId> outputs = graph_.outputs(id);
    if (outputs.size() != 1 || !outputs[0].valid()) return;
    for (const Use& use : graph_.uses(outputs[0])) {
      if (most_in_a_row > 0 && IsPutInByQuantiser(graph_, use.node)) {
        AddReaders(use.node, most_in_a_row - 1, readers);
      } else {
        readers.push_back(use.node);
      }
    }
  }

  void FollowMaker(NodeId id) {
    const absl::Span<const ValueId> inputs = graph_.inputs(id);
    if (inputs.empty() || !inputs[0].valid()) return;
    const NodeId maker = graph_.value(inputs[0]).producer;
    if (!maker.valid() || !evidence_.nodes[maker].place.valid()) return;
    Move(id, evidence_.nodes[maker].place, Method::kLocality, maker);
  }

  // What holds all of them whose place is known; none: no place is.
  PathId PlaceOf(absl::Span<const Use> readers) const {
    PathId place;
    for (const Use& use : readers) place = paths_.Join(place, evidence_.nodes[use.node].place);
    return place;
  }

  // Whatever its own name says, which is where another node was.
  void Move(NodeId id, const Statement& said) {
    evidence_.nodes.Say(id, said, evidence_.nodes[id].place);
  }
  void Move(NodeId id, PathId place, Method method, NodeId neighbour = NodeId()) {
    Move(id, {.place = place, .method = method, .neighbour = neighbour});
  }

  const Graph& graph_;
  const ModulePaths& paths_;
  Evidence& evidence_;
  IdVector<OpId, uint8_t> kinds_;
  IdSet<PathId> in_metadata_;  // see IsBelowMetadata(); of no size: not asked for yet
};

}  // namespace

void PlaceOptimised(const Graph& graph, const ModulePaths& paths, Evidence& evidence) {
  OptimisedPlacer(graph, paths, evidence).Run();
}

}  // namespace onnx_hier
