// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/sound_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace onnx_hier::fuzz {
namespace {

using Values = absl::flat_hash_set<std::string>;

bool IsSoundIn(const onnx::GraphProto& graph, Values known);

bool IsSoundNode(const onnx::NodeProto& node, Values& known) {
  for (const std::string& input : node.input()) {
    if (!input.empty() && !known.contains(input)) return false;
  }
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g() && !IsSoundIn(attribute.g(), known)) return false;
    for (const auto& graph : attribute.graphs()) {
      if (!IsSoundIn(graph, known)) return false;
    }
  }
  for (const std::string& output : node.output()) {
    if (!output.empty() && !known.insert(output).second) return false;
  }
  return true;
}

// `known` are the values around it.
bool IsSoundIn(const onnx::GraphProto& graph, Values known) {
  Values parameters;
  for (const auto& tensor : graph.initializer()) {
    if (!parameters.insert(tensor.name()).second || known.contains(tensor.name())) return false;
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    if (!parameters.insert(tensor.values().name()).second) return false;
  }
  for (const auto& input : graph.input()) {
    if (!known.insert(input.name()).second) return false;
  }
  known.insert(parameters.begin(), parameters.end());
  for (const auto& node : graph.node()) {
    if (!IsSoundNode(node, known)) return false;
  }
  return std::all_of(graph.output().begin(), graph.output().end(),
                     [&](const auto& output) { return known.contains(output.name()); });
}

// It sees nothing of what is around its calls.
bool IsSoundFunction(const onnx::FunctionProto& function) {
  Values known;
  for (const std::string& input : function.input()) {
    if (!known.insert(input).second) return false;
  }
  for (const auto& node : function.node()) {
    if (!IsSoundNode(node, known)) return false;
  }
  Values outputs;
  return std::all_of(function.output().begin(), function.output().end(), [&](const auto& output) {
    return known.contains(output) && outputs.insert(output).second;
  });
}

}  // namespace

bool IsSound(const onnx::ModelProto& model) {
  Values domains;
  for (const auto& opset : model.opset_import()) {
    if (opset.version() <= 0 || !domains.insert(opset.domain()).second) return false;
  }
  absl::flat_hash_set<std::pair<std::string, std::string>> functions;
  for (const auto& function : model.functions()) {
    if (!functions.emplace(function.domain(), function.name()).second) return false;
    if (!IsSoundFunction(function)) return false;
  }
  return model.ir_version() > 0 && IsSoundIn(model.graph(), {});
}

}  // namespace onnx_hier::fuzz
