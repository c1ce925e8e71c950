// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/name_numbers.h"

#include <string>
#include <vector>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("equal names have one number, others have others") {
  NameNumbers names(/*parallel=*/false);
  const uint32_t a = names.Add("x");
  const uint32_t b = names.Add("y");
  const uint32_t c = names.Add("x");
  names.Finish();
  CHECK(names.number(a) == names.number(c));
  CHECK(names.number(a) != names.number(b));
  CHECK(names.text(names.number(b)) == "y");
  CHECK(names.size() == 2);
}

TEST_CASE("more names than one batch holds, on one thread and on two") {
  constexpr size_t kNames = 100000;
  constexpr size_t kDifferent = 40000;
  std::vector<std::string> texts;
  for (size_t i = 0; i < kDifferent; ++i) texts.push_back("value_" + std::to_string(i));
  for (const bool parallel : {false, true}) {
    NameNumbers names(parallel);
    for (size_t i = 0; i < kNames; ++i) REQUIRE(names.Add(texts[i % kDifferent]) == i);
    names.Finish();
    CHECK(names.size() == kDifferent);
    size_t wrong = 0;
    for (uint32_t i = 0; i < kNames; ++i) wrong += names.number(i) != i % kDifferent;
    CHECK(wrong == 0);
  }
}

TEST_CASE("no names at all") {
  NameNumbers names(/*parallel=*/true);
  names.Finish();
  CHECK(names.size() == 0);
}

}  // namespace
}  // namespace onnx_hier
