// SPDX-License-Identifier: Apache-2.0
#include "lib/names/given_name.h"

#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("operators that are called anything give plain names") {
  struct Case {
    std::string op_type;
    const char* name;
  };
  const Case cases[] = {
      {"MatMul", "MatMul_12"},           {"Conv_2", "Conv_2_12"}, {std::string(64, 'O'), ""},
      {std::string(65, 'O'), "Node_12"}, {"", "Node_12"},         {"/encoder/Add", "Node_12"},
      {"encoder.fc", "Node_12"},         {"2d", "Node_12"},       {"_Private", "Node_12"},
      {"\xC3\xA4", "Node_12"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.op_type);
    const std::string name = GivenName(c.op_type, 12);
    CHECK(name == (*c.name != 0 ? c.name : c.op_type + "_12"));
    CHECK(LooksGiven(name, c.op_type));
  }
}

TEST_CASE("other names are not ours") {
  for (const char* name : {"", "MatMul", "MatMul_", "MatMul_x", "MatMul_1_2", "Add_1", "/MatMul_1",
                           "MatMul_1.0", "matmul_1", "MatMul_1_quant"}) {
    CAPTURE(name);
    CHECK_FALSE(LooksGiven(name, "MatMul"));
  }
  CHECK_FALSE(LooksGiven("a/b_1", "a/b"));
}

TEST_CASE("the doc_string says whether a name was given") {
  CHECK(IsGiven("Add_1", "Add", R"({"hierarchy_tags":["/"],"name":null})"));
  CHECK(IsGiven("Add_1", "Add", R"({"hierarchy_tags":["/"],"name":"","doc_string":"x"})"));
  CHECK_FALSE(IsGiven("mine", "Add", R"({"hierarchy_tags":["/"],"name":null})"));
  CHECK_FALSE(IsGiven("Add_1", "Add", R"({"hierarchy_tags":["/"]})"));
  CHECK_FALSE(IsGiven("Add_1", "Add", ""));
  // What stood in the doc_string before says nothing.
  CHECK_FALSE(IsGiven("Add_1", "Add", R"({"doc_string":"{\"a\":1,\"name\":null}"})"));
}

}  // namespace
}  // namespace onnx_hier
