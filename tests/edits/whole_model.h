// SPDX-License-Identifier: Apache-2.0

// A model that has of every kind of thing one at least, and where its things are.
#ifndef ONNX_HIER_TESTS_EDITS_WHOLE_MODEL_H_
#define ONNX_HIER_TESTS_EDITS_WHOLE_MODEL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "tests/support/names.h"
#include "tests/support/wire.h"

namespace onnx_hier::testing {

inline std::string Info(const std::string& name) {
  return wire::Bytes(1, name) + wire::Bytes(2, wire::Bytes(1, wire::Number(1, 1)));
}
// Without the field's own tag and length.
inline std::string NodeBytes(const std::string& op, const std::string& name) {
  return wire::Bytes(1, "a") + wire::Bytes(2, "b") + wire::Bytes(3, name) + wire::Bytes(4, op);
}
inline std::string Metadata(const std::string& key, const std::string& value) {
  return wire::Bytes(9, wire::Bytes(1, key) + wire::Bytes(2, value));
}
// That a value is quantised.
inline std::string Annotation(const std::string& name) {
  return wire::Bytes(14, wire::Bytes(1, name) +
                             wire::Bytes(2, wire::Bytes(1, "SCALE_TENSOR") + wire::Bytes(2, "w")));
}
inline std::string Sparse(const std::string& name) {
  return wire::Bytes(
      15, wire::Bytes(1, wire::Number(1, 1) + wire::Number(2, 1) + wire::Bytes(8, name)) +
              wire::Number(3, 9));
}

inline const std::string& Whole() {
  static const std::string file = [] {
    const std::string branch = wire::Node("Neg", {"x"}, {"n"}, "neg", Metadata("k", "inner")) +
                               wire::Initializer("v", {1}, "1234") + wire::Bytes(12, Info("n")) +
                               wire::Bytes(13, Info("m"));
    const std::string graph =
        wire::Node("Mul", {"x", "w"}, {"h"}, "mul", wire::Doc("doc") + Metadata("k", "1")) +
        wire::Node("If", {"c"}, {"i"}, "if", wire::Subgraph("then_branch", branch)) +
        wire::Node("Add", {"h", "i"}, {"y"}) + wire::Name("main") +
        wire::Initializer("w", {2}, "12345678") + wire::Initializer("u", {2}, "12345678") +
        wire::Bytes(11, Info("x")) + wire::Bytes(11, Info("c")) + wire::Bytes(12, Info("y")) +
        wire::Bytes(13, Info("h")) + wire::Bytes(13, Info("i")) + Annotation("h") +
        Annotation("x") + Sparse("s");
    return wire::Model(wire::Graph(graph)) +
           wire::Bytes(14, wire::Bytes(1, "author") + wire::Bytes(2, "me")) +
           wire::Training(wire::Algorithm(wire::Node("Sub", {}, {}))) +
           wire::Function("d", "F", {"p"}, {"q"}, wire::FunctionNode("Exp", {"p"}, {"q"}, "exp")) +
           wire::Function("d", "G", {}, {}, "");
  }();
  return file;
}

inline BlockId FunctionNamed(const Graph& graph, absl::string_view name) {
  for (BlockId id : graph.block_ids()) {
    if (graph.block(id).kind == BlockKind::kFunction && graph.block(id).name == name) return id;
  }
  return BlockId();
}
inline TensorId TensorNamed(const Graph& graph, absl::string_view name) {
  for (TensorId id : graph.tensor_ids()) {
    if (graph.tensor(id).name == name) return id;
  }
  return TensorId();
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_EDITS_WHOLE_MODEL_H_
