// SPDX-License-Identifier: Apache-2.0
#include "tests/support/layered_model.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace onnx_hier::testing {

LayeredModel::LayeredModel(size_t layers, const Keeps& keeps) : keeps_(keeps) {
  model_.Input("x");
  std::string x = "x";
  for (size_t i = 0; i < layers; ++i) {
    const std::string layer = absl::StrCat("layers.", i);
    const std::string normed = Add("LayerNormalization", layer + ".norm", {x}, "weight");
    const std::string q = Add("MatMul", layer + ".attention.q", {normed}, "weight");
    const std::string k = Add("MatMul", layer + ".attention.k", {normed}, "weight");
    const std::string scores = Add("MatMul", layer + ".attention", {q, k});
    const std::string attended = Add("Softmax", layer + ".attention", {scores});
    const std::string middle = Add("Add", layer, {attended, x});
    const std::string up = Add("MatMul", layer + ".mlp.up", {middle}, "weight");
    const std::string active = Add("Relu", layer + ".mlp.act", {up});
    const std::string down = Add("MatMul", layer + ".mlp.down", {active}, "weight");
    x = Add("Add", layer, {down, middle});
  }
  Add("MatMul", "head", {x}, "weight");
  graph_ = &model_.Build();
}

std::string LayeredModel::Add(const std::string& op, const std::string& module,
                              std::vector<std::string> inputs, const std::string& parameter) {
  const size_t number = owners_.size();
  if (!parameter.empty()) {
    inputs.push_back(absl::StrCat(module, ".", parameter));
    model_.Initializer(inputs.back(), {4, 4});
  }
  const std::string output = absl::StrCat("v", number);
  const std::string path = absl::StrCat("/", absl::StrReplaceAll(module, {{".", "/"}}));
  // The exporter writes members of a list as "layers.0".
  const std::string scope = absl::StrReplaceAll(path, {{"/layers/", "/layers."}});
  model_.Node(op, inputs, {output}, keeps_(number) ? absl::StrCat(scope, "/", op) : "");
  owners_.push_back(module);
  return output;
}

}  // namespace onnx_hier::testing
