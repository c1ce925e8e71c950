// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/meant_nodes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "onnx_hier_program/nodes_by_name.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier::cli {
namespace {

constexpr char kDigits[] = "0123456789";

// Collects nodes, each once.
class NodeList {
 public:
  explicit NodeList(const Graph& graph) : listed_(graph.node_count()) {}

  void Add(absl::Span<const NodeId> nodes) {
    for (NodeId node : nodes) {
      if (listed_.Has(node)) continue;
      listed_.Add(node);
      nodes_.push_back(node);
    }
  }
  std::vector<NodeId> Take() { return std::move(nodes_); }

 private:
  IdSet<NodeId> listed_;
  std::vector<NodeId> nodes_;
};

size_t CountOperators(const Graph& graph, absl::string_view type) {
  size_t count = 0;
  for (NodeId node : graph.node_ids()) count += graph.op(node).type == type ? 1 : 0;
  return count;
}

// The operator in the graph that is spelled so, but for case; or "".
absl::string_view OperatorLike(const Graph& graph, absl::string_view type) {
  for (NodeId node : graph.node_ids()) {
    if (absl::EqualsIgnoreCase(graph.op(node).type, type)) return graph.op(node).type;
  }
  return "";
}

// The name of a node that is spelled so but for case, else the nearest of a few of like length that
// end in the same word; or "".
absl::string_view NearestName(const Graph& graph, absl::string_view word) {
  constexpr size_t kMostNames = 1000;
  constexpr size_t kLongest = 512;
  const absl::string_view last = word.substr(word.rfind('/') + 1);
  if (!absl::StrContains(word, '/') || word.size() > kLongest) return "";
  std::vector<absl::string_view> names;
  for (NodeId node : graph.node_ids()) {
    const absl::string_view name = graph.node(node).name;
    if (absl::EqualsIgnoreCase(name, word)) return name;
    const size_t longer = std::max(name.size(), word.size());
    const bool is_like = longer - std::min(name.size(), word.size()) <= word.size() / 3 &&
                         (absl::EndsWith(name, last) || absl::StartsWith(name, "/"));
    if (is_like && names.size() < kMostNames) names.push_back(name);
  }
  return Closest(word, names);
}

std::string NothingMeant(const Hierarchy& hierarchy, const std::string& word) {
  const Graph& graph = hierarchy.graph();
  if (const absl::string_view type = OperatorLike(graph, word); !type.empty()) {
    const size_t count = CountOperators(graph, type);
    return absl::StrCat("no node has the id or name '", word, "', but ",
                        Counted(count, "has", "have"), " this operator: take --op ", type);
  }
  for (ValueId id : graph.value_ids()) {
    if (graph.value(id).name != word || graph.uses(id).empty()) continue;
    return absl::StrCat(
        "no node makes '", word, "', which is ",
        graph.value(id).kind == ValueKind::kInitializer ? "a parameter" : "an input", "; node ",
        graph.NodePath(graph.uses(id)[0].node), " reads it");
  }
  const std::string none = absl::StrCat("no node has the id or name '", word, "'");
  if (word.find_first_not_of(kDigits) == std::string::npos) {
    const size_t count = graph.nodes(graph.main_block()).size();
    return absl::StrCat(none, count == 0 ? "" : absl::StrCat(": ids are 0 to ", count - 1),
                        "; 'onnx-hier tree --nodes' lists them");
  }
  size_t count = 0;
  NodeId first;
  for (NodeId node : graph.node_ids()) {
    if (!absl::StrContains(graph.node(node).name, word)) continue;
    if (count++ == 0) first = node;
  }
  if (count == 0) {
    if (const absl::string_view nearest = NearestName(graph, word); !nearest.empty()) {
      return absl::StrCat(none, " (did you mean '", nearest, "'?)");
    }
    return absl::StrCat(none, ", and no module is meant", NearestModules(hierarchy, word));
  }
  return absl::StrCat(none, ", but ", Counted(count, "has", "have"), " it in the name, ",
                      count == 1 ? "" : "the first of them ", "'", graph.node(first).name, "'");
}

}  // namespace

absl::StatusOr<std::vector<NodeId>> FindNodes(const Model& model, const AnnotateOptions& annotate,
                                              absl::Span<const std::string> words,
                                              SelectOptions chosen) {
  const Graph& graph = model.graph();
  NodeList nodes(graph);
  const NodesByName names(graph, words);
  std::vector<std::string> open;
  for (const std::string& word : words) {
    nodes.Add(names.Find(word));
    if (names.Find(word).empty()) open.push_back(word);
  }
  bool chooses = !chosen.patterns.empty() || !chosen.op_types.empty() || chosen.below.has_value();
  if (open.empty() && !chooses) return nodes.Take();
  const Annotation annotation = Annotate(model, annotate);
  const Hierarchy hierarchy(graph, annotation);
  for (const std::string& word : open) {
    const absl::StatusOr<std::vector<ModuleId>> modules =
        hierarchy.Match(absl::StripPrefix(word, "!"));
    if (!modules.ok()) return modules.status();
    if (!modules->empty()) {
      chosen.patterns.push_back(word);
      chooses = true;
      continue;
    }
    const absl::StatusOr<std::vector<NodeId>> like = hierarchy.MatchNodes(word);
    if (!like.ok()) return like.status();
    if (like->empty()) return absl::NotFoundError(NothingMeant(hierarchy, word));
    nodes.Add(*like);
  }
  if (!chooses) return nodes.Take();
  const absl::StatusOr<Selection> selection = Select(hierarchy, chosen);
  if (!selection.ok()) return selection.status();
  if (!selection->unmet.empty()) {
    return absl::NotFoundError(NoSuchModule(hierarchy, selection->unmet[0]));
  }
  if (selection->nodes.empty()) {
    const std::string unmet = UnmetOperator(graph, chosen.op_types);
    if (!unmet.empty()) return absl::NotFoundError(unmet);
  }
  nodes.Add(selection->nodes);
  return nodes.Take();
}

absl::Status ReadOpAndBelow(const ParsedFlags& flags, SelectOptions& options) {
  if (flags.Has("op")) {
    options.op_types = absl::StrSplit(flags.Value("op"), ',', absl::SkipWhitespace());
  }
  if (flags.Has("below")) {
    const absl::StatusOr<float> below = ParseProbability(flags, "below");
    if (!below.ok()) return below.status();
    options.below = *below;
  }
  return absl::OkStatus();
}

std::string UnmetOperator(const Graph& graph, absl::Span<const std::string> types) {
  for (const std::string& type : types) {
    if (graph.HasOperator(type)) continue;
    absl::string_view meant = OperatorLike(graph, type);
    if (meant.empty()) {
      std::set<absl::string_view> known;
      for (NodeId node : graph.node_ids()) known.insert(graph.op(node).type);
      meant = Closest(type, std::vector<absl::string_view>(known.begin(), known.end()));
    }
    return absl::StrCat("no node has the operator '", type, "'",
                        meant.empty() ? "" : absl::StrCat(" (did you mean '", meant, "'?)"));
  }
  return "";
}

}  // namespace onnx_hier::cli
