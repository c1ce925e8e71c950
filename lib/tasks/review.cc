// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/review.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/tree/module_pattern.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr size_t kMostChoices = 4;
// Nodes that stand so close belong together before others do.
constexpr size_t kNearby = 4;

// A tag whose numbers of members stand aside: "/encoder/layer.*/attention", {"3"}.
struct Skeleton {
  std::string text;
  std::vector<std::string> numbers;
};

Skeleton SkeletonOf(const ModulePaths& paths, PathId path) {
  std::vector<PathId> way;
  for (; path.valid() && path != paths.root(); path = paths.parent(path)) way.push_back(path);
  Skeleton skeleton;
  for (size_t i = way.size(); i-- > 0;) {
    const bool is_number = paths.is_number(way[i]);
    if (is_number) skeleton.numbers.emplace_back(paths.name(way[i]));
    absl::StrAppend(&skeleton.text, paths.is_joined(way[i]) ? "." : "/",
                    is_number ? "*" : paths.name(way[i]));
  }
  if (skeleton.text.empty()) skeleton.text = "/";
  return skeleton;
}

std::string Filled(absl::string_view skeleton, const std::vector<std::string>& numbers) {
  return FillStars(skeleton, std::vector<absl::string_view>(numbers.begin(), numbers.end()));
}

// What may be right for a node, the likeliest first.
struct Doubt {
  struct Candidate {
    Skeleton skeleton;
    float probability = 0;
  };
  NodeId node;
  std::vector<Candidate> candidates;

  const Candidate* Find(absl::string_view skeleton) const {
    for (const Candidate& candidate : candidates) {
      if (candidate.skeleton.text == skeleton) return &candidate;
    }
    return nullptr;
  }
  // Of those that name the members the most fully.
  const std::vector<std::string>& numbers() const {
    const auto most = std::max_element(
        candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
          return a.skeleton.numbers.size() < b.skeleton.numbers.size();
        });
    return most->skeleton.numbers;
  }
};

Doubt DoubtOf(const Annotation& annotation, const NodeExplanation& why) {
  const Assignment& owner = annotation.assignments[why.node];
  Doubt doubt = {why.node, {}};
  const auto add = [&](PathId path, float probability) {
    Skeleton skeleton = SkeletonOf(annotation.paths, path);
    if (doubt.Find(skeleton.text) == nullptr) {
      doubt.candidates.push_back({std::move(skeleton), probability});
    }
  };
  add(owner.primary, owner.confidence);
  for (const NodeExplanation::Candidate& candidate : why.candidates) {
    add(candidate.path, candidate.probability);
  }
  for (const Opinion& opinion : why.opinions) add(opinion.path, 0);
  return doubt;
}

// Nodes whose likeliest modules are one in layers that are alike: pairs of modules that they are
// torn between need more questions, of 2,993 nodes twice as many.
std::string KeyOf(const Doubt& doubt) { return doubt.candidates[0].skeleton.text; }

ReviewQuestion QuestionOf(const std::vector<const Doubt*>& doubts) {
  std::map<std::string, float> sums;  // of probabilities
  for (const Doubt* doubt : doubts) {
    for (const Doubt::Candidate& candidate : doubt->candidates) {
      sums[candidate.skeleton.text] += candidate.probability;
    }
  }
  std::vector<std::pair<float, std::string>> ranking;
  ranking.reserve(sums.size());
  for (const auto& [module, sum] : sums) ranking.emplace_back(-sum, module);
  std::sort(ranking.begin(), ranking.end());
  ranking.resize(std::min(ranking.size(), kMostChoices));
  ReviewQuestion question;
  for (const Doubt* doubt : doubts) question.nodes.push_back(doubt->node);
  for (const auto& [sum, module] : ranking) {
    ReviewChoice choice = {module, {}, -sum / static_cast<float>(doubts.size())};
    for (const Doubt* doubt : doubts) {
      const Doubt::Candidate* const own = doubt->Find(module);
      choice.modules.push_back(
          Filled(module, own == nullptr ? doubt->numbers() : own->skeleton.numbers));
    }
    question.choices.push_back(std::move(choice));
  }
  return question;
}

// The question about some of its nodes, by their places in it.
ReviewQuestion PartOf(const ReviewQuestion& question, const std::vector<size_t>& places) {
  ReviewQuestion part;
  for (size_t place : places) part.nodes.push_back(question.nodes[place]);
  for (const ReviewChoice& choice : question.choices) {
    ReviewChoice own = {choice.module, {}, choice.probability};
    for (size_t place : places) own.modules.push_back(choice.modules[place]);
    part.choices.push_back(std::move(own));
  }
  return part;
}

// How many nodes have each name.
using NamesOfNodes = absl::flat_hash_map<absl::string_view, size_t>;

NamesOfNodes CountNames(const Graph& graph) {
  NamesOfNodes names;
  for (NodeId node : graph.node_ids()) ++names[graph.node(node).name];
  return names;
}

// What names a node in a rule for good: its name or that of a value that it makes, if no other node
// has it, else its place in this file.
std::string NameInRule(const Graph& graph, NodeId node, const NamesOfNodes& names) {
  const auto is_fit = [](absl::string_view name) {
    return !name.empty() && !absl::StrContains(name, '#') && SafeForTerminal(name) == name &&
           name.find_first_not_of("0123456789") != absl::string_view::npos;
  };
  const absl::string_view name = graph.node(node).name;
  if (is_fit(name) && names.at(name) == 1) return std::string(name);
  for (ValueId value : graph.outputs(node)) {
    if (!value.valid()) continue;
    const absl::string_view made = graph.value(value).name;
    if (is_fit(made) && !names.contains(made)) return std::string(made);
  }
  return graph.NodePath(node);
}

}  // namespace

Review FindQuestions(const Model& model, const AnnotateOptions& options, float below) {
  Review review;
  const Annotation annotation = Annotate(model, options);
  std::vector<NodeId> asked;
  for (NodeId node : model.graph().node_ids()) {
    const Assignment& owner = annotation.assignments[node];
    if (owner.confidence >= below) continue;
    ++review.doubtful;
    if (owner.method == Method::kReaders) {
      ++review.followers;
    } else {
      asked.push_back(node);
    }
  }
  if (asked.empty()) return review;
  const Explanations explanations = Explain(model, asked, options);
  std::vector<Doubt> doubts;
  doubts.reserve(asked.size());
  std::map<std::string, std::vector<const Doubt*>> groups;
  for (const NodeExplanation& why : explanations.nodes) {
    doubts.push_back(DoubtOf(explanations.annotation, why));
    groups[KeyOf(doubts.back())].push_back(&doubts.back());
  }
  for (const auto& [key, group] : groups) review.questions.push_back(QuestionOf(group));
  std::sort(review.questions.begin(), review.questions.end(),
            [](const ReviewQuestion& a, const ReviewQuestion& b) {
              return a.nodes.size() != b.nodes.size() ? a.nodes.size() > b.nodes.size()
                                                      : a.nodes[0] < b.nodes[0];
            });
  return review;
}

std::vector<ReviewQuestion> SplitQuestion(const Graph& graph, const ReviewQuestion& question) {
  std::vector<ReviewQuestion> parts;
  const size_t count = question.nodes.size();
  if (count < 2) return parts;
  std::map<absl::string_view, std::vector<size_t>> by_operator;
  std::vector<std::vector<size_t>> by_place;
  for (size_t i = 0; i < count; ++i) {
    by_operator[graph.op(question.nodes[i]).type].push_back(i);
    const bool is_near =
        i > 0 && question.nodes[i].index() - question.nodes[i - 1].index() <= kNearby;
    if (!is_near) by_place.emplace_back();
    by_place.back().push_back(i);
  }
  if (by_operator.size() > 1) {
    for (const auto& [type, places] : by_operator) parts.push_back(PartOf(question, places));
    return parts;
  }
  if (by_place.size() == 1) {
    by_place.emplace_back(by_place[0].begin() + static_cast<ptrdiff_t>(count / 2),
                          by_place[0].end());
    by_place[0].resize(count / 2);
  }
  // Not one by one, where halves may do.
  while (by_place.size() > 2) {
    by_place[by_place.size() - 2].insert(by_place[by_place.size() - 2].end(),
                                         by_place.back().begin(), by_place.back().end());
    by_place.pop_back();
    if (by_place.back().size() * 2 >= count) break;
  }
  for (const std::vector<size_t>& places : by_place) parts.push_back(PartOf(question, places));
  return parts;
}

ReviewChoice ChoiceOf(const ReviewQuestion& question, absl::string_view module) {
  ReviewChoice choice = {std::string(module), {}, 0};
  for (size_t i = 0; i < question.nodes.size(); ++i) {
    // Numbers as the node's own choices have them, where these name the members the most fully.
    std::vector<absl::string_view> numbers;
    for (const ReviewChoice& given : question.choices) {
      std::vector<absl::string_view> own;
      const bool is_so = CaptureStars(given.module, given.modules[i], own);
      if (is_so && own.size() > numbers.size()) numbers = std::move(own);
    }
    choice.modules.push_back(FillStars(module, numbers));
  }
  return choice;
}

std::string RulesFor(const Graph& graph, const ReviewQuestion& question,
                     const ReviewChoice& choice) {
  const NamesOfNodes names = CountNames(graph);
  std::string rules;
  for (size_t i = 0; i < question.nodes.size(); ++i) {
    absl::StrAppend(&rules, "owner ", NameInRule(graph, question.nodes[i], names), " = ",
                    choice.modules[i], "\n");
  }
  return rules;
}

namespace {

void AppendQuestion(const Graph& graph, const ReviewQuestion& question, const NamesOfNodes& names,
                    JsonText& json) {
  json.NewLine();
  json.BeginObject();
  json.Key("ids").BeginArray();
  for (NodeId node : question.nodes) json.String(graph.NodePath(node));
  json.EndArray();
  json.Key("names").BeginArray();
  for (NodeId node : question.nodes) json.String(NameInRule(graph, node, names));
  json.EndArray();
  json.Key("operators").BeginArray();
  for (NodeId node : question.nodes) json.String(graph.op(node).type);
  json.EndArray();
  json.Key("choices").BeginArray();
  for (const ReviewChoice& choice : question.choices) {
    json.NewLine();
    json.BeginObject();
    json.Key("module").String(choice.module);
    json.Key("probability").Probability(static_cast<double>(choice.probability));
    json.Key("modules").BeginArray();
    for (const std::string& module : choice.modules) json.String(module);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void AppendQuestions(const Graph& graph, const std::vector<ReviewQuestion>& questions,
                     JsonText& json) {
  const NamesOfNodes names = CountNames(graph);
  json.BeginArray();
  for (const ReviewQuestion& question : questions) AppendQuestion(graph, question, names, json);
  json.NewLine();
  json.EndArray();
}

// Whether all of it may be shown as it is, which rules must say.
bool IsShowable(const Graph& graph, const ReviewQuestion& question) {
  const auto is_safe = [](absl::string_view text) { return SafeForTerminal(text) == text; };
  for (NodeId node : question.nodes) {
    if (!is_safe(graph.op(node).type)) return false;
  }
  return std::all_of(question.choices.begin(), question.choices.end(),
                     [&](const ReviewChoice& choice) {
                       return std::all_of(choice.modules.begin(), choice.modules.end(), is_safe);
                     });
}

}  // namespace

std::string QuestionsJson(const Graph& graph, const Review& review) {
  std::vector<ReviewQuestion> shown;
  for (const ReviewQuestion& question : review.questions) {
    if (IsShowable(graph, question)) shown.push_back(question);
  }
  std::string text;
  JsonText json(&text);
  AppendQuestions(graph, shown, json);
  return text;
}

std::string ReviewJson(const Graph& graph, const Review& review, absl::string_view file) {
  std::string text;
  JsonText json(&text);
  json.BeginDocument("onnx-hier/review", 1);
  json.Key("file").String(file);
  json.Key("doubtful").Unsigned(review.doubtful);
  json.Key("followers").Unsigned(review.followers);
  json.Key("questions");
  AppendQuestions(graph, review.questions, json);
  json.EndObject();
  text.push_back('\n');
  return text;
}

}  // namespace onnx_hier
