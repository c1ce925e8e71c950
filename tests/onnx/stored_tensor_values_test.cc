// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/stored_tensor_values.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "doctest/doctest.h"
#include "lib/graph/data_type.h"
#include "tests/onnx/model_text.h"
#include "tests/support/status.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Value;

template <class Number>
std::string BytesOf(const std::vector<Number>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()),
                     numbers.size() * sizeof(Number));
}

// Of a model's only tensor; none: they are not read.
std::vector<double> ValuesOf(const std::string& initializer, size_t count) {
  const testing::Scanned scanned = Value(testing::Scan(wire::Model(wire::Graph(initializer))));
  StoredTensorValues stored(scanned.image, scanned.model, "");
  if (!Value(stored.Begin(TensorId(0)))) return {};
  std::vector<double> values(count);
  // In two pieces.
  CHECK(stored.Read(absl::MakeSpan(values).subspan(0, 1)).ok());
  CHECK(stored.Read(absl::MakeSpan(values).subspan(1)).ok());
  return values;
}

template <class Number>
std::vector<double> Read(int32_t type, const std::vector<Number>& numbers) {
  return ValuesOf(
      wire::Initializer("w", {static_cast<int64_t>(numbers.size())}, BytesOf(numbers), type),
      numbers.size());
}

TEST_CASE("numbers of all types that have a byte or more") {
  using Values = std::vector<double>;
  CHECK(Read<float>(data_type::kFloat, {1.5F, -2}) == Values{1.5, -2});
  CHECK(Read<double>(data_type::kDouble, {1.5, -2}) == Values{1.5, -2});
  CHECK(Read<int8_t>(data_type::kInt8, {-128, 127}) == Values{-128, 127});
  CHECK(Read<uint8_t>(data_type::kUint8, {255, 1}) == Values{255, 1});
  CHECK(Read<uint8_t>(data_type::kBool, {0, 1}) == Values{0, 1});
  CHECK(Read<int16_t>(data_type::kInt16, {-3, 4}) == Values{-3, 4});
  CHECK(Read<uint16_t>(data_type::kUint16, {65535, 4}) == Values{65535, 4});
  CHECK(Read<int32_t>(data_type::kInt32, {-3, 4}) == Values{-3, 4});
  CHECK(Read<uint32_t>(data_type::kUint32, {3000000000U, 4}) == Values{3e9, 4});
  CHECK(Read<int64_t>(data_type::kInt64, {-3, 4}) == Values{-3, 4});
  CHECK(Read<uint64_t>(data_type::kUint64, {3, 4}) == Values{3, 4});
  CHECK(Read<uint16_t>(data_type::kBfloat16, {0x3FC0, 0xC000}) == Values{1.5, -2});
}

TEST_CASE("numbers that take as many bytes as they need") {
  const auto numbers = [](uint32_t field, int32_t type, const std::vector<uint64_t>& values) {
    std::string packed;
    for (uint64_t value : values) packed += wire::Varint(value);
    return ValuesOf(wire::Bytes(5, wire::Number(1, values.size()) +
                                       wire::Number(2, static_cast<uint64_t>(type)) +
                                       wire::Bytes(8, "w") + wire::Bytes(field, packed)),
                    values.size());
  };
  using Values = std::vector<double>;
  constexpr auto kMinusTwo = static_cast<uint64_t>(-2);
  CHECK(numbers(7, data_type::kInt64, {3, kMinusTwo, 300}) == Values{3, -2, 300});
  CHECK(numbers(5, data_type::kInt32, {3, kMinusTwo}) == Values{3, -2});
  CHECK(numbers(5, data_type::kBool, {1, 0}) == Values{1, 0});
  CHECK(numbers(5, data_type::kFloat16, {0x3E00, 0xC000}) == Values{1.5, -2});
  CHECK(numbers(5, data_type::kBfloat16, {0x3FC0, 0xC000}) == Values{1.5, -2});
  CHECK(numbers(11, data_type::kUint64, {1ULL << 63, 4}) == Values{9223372036854775808.0, 4});
}

TEST_CASE("half precision: ordinary, smallest, infinite, none") {
  const std::vector<double> values = Read<uint16_t>(
      data_type::kFloat16, {0x3E00, 0xC000, 0x0001, 0x8400, 0x7BFF, 0x7C00, 0xFC00, 0x7E00});
  REQUIRE(values.size() == 8);
  CHECK(values[0] == 1.5);
  CHECK(values[1] == -2);
  CHECK(values[2] == std::ldexp(1, -24));
  CHECK(values[3] == -std::ldexp(1, -14));
  CHECK(values[4] == 65504);
  CHECK(std::isinf(values[5]));
  CHECK(values[6] == -INFINITY);
  CHECK(std::isnan(values[7]));
}

TEST_CASE("what is of another size than its type and shape say is not read") {
  CHECK(Read<float>(data_type::kFloat8E4M3Fn, {1, 2}).empty());
  CHECK(ValuesOf(wire::Initializer("w", {3}, std::string(8, 'x')), 3).empty());
  CHECK(ValuesOf(wire::Initializer("w", {3}), 3).empty());
}

}  // namespace
}  // namespace onnx_hier
