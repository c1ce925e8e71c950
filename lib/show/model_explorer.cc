// SPDX-License-Identifier: Apache-2.0
#include "lib/show/model_explorer.h"

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/base/outgoing_text.h"
#include "lib/graph/callees.h"
#include "lib/onnx/value_shape.h"
#include "lib/onnx/value_type.h"
#include "lib/show/amount_figures.h"
#include "lib/show/graph_names.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kParameter = "parameter";

// Writes one graph after the other.
class ExplorerWriter {
 public:
  ExplorerWriter(const Hierarchy& hierarchy, const ChosenModules& chosen,
                 absl::Span<const Column* const> columns, const ValueTypes& types, ByteSink& sink)
      : graph_(hierarchy.graph()),
        annotation_(hierarchy.annotation()),
        chosen_(chosen),
        columns_(columns),
        nodes_(graph_.node_count()),
        blocks_(graph_.block_count()),
        types_(types),
        names_(graph_),
        callees_(FindCallees(graph_)),
        slots_(graph_.value_count(), 0),
        out_(sink),
        json_(out_.text()) {
    for (const OwnedParameter& parameter : annotation_.parameters) {
      owners_.emplace(parameter.value, parameter.owner);
    }
    blocks_.Add(graph_.main_block());
    for (NodeId node : graph_.node_ids()) {
      if (chosen_.Has(hierarchy.ModuleOf(node))) {
        nodes_.Add(node);
        blocks_.Add(graph_.node(node).block);
      }
      const absl::Span<const ValueId> outputs = graph_.outputs(node);
      for (uint32_t slot = 0; slot < outputs.size(); ++slot) {
        if (outputs[slot].valid()) slots_[outputs[slot]] = slot;
      }
    }
  }

  absl::Status Write(absl::string_view file) {
    json_.BeginObject();
    json_.Key("label").String(file);
    json_.Key("graphs").BeginArray();
    for (BlockId block : graph_.block_ids()) {
      if (chosen_.HasAll() || blocks_.Has(block)) WriteGraph(block);
    }
    json_.EndArray();
    json_.EndObject();
    out_.text()->push_back('\n');
    return out_.Finish();
  }

 private:
  void WriteGraph(BlockId block) {
    json_.NewLine();
    json_.BeginObject();
    json_.Key("id").String(names_[block]);
    json_.Key("nodes").BeginArray();
    made_up_.clear();
    for (ValueId value : graph_.inputs(block)) {
      if (value.valid() && chosen_.HasAll()) MakeUp(value, "input");
    }
    for (NodeId node : graph_.nodes(block)) {
      if (!nodes_.Has(node)) continue;
      for (ValueId value : graph_.inputs(node)) MakeUpSource(block, value);
      WriteNode(node);
    }
    WriteOutputs(block);
    json_.NewLine();
    json_.EndArray();
    if (block == graph_.main_block()) WriteModules();
    json_.EndObject();
    out_.Pass();
  }

  // Until the next call: neighbours mostly are in the same module.
  absl::string_view TagOf(PathId path) {
    if (path != tag_of_) tag_ = annotation_.paths.Tag(path);
    tag_of_ = path;
    return tag_;
  }
  // Model Explorer has no slash in front; the root is no group.
  absl::string_view NamespaceOf(PathId path) { return TagOf(path).substr(1); }

  void WriteAttribute(absl::string_view key, absl::string_view value) {
    json_.BeginObject();
    json_.Key("key").String(key);
    json_.Key("value").String(value);
    json_.EndObject();
  }

  void BeginNode(absl::string_view id, absl::string_view label, absl::string_view name_space) {
    json_.NewLine();
    json_.BeginObject();
    json_.Key("id").String(id);
    json_.Key("label").String(label);
    json_.Key("namespace").String(name_space);
  }

  // A node that the model has not: for what comes from outside of the graph. It is called as the
  // value is; parameters, of which there are many, are shown in their modules and need no name.
  void MakeUp(ValueId id, absl::string_view kind) {
    const Value& value = graph_.value(id);
    if (!made_up_.insert(id).second) return;
    const auto owner = owners_.find(id);
    BeginNode(absl::StrCat("value ", id.index()), kind == kParameter ? "Parameter" : value.name,
              owner == owners_.end() ? "" : NamespaceOf(owner->second));
    json_.Key("attrs").BeginArray();
    WriteAttribute("kind", kind);
    WriteAttribute("name", value.name);
    if (value.tensor.valid()) {
      WriteAttribute("bytes", absl::StrCat(graph_.tensor(value.tensor).bytes));
    }
    json_.EndArray();
    WriteMade({&id, 1});
    json_.EndObject();
    out_.Pass();
  }

  // Whether a node that is drawn in this graph makes the value.
  bool IsDrawn(BlockId block, ValueId id) const {
    const NodeId producer = graph_.value(id).producer;
    return producer.valid() && graph_.node(producer).block == block && nodes_.Has(producer);
  }

  // What a node reads and no node of its graph makes.
  void MakeUpSource(BlockId block, ValueId id) {
    if (!id.valid()) return;
    if (IsDrawn(block, id)) return;
    const Value& value = graph_.value(id);
    const bool is_outer = value.block != block || value.producer.valid();
    MakeUp(id, is_outer ? "outer value" : value.tensor.valid() ? kParameter : "input");
  }

  void WriteEdge(BlockId block, ValueId id, size_t slot) {
    const Value& value = graph_.value(id);
    const bool inside = IsDrawn(block, id);
    json_.BeginObject();
    json_.Key("sourceNodeId")
        .String(inside ? graph_.NodePath(value.producer) : absl::StrCat("value ", id.index()));
    json_.Key("sourceNodeOutputId").String(absl::StrCat(inside ? slots_[id] : 0));
    json_.Key("targetNodeInputId").String(absl::StrCat(slot));
    json_.EndObject();
  }

  void WriteEdges(BlockId block, absl::Span<const ValueId> values) {
    json_.Key("incomingEdges").BeginArray();
    for (size_t slot = 0; slot < values.size(); ++slot) {
      if (values[slot].valid()) WriteEdge(block, values[slot], slot);
    }
    json_.EndArray();
  }

  void WriteNode(NodeId id) {
    const Node& node = graph_.node(id);
    const Assignment& assignment = annotation_.assignments[id];
    BeginNode(graph_.NodePath(id), graph_.op(id).type, NamespaceOf(assignment.primary));
    WriteInnerGraphs(id);
    json_.Key("attrs").BeginArray();
    if (!node.name.empty()) WriteAttribute("name", node.name);
    if (!graph_.op(id).domain.empty()) WriteAttribute("domain", graph_.op(id).domain);
    WriteAttribute("module", TagOf(assignment.primary));
    for (PathId path : annotation_.auxiliary_of(id)) {
      WriteAttribute("auxiliary module", annotation_.paths.Tag(path));
    }
    WriteAttribute("method", MethodName(assignment.method));
    std::string confidence;
    AppendProbability(assignment.confidence, &confidence);
    WriteAttribute("confidence", confidence);
    const std::string reason = ReasonText(graph_, annotation_, id);
    if (!reason.empty()) WriteAttribute("reason", reason);
    json_.EndArray();
    WriteEdges(node.block, graph_.inputs(id));
    WriteMade(graph_.outputs(id));
    json_.EndObject();
    out_.Pass();
  }

  // Those of an If, a Loop or a Scan, and the body of the function that is called.
  void WriteInnerGraphs(NodeId id) {
    const BlockId body = CalleeOf(graph_.node(id).op, callees_);
    if (graph_.blocks(id).empty() && !body.valid()) return;
    const auto name = [this](BlockId block) {
      if (chosen_.HasAll() || blocks_.Has(block)) json_.String(names_[block]);
    };
    json_.Key("subgraphIds").BeginArray();
    for (BlockId block : graph_.blocks(id)) name(block);
    if (body.valid()) name(body);
    json_.EndArray();
  }

  void WriteMade(absl::Span<const ValueId> values) {
    json_.Key("outputsMetadata").BeginArray();
    for (size_t slot = 0; slot < values.size(); ++slot) {
      if (!values[slot].valid()) continue;
      json_.BeginObject();
      json_.Key("id").String(absl::StrCat(slot));
      json_.Key("attrs").BeginArray();
      WriteAttribute("name", graph_.value(values[slot]).name);
      const absl::string_view type = types_.type(values[slot]);
      if (!type.empty()) WriteAttribute("type", TypeText(type));
      const std::string shape = ShapeOf(values[slot]);
      if (!shape.empty()) WriteAttribute("shape", shape);
      json_.EndArray();
      json_.EndObject();
    }
    json_.EndArray();
  }

  std::string ShapeOf(ValueId id) const {
    const TensorId tensor = graph_.value(id).tensor;
    return tensor.valid() ? ShapeText(graph_, tensor) : ShapeText(types_.stated(id));
  }

  // One node for each output of the graph, which may name a value twice.
  void WriteOutputs(BlockId block) {
    const absl::Span<const ValueId> outputs = graph_.outputs(block);
    const auto is_meant = [&](ValueId value) {
      return value.valid() && (chosen_.HasAll() || IsDrawn(block, value));
    };
    for (ValueId value : outputs) {
      if (is_meant(value)) MakeUpSource(block, value);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!is_meant(outputs[i])) continue;
      BeginNode(absl::StrCat("output ", i), graph_.value(outputs[i]).name, "");
      json_.Key("attrs").BeginArray();
      WriteAttribute("kind", "output");
      WriteAttribute("name", graph_.value(outputs[i]).name);
      json_.EndArray();
      WriteEdges(block, outputs.subspan(i, 1));
      json_.EndObject();
      out_.Pass();
    }
  }

  void WriteModules() {
    json_.Key("groupNodeAttributes").BeginObject();
    for (ModuleId id : annotation_.modules.ids()) {
      if (!chosen_.Shows(id)) continue;
      const Module& module = annotation_.modules.module(id);
      json_.NewLine();
      json_.Key(NamespaceOf(module.path)).BeginObject();
      if (!module.class_name.empty()) json_.Key("class").String(module.class_name);
      json_.Key("qualified name").String(annotation_.paths.QualifiedName(module.path));
      for (const Column* column : columns_) {
        const Measure& measure = column->measure();
        json_.Key(measure.id == "bytes" ? "parameter bytes" : measure.id)
            .String(measure.unit == MeasureUnit::kWords
                        ? WordsField(column->WordsOf(id))
                        : PlainNumber(column->figure(id).total, measure.unit));
      }
      json_.EndObject();
      out_.Pass();
    }
    json_.NewLine();
    json_.EndObject();
  }

  const Graph& graph_;
  const Annotation& annotation_;
  const ChosenModules& chosen_;
  const absl::Span<const Column* const> columns_;
  IdSet<NodeId> nodes_;    // in chosen modules
  IdSet<BlockId> blocks_;  // that have some of them
  const ValueTypes& types_;
  const GraphNames names_;
  const IdVector<OpId, BlockId> callees_;        // none where the model has no functions
  IdVector<ValueId, uint32_t> slots_;            // which output of its node a value is
  absl::flat_hash_map<ValueId, PathId> owners_;  // of parameters
  absl::flat_hash_set<ValueId> made_up_;         // in the graph that is being written
  PathId tag_of_;                                // what tag_ says
  std::string tag_;
  OutgoingText out_;
  JsonText json_;
};

}  // namespace

absl::Status WriteModelExplorer(const Hierarchy& hierarchy, const ChosenModules& chosen,
                                absl::Span<const Column* const> columns, const ValueTypes& types,
                                absl::string_view file, ByteSink& sink) {
  return ExplorerWriter(hierarchy, chosen, columns, types, sink).Write(file);
}

}  // namespace onnx_hier
