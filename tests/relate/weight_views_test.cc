// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/weight_views.h"

#include <string>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "lib/graph/data_type.h"
#include "onnx_hier/model.h"
#include "tests/support/raw_bytes.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Bytes;
using testing::Value;
using wire::Initializer;
using wire::IntAttribute;
using wire::Node;
using Numbers = std::vector<double>;

class Views {
 public:
  explicit Views(const std::string& graph)
      : model_(Value(Model::FromBytes(wire::Model(wire::Graph(graph))))),
        views_(Value(WeightViewsOf(model_))) {}

  const std::vector<WeightView>& all() const { return views_; }

  // Of the first one: numbers that are read after others were skipped, again and again.
  Numbers Read(const std::vector<std::pair<uint64_t, size_t>>& skipped_and_read) const {
    ViewValues values(model_, views_);
    REQUIRE(Value(values.Begin(TensorId(0))));
    Numbers read;
    for (const auto& [skipped, count] : skipped_and_read) {
      CHECK_OK(values.Skip(skipped));
      Numbers some(count);
      CHECK_OK(values.Read(absl::MakeSpan(some)));
      read.insert(read.end(), some.begin(), some.end());
    }
    return read;
  }

 private:
  Model model_;
  std::vector<WeightView> views_;
};

TEST_CASE("a weight as it is") {
  const Views views(Initializer("w", {2, 2}, Bytes<float>({1, 2, 3, 4})) +
                    Initializer("empty", {0}) + Node("MatMul", {"x", "w"}, {"y"}));
  REQUIRE(views.all().size() == 1);
  CHECK_FALSE(views.all()[0].is_quantised);
  CHECK(views.Read({{0, 4}}) == Numbers{1, 2, 3, 4});
  CHECK(views.Read({{1, 1}, {1, 1}}) == Numbers{2, 4});
}

TEST_CASE("quantised: a scale and a zero point for all, or for each index of an axis") {
  const auto dequantised = [](const std::vector<int64_t>& dims, const std::string& scales,
                              const std::string& zeros, const std::string& attributes) {
    return Views(Initializer("w", {2, 3}, std::string("\1\2\3\4\5\6"), data_type::kInt8) +
                 Initializer("s", dims, scales) + Initializer("z", dims, zeros, data_type::kInt8) +
                 Node("DequantizeLinear", {"w", "s", "z"}, {"y"}, "", attributes));
  };
  const Views one = dequantised({}, Bytes<float>({0.5}), std::string("\1"), "");
  REQUIRE(one.all().size() == 1);
  CHECK(one.all()[0].is_quantised);
  CHECK(one.Read({{0, 6}}) == Numbers{0, 0.5, 1, 1.5, 2, 2.5});
  CHECK(dequantised({2}, Bytes<float>({0.5, 2}), std::string("\1\0", 2), IntAttribute("axis", 0))
            .Read({{0, 6}}) == Numbers{0, 0.5, 1, 8, 10, 12});
  // The usual axis is the second one; one from behind counts backwards.
  const auto of_columns = {std::string(), IntAttribute("axis", -1), IntAttribute("axis", 1)};
  for (const std::string& axis : of_columns) {
    CHECK(dequantised({3}, Bytes<float>({1, 10, 100}), std::string("\0\1\0", 3), axis)
              .Read({{0, 6}}) == Numbers{1, 10, 300, 4, 40, 600});
  }
  CHECK(dequantised({3}, Bytes<float>({1, 2, 3}), std::string("\0\0\0", 3), IntAttribute("axis", 2))
            .all()
            .empty());
}

TEST_CASE("zero points of columns, where the result is scaled") {
  const Views views(Initializer("w", {2, 3}, std::string("\1\2\3\4\5\6"), data_type::kInt8) +
                    Initializer("zx", {}, std::string("\0", 1), data_type::kInt8) +
                    Initializer("z", {3}, std::string("\1\2\3"), data_type::kInt8) +
                    Node("MatMulInteger", {"x", "w", "zx", "z"}, {"y"}));
  REQUIRE(!views.all().empty());
  CHECK(views.Read({{0, 6}}) == Numbers{0, 0, 0, 3, 3, 3});
}

// Two rows of four columns, of 4 bits, in blocks of two: 1 2 3 4, 5 6 7 8.
std::string Packed(const std::vector<std::string>& inputs, int64_t block = 2, int64_t bits = 4) {
  return Initializer("w", {2, 2, 1}, std::string("\x21\x43\x65\x87"), data_type::kUint8) +
         Initializer("s", {4}, Bytes<float>({1, 2, 3, 4})) +
         Node("MatMulNBits", inputs, {"y"}, "",
              IntAttribute("K", 4) + IntAttribute("N", 2) + IntAttribute("bits", bits) +
                  IntAttribute("block_size", block));
}

TEST_CASE("two numbers a byte, with a scale for each block") {
  const Views views(Packed({"x", "w", "s"}));
  REQUIRE(views.all().size() == 1);
  CHECK(views.all()[0].dims == std::vector<uint64_t>{2, 4});
  CHECK(views.Read({{0, 8}}) == Numbers{-7, -6, -10, -8, -9, -6, -4, 0});
  // From the midst of a byte, into the midst of one, over whole ones, and nothing at all.
  CHECK(views.Read({{1, 2}, {2, 1}}) == Numbers{-6, -10, -6});
  CHECK(views.Read({{0, 1}, {0, 2}, {1, 1}}) == Numbers{-7, -6, -10, -9});
  CHECK(views.Read({{0, 1}, {4, 1}}) == Numbers{-7, -6});
  CHECK(views.Read({{0, 1}, {1, 0}, {1, 1}}) == Numbers{-7, -8});
}

TEST_CASE("zero points of blocks are packed as well, and rows of them begin with a byte") {
  const Views views(Packed({"x", "w", "s", "z"}) +
                    Initializer("z", {2, 1}, std::string("\x21\x43"), data_type::kUint8));
  CHECK(views.Read({{0, 8}}) == Numbers{0, 1, 2, 4, 6, 9, 12, 16});
}

TEST_CASE("what is packed otherwise is no weight that can be read") {
  CHECK(Views(Packed({"x", "w", "s"}, 3)).all().empty());
  CHECK(Views(Packed({"x", "w", "s"}, 2, 2)).all().empty());
  CHECK(Views(Packed({"x", "w", "s"}, 0)).all().empty());
}

}  // namespace
}  // namespace onnx_hier
