// SPDX-License-Identifier: Apache-2.0
#include "lib/base/common_prefix.h"

#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("a common prefix ends at the first byte that differs, or with the shorter text") {
  const std::string text = "/encoder/layer.12/attention";
  for (size_t size = 0; size <= text.size(); ++size) {
    CHECK(CommonPrefix(text, text.substr(0, size)) == size);
    CHECK(CommonPrefix(text.substr(0, size), text) == size);
    if (size == text.size()) continue;
    std::string other = text;
    other[size] = '\xFF';
    CHECK(CommonPrefix(text, other) == size);
    CHECK(CommonPrefix(other.substr(0, size + 1), text) == size);
  }
  CHECK(CommonPrefix("", "") == 0);
}

}  // namespace
}  // namespace onnx_hier
