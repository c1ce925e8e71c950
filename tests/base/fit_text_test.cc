// SPDX-License-Identifier: Apache-2.0
#include "lib/base/fit_text.h"

#include <string>

#include "doctest/doctest.h"
#include "lib/base/utf8.h"

namespace onnx_hier {
namespace {

constexpr size_t kMost = 40;

TEST_CASE("the length of what JSON makes of a text") {
  CHECK(WrittenLength("") == 0);
  CHECK(WrittenLength("layer.1") == 7);
  CHECK(WrittenLength("\"\\\n\r\t") == 10);
  CHECK(WrittenLength("\x1b\x7f") == 12);
  CHECK(WrittenLength("ä漢") == 5);
  CHECK(WrittenLength("\xff") == 3);
}

TEST_CASE("a text that fits stays as it is") {
  for (const std::string& text : {std::string(), std::string("/a/b.0"), std::string(kMost, 'x')}) {
    CHECK(FitText(text, kMost) == text);
  }
}

TEST_CASE("a text that does not is cut, and stays cut as it is") {
  const std::string odd[] = {std::string(kMost + 1, 'x'), std::string(1000, 'x'),
                             std::string(20, '\x1b'),     std::string(21, '"'),
                             std::string("\xff"),         std::string(1000, '\xfe')};
  for (const std::string& text : odd) {
    const std::string fit = FitText(text, kMost);
    CHECK(fit != text);
    CHECK(WrittenLength(fit) <= kMost);
    CHECK(IsUtf8(fit));
    CHECK(fit.find('~') != std::string::npos);
    CHECK(FitText(fit, kMost) == fit);
    CHECK(FitText(text, kMost) == fit);
  }
}

TEST_CASE("texts that differ stay different") {
  const std::string beginning(1000, 'x');
  CHECK(FitText(beginning + "a", kMost) != FitText(beginning + "b", kMost));
  CHECK(FitText(beginning, kMost) != FitText(beginning + "x", kMost));
  CHECK(FitText("\xff", kMost) != FitText("\xfe", kMost));
}

TEST_CASE("no character is cut in two") {
  for (size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, 'a');
    for (int i = 0; i < 20; ++i) text += "漢";
    CHECK(IsUtf8(FitText(text, kMost)));
  }
}

}  // namespace
}  // namespace onnx_hier
