// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/shared_functions.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "lib/graph/callees.h"
#include "lib/graph/top_blocks.h"
#include "lib/names/metadata_scope.h"

namespace onnx_hier {
namespace {

// onnxscript writes torch's operators as functions, and others those of runtimes, for runtimes that
// lack them: com.microsoft's SkipLayerNormalization.
bool IsOfOperator(const Block& function) {
  constexpr absl::string_view kDomains[] = {"pkg.onnxscript", "com.", "ai.onnx"};
  constexpr absl::string_view kNames[] = {"aten_", "_aten_"};
  const auto begins = [](absl::string_view text, absl::Span<const absl::string_view> starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [text](absl::string_view start) { return absl::StartsWith(text, start); });
  };
  return begins(function.domain, kDomains) || begins(function.name, kNames);
}

class SharedFunctionFinder {
 public:
  explicit SharedFunctionFinder(const Graph& graph)
      : graph_(graph), callees_(FindCallees(graph)), shared_(graph.block_count()) {}

  IdSet<BlockId> Find() && {
    if (callees_.empty()) return std::move(shared_);
    FindCalls();
    HandIn();
    if (shared_.HasAny()) {
      AddCallers();
      AddCalled();
    }
    return std::move(shared_);
  }

 private:
  // What an input is given in all calls.
  struct Given {
    enum class What : uint8_t { kNothing, kParameter, kSeveral, kOther } what = What::kNothing;
    ValueId parameter;

    void Add(const Given& other) {
      if (what == What::kNothing) {
        *this = other;
      } else if (other.what == What::kOther || what == What::kOther) {
        what = What::kOther;
      } else if (other.what == What::kSeveral || parameter != other.parameter) {
        what = What::kSeveral;
      }
    }
  };

  BlockId Callee(NodeId node) const { return callees_[graph_.node(node).op]; }

  void FindCalls() {
    const IdVector<BlockId, BlockId> tops = FindTopBlocks(graph_);
    calls_in_.resize(graph_.block_count());
    waiting_.assign(graph_.block_count(), 0);
    for (NodeId node : graph_.node_ids()) {
      const BlockId callee = Callee(node);
      if (!callee.valid()) continue;
      calls_in_[tops[graph_.node(node).block]].push_back(node);
      ++waiting_[callee];
    }
  }

  // From the main graph inwards. Functions that call each other, which ONNX forbids, never come.
  void HandIn() {
    given_.resize(graph_.value_count());
    for (BlockId id : graph_.block_ids()) {
      if (waiting_[id] == 0) outer_first_.push_back(id);
    }
    for (size_t i = 0; i < outer_first_.size(); ++i) {
      for (NodeId node : calls_in_[outer_first_[i]]) {
        const BlockId callee = Callee(node);
        HandIn(node, callee);
        if (--waiting_[callee] == 0) outer_first_.push_back(callee);
      }
    }
  }
  void HandIn(NodeId node, BlockId callee) {
    if (IsOfOperator(graph_.block(callee))) return;
    NoteModule(node, callee);
    const absl::Span<const ValueId> actual = graph_.inputs(node);
    const absl::Span<const ValueId> formal = graph_.inputs(callee);
    for (size_t i = 0; i < std::min(actual.size(), formal.size()); ++i) {
      if (!formal[i].valid()) continue;
      Given& given = given_[formal[i]];
      given.Add(GivenBy(actual[i]));
      if (given.what == Given::What::kSeveral) shared_.Add(callee);
    }
  }
  void NoteModule(NodeId node, BlockId callee) {
    const std::optional<MetadataScope> scope = ReadMetadataScope(graph_.metadata(node));
    if (!scope.has_value() || scope->modules.empty()) return;
    const std::string& name = scope->modules.back().qualified_name;
    if (modules_.try_emplace(callee, name).first->second != name) shared_.Add(callee);
  }
  Given GivenBy(ValueId value) const {
    if (!value.valid()) return {Given::What::kOther, {}};
    if (given_[value].what != Given::What::kNothing) return given_[value];
    // Weights are cast, transposed and dequantised on the way.
    ValueId origin = value;
    for (int steps = 0; steps < kMostSteps; ++steps) {
      const Value& from = graph_.value(origin);
      if (from.kind == ValueKind::kInitializer) return {Given::What::kParameter, value};
      if (from.kind != ValueKind::kNodeOutput || graph_.inputs(from.producer).empty()) break;
      origin = graph_.inputs(from.producer)[0];
      if (!origin.valid()) break;
    }
    return {Given::What::kOther, {}};
  }

  void AddCallers() {
    for (size_t i = outer_first_.size(); i-- > 0;) {
      const BlockId caller = outer_first_[i];
      if (graph_.block(caller).kind != BlockKind::kFunction) continue;
      const bool calls_one = std::any_of(calls_in_[caller].begin(), calls_in_[caller].end(),
                                         [this](NodeId node) { return shared_.Has(Callee(node)); });
      if (calls_one) shared_.Add(caller);
    }
  }
  void AddCalled() {
    for (BlockId caller : outer_first_) {
      if (!shared_.Has(caller)) continue;
      for (NodeId node : calls_in_[caller]) {
        if (!IsOfOperator(graph_.block(Callee(node)))) shared_.Add(Callee(node));
      }
    }
  }

  static constexpr int kMostSteps = 4;

  const Graph& graph_;
  const IdVector<OpId, BlockId> callees_;
  IdVector<BlockId, std::vector<NodeId>> calls_in_;    // of main graphs and functions
  IdVector<BlockId, uint32_t> waiting_;                // calls that did not come yet
  IdVector<ValueId, Given> given_;                     // to inputs of functions
  absl::flat_hash_map<BlockId, std::string> modules_;  // of the first call that says it
  std::vector<BlockId> outer_first_;
  IdSet<BlockId> shared_;
};

}  // namespace

IdSet<BlockId> FindSharedFunctions(const Graph& graph) {
  return SharedFunctionFinder(graph).Find();
}

}  // namespace onnx_hier
