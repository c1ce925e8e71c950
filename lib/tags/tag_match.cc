// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/utf8.h"
#include "lib/names/derived_name.h"
#include "lib/names/number.h"
#include "onnx_hier/tags.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Of entries and nodes, whichever are fewer, one of so many matches in a file of the model, or of
// one that it was made from.
constexpr size_t kLeastShare = 5;
// Of values that are called by numbers, so many are made by the same operator in one model before
// and after an optimiser (85 of 90 of a BERT); in two models that number theirs alike, half at
// most.
constexpr size_t kLeastSame = 3;
constexpr size_t kSameOf = 4;

// Whether JSON that was written about a model says `written` for a text in it.
bool IsWrittenAs(absl::string_view text, absl::string_view written) {
  return text == written || (!IsUtf8(text) && ReplaceNonUtf8(text) == written);
}

// Whether a node is called nothing, or by its operator's number: so are others in other models.
bool IsNameless(absl::string_view name, absl::string_view op_type) {
  return name.empty() || (WithoutCounter(name) == op_type && name.size() > op_type.size());
}

// Whether a value is called by a number, or "add_3", or "input.4", as others in other models are.
bool IsCounted(absl::string_view value) {
  if (absl::StrContains(value, '/')) return false;
  const size_t dot = value.find('.');
  if (dot != absl::string_view::npos) return IsNumber(value.substr(dot + 1));
  return IsNumber(value) || WithoutCounter(value).size() < value.size();
}

// Nodes by what they are called; a name that several have means none of them.
class NodeIndex {
 public:
  explicit NodeIndex(const Graph& graph) : graph_(graph) {
    for (NodeId node : graph.node_ids()) {
      if (graph.node(node).block != graph.main_block()) ids_.emplace(graph.NodePath(node), node);
    }
  }

  // The node with the entry's id, if nothing else in the entry speaks against it.
  NodeId ById(const TagEntry& entry) const {
    const NodeId node = WithId(entry.id);
    if (!node.valid()) return NodeId();
    const absl::string_view name = graph_.node(node).name;
    const bool may_differ = name.empty() || entry.name.empty();
    if (!may_differ && !IsWrittenAs(name, entry.name)) return NodeId();
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    const bool has_output = !outputs.empty() && outputs[0].valid();
    // A node that has no name of its own, or had none when the entry was written, is known by its
    // output only, which sidecars state.
    const bool is_nameless =
        may_differ || (!entry.output.empty() && IsNameless(name, graph_.op(node).type));
    if (is_nameless && has_output && !IsWrittenAs(graph_.value(outputs[0]).name, entry.output)) {
      return NodeId();
    }
    return node;
  }
  // A number is a value's in any model.
  NodeId ByOutput(const TagEntry& entry) {
    const bool counts = trusts_numbers_ || entry.op_type.empty() || !IsCounted(entry.output);
    return counts ? Find(outputs(), entry.output) : NodeId();
  }
  // Whether most values that are called by numbers are made by the operators that the file says:
  // then it is of this model, and others were fused since.
  void CompareNumbers(const TagFile& file) {
    size_t compared = 0;
    size_t same = 0;
    for (const TagEntry& entry : file.entries) {
      if (entry.op_type.empty() || !IsCounted(entry.output)) continue;
      const NodeId node = Find(outputs(), entry.output);
      if (!node.valid()) continue;
      ++compared;
      same += IsWrittenAs(graph_.op(node).type, entry.op_type) ? 1 : 0;
    }
    trusts_numbers_ = kSameOf * same >= kLeastSame * compared;
  }
  NodeId ByName(const TagEntry& entry) {
    const NodeId node = Find(names(), entry.name);
    const bool counts =
        !node.valid() || entry.output.empty() || !IsNameless(entry.name, graph_.op(node).type);
    return counts ? node : NodeId();
  }

 private:
  using Map = absl::flat_hash_map<absl::string_view, NodeId>;

  static void Add(absl::string_view name, NodeId node, Map& map) {
    if (name.empty()) return;
    const auto [entry, added] = map.emplace(name, node);
    if (!added && entry->second != node) entry->second = NodeId();
  }
  NodeId WithId(absl::string_view id) const {
    const absl::Span<const NodeId> main = graph_.nodes(graph_.main_block());
    if (uint32_t index = 0; absl::SimpleAtoi(id, &index) && index < main.size()) {
      if (graph_.NodePath(main[index]) == id) return main[index];
    }
    const auto found = ids_.find(id);
    return found == ids_.end() ? NodeId() : found->second;
  }

  // Made when first asked for: the nodes of most files are found by their ids.
  const Map& outputs() {
    if (outputs_.has_value()) return *outputs_;
    outputs_.emplace();
    for (NodeId node : graph_.node_ids()) {
      for (ValueId value : graph_.outputs(node)) {
        if (value.valid()) Add(AsWritten(graph_.value(value).name), node, *outputs_);
      }
    }
    return *outputs_;
  }
  const Map& names() {
    if (names_.has_value()) return *names_;
    names_.emplace();
    for (NodeId node : graph_.node_ids()) Add(AsWritten(graph_.node(node).name), node, *names_);
    return *names_;
  }

  absl::string_view AsWritten(absl::string_view name) {
    return IsUtf8(name) ? name : replaced_.emplace_back(ReplaceNonUtf8(name));
  }
  static NodeId Find(const Map& map, absl::string_view name) {
    const auto found = map.find(name);
    return found == map.end() ? NodeId() : found->second;
  }

  const Graph& graph_;
  absl::flat_hash_map<std::string, NodeId> ids_;  // of nodes that are not in the main graph
  std::deque<std::string> replaced_;              // a deque: the views in the maps stay valid
  std::optional<Map> names_;
  std::optional<Map> outputs_;
  bool trusts_numbers_ = false;
};

std::string EntryText(const TagEntry& entry) {
  std::string text = absl::StrCat("entry ", entry.id.empty() ? "for" : entry.id);
  if (!entry.name.empty()) absl::StrAppend(&text, " '", entry.name, "'");
  if (entry.name.empty() && !entry.output.empty()) {
    absl::StrAppend(&text, " making '", entry.output, "'");
  }
  return text;
}

}  // namespace

TagMatches MatchTags(const Graph& graph, const TagFile& file) {
  NodeIndex index(graph);
  TagMatches matches;
  matches.nodes.resize(file.entries.size());
  IdSet<NodeId> taken(graph.node_count());
  const auto take_all = [&](const auto& find, size_t& count) {
    for (size_t i = 0; i < file.entries.size(); ++i) {
      if (matches.nodes[i].valid()) continue;
      const NodeId node = find(file.entries[i]);
      if (!node.valid() || taken.Has(node)) continue;
      taken.Add(node);
      matches.nodes[i] = node;
      ++count;
    }
  };
  // The surest way first for all entries, so that no weaker match takes a node away.
  take_all([&](const TagEntry& entry) { return index.ById(entry); }, matches.by_id);
  if (matches.by_id < file.entries.size()) index.CompareNumbers(file);
  take_all([&](const TagEntry& entry) { return index.ByOutput(entry); }, matches.by_output);
  take_all([&](const TagEntry& entry) { return index.ByName(entry); }, matches.by_name);
  if (file.is_sidecar && !IsWrittenAs(graph.block(graph.main_block()).name, file.graph_name)) {
    matches.problems.push_back(absl::StrCat("made for another graph: '", file.graph_name,
                                            "', not '", graph.block(graph.main_block()).name, "'"));
  }
  for (size_t i = 0; i < file.entries.size(); ++i) {
    const TagEntry& entry = file.entries[i];
    const NodeId node = matches.nodes[i];
    if (!node.valid()) {
      matches.problems.push_back(absl::StrCat(EntryText(entry), ": the model has no such node"));
    } else if (!entry.op_type.empty() && !IsWrittenAs(graph.op(node).type, entry.op_type)) {
      matches.problems.push_back(absl::StrCat(EntryText(entry), ": was ", entry.op_type,
                                              ", now is ", graph.op(node).type));
    }
  }
  for (NodeId node : graph.node_ids()) {
    if (taken.Has(node)) continue;
    matches.problems.push_back(absl::StrCat("node ", graph.NodePath(node), " '",
                                            graph.node(node).name, "': has no entry"));
  }
  return matches;
}

absl::Status CheckMatches(const Graph& graph, absl::string_view model, const TagFile& file,
                          const TagMatches& matches) {
  const size_t count = matches.count();
  if (count == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "none of its ", WithThousands(file.entries.size()), " entries matches a node of ", model));
  }
  const size_t most = std::min(file.entries.size(), graph.node_count());
  if (count * kLeastShare >= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("only ", WithThousands(count), " of its ", WithThousands(file.entries.size()),
                   " entries match one of the ", WithThousands(graph.node_count()), " nodes of ",
                   model, ": it was made for another model"));
}

Tags TagsOf(const Graph& graph, const TagFile& file, const TagMatches& matches) {
  Tags tags(graph.node_count());
  tags.source = TagSource::kSidecar;
  std::vector<std::string> texts;
  for (size_t i = 0; i < file.entries.size(); ++i) {
    if (!matches.nodes[i].valid()) continue;
    texts.clear();
    for (absl::string_view tag : file.entries[i].tags) texts.emplace_back(tag);
    tags.Set(matches.nodes[i], texts);
  }
  return tags;
}

}  // namespace onnx_hier
