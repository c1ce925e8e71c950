// SPDX-License-Identifier: Apache-2.0
#include "lib/base/json_scanner.h"

#include <cstdint>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "tests/support/json_events.h"
#include "tests/support/random.h"

namespace onnx_hier {
namespace {

using testing::ParsedEvents;
using testing::ScannedEvents;

struct Failure {
  JsonError error;
  uint64_t position;
};

Failure FailureOf(absl::string_view text) {
  JsonScanner json(text);
  while (json.Next()) {
  }
  CHECK_FALSE(json.Next());  // which changes nothing
  return {json.error(), json.position()};
}

// Words of JSON, right and wrong.
constexpr absl::string_view kWords[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "\"a\"",
                                        "\"\"",
                                        "0",
                                        "-1",
                                        "12.5e-3",
                                        "1e400",
                                        "-0",
                                        "01",
                                        "1.",
                                        ".5",
                                        "true",
                                        "false",
                                        "null",
                                        "nul",
                                        " ",
                                        "\n",
                                        "\"\\u00e4\"",
                                        "\"\\ud83d\\ude42\"",
                                        "\"\\ud83d\"",
                                        "\"\\ude42x\"",
                                        "\"\xC3\xA4\"",
                                        "\"\xC3\"",
                                        "\"\\n\\t\\/\"",
                                        "\"\x01\"",
                                        "\"\x7F\"",
                                        "\"a plain text that is longer than a block\"",
                                        "\"\\x\"",
                                        "\"\\u12\"",
                                        "18446744073709551615",
                                        "123456789012345678901234567890",
                                        "1E+2",
                                        "\xEF\xBB\xBF",
                                        "\"",
                                        "\\",
                                        "0.1",
                                        "-",
                                        "2.2250738585072014e-308"};

std::string RandomText(testing::Random& random) {
  std::string text;
  for (uint64_t words = 1 + random.Below(12); words > 0; --words) {
    const absl::string_view word = kWords[random.Below(std::size(kWords))];
    text.append(word.data(), word.size());
  }
  return text;
}

// Well-formed, most of it.
void AppendValue(testing::Random& random, int depth, std::string* text) {
  const uint64_t kind = depth == 0 ? 2 : random.Below(4);
  if (kind < 2) {
    *text += kind == 0 ? "{" : "[";
    for (uint64_t i = 0, items = random.Below(4); i < items; ++i) {
      if (i > 0) *text += ",";
      if (kind == 0) *text += random.OneIn(2) ? R"("key": )" : R"("k\u0065\n":)";
      AppendValue(random, depth - 1, text);
    }
    *text += kind == 0 ? "}" : " ]";
    return;
  }
  if (random.OneIn(40)) {
    const absl::string_view word = kWords[random.Below(std::size(kWords))];
    text->append(word.data(), word.size());
    return;
  }
  constexpr absl::string_view kValues[] = {
      "1", "-2.5", "3e5", "true", "null", "\"\"", "\"a\\\"\"", "1e-5", "\"\xE2\x82\xAC\"", "0.25"};
  const absl::string_view value = kValues[random.Below(std::size(kValues))];
  text->append(value.data(), value.size());
}

void CheckSame(absl::string_view text) {
  CAPTURE(text);
  const auto expected = ParsedEvents(text);
  CHECK(ScannedEvents(text) == expected);
  for (size_t piece : {1, 2, 3, 7, 16, 100}) {
    CAPTURE(piece);
    CHECK(ScannedEvents(text, piece) == expected);
  }
}

TEST_CASE("what a text says") {
  JsonScanner json(R"({"a":[1,2.5,"x\n",{}],"b":{"c":[[true]]},"n":18446744073709551615})");
  REQUIRE(json.Next());
  CHECK(json.event() == JsonEvent::kObject);
  CHECK(json.depth() == 0);
  REQUIRE(json.NextKey());
  CHECK(json.text() == "a");
  CHECK(json.depth() == 1);
  REQUIRE(json.Next());
  CHECK(json.event() == JsonEvent::kArray);
  REQUIRE(json.NextItem());
  CHECK(json.Unsigned() == 1);
  CHECK(json.depth() == 2);
  REQUIRE(json.NextItem());
  CHECK(json.number() == 2.5);
  CHECK_FALSE(json.Unsigned());
  REQUIRE(json.NextItem());
  CHECK(json.text() == "x\n");
  REQUIRE(json.NextItem());
  json.Skip();
  CHECK(json.event() == JsonEvent::kObjectEnd);
  CHECK(json.depth() == 2);
  CHECK_FALSE(json.NextItem());
  REQUIRE(json.NextKey());
  CHECK(json.text() == "b");
  REQUIRE(json.Next());
  json.Skip();
  REQUIRE(json.NextKey());
  REQUIRE(json.Next());
  CHECK(json.Unsigned() == 18446744073709551615u);
  CHECK_FALSE(json.NextKey());
  CHECK(json.Finish());
}

TEST_CASE("where a text is wrong") {
  const auto check = [](absl::string_view text, JsonError error, uint64_t position) {
    CAPTURE(text);
    const Failure failure = FailureOf(text);
    CHECK(failure.error == error);
    CHECK(failure.position == position);
  };
  check("", JsonError::kEnds, 1);
  check("[1,2", JsonError::kEnds, 5);
  check("[1 2]", JsonError::kNotJson, 4);
  check("{1}", JsonError::kNotJson, 2);
  check(R"({"a" 1})", JsonError::kNotJson, 6);
  check(R"(["a)", JsonError::kEnds, 4);
  check(R"(["\u12"])", JsonError::kNotJson, 7);
  check(R"(["  \x"])", JsonError::kNotJson, 6);
  check("[1e999]", JsonError::kNumberTooLarge, 6);
  check("[] []", JsonError::kNotJson, 4);
  check("[tru]", JsonError::kNotJson, 5);
}

TEST_CASE("a text without end is not kept") {
  const std::string text = "[\"" + std::string(1000, 'n') + "\"]";
  for (size_t piece : {7, 100, 5000}) {
    testing::JsonPieces pieces(text, piece);
    JsonScanner json(pieces, 100);
    REQUIRE(json.Next());
    CHECK_FALSE(json.Next());
    CHECK(json.error() == JsonError::kStringTooLong);
    CHECK(json.position() == 102);
  }
  // One that is just as long as may be is.
  const std::string longest = "[\"" + std::string(100, 'n') + "\"]";
  for (size_t piece : {7, 5000}) {
    testing::JsonPieces pieces(longest, piece);
    JsonScanner json(pieces, 100);
    REQUIRE(json.Next());
    REQUIRE(json.Next());
    CHECK(json.text().size() == 100);
  }
  std::string escapes = "\"";
  for (int i = 0; i < 1000; ++i) escapes += "\\u20ac";
  for (size_t piece : {7, 100, 50000}) {
    testing::JsonPieces pieces(escapes, piece);
    JsonScanner json(pieces, 100);
    CHECK_FALSE(json.Next());
    CHECK(json.error() == JsonError::kStringTooLong);
    CHECK(json.position() < 250);
  }
}

TEST_CASE("a text is read as others read it") {
  testing::Random random(1);
  for (const absl::string_view word : kWords) CheckSame(word);
  for (uint64_t i = 0; i < testing::Rounds(2000); ++i) CheckSame(RandomText(random));
  for (uint64_t i = 0; i < testing::Rounds(2000); ++i) {
    std::string text;
    AppendValue(random, 4, &text);
    CheckSame(text);
  }
}

}  // namespace
}  // namespace onnx_hier
