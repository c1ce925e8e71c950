// SPDX-License-Identifier: Apache-2.0
#include "lib/base/interner.h"

#include <deque>
#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("distinct strings are numbered as they come") {
  Interner names;
  CHECK(names.Find("a") == Interner::kNone);
  CHECK(names.Intern("a") == 0);
  CHECK(names.Intern("b") == 1);
  CHECK(names.Intern("a") == 0);
  CHECK(names.Intern("") == 2);
  CHECK(names.Find("") == 2);
  CHECK(names.Find("c") == Interner::kNone);
  CHECK(names.size() == 3);
}

TEST_CASE("bytes that are no text count as they are") {
  Interner names;
  CHECK(names.Intern(absl::string_view("a\0b", 3)) == 0);
  CHECK(names.Intern(absl::string_view("a\0c", 3)) == 1);
  CHECK(names.Intern("a") == 2);
  CHECK(names.Intern("\xFF") == 3);
}

TEST_CASE("growing keeps every number") {
  std::deque<std::string> texts;
  Interner names;
  for (uint32_t i = 0; i < 20000; ++i) {
    texts.push_back(absl::StrCat("/encoder/layer.", i));
    REQUIRE(names.Intern(texts.back()) == i);
  }
  for (uint32_t i = 0; i < 20000; ++i) {
    REQUIRE(names.Find(texts[i]) == i);
    REQUIRE(names.text(i) == texts[i]);
  }
}

}  // namespace
}  // namespace onnx_hier
