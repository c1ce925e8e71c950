// SPDX-License-Identifier: Apache-2.0

// A network of alike layers with skip connections, whose owners are known by construction. It is
// made up: no weights were ever fitted on it.
//
//   layers.I:   x -> norm -> attention.q, attention.k -> attention (MatMul, Softmax) -> Add with x
//               -> mlp.up -> mlp.act (Relu) -> mlp.down -> Add
//   head
#ifndef ONNX_HIER_TESTS_SUPPORT_LAYERED_MODEL_H_
#define ONNX_HIER_TESTS_SUPPORT_LAYERED_MODEL_H_

#include <functional>
#include <string>
#include <vector>

#include "onnx_hier/graph.h"
#include "tests/support/test_graph.h"

namespace onnx_hier::testing {

class LayeredModel {
 public:
  // Whether the n-th node keeps its name.
  using Keeps = std::function<bool(size_t)>;

  LayeredModel(size_t layers, const Keeps& keeps);

  const Graph& graph() const { return *graph_; }
  // By node: the dotted name of its module.
  const std::vector<std::string>& owners() const { return owners_; }

 private:
  std::string Add(const std::string& op, const std::string& module, std::vector<std::string> inputs,
                  const std::string& parameter = "");

  TestGraph model_;
  Keeps keeps_;
  std::vector<std::string> owners_;
  const Graph* graph_ = nullptr;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_LAYERED_MODEL_H_
