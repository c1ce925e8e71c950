// SPDX-License-Identifier: Apache-2.0

// GraphML (graphml.graphdrawing.org/specification.html): each module is a node with the id of the
// one around it, as most programs know no nodes in nodes. Edges end at the module whose nodes they
// belong to.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/module_graph.h"
#include "lib/tree/module_name.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kHead = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="file" for="graph" attr.name="file" attr.type="string"/>
<key id="label" for="node" attr.name="label" attr.type="string"/>
<key id="parent" for="node" attr.name="parent" attr.type="string"/>
<key id="path" for="node" attr.name="path" attr.type="string"/>
<key id="class" for="node" attr.name="class" attr.type="string"/>
<key id="nodes" for="node" attr.name="nodes" attr.type="long"/>
<key id="parameters" for="node" attr.name="parameters" attr.type="long"/>
<key id="bytes" for="node" attr.name="bytes" attr.type="long"/>
<key id="values" for="edge" attr.name="values" attr.type="long"/>
)";

std::string XmlText(absl::string_view text) {
  return absl::StrReplaceAll(SafeForTerminal(text),
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

class GraphmlWriter {
 public:
  GraphmlWriter(const ModuleGraph& modules, ByteSink& sink)
      : modules_(modules), tree_(modules.hierarchy().modules()), out_(sink) {}

  absl::Status Write(absl::string_view file) {
    absl::StrAppend(out_.text(), kHead, "<graph id=\"modules\" edgedefault=\"directed\">\n");
    Append("file", XmlText(file));
    *out_.text() += "\n";
    modules_.ForEach([this](ModuleId id, size_t /*depth*/) { WriteModule(id); },
                     [](ModuleId /*id*/, size_t /*depth*/) {});
    for (const ModuleGraph::Edge& edge : modules_.edges()) {
      absl::StrAppend(out_.text(), "<edge source=\"m", edge.from.index(), "\" target=\"m",
                      edge.to.index(), "\"><data key=\"values\">", edge.values, "</data></edge>\n");
      out_.Pass();
    }
    *out_.text() += "</graph>\n</graphml>\n";
    return out_.Finish();
  }

 private:
  void WriteModule(ModuleId id) {
    const Module& module = tree_.module(id);
    const Annotation& annotation = modules_.hierarchy().annotation();
    absl::StrAppend(out_.text(), "<node id=\"m", id.index(), "\">");
    Append("label", XmlText(NameInParent(annotation, id)));
    if (module.parent.valid()) Append("parent", absl::StrCat("m", module.parent.index()));
    Append("path", XmlText(annotation.Tag(id)));
    if (!module.class_name.empty()) Append("class", XmlText(module.class_name));
    Append("nodes", absl::StrCat(module.total_nodes));
    Append("parameters", absl::StrCat(module.total_parameters));
    Append("bytes", absl::StrCat(module.total_parameter_bytes));
    *out_.text() += "</node>\n";
    out_.Pass();
  }

  void Append(absl::string_view key, absl::string_view text) {
    absl::StrAppend(out_.text(), "<data key=\"", key, "\">", text, "</data>");
  }

  const ModuleGraph& modules_;
  const ModuleTree& tree_;
  OutgoingText out_;
};

}  // namespace

absl::Status WriteGraphml(const ModuleGraph& modules, absl::string_view file, ByteSink& sink) {
  return GraphmlWriter(modules, sink).Write(file);
}

}  // namespace onnx_hier
