// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/own_text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/own_text_oracle.h"
#include "tests/support/random.h"

namespace onnx_hier {
namespace {

using testing::DifferenceFromParser;

// `end` begins with the confidence, and goes on after the tags.
std::string OwnTextWith(absl::string_view end) {
  const size_t number = std::min(end.find_first_not_of("0123456789.e-"), end.size());
  return absl::StrCat(
      R"({"hierarchy_path":"/a/b.0","hierarchy_method":"node_name","hierarchy_confidence":)",
      end.substr(0, number), R"(,"hierarchy_tags":["/a/b.0","/c"],"hierarchy_count":2)",
      end.substr(number));
}

TEST_CASE("our own text, key by key") {
  const std::string text =
      OwnTextWith(R"(0.0625,"hierarchy_call":12,"hierarchy_class_path":"/A/B",)"
                  R"("doc_string":"two\nlines, \"quoted\" \u0001 \\ )"
                  "\xC3\xA4\"}  ");
  const std::optional<OwnText> own = ReadOwnText(text);
  REQUIRE(own.has_value());
  REQUIRE(own->tags.size() == 2);
  CHECK(own->tags[0] == "/a/b.0");
  CHECK(own->tags[1] == "/c");
  CHECK(own->path == "/a/b.0");
  CHECK(own->confidence == 0.0625);
  CHECK(own->has_original);
  CHECK_FALSE(own->is_base64);
  CHECK(own->original == "two\nlines, \"quoted\" \x01 \\ \xC3\xA4");
  CHECK(DifferenceFromParser(*own, text) == "");
}

TEST_CASE("every confidence is the number that the parser reads") {
  for (int units = 0; units < 10000; ++units) {
    const std::string digits = std::to_string(10000 + units).substr(1);
    const std::string text = OwnTextWith(absl::StrCat("0.", digits, "}"));
    const std::optional<OwnText> own = ReadOwnText(text);
    REQUIRE(own.has_value());
    REQUIRE(DifferenceFromParser(*own, text) == "");
  }
}

TEST_CASE("what is not spelled like ours is left to the parser") {
  const char* const kRests[] = {
      "",
      "1.0",
      "1.00}",
      "2.0}",
      "0.}",
      "0.00001}",
      "1e-1}",
      "1.0,}",
      "1.0} more",
      "1.0}\n",
      R"(1.0,"hierarchy_call":01})",
      R"(1.0,"hierarchy_call":})",
      R"(1.0,"hierarchy_call":-1})",
      R"(1.0,"hierarchy_class_path":"/\u0041"})",
      R"(1.0,"hierarchy_class_path":"/A)",
      R"(1.0,"other":1})",
      R"(1.0,"doc_string":null})",
      R"(1.0,"name":"other"})",
      R"(1.0,"name":null,"name":""})",
      R"(1.0,"doc_string":"a","name":null})",
      R"(1.0,"doc_string":"\ud83d\ude00"})",
      R"(1.0,"doc_string":"\u00e4"})",
      R"(1.0,"doc_string":"\b"})",
      "1.0,\"doc_string\":\"\n\"}",
      "1.0,\"doc_string\":\"\xFF\"}",
      R"(1.0,"doc_string":"a","doc_string_base64":"YQ=="})",
  };
  for (const char* rest : kRests) {
    CAPTURE(rest);
    CHECK_FALSE(ReadOwnText(OwnTextWith(rest)).has_value());
  }
  CHECK_FALSE(ReadOwnText(R"({"hierarchy_path":"/","hierarchy_tags":[]})").has_value());
  CHECK_FALSE(ReadOwnText(R"({"hierarchy_path":"\u0041"})").has_value());
}

TEST_CASE("whatever is read, the parser reads alike") {
  const std::string texts[] = {
      OwnTextWith("0.98}"),
      OwnTextWith(R"(1.0,"hierarchy_call":1,"doc_string":"a\tb\\"})"),
      OwnTextWith(R"(0.5,"hierarchy_class_path":"/A","doc_string_base64":"/w=="}  )"),
      OwnTextWith(R"(0.5,"name":null,"doc_string":"a"})"),
      OwnTextWith(R"(0.5,"hierarchy_call":1,"name":""})"),
  };
  constexpr absl::string_view kPieces[] = {"\"",   "\\",      "0",   "1",
                                           ",",    "}",       " ",   "\x01",
                                           "\xC3", "\\u0000", "\\n", "\"doc_string\":\"x\",",
                                           "."};
  testing::Random random(3);
  size_t read = 0;
  for (int round = 0; round < 30000; ++round) {
    std::string text = texts[random.Below(std::size(texts))];
    for (uint64_t n = random.Below(3); n > 0; --n) {
      const absl::string_view piece = kPieces[random.Below(std::size(kPieces))];
      text.replace(random.Below(text.size()), random.Below(3), std::string(piece));
    }
    const std::optional<OwnText> own = ReadOwnText(text);
    if (!own.has_value()) continue;
    ++read;
    CAPTURE(text);
    REQUIRE(DifferenceFromParser(*own, text) == "");
  }
  CHECK(read > 10000);
}

}  // namespace
}  // namespace onnx_hier
