// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/module_roles.h"

#include <cstddef>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "lib/graph/weight.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kNorm = "norm";
constexpr absl::string_view kAttention = "attention";
constexpr absl::string_view kActivation = "activation";

// Of a module's own nodes.
struct Operators {
  bool normalises = false;  // in one operator
  bool attends = false;     // likewise
  bool has_mean = false;
  bool has_root = false;
  bool has_softmax = false;
  bool bends = false;        // has a function of each element that is no straight line
  bool is_pointwise = true;  // has nothing but functions of each element, and constants
  size_t products = 0;

  void Add(absl::string_view type) {
    static const auto* const kBent = new absl::flat_hash_set<absl::string_view>(
        {"Relu",     "LeakyRelu",       "PRelu",    "Gelu", "QuickGelu", "FastGelu",
         "BiasGelu", "Sigmoid",         "Tanh",     "Erf",  "Elu",       "Selu",
         "Celu",     "Softplus",        "Softsign", "Mish", "HardSwish", "HardSigmoid",
         "Clip",     "ThresholdedRelu", "Swish"});
    static const auto* const kStraight = new absl::flat_hash_set<absl::string_view>(
        {"Add", "Sub", "Mul", "Div", "Pow", "Neg", "Constant", "Identity", "Cast", "Max", "Min"});
    normalises = normalises || absl::EndsWith(type, "Normalization") || type == "GroupNorm";
    attends = attends || absl::EndsWith(type, "Attention");
    has_mean = has_mean || type == "ReduceMean" || type == "ReduceSumSquare";
    has_root = has_root || type == "Sqrt" || type == "Rsqrt" || type == "Pow";
    has_softmax = has_softmax || type == "Softmax";
    bends = bends || kBent->contains(type);
    is_pointwise = is_pointwise && (kBent->contains(type) || kStraight->contains(type));
    products += IsWeighted(type) || absl::EndsWith(type, "MatMul") ? 1 : 0;
  }
};

absl::string_view RoleOfLeaf(const Operators& operators, const Module& module) {
  if (operators.products > 0) return "";
  if (operators.normalises || (operators.has_mean && operators.has_root)) return kNorm;
  if (operators.bends && operators.is_pointwise && module.parameters == 0) return kActivation;
  return "";
}

}  // namespace

bool IsRole(absl::string_view name) {
  return name == kNorm || name == kAttention || name == kActivation;
}

IdVector<ModuleId, absl::string_view> FindRoles(const Hierarchy& hierarchy) {
  const ModuleTree& tree = hierarchy.modules();
  const Graph& graph = hierarchy.graph();
  IdVector<ModuleId, absl::string_view> roles(tree.size(), "");
  IdVector<ModuleId, Operators> operators(tree.size());
  IdSet<ModuleId> holds_attention(tree.size());
  // What is inside of a module comes behind it.
  for (size_t i = tree.size(); i-- > 0;) {
    const ModuleId id(i);
    Operators own;
    for (NodeId node : hierarchy.OwnNodes(id)) own.Add(graph.op(node).type);
    if (tree.is_leaf(id)) roles[id] = RoleOfLeaf(own, tree.module(id));
    Operators& all = operators[id];
    all.attends = all.attends || own.attends;
    all.has_softmax = all.has_softmax || own.has_softmax;
    all.products += own.products;
    if (!holds_attention.Has(id) && (all.attends || (all.has_softmax && all.products > 1))) {
      roles[id] = kAttention;
      holds_attention.Add(id);
    }
    if (id == tree.root()) break;
    const ModuleId parent = tree.module(id).parent;
    if (holds_attention.Has(id)) {
      holds_attention.Add(parent);
      continue;
    }
    Operators& around = operators[parent];
    around.attends = around.attends || all.attends;
    around.has_softmax = around.has_softmax || all.has_softmax;
    around.products += all.products;
  }
  return roles;
}

}  // namespace onnx_hier
