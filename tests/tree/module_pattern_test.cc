// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/module_pattern.h"

#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("stars take any part of a name") {
  CHECK(MatchesName("*", ""));
  CHECK(MatchesName("*", "query"));
  CHECK(MatchesName("q*y", "query"));
  CHECK(MatchesName("*e*", "query"));
  CHECK_FALSE(MatchesName("q*x", "query"));
  CHECK_FALSE(MatchesName("", "query"));
  CHECK(MatchesName("", ""));
  CHECK(MatchesName("a*b*c", "a_b_b_c"));
}

TEST_CASE("ranges take whole numbers") {
  CHECK(MatchesName("[2-5]", "3"));
  CHECK_FALSE(MatchesName("[2-5]", "30"));
  CHECK_FALSE(MatchesName("[2-5]", ""));
  CHECK(MatchesName("[2-50]", "30"));
  CHECK(MatchesName("block_[0-1]", "block_1"));
  CHECK_FALSE(MatchesName("block_[0-1]", "block_11"));
  CHECK(MatchesName("*[0-1]", "block_1"));
  CHECK_FALSE(MatchesName("*[0-1]", "block_11"));
  CHECK(MatchesName("b[3]_*", "b3_x"));
}

TEST_CASE("many stars cost no more than the lengths allow") {
  const std::string name(5000, 'a');
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "a*";
  CHECK(MatchesName(pattern, name));
  CHECK_FALSE(MatchesName(pattern + "b", name));
}

}  // namespace
}  // namespace onnx_hier
