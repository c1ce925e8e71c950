// SPDX-License-Identifier: Apache-2.0
#include "lib/base/prefix_steps.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

// Parts that were asked for, and where the last text led.
struct Walker {
  std::string asked;
  PrefixSteps<std::string> steps;

  std::string To(absl::string_view text) {
    asked.clear();
    return steps.Walk(
        text, '/', std::string("top"),
        [this](const std::string& around, absl::string_view part) -> std::optional<std::string> {
          absl::StrAppend(&asked, part, " ");
          if (part == "end") return std::nullopt;
          return absl::StrCat(around, ">", part);
        });
  }
};

TEST_CASE("what two texts have in common is asked for once") {
  Walker walker;
  CHECK(walker.To("a/b/c") == "top>a>b>c");
  CHECK(walker.asked == "a b c ");
  CHECK(walker.To("a/b/d") == "top>a>b>d");
  CHECK(walker.asked == "d ");
  CHECK(walker.To("a/b") == "top>a>b");
  CHECK(walker.asked.empty());
  CHECK(walker.To("a/bc") == "top>a>bc");
  CHECK(walker.asked == "bc ");
  CHECK(walker.To("") == "top");
  CHECK(walker.To("/a//b/") == "top>a>b");
  CHECK(walker.asked == "a b ");
}

TEST_CASE("where a text ends, the next one that goes so far ends as well") {
  Walker walker;
  CHECK(walker.To("a/end/b") == "top>a");
  CHECK(walker.asked == "a end ");
  CHECK(walker.To("a/end/c") == "top>a");
  CHECK(walker.asked == "end ");
}

}  // namespace
}  // namespace onnx_hier
