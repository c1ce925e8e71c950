// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "lib/tags/sidecar.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr size_t kCandidatesForPeople = 8;
// Candidates less likely than this tell nobody anything.
constexpr float kLeastProbability = 0.0005f;

// Less than this of all that speaks for a candidate tells nobody anything.
constexpr float kLeastShare = 0.005f;

absl::string_view RetreatName(Retreat retreat) {
  switch (retreat) {
    case Retreat::kUnsure:
      return "unsure";
    case Retreat::kNone:
      break;
  }
  return "none";
}

std::string TagText(const Annotation& annotation, PathId path) {
  return SafeForTerminal(annotation.paths.Tag(path));
}

std::string ShownNode(const Graph& graph, NodeId node) {
  const absl::string_view name = graph.node(node).name;
  std::string text = absl::StrCat("node ", SafeForTerminal(graph.NodePath(node)), " ",
                                  SafeForTerminal(graph.op(node).type, kLongestShownName));
  if (!name.empty()) absl::StrAppend(&text, " ", QuotedName(name));
  return text;
}

void AppendWitnesses(const Graph& graph, const Explanations& explanations,
                     const NodeExplanation& why, std::string* text) {
  absl::string_view label = "witnesses";
  for (const Opinion& opinion : why.opinions) {
    absl::StrAppendFormat(text, "  %-11s %-11s %s", label, MethodName(opinion.method),
                          TagText(explanations.annotation, opinion.path));
    if (opinion.node.valid()) absl::StrAppend(text, "  (", ShownNode(graph, opinion.node), ")");
    if (!opinion.name.empty()) {
      absl::StrAppend(text, "  ('", SafeForTerminal(opinion.name), "')");
    }
    absl::StrAppend(text, "\n");
    label = "";
  }
}

// All that speaks for the most likely candidate.
float SumInFavour(const NodeExplanation& why) {
  float sum = 0;
  for (const Ground& ground : why.grounds) sum += std::max(ground.contribution, 0.0f);
  return sum;
}

// Those that speak for the most likely candidate, or those against it, as shares of all for it.
void AppendGrounds(const Graph& graph, const NodeExplanation& why, float sign,
                   absl::string_view label, std::string* text) {
  const float all = SumInFavour(why);
  for (const Ground& ground : why.grounds) {
    const float share = sign * ground.contribution / all;
    if (!(share >= kLeastShare)) continue;
    const absl::string_view method =
        ground.method == Method::kNone ? "prior" : MethodName(ground.method);
    absl::StrAppendFormat(text, "  %-11s %3.0f %%       %-11s %s", label, 100 * share, method,
                          SafeForTerminal(ground.text));
    if (ground.node.valid()) absl::StrAppend(text, "  (", ShownNode(graph, ground.node), ")");
    absl::StrAppend(text, "\n");
    label = "";
  }
}

void AppendCandidates(const Annotation& annotation, const NodeExplanation& why, std::string* text) {
  absl::string_view label = "candidates";
  const size_t count = std::min(why.candidates.size(), kCandidatesForPeople);
  for (size_t i = 0; i < count; ++i) {
    if (why.candidates[i].probability < kLeastProbability) break;
    absl::StrAppendFormat(text, "  %-11s %.3f       %s\n", label, why.candidates[i].probability,
                          TagText(annotation, why.candidates[i].path));
    label = "";
  }
}

void AppendWitnessesJson(const Graph& graph, const Annotation& annotation,
                         const NodeExplanation& why, JsonText& json) {
  json.Key("witnesses").BeginArray();
  for (const Opinion& opinion : why.opinions) {
    json.BeginObject();
    json.Key("method").String(MethodName(opinion.method));
    json.Key("tag").String(annotation.paths.Tag(opinion.path));
    if (opinion.node.valid()) json.Key("node").String(graph.NodePath(opinion.node));
    if (!opinion.name.empty()) json.Key("name").String(opinion.name);
    json.EndObject();
  }
  json.EndArray();
}

void AppendGroundsJson(const Graph& graph, const NodeExplanation& why, JsonText& json) {
  json.Key("grounds").BeginArray();
  for (const Ground& ground : why.grounds) {
    json.BeginObject();
    json.Key("method").String(MethodName(ground.method));
    json.Key("feature").String(ground.feature);
    json.Key("text").String(ground.text);
    json.Key("contribution").Raw(absl::StrFormat("%.4f", ground.contribution));
    if (ground.node.valid()) json.Key("node").String(graph.NodePath(ground.node));
    json.EndObject();
  }
  json.EndArray();
}

void AppendNodeJson(const Graph& graph, const Explanations& explanations,
                    const NodeExplanation& why, JsonText& json) {
  const Annotation& annotation = explanations.annotation;
  const Assignment& assignment = annotation.assignments[why.node];
  json.NewLine();
  json.BeginObject();
  json.Key("id").String(graph.NodePath(why.node));
  json.Key("name").String(graph.node(why.node).name);
  json.Key("op_type").String(graph.op(why.node).type);
  json.Key("tag").String(annotation.paths.Tag(assignment.primary));
  json.Key("auxiliary").BeginArray();
  for (PathId path : annotation.auxiliary_of(why.node)) json.String(annotation.paths.Tag(path));
  json.EndArray();
  json.Key("fused_with")
      .StringOrNull(why.fused_with.valid() ? annotation.paths.Tag(why.fused_with) : "");
  json.Key("method").String(MethodName(assignment.method));
  json.Key("confidence").Probability(assignment.confidence);
  json.Key("containment").Probability(assignment.containment);
  json.Key("call").Unsigned(assignment.call);
  json.Key("reason").String(ReasonText(graph, annotation, why.node));
  json.Key("retreat").String(RetreatName(assignment.retreat));
  AppendWitnessesJson(graph, annotation, why, json);
  json.Key("candidates").BeginArray();
  for (const NodeExplanation::Candidate& candidate : why.candidates) {
    json.BeginObject();
    json.Key("tag").String(annotation.paths.Tag(candidate.path));
    json.Key("score").Probability(candidate.probability);
    json.EndObject();
  }
  json.EndArray();
  AppendGroundsJson(graph, why, json);
  json.EndObject();
}

// Where it says more than the confidence does.
std::string ContainmentText(const Assignment& assignment) {
  const std::string sure = absl::StrFormat("%.0f", 100 * assignment.containment);
  if (sure == absl::StrFormat("%.0f", 100 * assignment.confidence)) return "";
  return absl::StrCat(", ", sure, " % that it lies in there");
}

// The modules whose values meet in a node: those of what it reads that are its own or auxiliary.
// Nothing if all that it reads is of one module.
std::vector<PathId> JoinedBy(const Graph& graph, const Annotation& annotation, NodeId node) {
  const absl::Span<const PathId> auxiliary = annotation.auxiliary_of(node);
  std::vector<PathId> joined;
  if (auxiliary.empty()) return joined;
  const PathId own = annotation.assignments[node].primary;
  for (ValueId value : graph.inputs(node)) {
    const NodeId maker = value.valid() ? graph.value(value).producer : NodeId();
    if (!maker.valid() || graph.op(maker).type == "Constant") continue;
    const PathId module = annotation.assignments[maker].primary;
    if ((module == own || absl::c_linear_search(auxiliary, module)) &&
        !absl::c_linear_search(joined, module)) {
      joined.push_back(module);
    }
  }
  if (joined.size() == 1) joined.clear();
  return joined;
}

// "X, Y and Z"
std::string ListText(const Annotation& annotation, absl::Span<const PathId> paths) {
  std::string text;
  for (size_t i = 0; i < paths.size(); ++i) {
    const absl::string_view before = i == 0 ? "" : i + 1 == paths.size() ? " and " : ", ";
    absl::StrAppend(&text, before, TagText(annotation, paths[i]));
  }
  return text;
}

}  // namespace

std::string ExplainText(const Graph& graph, const Explanations& explanations) {
  const Annotation& annotation = explanations.annotation;
  std::string text;
  for (const NodeExplanation& why : explanations.nodes) {
    const Assignment& assignment = annotation.assignments[why.node];
    if (!text.empty()) text += '\n';
    absl::StrAppend(&text, ShownNode(graph, why.node), "\n");
    absl::StrAppendFormat(&text, "  %-11s %s\n", "module", TagText(annotation, assignment.primary));
    const std::string reason = ReasonText(graph, annotation, why.node);
    if (!reason.empty()) {
      absl::StrAppendFormat(&text, "  %-11s %s\n", "because", SafeForTerminal(reason));
    }
    absl::StrAppendFormat(&text, "  %-11s %s, %.0f %% sure%s\n", "method",
                          MethodName(assignment.method), 100 * assignment.confidence,
                          ContainmentText(assignment));
    if (why.fused_with.valid()) {
      absl::StrAppendFormat(&text, "  %-11s %s: it does the work of a node of that module, too\n",
                            "fused with", TagText(annotation, why.fused_with));
    }
    const std::vector<PathId> joined = JoinedBy(graph, annotation, why.node);
    if (!joined.empty()) {
      absl::StrAppendFormat(&text, "  %-11s %s\n", "joins", ListText(annotation, joined));
    }
    absl::string_view label = "meets here";
    for (PathId path : annotation.auxiliary_of(why.node)) {
      if (path == why.fused_with || absl::c_linear_search(joined, path)) continue;
      absl::StrAppendFormat(&text, "  %-11s %s\n", label, TagText(annotation, path));
      label = "";
    }
    AppendGrounds(graph, why, 1, "in favour", &text);
    AppendGrounds(graph, why, -1, "against", &text);
    AppendWitnesses(graph, explanations, why, &text);
    AppendCandidates(annotation, why, &text);
  }
  return text;
}

std::string ExplainJson(const Graph& graph, const Explanations& explanations,
                        absl::string_view file) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/explain", 1);
  json.NewLine();
  json.Key("model");
  AppendModelJson(graph, explanations.annotation, file, json);
  json.NewLine();
  json.Key("nodes").BeginArray();
  for (const NodeExplanation& why : explanations.nodes) {
    AppendNodeJson(graph, explanations, why, json);
  }
  json.NewLine();
  json.EndArray();
  json.EndObject();
  text += '\n';
  return text;
}

}  // namespace onnx_hier
