#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/reports.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Value;

// A model of three layers as exporters write it, but for one thing.
struct Net {
  std::string root = "/net";
  std::string list = "layer";  // what its members are called
  std::string act = "act";     // ... and the activations in them
  std::string activation = "Relu";
  std::string attributes;  // of the activations
  int64_t width = 8;       // of the weights
  char last_weight = 'w';  // what the last one holds
  bool has_head = false;

  std::string Bytes() const {
    std::string fields = wire::Input("x");
    std::string value = "x";
    const auto add = [&](const std::string& op, const std::string& scope, const std::string& weight,
                         const std::string& more) {
      wire::Names inputs = {value};
      if (!weight.empty()) inputs.push_back(weight);
      value = absl::StrCat(scope, "/", op, "_output_0");
      fields += wire::Node(op, inputs, {value}, absl::StrCat(scope, "/", op), more);
    };
    const std::string dotted = root.empty() ? "" : root.substr(1) + ".";
    for (int i = 0; i < 3; ++i) {
      const std::string scope = absl::StrCat(root, "/", list, ".", i);
      const std::string weight = absl::StrCat(dotted, list, ".", i, ".fc.weight");
      add("MatMul", scope + "/fc", weight, "");
      add(activation, absl::StrCat(scope, "/", act), "", attributes);
      const std::string contents(static_cast<size_t>(width) * 4, i == 2 ? last_weight : 'v');
      fields += wire::Initializer(weight, {width, 1}, contents);
    }
    if (has_head) add("Softmax", root + "/head", "", "");
    return wire::Model(wire::Graph(fields + wire::Output(value)));
  }
};

// As for people, of the whole of both.
std::string Diff(const Net& a, const Net& b, const DiffOptions& options = {}) {
  const Model model_a = Value(Model::FromBytes(a.Bytes()));
  const Model model_b = Value(Model::FromBytes(b.Bytes()));
  const Annotation annotation_a = Annotate(model_a);
  const Annotation annotation_b = Annotate(model_b);
  const Hierarchy modules_a(model_a.graph(), annotation_a);
  const Hierarchy modules_b(model_b.graph(), annotation_b);
  const ModelDiff diff = Value(Compare(model_a, modules_a, model_b, modules_b, options));
  return DiffReportText({"a.onnx", "b.onnx", annotation_a, annotation_b, diff});
}

TEST_CASE("a model is the same as itself, and as one of other names for the whole") {
  CHECK(Diff({}, {}) == "6 modules the same, 0 changed\n");
  CHECK(Diff({}, {.root = ""}) == "/net of A is / of B\n6 modules the same, 0 changed\n");
  CHECK(Diff({.root = ""}, {.root = "/model/net"}) ==
        "/ of A is /model/net of B\n6 modules the same, 0 changed\n");
  CHECK(Diff({.has_head = true}, {.list = "block", .has_head = true}) ==
        "/net/layer of A is /net/block of B\n7 modules the same, 0 changed\n");
}

TEST_CASE("what changed, by module; the same change of siblings in one line") {
  CHECK(Diff({}, {.activation = "Gelu"}) ==
        "3 modules the same, 3 changed\n"
        "/net/layer.*/act x3  operators\n"
        "    - Relu\n"
        "    + Gelu\n");
  const std::string alpha = wire::Attribute("alpha", wire::Number(3, 1));
  CHECK(Diff({}, {.attributes = alpha}) ==
        "3 modules the same, 3 changed\n"
        "/net/layer.*/act x3  wiring or attributes\n");
  CHECK(Diff({}, {.width = 16}) ==
        "3 modules the same, 3 changed\n"
        "/net/layer.*/fc x3  parameters\n"
        "    - float32[8,1]\n"
        "    + float32[16,1]\n");
  CHECK(Diff({}, {.last_weight = 'z'}) ==
        "5 modules the same, 1 changed\n"
        "/net/layer.2/fc  weights\n");
  CHECK(Diff({.has_head = true}, {}) ==
        "6 modules the same, 1 changed\n"
        "/net/head  only in A\n"
        "    - Softmax\n");
  CHECK(Diff({}, {.has_head = true}) ==
        "6 modules the same, 1 changed\n"
        "/net/head  only in B\n"
        "    + Softmax\n");
}

TEST_CASE("a module with another name is recognised by its nodes") {
  CHECK(Diff({}, {.act = "gate"}) ==
        "3 modules the same, 3 changed\n"
        "/net/layer.*/act -> /net/layer.*/gate x3  moved\n");
}

TEST_CASE("structure or weights alone, and the upper levels alone") {
  const Net other = {.activation = "Gelu", .last_weight = 'z'};
  CHECK(Diff({}, other, {.weights = false}) ==
        "3 modules the same, 3 changed\n"
        "/net/layer.*/act x3  operators\n"
        "    - Relu\n"
        "    + Gelu\n");
  CHECK(Diff({}, other, {.structure = false}) ==
        "5 modules the same, 1 changed\n"
        "/net/layer.2/fc  weights\n");
  CHECK(Diff({}, {.last_weight = 'z'}, {.depth = 2}) ==
        "2 modules the same, 1 changed\n"
        "/net/layer.2  weights\n");
}

}  // namespace
}  // namespace onnx_hier
