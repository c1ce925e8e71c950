// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/repeatable.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace onnx_hier {
namespace {

bool ComputesTheSameAgain(const Graph& graph, NodeId node) {
  const Op& op = graph.op(node);
  const bool standard = op.domain.empty() || op.domain == "com.microsoft";
  return standard && graph.blocks(node).empty() && !absl::StartsWith(op.type, "Random") &&
         op.type != "Multinomial" && op.type != "Bernoulli" && op.type != "Dropout";
}

bool ReadsShapeOnly(const Graph& graph, NodeId node) {
  const Op& op = graph.op(node);
  return op.domain.empty() && (op.type == "Shape" || op.type == "Size");
}

}  // namespace

Repeatable::Repeatable(const Units& units) : units_(units), facts_(units.size()) {
  std::vector<ValueId> sources;
  for (Unit unit : units.ids()) {
    sources.clear();
    if (!ComputesTheSameAgain(units.graph(), units.node(unit))) continue;
    if (!GatherSources(unit, sources)) continue;
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    if (sources.size() > kMostSources) continue;
    const auto begin = static_cast<uint32_t>(sources_.size());
    sources_.insert(sources_.end(), sources.begin(), sources.end());
    facts_[unit] = {true, {begin, static_cast<uint32_t>(sources_.size())}};
  }
}

// False: the unit needs more than shapes.
bool Repeatable::GatherSources(Unit unit, std::vector<ValueId>& sources) const {
  const bool shape_only = ReadsShapeOnly(units_.graph(), units_.node(unit));
  for (ValueId value : units_.reads(unit)) {
    if (units_.tensor(value).valid()) continue;
    const Unit maker = units_.maker(value);
    if (maker.valid() && maker < unit && Has(maker)) {
      const absl::Span<const ValueId> of_maker = this->sources(maker);
      sources.insert(sources.end(), of_maker.begin(), of_maker.end());
    } else if (shape_only) {
      sources.push_back(value);
    } else {
      return false;
    }
    if (sources.size() > size_t{kMostSources} * kMostSources) return false;
  }
  return true;
}

}  // namespace onnx_hier
