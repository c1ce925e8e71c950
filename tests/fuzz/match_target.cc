// SPDX-License-Identifier: Apache-2.0

// Two models, of which the second is the first with changes: what is carried over names nodes that
// are there, and a model does not differ from itself.
//
// The model's own version says how many changes there are and which, so that a fuzzer can change
// the one model without making quite another of the other.

#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/relate/graph_match.h"
#include "nlohmann/json.hpp"
#include "onnx_hier/apply.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier_program/reports.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/wire_mutator.h"
#include "tests/support/invariants.h"

namespace onnx_hier::fuzz {
namespace {

// lib/relate/regions.h promises so many nodes.
constexpr size_t kMostInRegion = 64;
constexpr uint64_t kMostChanges = 16;

void ChangeText(std::string* text, testing::Random& random) {
  if (text->empty() || random.OneIn(3)) {
    text->append("_fused");
  } else {
    text->erase(random.Below(text->size()), 1);
  }
}

GraphMatch Matched(const Model& from, const Model& to) {
  const ModelSource& from_source = ModelAccess::Source(from);
  const ModelSource& to_source = ModelAccess::Source(to);
  StoredTensorValues from_values(from_source.image, from_source.scanned, "");
  StoredTensorValues to_values(to_source.image, to_source.scanned, "");
  absl::StatusOr<GraphMatch> match = MatchGraphs(from.graph(), from_values, to.graph(), to_values);
  Require(match.ok(), absl::StrCat("any two graphs can be matched: ", match.status().message()));
  return *std::move(match);
}

void CheckMatch(const Model& from, const Model& to) {
  const GraphMatch match = Matched(from, to);
  Require(match.agreed <= match.compared, "no more agrees than was compared");
  Require(match.nodes.size() == to.graph().node_count(), "every node has an answer");
  const size_t nodes = from.graph().node_count();
  for (NodeId node : to.graph().node_ids()) {
    const NodeMatch& found = match.nodes[node];
    const auto region = match.region(node);
    Require(match.main_of(node).valid() == !region.empty(),
            "what has a counterpart stands for something");
    if (region.empty()) continue;
    Require(found.by != Method::kNone, "something showed it");
    Require(region.size() <= kMostInRegion, "a region is bounded");
    absl::flat_hash_set<NodeId> seen;
    for (NodeId other : region) {
      Require(other.valid() && other.index() < nodes, "what a node stands for is there");
      Require(seen.insert(other).second, "no node is in a region twice");
    }
    Require(seen.contains(match.main_of(node)), "the main one is one of them");
  }
  const GraphMatch again = Matched(from, to);
  Require(again.regions == match.regions && again.agreed == match.agreed &&
              again.compared == match.compared,
          "the same two graphs, the same answer");
}

void CheckTransfer(const Model& original, const Model& model) {
  const absl::StatusOr<Annotation> annotation = AnnotateFrom(original, model);
  if (!annotation.ok()) {
    Require(absl::IsFailedPrecondition(annotation.status()),
            absl::StrCat("only another original is refused: ", annotation.status().message()));
    return;
  }
  const std::string broken = testing::Invariants(model.graph(), *annotation);
  Require(broken.empty(), broken);
}

ModelDiff Compared(const Model& a, const Annotation& tags_a, const Model& b,
                   const Annotation& tags_b, const DiffOptions& options = {}) {
  const Hierarchy modules_a(a.graph(), tags_a);
  const Hierarchy modules_b(b.graph(), tags_b);
  absl::StatusOr<ModelDiff> diff = Compare(a, modules_a, b, modules_b, options);
  Require(diff.ok(), absl::StrCat("any two models can be compared: ", diff.status().message()));
  return *std::move(diff);
}

void CheckDiff(const Model& a, const Model& b) {
  const Annotation tags_a = Annotate(a);
  const Annotation tags_b = Annotate(b);
  Require(Compared(a, tags_a, a, tags_a).IsEmpty(), "a model is the same as itself");
  Require(Compared(b, tags_b, b, tags_b, {.depth = 1}).IsEmpty(),
          "its upper modules are the same as well");
  const ModelDiff diff = Compared(a, tags_a, b, tags_b);
  const DiffReport report = {"a.onnx", "b.onnx", tags_a, tags_b, diff};
  Require(nlohmann::json::accept(DiffReportJson(report)), "the report is JSON");
  Require(!DiffReportText(report).empty(), "the report says something");
  Require(!DiffStatText(report).empty(), "so does its summary");
  uint64_t only_in_one = 0;
  for (const ModuleDiff& module : diff.changed) {
    only_in_one += module.a.valid() && module.b.valid() ? 0 : 1;
  }
  for (const OnlyInOne& only : diff.only) only_in_one -= only.figures.modules;
  Require(only_in_one == 0, "what only one has is in one of the outermost modules");
}

void Run(absl::string_view input) {
  static MemoryFile first;
  static MemoryFile second;
  first.Reset(input);
  const absl::StatusOr<Model> model = Model::Open(first.path());
  if (!model.ok()) return;
  testing::Random random(static_cast<uint64_t>(model->graph().info().model_version));
  const std::optional<std::string> changed = MutatedModel(input, random, kMostChanges, ChangeText);
  if (!changed.has_value()) return;
  second.Reset(*changed);
  const absl::StatusOr<Model> other = Model::Open(second.path());
  if (!other.ok()) return;
  CheckMatch(*model, *other);
  CheckMatch(*other, *model);
  CheckTransfer(*model, *other);
  CheckTransfer(*other, *model);
  CheckDiff(*model, *other);
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  onnx_hier::fuzz::Run(onnx_hier::fuzz::Text(data, size));
  return 0;
}
