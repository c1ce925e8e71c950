// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/reversal.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/graph/callees.h"
#include "lib/graph/weight.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kOnnxDomains[] = {"", "ai.onnx.ml", "ai.onnx.training",
                                              "ai.onnx.preview.training"};

bool IsQuantizer(const Op& op) {
  return IsQuantisation(op.type) || absl::StartsWith(op.type, "QLinear") ||
         absl::EndsWith(op.type, "Integer");
}

bool IsOfOnnx(const Op& op) {
  for (absl::string_view domain : kOnnxDomains) {
    if (op.domain == domain) return true;
  }
  return false;
}

// What says that a model was made from another one.
struct Traces {
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> others;  // of a domain, type
  bool is_quantized = false;
};

Traces TracesOf(const Graph& graph) {
  Traces traces;
  const IdVector<OpId, BlockId> callees = FindCallees(graph);
  for (OpId id : graph.op_ids()) {
    const Op& op = graph.op(id);
    if (IsQuantizer(op)) traces.is_quantized = true;
    const bool is_function = CalleeOf(id, callees).valid();
    if (!IsOfOnnx(op) && !is_function) traces.others.emplace(op.domain, op.type);
  }
  return traces;
}

// A kind of operator that only the first has, and how many more of these it has than the second.
struct Surplus {
  int64_t count = 0;
  std::string example;
};

Surplus SurplusOf(const Traces& a, const Traces& b) {
  Surplus surplus;
  for (const auto& op : a.others) {
    if (b.others.contains(op)) continue;
    ++surplus.count;
    std::string name = absl::StrCat(SafeForTerminal(op.second), " of ", SafeForTerminal(op.first));
    if (surplus.example.empty() || name < surplus.example) surplus.example = std::move(name);
  }
  for (const auto& op : b.others) surplus.count -= a.others.contains(op) ? 0 : 1;
  return surplus;
}

// Parameters of `a` that `b` works out.
size_t CountFolded(const Graph& a, const Graph& b) {
  absl::flat_hash_set<absl::string_view> made;
  for (ValueId id : b.value_ids()) {
    const Value& value = b.value(id);
    if (value.kind == ValueKind::kNodeOutput && !value.name.empty()) made.insert(value.name);
  }
  size_t count = 0;
  for (ValueId id : a.value_ids()) {
    const Value& value = a.value(id);
    count += value.kind == ValueKind::kInitializer && made.contains(value.name) ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string SignOfReversal(const Graph& original, const Graph& model) {
  const Traces from = TracesOf(original);
  const Traces to = TracesOf(model);
  const Surplus others = SurplusOf(from, to);
  const size_t folded = CountFolded(original, model);
  const size_t unfolded = CountFolded(model, original);
  const bool speaks_against =
      others.count < 0 || unfolded > folded || (to.is_quantized && !from.is_quantized);
  if (speaks_against) return "";
  if (others.count > 0) {
    return absl::StrCat("the original has operators that runtimes bring (", others.example,
                        "), the model has not");
  }
  if (from.is_quantized && !to.is_quantized) return "the original is quantised, the model is not";
  if (folded > unfolded) {
    return absl::StrCat("the original holds ", Counted(folded, "value"),
                        " that the model works out");
  }
  return "";
}

}  // namespace onnx_hier
