// SPDX-License-Identifier: Apache-2.0
#include "lib/names/parameter_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/common_prefix.h"
#include "lib/graph/weight.h"
#include "lib/names/derived_name.h"

namespace onnx_hier {
namespace {

// "ConvBnFusion_BN_B_stem.bias" -> "stem.bias", also where it was folded again and again.
absl::string_view WithoutFoldingPrefix(absl::string_view name) {
  constexpr absl::string_view kFusion = "Fusion_";
  constexpr absl::string_view kOperands[] = {"W_", "B_", "BN_B_", "Mul_B_", "Add_B_"};
  // Hardly any name holds it.
  while (absl::StrContains(name, kFusion)) {
    const size_t dot = name.find('.');
    const size_t fusion = name.substr(0, dot).find(kFusion);
    if (fusion == absl::string_view::npos || fusion == 0) return name;
    const absl::string_view rest = name.substr(fusion + kFusion.size());
    const auto* operand =
        std::find_if(std::begin(kOperands), std::end(kOperands),
                     [&](absl::string_view text) { return absl::StartsWith(rest, text); });
    if (operand == std::end(kOperands)) return name;
    name = rest.substr(operand->size());
  }
  return name;
}

// Whether what stands behind the last dot is the number of a parameter in a list, perhaps with what
// a tool put behind it, or the rest of a decimal number ("const_2.0_f32"): no parameter's own name
// begins with a digit.
bool IsNumbered(absl::string_view leaf) {
  const bool is_leaf = !leaf.empty() && !absl::StrContains(leaf, '/');
  return is_leaf && absl::ascii_isdigit(static_cast<unsigned char>(leaf[0]));
}

// The innermost module around both; "": the root.
absl::string_view CommonOwner(absl::string_view a, absl::string_view b) {
  size_t end = CommonPrefix(a, b);
  const auto is_whole = [end](absl::string_view owner) {
    return end == owner.size() || owner[end] == '.';
  };
  if (is_whole(a) && is_whole(b)) return a.substr(0, end);
  const size_t dot = a.substr(0, end).rfind('.');
  return dot == absl::string_view::npos ? "" : a.substr(0, dot);
}

// "attn" of "attn.q.weight__attn.k.weight__axis_0__concat": what holds all whose names were joined.
// "" of names that are not several, or of modules that have none around them.
absl::string_view OwnerInJoinedName(absl::string_view name) {
  absl::string_view owner;
  size_t count = 0;
  for (absl::string_view part : absl::StrSplit(name, "__")) {
    const absl::string_view of_part = OwnerInParameterName(part);
    if (of_part.empty()) continue;
    owner = count++ == 0 ? of_part : CommonOwner(owner, of_part);
    if (owner.empty()) return "";
  }
  return count < 2 ? "" : owner;
}

// "input.1_scale" of "input.1".
bool IsSuffixed(absl::string_view name, absl::string_view stem) {
  return !stem.empty() && absl::ConsumePrefix(&name, stem) && absl::StartsWith(name, "_");
}

}  // namespace

bool IsMadeUpName(absl::string_view name) {
  return absl::StartsWith(name, "/") || absl::StartsWith(name, "onnx::");
}

bool IsFoldedParameterName(absl::string_view name) {
  return WithoutFoldingPrefix(name).size() != name.size();
}

absl::string_view OwnerInParameterName(absl::string_view name) {
  if (name.empty()) return "";
  name = WithoutFoldingPrefix(WithoutOptimiserPrefixes(WithoutInlinePrefix(name)));
  // A scripted model calls itself so.
  absl::ConsumePrefix(&name, "self.");
  if (IsMadeUpName(name)) return "";
  size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos) return "";
  // Hardly any name holds it; what was joined begins behind a parameter's own name.
  if (const size_t joint = name.find("__", name.find('.')); joint != absl::string_view::npos) {
    const absl::string_view owner = OwnerInJoinedName(name);
    if (!owner.empty()) return owner;
  }
  if (IsNumbered(name.substr(dot + 1))) {
    name = name.substr(0, dot);
    dot = name.rfind('.');
    if (dot == absl::string_view::npos) return "";
  }
  if (dot == 0 || dot + 1 == name.size()) return "";
  // Of a path with slashes, only the last part can end with the parameter's own name. Values that
  // gradients are made of are named after those of others.
  const size_t slash = name.rfind('/');
  if (slash != absl::string_view::npos && (slash > dot || absl::StrContains(name, "_Grad/"))) {
    return "";
  }
  return name.substr(0, dot);
}

bool IsNamedAfterReader(const Graph& graph, ValueId initializer, absl::string_view owner) {
  if (owner.empty()) return false;
  const Value& value = graph.value(initializer);
  const bool is_weight = !value.tensor.valid() || IsWeight(graph.tensor(value.tensor));
  const auto gave_name = [&](ValueId id) {
    return id.valid() && graph.value(id).kind != ValueKind::kInitializer &&
           IsSuffixed(value.name, graph.value(id).name);
  };
  const absl::Span<const Use> uses = graph.uses(initializer);
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    if (graph.node(use.node).name == owner) {
      return !is_weight || WithoutCounter(owner) == graph.op(use.node).type;
    }
    const absl::Span<const ValueId> inputs = graph.inputs(use.node);
    // What it is a scale of is read first.
    return !is_weight && use.slot > 0 && gave_name(inputs[0]);
  });
}

char ModuleSeparator(const Graph& graph) {
  bool has_slashes = false;
  for (TensorId id : graph.tensor_ids()) {
    const absl::string_view owner = OwnerInParameterName(graph.tensor(id).name);
    if (absl::StrContains(owner, '.')) return '.';
    has_slashes = has_slashes || absl::StrContains(owner, '/');
  }
  return has_slashes ? '/' : '.';
}

}  // namespace onnx_hier
