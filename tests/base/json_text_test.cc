// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/json_text.h"

#include <cstdint>
#include <string>

#include "doctest/doctest.h"
#include "lib/base/utf8.h"
#include "nlohmann/json.hpp"
#include "tests/support/random.h"

namespace onnx_hier {
namespace {

std::string Quoted(absl::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

std::string Probability(double value) {
  std::string out;
  AppendProbability(value, &out);
  return out;
}

TEST_CASE("strings") {
  struct Case {
    std::string text;
    std::string json;
  };
  const Case cases[] = {
      {"", R"("")"},
      {"/encoder/layer.1", R"("/encoder/layer.1")"},
      {"say \"hi\"", R"("say \"hi\"")"},
      {"a\\b", R"("a\\b")"},
      {"a\nb\rc\td", R"("a\nb\rc\td")"},
      {std::string("\0\x01\x1F\x7F", 4), R"("\u0000\u0001\u001f\u007f")"},
      {"\b\f", R"("\u0008\u000c")"},
      {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82", "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82\""},
      {"a\xFF"
       "b",
       "\"a\xEF\xBF\xBD"
       "b\""},
      {"\xC3", "\"\xEF\xBF\xBD\""},
      {"\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {"</script>", R"("</script>")"},
  };
  for (const Case& c : cases) CHECK(Quoted(c.text) == c.json);
}

TEST_CASE("a byte that needs an escape is seen wherever it stands") {
  for (size_t size = 0; size <= 50; ++size) {
    const std::string plain(size, 'x');
    CAPTURE(size);
    CHECK(IsPlainJson(plain));
    CHECK(PlainJsonPrefix(plain) == size);
    for (const char c : {'\0', '\x1F', '"', '\\', '\x7F', '\x80', '\xFF'}) {
      for (size_t at = 0; at < size; ++at) {
        std::string text = plain;
        text[at] = c;
        CAPTURE(at);
        CHECK(!IsPlainJson(text));
        CHECK(PlainJsonPrefix(text) == at);
      }
    }
  }
}

TEST_CASE("any bytes give JSON, and text comes back as it was") {
  testing::Random random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (uint64_t n = random.Below(24); n > 0; --n) {
      // Lead and continuation bytes more often than chance would have them.
      constexpr uint8_t kBytes[] = {0xC3, 0xA4, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x80, '"', '\\'};
      text += static_cast<char>(random.OneIn(2) ? kBytes[random.Below(10)] : random.Below(256));
    }
    const std::string json = Quoted(text);
    const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
    REQUIRE(parsed.is_string());
    if (IsUtf8(text)) REQUIRE(parsed.get<std::string>() == text);
  }
}

TEST_CASE("plain text ends at the first byte that is none, wherever it stands") {
  constexpr char kSpecial[] = {'"', '\\', '\n', '\0', '\x1F', '\x7F', '\x80', '\xFF'};
  for (size_t length = 0; length <= 40; ++length) {
    CHECK(PlainJsonPrefix(std::string(length, 'x')) == length);
    for (size_t at = 0; at < length; ++at) {
      for (char special : kSpecial) {
        std::string text(length, ' ');
        text[at] = special;
        REQUIRE(PlainJsonPrefix(text) == at);
      }
    }
  }
}

TEST_CASE("probabilities") {
  struct Case {
    double value;
    const char* json;
  };
  const Case cases[] = {
      {1, "1.0"},       {0, "0.0"},          {0.5, "0.5"},        {0.98, "0.98"},
      {0.9f, "0.9"},    {1.0 / 3, "0.3333"}, {2.0 / 3, "0.6667"}, {0.0001, "0.0001"},
      {0.00004, "0.0"}, {0.99996, "1.0"},    {0.9999, "0.9999"},  {-1, "0.0"},
      {2, "1.0"},       {0.1, "0.1"},        {0.01, "0.01"},      {0.1001, "0.1001"},
  };
  for (const Case& c : cases) CHECK(Probability(c.value) == c.json);
}

TEST_CASE("commas and lines") {
  std::string out;
  JsonText json(&out);
  json.BeginObject();
  json.Key("a").BeginArray();
  json.EndArray();
  json.Key("b").BeginObject();
  json.EndObject();
  json.Key("c").BeginArray();
  json.Number(-9223372036854775807 - 1);
  json.Unsigned(18446744073709551615u);
  json.BeginObject();
  json.Key("k").Null();
  json.EndObject();
  json.BeginArray();
  json.Bool(true);
  json.Bool(false);
  json.EndArray();
  json.Raw("{}");
  json.EndArray();
  json.NewLine();
  json.Key("d").BeginArray();
  json.NewLine();
  json.String("x");
  json.NewLine();
  json.String("y");
  json.NewLine();
  json.EndArray();
  json.Key("e").Probability(0.25);
  json.EndObject();
  CHECK(out == R"({"a":[],"b":{},"c":[-9223372036854775808,18446744073709551615,{"k":null},)"
               R"([true,false],{}],)"
               "\n"
               R"("d":[)"
               "\n"
               R"("x",)"
               "\n"
               R"("y")"
               "\n"
               R"(],"e":0.25})");
  CHECK(nlohmann::json::accept(out));
}

TEST_CASE("exact strings keep bytes that are not UTF-8") {
  std::string out;
  AppendExactJsonString("/enc/\xff\xc3\xa4\xc3\"\n", &out);
  CHECK(out == "\"/enc/\\udcff\xc3\xa4\\udcc3\\\"\\n\"");
}

}  // namespace
}  // namespace onnx_hier
