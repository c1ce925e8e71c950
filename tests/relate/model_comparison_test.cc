// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/graph/data_type.h"
#include "onnx_hier/diff.h"
#include "onnx_hier_program/reports.h"
#include "tests/relate/compared.h"
#include "tests/support/raw_bytes.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

// A model of layers as exporters write it, but for one thing.
struct Net {
  std::string root = "/net";
  std::string list = "layer";  // what its members are called
  std::string act = "act";     // ... and the activations in them
  std::string activation = "Relu";
  std::string attributes;      // of the activations
  int64_t width = 8;           // of the weights
  std::string layers = "vvw";  // what the weights of each hold; of capitals, another activation
  int blocks = 0;              // lists of such layers, in a list of blocks; 0: one list alone
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
    for (int block = 0; block < std::max(blocks, 1); ++block) {
      const std::string number = blocks == 0 ? "" : absl::StrCat("block.", block);
      for (size_t i = 0; i < layers.size(); ++i) {
        const std::string scope =
            absl::StrCat(root, blocks == 0 ? "" : "/", number, "/", list, ".", i);
        const std::string weight =
            absl::StrCat(dotted, number, blocks == 0 ? "" : ".", list, ".", i, ".fc.weight");
        add("MatMul", scope + "/fc", weight, "");
        const bool is_other = layers[i] >= 'A' && layers[i] <= 'Z';
        add(is_other ? "Elu" : activation, absl::StrCat(scope, "/", act), "", attributes);
        fields += wire::Initializer(weight, {width, 1}, Weights(layers[i]));
      }
    }
    if (has_head) add("Softmax", root + "/head", "", "");
    return wire::Model(wire::Graph(fields + wire::Output(value)));
  }

  std::string Weights(char layer) const {
    const auto value = static_cast<float>(layer);
    std::string bytes;
    for (int64_t i = 0; i < width; ++i) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    return bytes;
  }
};

using ReportText = std::string (*)(const DiffReport& report);

// As for people, of the whole of both.
std::string Diff(const Net& a, const Net& b, const DiffOptions& options = {},
                 ReportText text = DiffReportText) {
  const testing::Compared compared(a.Bytes(), b.Bytes(), options);
  return text({"a.onnx", "b.onnx", compared.annotation_a, compared.annotation_b, compared.diff});
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
        "/net/layer.*/act x3  wiring or attributes\n"
        "    ~ Relu alpha: none -> 1\n");
  CHECK(Diff({}, {.width = 16}) ==
        "3 modules the same, 3 changed\n"
        "/net/layer.*/fc x3  parameters\n"
        "    - float32[8,1]\n"
        "    + float32[16,1]\n"
        "in all: 24 -> 48 parameters, 96 B -> 192 B\n");
  CHECK(Diff({}, {.layers = "vvz"}) ==
        "5 modules the same, 1 changed\n"
        "/net/layer.2/fc  weights: largest difference 3, relative 2.52 %\n");
  CHECK(Diff({.has_head = true}, {}) ==
        "6 modules the same, 1 changed\n"
        "/net/head  only in A\n"
        "    - Softmax\n"
        "in all: 7 -> 6 nodes\n");
  CHECK(Diff({}, {.has_head = true}) ==
        "6 modules the same, 1 changed\n"
        "/net/head  only in B\n"
        "    + Softmax\n"
        "in all: 6 -> 7 nodes\n");
}

TEST_CASE("a module with another name is recognised by its nodes") {
  CHECK(Diff({}, {.act = "gate"}) ==
        "3 modules the same, 3 changed\n"
        "/net/layer.*/act -> /net/layer.*/gate x3  moved\n");
}

TEST_CASE("structure or weights alone, and the upper levels alone") {
  const Net other = {.activation = "Gelu", .layers = "vvz"};
  CHECK(Diff({}, other, {.weights = false}) ==
        "3 modules the same, 3 changed\n"
        "/net/layer.*/act x3  operators\n"
        "    - Relu\n"
        "    + Gelu\n");
  CHECK(Diff({}, other, {.structure = false}) ==
        "5 modules the same, 1 changed\n"
        "/net/layer.2/fc  weights: largest difference 3, relative 2.52 %\n");
  CHECK(Diff({}, {.layers = "vvz"}, {.depth = 2}) ==
        "2 modules the same, 1 changed\n"
        "/net/layer.2  weights: largest difference 3, relative 2.52 %\n");
}

TEST_CASE("members of lists are recognised by what they hold") {
  CHECK(Diff({.layers = "abcd"}, {.layers = "abxcd"}) ==
        "8 modules the same, 2 changed\n"
        "/net/layer.2  inserted: 2 modules, 2 nodes, 8 parameters\n"
        "/net/layer.[2-3]  are layer.[3-4] now, the same\n"
        "in all: 8 -> 10 nodes, 32 -> 40 parameters, 128 B -> 160 B\n");
  CHECK(Diff({.layers = "abcd"}, {.layers = "xabcdy"}) ==
        "8 modules the same, 4 changed\n"
        "/net/layer.0  inserted: 2 modules, 2 nodes, 8 parameters\n"
        "/net/layer.5  inserted: 2 modules, 2 nodes, 8 parameters\n"
        "/net/layer.[0-3]  are layer.[1-4] now, the same\n"
        "in all: 8 -> 12 nodes, 32 -> 48 parameters, 128 B -> 192 B\n");
  CHECK(Diff({.layers = "abcdef"}, {.layers = "abef"}) ==
        "8 modules the same, 4 changed\n"
        "/net/layer.[2-3]  removed: 2 modules, 2 nodes, 8 parameters each\n"
        "/net/layer.[4-5]  are layer.[2-3] now, the same\n"
        "in all: 12 -> 8 nodes, 48 -> 32 parameters, 192 B -> 128 B\n");
  CHECK(Diff({.layers = "abcd"}, {.layers = "acbd"}) ==
        "8 modules the same, 0 changed\n"
        "/net/layer.1  moved to layer.2, the same\n"
        "/net/layer.2  is layer.1 now, the same\n");
  CHECK(Diff({.layers = "abcd"}, {.layers = "acbd"}, {}, DiffStatText) ==
        "8 modules the same, 0 changed\n"
        "/net/layer: 1 layer moved\n");
  CHECK(Diff({.layers = "abcd"}, {.layers = "abbcd"}) ==
        "8 modules the same, 2 changed\n"
        "/net/layer.2  inserted, a copy of layer.1: 2 modules, 2 nodes, 8 parameters\n"
        "/net/layer.[2-3]  are layer.[3-4] now, the same\n"
        "in all: 8 -> 10 nodes, 32 -> 40 parameters, 128 B -> 160 B\n");
  CHECK(Diff({.layers = "abcd"}, {.layers = "abxCd"}) ==
        "7 modules the same, 3 changed\n"
        "/net/layer.3  inserted: 2 modules, 2 nodes, 8 parameters\n"
        "/net/layer.3  is layer.4 now, the same\n"
        "/net/layer.2/fc  weights: largest difference 21, relative 21.2 %\n"
        "in all: 8 -> 10 nodes, 32 -> 40 parameters, 128 B -> 160 B\n");
  // Where nothing tells which one is new, it is the last.
  CHECK(Diff({.layers = "aaaa"}, {.layers = "aaaaa"}) ==
        "8 modules the same, 2 changed\n"
        "/net/layer.4  inserted, a copy of layer.0: 2 modules, 2 nodes, 8 parameters\n"
        "in all: 8 -> 10 nodes, 32 -> 40 parameters, 128 B -> 160 B\n");
  CHECK(Diff({.layers = "abc"}, {.layers = "xyzu"}) ==
        "3 modules the same, 5 changed\n"
        "/net/layer.3  inserted: 2 modules, 2 nodes, 8 parameters\n"
        "/net/layer.*/fc x3  weights: largest difference 23, relative 23.7 %\n"
        "in all: 6 -> 8 nodes, 24 -> 32 parameters, 96 B -> 128 B\n");
}

TEST_CASE("members of lists are recognised by how they are built") {
  CHECK(Diff({.layers = "aBcD"}, {.layers = "xYEzU"}, {.weights = false}) ==
        "8 modules the same, 2 changed\n"
        "/net/layer.2  inserted: 2 modules, 2 nodes, 8 parameters\n"
        "/net/layer.[2-3]  are layer.[3-4] now, the same\n"
        "in all: 8 -> 10 nodes, 32 -> 40 parameters, 128 B -> 160 B\n");
  CHECK(Diff({.layers = "abc"}, {.layers = "ABC"}) ==
        "0 modules the same, 6 changed\n"
        "/net/layer.*/fc x3  weights: largest difference 32, relative 33 %\n"
        "/net/layer.*/act x3  operators\n"
        "    - Relu\n"
        "    + Elu\n");
}

TEST_CASE("lists in lists") {
  CHECK(Diff({.layers = "abc", .blocks = 2}, {.layers = "axbc", .blocks = 2}) ==
        "12 modules the same, 4 changed\n"
        "/net/block.*/layer.1 x2  inserted: 2 modules, 2 nodes, 8 parameters\n"
        "/net/block.*/layer.[1-2] x2  are layer.[2-3] now, the same\n"
        "in all: 12 -> 16 nodes, 48 -> 64 parameters, 192 B -> 256 B\n");
  CHECK(Diff({.layers = "abc", .blocks = 2}, {.layers = "abc", .blocks = 3}) ==
        "12 modules the same, 6 changed\n"
        "/net/block.2  inserted, a copy of block.0: 6 modules, 6 nodes, 24 parameters\n"
        "in all: 12 -> 18 nodes, 48 -> 72 parameters, 192 B -> 288 B\n");
}

// Of two models of one weight: what is said of it.
std::string WeightsDiff(int32_t type_a, const std::string& bytes_a, int32_t type_b,
                        const std::string& bytes_b, const std::vector<int64_t>& dims_b = {4}) {
  const auto model = [](int32_t type, const std::string& bytes, const std::vector<int64_t>& dims) {
    return wire::Model(wire::Graph(wire::Input("x") + wire::Initializer("fc.w", dims, bytes, type) +
                                   wire::Node("Mul", {"x", "fc.w"}, {"y"}, "/fc/Mul") +
                                   wire::Output("y")));
  };
  const testing::Compared compared(model(type_a, bytes_a, {4}), model(type_b, bytes_b, dims_b));
  const std::string text = DiffReportText(
      {"a.onnx", "b.onnx", compared.annotation_a, compared.annotation_b, compared.diff});
  const size_t begin = text.find("/fc  ");
  return begin == std::string::npos ? ""
                                    : text.substr(begin + 5, text.find('\n', begin) - begin - 5);
}

TEST_CASE("weights of types that hold the same numbers are compared, others are not") {
  const std::string floats = testing::Bytes<float>({1, 2, 3, 4});
  const std::string other = testing::Bytes<float>({1, 2, 3, 5});
  const std::string halves = testing::Bytes<uint16_t>({0x3C00, 0x4000, 0x4200, 0x4400});
  const std::string bfloats = testing::Bytes<uint16_t>({0x3F80, 0x4000, 0x4040, 0x4080});
  const std::string doubles = testing::Bytes<double>({1, 2, 3, 5});
  const std::string integers = testing::Bytes<int32_t>({1, 2, 3, 5});
  CHECK(WeightsDiff(data_type::kFloat, floats, data_type::kFloat, floats).empty());
  CHECK(WeightsDiff(data_type::kFloat, floats, data_type::kFloat, other) ==
        "weights: largest difference 1, relative 18.3 %");
  const std::string measured = "parameters: largest difference 1, relative ";
  CHECK(WeightsDiff(data_type::kFloat, floats, data_type::kDouble, doubles) == measured + "18.3 %");
  CHECK(WeightsDiff(data_type::kFloat16, halves, data_type::kFloat, other) == measured + "18.3 %");
  CHECK(WeightsDiff(data_type::kFloat, other, data_type::kBfloat16, bfloats) == measured + "16 %");
  CHECK(WeightsDiff(data_type::kFloat, floats, data_type::kInt32, integers) == "parameters");
  CHECK(WeightsDiff(data_type::kInt32, integers, data_type::kInt32,
                    testing::Bytes<int32_t>({1, 2, 3, 7})) ==
        "weights: largest difference 2, relative 32 %");
  CHECK(WeightsDiff(data_type::kFloat, floats, data_type::kFloat, other, {2, 2}) == "parameters");
}

TEST_CASE("numbers that are none are told apart, and those of zeros by nothing") {
  const float nan = std::nanf("");
  const float inf = HUGE_VALF;
  const auto differ = [](const std::vector<float>& a, const std::vector<float>& b) {
    return WeightsDiff(data_type::kFloat, testing::Bytes(a), data_type::kFloat, testing::Bytes(b));
  };
  CHECK(differ({nan, inf, inf, 1}, {nan, inf, 1, 3}) ==
        "weights: largest difference 2, relative 200 %, 1 not finite");
  CHECK(differ({nan, inf, 1, 1}, {nan, -inf, nan, 1}) ==
        "weights: largest difference 0, relative 0 %, 2 not finite");
  CHECK(differ({0, 0, 0, 0}, {0, 0, 0, 2}) == "weights: largest difference 2");
}

}  // namespace
}  // namespace onnx_hier
