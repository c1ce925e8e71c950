// GraphML (graphml.graphdrawing.org/specification.html): modules lie in each other as nodes with
// graphs in them, and edges end at the module whose nodes they belong to.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/outgoing_text.h"
#include "lib/export/module_graph.h"
#include "onnx_hier/safe_text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kHead = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
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
    absl::StrAppend(out_.text(), kHead, "<graph id=\"", XmlText(file),
                    "\" edgedefault=\"directed\">\n");
    modules_.ForEach([this](ModuleId id, size_t /*depth*/) { Begin(id); },
                     [this](ModuleId id, size_t /*depth*/) { End(id); });
    for (const ModuleGraph::Edge& edge : modules_.edges()) {
      absl::StrAppend(out_.text(), "<edge source=\"m", edge.from.index(), "\" target=\"m",
                      edge.to.index(), "\"><data key=\"values\">", edge.values, "</data></edge>\n");
      out_.Pass();
    }
    *out_.text() += "</graph>\n</graphml>\n";
    return out_.Finish();
  }

 private:
  void Begin(ModuleId id) {
    const Module& module = tree_.module(id);
    absl::StrAppend(out_.text(), "<node id=\"m", id.index(), "\">");
    Append("path", XmlText(modules_.hierarchy().annotation().Tag(id)));
    if (!module.class_name.empty()) Append("class", XmlText(module.class_name));
    Append("nodes", absl::StrCat(module.total_nodes));
    Append("parameters", absl::StrCat(module.total_parameters));
    Append("bytes", absl::StrCat(module.total_parameter_bytes));
    if (!modules_.children(id).empty()) {
      absl::StrAppend(out_.text(), "\n<graph id=\"g", id.index(), "\" edgedefault=\"directed\">\n");
    }
    out_.Pass();
  }

  void End(ModuleId id) {
    *out_.text() += modules_.children(id).empty() ? "</node>\n" : "</graph></node>\n";
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
