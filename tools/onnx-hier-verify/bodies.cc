// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/bodies.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/onnx-hier-verify/newer_fields.h"
#include "tools/onnx-hier-verify/nodes.h"

namespace onnx_hier::verify {
namespace {

constexpr int kMostBodies = 1000;
constexpr int kDeepest = 50;

using Values = std::map<std::string, onnx::AttributeProto>;  // attributes of a call

// The function's attributes that nodes refer to become those of the call.
void Fill(const Values& values, Nodes* nodes) {
  for (onnx::NodeProto& node : *nodes) {
    for (int i = node.attribute_size(); i-- > 0;) {
      onnx::AttributeProto& attribute = *node.mutable_attribute(i);
      if (attribute.has_g()) Fill(values, attribute.mutable_g()->mutable_node());
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) {
        Fill(values, graph.mutable_node());
      }
      if (attribute.ref_attr_name().empty()) continue;
      const auto found = values.find(attribute.ref_attr_name());
      if (found == values.end()) {
        node.mutable_attribute()->DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = found->second;
      attribute.set_name(name);
    }
  }
}

class Bodies {
 public:
  Bodies(const onnx::ModelProto& model, const std::string& value,
         absl::FunctionRef<bool(const onnx::ModelProto&)> visit)
      : functions_(FunctionsOf(model)), value_(value), visit_(visit) {}

  // Those inside of the main graph of `around`.
  bool AnyIn(const onnx::ModelProto& around, int depth) {
    if (depth == kDeepest) return false;
    for (const onnx::NodeProto& node : around.graph().node()) {
      const auto function = functions_.find(CalledKey(node));
      if (function != functions_.end() && LeadsThere(*function, depth) &&
          Try(Called(around, node, *function->second), depth)) {
        return true;
      }
      for (const onnx::GraphProto* graph : GraphsOf(node)) {
        if (LeadThere(graph->node(), depth) && Try(Inside(around, *graph), depth)) return true;
      }
    }
    return false;
  }

 private:
  // Whether the value is made in there, or in what is called from there.
  bool LeadThere(const Nodes& nodes, int depth) {
    return depth < kDeepest && std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
             if (Makes(node)) return true;
             const auto function = functions_.find(CalledKey(node));
             if (function != functions_.end() && LeadsThere(*function, depth)) return true;
             const std::vector<const onnx::GraphProto*> graphs = GraphsOf(node);
             return std::any_of(graphs.begin(), graphs.end(), [&](const onnx::GraphProto* graph) {
               return LeadThere(graph->node(), depth + 1);
             });
           });
  }
  // A function that calls itself finds that it does not.
  bool LeadsThere(const Functions::value_type& function, int depth) {
    const auto [known, is_new] = leads_.emplace(function.second, false);
    if (is_new) known->second = LeadThere(function.second->node(), depth + 1);
    return known->second;
  }

  static std::vector<const onnx::GraphProto*> GraphsOf(const onnx::NodeProto& node) {
    std::vector<const onnx::GraphProto*> graphs;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) graphs.push_back(&attribute.g());
      for (const onnx::GraphProto& graph : attribute.graphs()) graphs.push_back(&graph);
    }
    return graphs;
  }

  bool Makes(const onnx::NodeProto& node) const {
    return std::find(node.output().begin(), node.output().end(), value_) != node.output().end();
  }

  bool Try(const onnx::ModelProto& body, int depth) {
    if (++tried_ > kMostBodies) return false;
    const Nodes& nodes = body.graph().node();
    const bool makes_it =
        std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) { return Makes(node); });
    return (makes_it && visit_(body)) || AnyIn(body, depth + 1);
  }

  static onnx::ModelProto Empty(const onnx::ModelProto& around) {
    onnx::ModelProto body = around;
    onnx::GraphProto& graph = *body.mutable_graph();
    graph.clear_node();
    graph.clear_input();
    graph.clear_output();
    graph.clear_value_info();
    graph.clear_quantization_annotation();
    return body;
  }

  static onnx::ModelProto Called(const onnx::ModelProto& around, const onnx::NodeProto& call,
                                 const onnx::FunctionProto& function) {
    onnx::ModelProto body = Empty(around);
    onnx::GraphProto& graph = *body.mutable_graph();
    graph.clear_initializer();
    graph.clear_sparse_initializer();
    *graph.mutable_node() = function.node();
    for (int i = 0; i < function.input_size(); ++i) {
      graph.add_input()->set_name(function.input(i));
      for (const onnx::TensorProto& tensor : around.graph().initializer()) {
        if (i >= call.input_size() || tensor.name() != call.input(i)) continue;
        *graph.add_initializer() = tensor;
        graph.mutable_initializer()->rbegin()->set_name(function.input(i));
      }
    }
    for (const std::string& output : function.output()) graph.add_output()->set_name(output);
    Values values;
    for (const onnx::AttributeProto& value : call.attribute()) values[value.name()] = value;
    for (const onnx::AttributeProto& value : DefaultsOf(function)) {
      values.emplace(value.name(), value);
    }
    Fill(values, graph.mutable_node());
    for (const onnx::OperatorSetIdProto& opset : function.opset_import()) Import(opset, body);
    return body;
  }

  static void Import(const onnx::OperatorSetIdProto& opset, onnx::ModelProto& model) {
    for (onnx::OperatorSetIdProto& known : *model.mutable_opset_import()) {
      if (PlainDomain(known.domain()) != PlainDomain(opset.domain())) continue;
      known.set_version(opset.version());
      return;
    }
    *model.add_opset_import() = opset;
  }

  static onnx::ModelProto Inside(const onnx::ModelProto& around, const onnx::GraphProto& graph) {
    onnx::ModelProto body = Empty(around);
    body.mutable_graph()->MergeFrom(graph);
    for (const onnx::ValueInfoProto& input : around.graph().input()) {
      *body.mutable_graph()->add_input() = input;
    }
    for (const onnx::NodeProto& node : around.graph().node()) {
      for (const std::string& output : node.output()) {
        body.mutable_graph()->add_input()->set_name(output);
      }
    }
    for (const onnx::ValueInfoProto& info : around.graph().value_info()) {
      *body.mutable_graph()->add_value_info() = info;
    }
    return body;
  }

  const Functions functions_;
  const std::string& value_;
  const absl::FunctionRef<bool(const onnx::ModelProto&)> visit_;
  int tried_ = 0;
  std::map<const onnx::FunctionProto*, bool> leads_;
};

}  // namespace

bool AnyBody(const onnx::ModelProto& model, const std::string& value,
             absl::FunctionRef<bool(const onnx::ModelProto&)> visit) {
  return Bodies(model, value, visit).AnyIn(model, 0);
}

}  // namespace onnx_hier::verify
