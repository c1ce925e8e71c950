// SPDX-License-Identifier: Apache-2.0
#include "lib/base/pen.h"

#include <cstdint>
#include <limits>
#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

std::string TextOf(size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
  return text;
}

TEST_CASE("pieces of every size, and nothing behind them") {
  for (size_t size = 0; size < 200; ++size) {
    const std::string piece = TextOf(size);
    std::string room(size + 9, '#');
    Pen pen(room.data());
    pen.Put("<").Put(absl::string_view(piece)).Put('>');
    CAPTURE(size);
    CHECK(pen.end() == room.data() + size + 2);
    CHECK(room == "<" + piece + ">#######");
  }
}

TEST_CASE("numbers take no more than the longest") {
  std::string room(3 * Pen::kLongestNumber, '#');
  Pen pen(room.data());
  pen.Number(std::numeric_limits<uint64_t>::max());
  CHECK(pen.end() <= room.data() + Pen::kLongestNumber);
  pen.Put(",").Number(std::numeric_limits<int64_t>::min()).Put(",").Number(0);
  CHECK(room.substr(0, static_cast<size_t>(pen.end() - room.data())) ==
        "18446744073709551615,-9223372036854775808,0");
}

}  // namespace
}  // namespace onnx_hier
