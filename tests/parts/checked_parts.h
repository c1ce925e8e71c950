// SPDX-License-Identifier: Apache-2.0

// Parts of a model, held against the whole as libonnx's reader sees both.
#ifndef ONNX_HIER_TESTS_PARTS_CHECKED_PARTS_H_
#define ONNX_HIER_TESTS_PARTS_CHECKED_PARTS_H_

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier::testing {

using NameSet = std::set<std::string>;

// A model with all that parts are cut with.
struct Whole {
  explicit Whole(const std::string& path)
      : model(Value(Model::Open(path))),
        annotation(Annotate(model)),
        hierarchy(model.graph(), annotation),
        cutter(Value(Cutter::For(model, hierarchy))),
        proto(ParseModel(WithoutDocs(ReadFile(path)))) {}

  std::string Written(const Edits& edits) const {
    const MemoryFile file("");
    CHECK_OK(Write(model, edits, Destination::Stream(file.fd())));
    return file.Read();
  }
  std::string TagOf(ModuleId module) const {
    return annotation.paths.Tag(annotation.modules.module(module).path);
  }
  NameSet NamesOf(const std::vector<ValueId>& values) const {
    NameSet names;
    for (ValueId id : values) names.emplace(model.graph().value(id).name);
    return names;
  }

  const Model model;
  const Annotation annotation;
  const Hierarchy hierarchy;
  mutable Cutter cutter;  // keeps what it has worked out of a function
  const onnx::ModelProto proto;
};

// Calls `visit` with each name that the node, or a graph inside it, takes from outside of it.
template <class Visit>
void ForEachRead(const onnx::NodeProto& node, const NameSet& inside, const Visit& visit) {
  const auto look = [&](const std::string& name) {
    if (!name.empty() && inside.count(name) == 0) visit(name);
  };
  for (const std::string& name : node.input()) look(name);
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    std::vector<const onnx::GraphProto*> graphs;
    if (attribute.has_g()) graphs.push_back(&attribute.g());
    for (const onnx::GraphProto& graph : attribute.graphs()) graphs.push_back(&graph);
    for (const onnx::GraphProto* graph : graphs) {
      NameSet made = inside;
      for (const auto& input : graph->input()) made.insert(input.name());
      for (const auto& initializer : graph->initializer()) made.insert(initializer.name());
      for (const onnx::NodeProto& inner : graph->node()) {
        ForEachRead(inner, made, visit);
        made.insert(inner.output().begin(), inner.output().end());
      }
      for (const auto& output : graph->output()) {
        if (made.count(output.name()) == 0) visit(output.name());
      }
    }
  }
}

// Values that are read before they are there.
inline NameSet Undefined(const onnx::GraphProto& graph) {
  NameSet known;
  NameSet missing;
  for (const auto& input : graph.input()) known.insert(input.name());
  for (const auto& initializer : graph.initializer()) known.insert(initializer.name());
  const auto look = [&](const std::string& name) {
    if (known.count(name) == 0) missing.insert(name);
  };
  for (const onnx::NodeProto& node : graph.node()) {
    ForEachRead(node, {}, look);
    known.insert(node.output().begin(), node.output().end());
  }
  for (const auto& output : graph.output()) look(output.name());
  return missing;
}

// The functions that nodes call, and theirs.
inline void AddCalled(const onnx::ModelProto& model,
                      const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                      NameSet& called) {
  for (const onnx::NodeProto& node : nodes) {
    for (const onnx::FunctionProto& function : model.functions()) {
      const bool is_it = function.domain() == node.domain() && function.name() == node.op_type();
      if (is_it && called.insert(function.name()).second) AddCalled(model, function.node(), called);
    }
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      AddCalled(model, attribute.g().node(), called);
      for (const onnx::GraphProto& graph : attribute.graphs()) {
        AddCalled(model, graph.node(), called);
      }
    }
  }
}

template <class List>
NameSet NamesOf(const List& list) {
  NameSet names;
  for (const auto& item : list) names.insert(item.name());
  return names;
}

// The model runs: every value is made, and every function that is called is there, and no other.
inline void CheckWhole(const Whole& whole, const Part& part, const onnx::ModelProto& found) {
  NameSet made;
  for (const auto& node : found.graph().node()) {
    made.insert(node.output().begin(), node.output().end());
  }
  CHECK(Undefined(found.graph()) == NameSet());
  CHECK(NamesOf(found.graph().input()) == whole.NamesOf(part.inputs));
  CHECK(NamesOf(found.graph().output()) == whole.NamesOf(part.outputs));
  CHECK(!part.outputs.empty());
  for (const auto& output : found.graph().output()) CHECK(made.count(output.name()) > 0);
  for (const auto& info : found.graph().value_info()) {
    CHECK(made.count(info.name()) + NamesOf(found.graph().input()).count(info.name()) > 0);
  }
  NameSet called;
  AddCalled(whole.proto, found.graph().node(), called);
  CHECK(NamesOf(found.functions()) == called);
}

// What the part must be, of the whole as it is.
inline void CheckPart(const Whole& whole, const Part& part, const std::string& bytes) {
  const onnx::ModelProto found = ParseModel(WithoutDocs(bytes));
  const onnx::GraphProto& all = whole.proto.graph();
  REQUIRE(static_cast<size_t>(found.graph().node_size()) == part.nodes.size());
  CHECK(std::is_sorted(part.nodes.begin(), part.nodes.end()));
  NameSet read;
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    const auto index = static_cast<int>(whole.model.graph().node(part.nodes[i]).index);
    const onnx::NodeProto& node = found.graph().node(static_cast<int>(i));
    CHECK(node.SerializeAsString() == all.node(index).SerializeAsString());
    ForEachRead(node, {}, [&](const std::string& name) { read.insert(name); });
  }
  std::vector<std::string> weights;
  for (const onnx::TensorProto& tensor : all.initializer()) {
    if (read.count(tensor.name()) > 0) weights.push_back(tensor.SerializeAsString());
  }
  REQUIRE(static_cast<size_t>(found.graph().initializer_size()) == weights.size());
  CHECK(part.parameters == weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    CHECK(found.graph().initializer(static_cast<int>(i)).SerializeAsString() == weights[i]);
  }
  CheckWhole(whole, part, found);
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_PARTS_CHECKED_PARTS_H_
