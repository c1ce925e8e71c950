// SPDX-License-Identifier: Apache-2.0

// Graphviz: modules with others in them are clusters.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/module_graph.h"
#include "lib/tree/module_name.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Graphviz looks for the best place of all things until it has found it, which takes minutes with
// hundreds of clusters; after twice as many steps as there are nodes it hardly gets better.
constexpr absl::string_view kStyle = R"(  graph [nslimit=2, nslimit1=2];
  node [shape=box];
  edge [fontsize=10];
)";

// Labels have backslashes and the entities of HTML, which names do not mean.
std::string Quoted(absl::string_view text) {
  return absl::StrCat(
      "\"",
      absl::StrReplaceAll(SafeForTerminal(text), {{"\\", "\\\\"}, {"\"", "\\\""}, {"&", "&amp;"}}),
      "\"");
}

class DotWriter {
 public:
  DotWriter(const ModuleGraph& modules, ByteSink& sink)
      : modules_(modules), tree_(modules.hierarchy().modules()), out_(sink) {}

  absl::Status Write(absl::string_view file) {
    absl::StrAppend(out_.text(), "digraph ", Quoted(file), " {\n", kStyle);
    modules_.ForEach([this](ModuleId id, size_t depth) { Begin(id, depth); },
                     [this](ModuleId id, size_t depth) { End(id, depth); });
    for (const ModuleGraph::Edge& edge : modules_.edges()) {
      absl::StrAppend(out_.text(), "  m", edge.from.index(), " -> m", edge.to.index());
      if (edge.values > 1) absl::StrAppend(out_.text(), " [label=", edge.values, "]");
      *out_.text() += ";\n";
      out_.Pass();
    }
    *out_.text() += "}\n";
    return out_.Finish();
  }

 private:
  // A box, or a cluster; the nodes of the latter that lie in none of its modules are a box in it.
  void Begin(ModuleId id, size_t depth) {
    const Module& module = tree_.module(id);
    std::string& text = *out_.text();
    const std::string indent = Indent(depth);
    const std::string label = Quoted(NameInParent(modules_.hierarchy().annotation(), id));
    if (modules_.children(id).empty()) {
      absl::StrAppend(&text, indent, "m", id.index(), " [label=", label, "];\n");
    } else {
      absl::StrAppend(&text, indent, "subgraph cluster_", id.index(), " {\n", indent,
                      "  label=", label, ";\n");
      if (modules_.HasOwnBox(id)) {
        absl::StrAppend(&text, indent, "  m", id.index(), " [label=\"",
                        Counted(module.nodes, "node"), "\", style=dashed];\n");
      }
    }
    out_.Pass();
  }

  void End(ModuleId id, size_t depth) {
    if (!modules_.children(id).empty()) absl::StrAppend(out_.text(), Indent(depth), "}\n");
  }

  // No deeper than people read.
  static std::string Indent(size_t depth) {
    constexpr size_t kDeepest = 16;
    return std::string(2 * std::min(depth, kDeepest) + 2, ' ');
  }

  const ModuleGraph& modules_;
  const ModuleTree& tree_;
  OutgoingText out_;
};

}  // namespace

absl::Status WriteDot(const ModuleGraph& modules, absl::string_view file, ByteSink& sink) {
  return DotWriter(modules, sink).Write(file);
}

}  // namespace onnx_hier
