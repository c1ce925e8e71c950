// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/nodes.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tools/onnx-hier-verify/newer_fields.h"

namespace onnx_hier::verify {
namespace {

std::string Key(absl::string_view domain, absl::string_view name, absl::string_view overload) {
  return absl::StrCat(PlainDomain(domain), ":", name, overload.empty() ? "" : ":", overload);
}

// Names that a graph gives to values itself; those around it are seen where it gives none.
struct Scope {
  absl::flat_hash_set<absl::string_view> own;
  const Scope* around;
};

bool Known(const Scope* scope, absl::string_view name) {
  for (; scope != nullptr; scope = scope->around) {
    if (scope->own.contains(name)) return true;
  }
  return false;
}

void ReadsOf(const onnx::GraphProto& graph, const Scope* around,
             absl::FunctionRef<void(const std::string&)> visit);

void ReadsOf(const onnx::NodeProto& node, const Scope* around,
             absl::FunctionRef<void(const std::string&)> visit) {
  for (const std::string& input : node.input()) {
    if (!input.empty() && !Known(around, input)) visit(input);
  }
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) ReadsOf(attribute.g(), around, visit);
    for (const onnx::GraphProto& graph : attribute.graphs()) ReadsOf(graph, around, visit);
  }
}

void ReadsOf(const onnx::GraphProto& graph, const Scope* around,
             absl::FunctionRef<void(const std::string&)> visit) {
  Scope scope = {{}, around};
  for (const onnx::ValueInfoProto& input : graph.input()) scope.own.insert(input.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) scope.own.insert(tensor.name());
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) {
    scope.own.insert(tensor.values().name());
  }
  for (const onnx::NodeProto& node : graph.node()) {
    scope.own.insert(node.output().begin(), node.output().end());
  }
  for (const onnx::NodeProto& node : graph.node()) ReadsOf(node, &scope, visit);
  for (const onnx::ValueInfoProto& output : graph.output()) {
    if (!Known(&scope, output.name())) visit(output.name());
  }
}

}  // namespace

void ForEachNode(const Nodes& nodes, absl::FunctionRef<void(const onnx::NodeProto&)> visit) {
  std::vector<const Nodes*> pending = {&nodes};
  while (!pending.empty()) {
    const Nodes& some = *pending.back();
    pending.pop_back();
    for (const onnx::NodeProto& node : some) {
      visit(node);
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_g()) pending.push_back(&attribute.g().node());
        for (const onnx::GraphProto& graph : attribute.graphs()) pending.push_back(&graph.node());
      }
    }
  }
}

void ForEachNode(const onnx::ModelProto& model,
                 absl::FunctionRef<void(const onnx::NodeProto&)> visit) {
  ForEachNode(model.graph().node(), visit);
  for (const onnx::FunctionProto& function : model.functions()) ForEachNode(function.node(), visit);
  for (const onnx::TrainingInfoProto& training : model.training_info()) {
    ForEachNode(training.initialization().node(), visit);
    ForEachNode(training.algorithm().node(), visit);
  }
}

NodeCounts CountNodes(const onnx::ModelProto& model) {
  NodeCounts counts;
  ForEachNode(model, [&counts](const onnx::NodeProto& node) {
    ++counts.nodes;
    counts.doc_strings += node.has_doc_string() ? 1 : 0;
    counts.nameless += node.name().empty() ? 1 : 0;
  });
  return counts;
}

void ForEachRead(const onnx::NodeProto& node, absl::FunctionRef<void(const std::string&)> visit) {
  ReadsOf(node, nullptr, visit);
}

absl::string_view PlainDomain(absl::string_view domain) {
  return domain == "ai.onnx" ? absl::string_view() : domain;
}

std::string KeyOf(const onnx::FunctionProto& function) {
  return Key(function.domain(), function.name(), OverloadOf(function));
}

std::string CalledKey(const onnx::NodeProto& node) {
  return Key(node.domain(), node.op_type(), OverloadOf(node));
}

Functions FunctionsOf(const onnx::ModelProto& model) {
  Functions functions;
  for (const onnx::FunctionProto& function : model.functions()) {
    functions.emplace(KeyOf(function), &function);
  }
  return functions;
}

}  // namespace onnx_hier::verify
