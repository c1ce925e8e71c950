// SPDX-License-Identifier: Apache-2.0

// GraphML (graphml.graphdrawing.org/specification.html): each module is a node with the id of the
// one around it, as most programs know no nodes in nodes. Edges end at the module whose nodes they
// belong to.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/amount_figures.h"
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
)";
constexpr absl::string_view kEdgeKey =
    R"(<key id="values" for="edge" attr.name="values" attr.type="long"/>
)";

std::string XmlText(absl::string_view text) {
  return absl::StrReplaceAll(SafeForTerminal(text),
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

class GraphmlWriter {
 public:
  GraphmlWriter(const ModuleGraph& modules, absl::Span<const Column* const> columns, ByteSink& sink)
      : modules_(modules), tree_(modules.hierarchy().modules()), columns_(columns), out_(sink) {}

  absl::Status Write(absl::string_view file) {
    absl::StrAppend(out_.text(), kHead);
    for (size_t i = 0; i < columns_.size(); ++i) AppendKey(i);
    absl::StrAppend(out_.text(), kEdgeKey, "<graph id=\"modules\" edgedefault=\"directed\">\n");
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
    for (size_t i = 0; i < columns_.size(); ++i) Append(KeyOf(i), TextOf(*columns_[i], id));
    *out_.text() += "</node>\n";
    out_.Pass();
  }

  // What a table calls its column may be no identifier, or that of something else.
  std::string KeyOf(size_t i) const {
    const std::string& id = columns_[i]->measure().id;
    return IsKnownMeasure(id) ? id : absl::StrCat("measure", i);
  }

  void AppendKey(size_t i) {
    const Measure& measure = columns_[i]->measure();
    const bool is_whole = measure.unit == MeasureUnit::kCount ||
                          measure.unit == MeasureUnit::kBytes ||
                          measure.unit == MeasureUnit::kNanoseconds;
    const char* const type = measure.unit == MeasureUnit::kWords ? "string"
                             : is_whole                          ? "long"
                                                                 : "double";
    absl::StrAppend(out_.text(), "<key id=\"", KeyOf(i), "\" for=\"node\" attr.name=\"",
                    XmlText(measure.id), "\" attr.type=\"", type, "\"/>\n");
  }

  std::string TextOf(const Column& column, ModuleId id) const {
    return column.measure().unit == MeasureUnit::kWords
               ? XmlText(WordsField(column.WordsOf(id)))
               : PlainNumber(column.figure(id).total, column.measure().unit);
  }

  void Append(absl::string_view key, absl::string_view text) {
    absl::StrAppend(out_.text(), "<data key=\"", key, "\">", text, "</data>");
  }

  const ModuleGraph& modules_;
  const ModuleTree& tree_;
  const absl::Span<const Column* const> columns_;
  OutgoingText out_;
};

}  // namespace

absl::Status WriteGraphml(const ModuleGraph& modules, absl::Span<const Column* const> columns,
                          absl::string_view file, ByteSink& sink) {
  return GraphmlWriter(modules, columns, sink).Write(file);
}

}  // namespace onnx_hier
