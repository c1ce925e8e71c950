// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/api/annotate.h"
#include "lib/base/distinct_tail.h"
#include "lib/base/status_macros.h"
#include "lib/graph/callees.h"
#include "lib/names/readable_graph.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/owners/node_owners.h"
#include "lib/parts/carried_owners.h"
#include "lib/parts/flat_model.h"
#include "lib/relate/data_faults.h"
#include "lib/relate/graph_match.h"
#include "lib/relate/reversal.h"
#include "lib/relate/transferred_places.h"
#include "lib/relate/value_pairs.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/folds.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Of the nodes and weights of a model that was made from another one, so many are that one's. Of
// 143 such pairs the least have 60 %; of 504 pairs of other models one has 65 % (two small ones of
// the same widths), all others less than 48 %.
constexpr double kLeastShared = 0.5;

absl::StatusOr<GraphMatch> MatchModels(const Model& original, const Model& model,
                                       std::vector<std::string>* warnings) {
  StoredTensorValues from_values = ValuesOf(original);
  StoredTensorValues to_values = ValuesOf(model);
  OH_ASSIGN_OR_RETURN(GraphMatch match,
                      MatchGraphs(original.graph(), from_values, model.graph(), to_values));
  OH_RETURN_IF_ERROR(ModelAccess::Source(original).image.VerifyUnchanged());
  if (warnings != nullptr) {
    TellFaults("the original", from_values.faults(), *warnings);
    TellFaults("the model", to_values.faults(), *warnings);
  }
  if (static_cast<double>(match.agreed) < kLeastShared * static_cast<double>(match.compared)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "was not made from this original: of its ", WithThousands(match.compared),
        " nodes and weights that could be the original's, ", WithThousands(match.agreed), " are (",
        100 * match.agreed / match.compared, " %)"));
  }
  return match;
}

// What was told is as sure as it was in the original.
void TakeOver(const Annotation& original, const GraphMatch& match, const TransferredPlaces& places,
              Annotation& annotation) {
  NodeOwners owners(std::move(annotation.assignments));
  for (NodeId node : IdRange<NodeId>(owners.size())) {
    if (!places.sources[node].valid()) continue;
    Assignment owner = owners[node];
    const Assignment& source = original.assignments[places.sources[node]];
    owner.confidence = source.confidence;
    owner.containment = source.containment;
    const Range before = owner.auxiliary;
    const auto begin = static_cast<uint32_t>(annotation.auxiliary.size());
    DistinctTail<PathId> tail(annotation.auxiliary);
    for (uint32_t i = before.begin; i < before.end; ++i) {
      const PathId path = annotation.auxiliary[i];
      tail.Add(path);
    }
    for (NodeId other : match.region(node)) {
      const PathId path = places.paths[original.assignments[other].primary];
      if (path != owner.primary) tail.Add(path);
    }
    owner.auxiliary = {begin, static_cast<uint32_t>(annotation.auxiliary.size())};
    owners.Decide(node, owner);
  }
  annotation.assignments = std::move(owners).Take();
}

}  // namespace

absl::Status CheckOrder(const Model& original, const Model& model) {
  const std::string sign = SignOfReversal(original.graph(), model.graph());
  if (sign.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("seems to be what the original was made from: ", sign));
}

namespace {

absl::StatusOr<Annotation> AnnotateFromFlat(const Model& original, const Annotation& known,
                                            const Model& model, const AnnotateOptions& options,
                                            std::vector<std::string>* warnings) {
  std::shared_ptr<const AppliedRules> rules;
  if (options.rules != nullptr) {
    OH_ASSIGN_OR_RETURN(
        const Annotation without,
        AnnotateFromFlat(original, known, model, WithoutRules(options), /*warnings=*/nullptr));
    rules = RulesFor(model.graph(), without, options);
  }
  OH_ASSIGN_OR_RETURN(const GraphMatch match, MatchModels(original, model, warnings));
  const NamedParameters named(model.graph(), options.parameter_names);
  const ReadableGraph readable(named.graph());
  AnnotationDraft draft =
      BeginAnnotation(named, readable, OriginsOf(model), options, std::move(rules));
  const TransferredPlaces places =
      PlaceTransferred(match, known, model.graph(), draft.annotation.paths, draft.evidence);
  const GraphAnalysis analysis(readable.graph());
  Annotation annotation = FinishAnnotation(analysis, options, std::move(draft), nullptr);
  TakeOver(known, match, places, annotation);
  return annotation;
}

// One whose functions cannot be put in, say since a call hands in too much, is a model with
// functions like others.
std::optional<FlatModel> OrAsItIs(absl::StatusOr<std::optional<FlatModel>> flat) {
  return flat.ok() ? *std::move(flat) : std::nullopt;
}

absl::StatusOr<Annotation> AnnotateFromOne(const Model& original, const Model& model,
                                           const AnnotateOptions& options,
                                           std::vector<std::string>* warnings) {
  // What the user knows better is said of the model.
  Annotation known = Annotate(original, WithoutRules(options));
  // Optimisers put functions in; a model that has some is compared as it is.
  std::optional<FlatModel> flat;
  if (FindCallees(model.graph()).empty()) {
    flat = OrAsItIs(OpenWithoutFunctions(original, Weights::kCopied, {.threads = options.threads}));
  }
  if (!flat.has_value()) return AnnotateFromFlat(original, known, model, options, warnings);
  known.assignments = SpreadOwners(flat->model.graph(), known, original.graph(), flat->origins);
  return AnnotateFromFlat(flat->model, known, model, options, warnings);
}

}  // namespace

absl::StatusOr<Annotation> AnnotateFrom(const Model& original, const Model& model,
                                        const AnnotateOptions& options,
                                        std::vector<std::string>* warnings) {
  // Of a model whose functions stand for several modules: of its nodes in each call. What comes out
  // may still say that it is folded.
  const std::optional<FlatModel> called =
      OrAsItIs(OpenFlat(model, Weights::kCopied, {.threads = options.threads}));
  if (!called.has_value()) return AnnotateFromOne(original, model, options, warnings);
  const auto annotate = IsFolded(called->model) ? AnnotateFromOne : AnnotateFrom;
  OH_ASSIGN_OR_RETURN(Annotation inside, annotate(original, called->model, options, warnings));
  return CarryOwners(called->model.graph(), std::move(inside), model.graph(), called->origins);
}

absl::StatusOr<ValuePairs> PairValues(const Model& original, const Model& model,
                                      std::vector<std::string>* warnings) {
  OH_ASSIGN_OR_RETURN(const GraphMatch match, MatchModels(original, model, warnings));
  return PairValues(original.graph(), model.graph(), match);
}

}  // namespace onnx_hier
