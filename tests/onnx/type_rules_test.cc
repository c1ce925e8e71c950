// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/type_rules.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/onnx/value_type.h"

namespace onnx_hier {
namespace {

// "input 1", "int64", "to, else float32": what the rule says, in words.
std::string Text(const TypeRule& rule) {
  using Kind = TypeRule::Kind;
  const std::string input = absl::StrCat("input ", rule.argument);
  const std::string fixed = TypeText(TensorType(rule.argument));
  switch (rule.kind) {
    case Kind::kInput:
      return input;
    case Kind::kFixed:
      return fixed;
    case Kind::kAttribute:
      return absl::StrCat(rule.attribute, ", else ", fixed);
    case Kind::kAttributeOrInput:
      return absl::StrCat(rule.attribute, ", else ", input);
    case Kind::kZeroPoint:
      return absl::StrCat(input, ", else ", rule.attribute, ", else uint8");
    case Kind::kSequence:
      return "sequence";
    case Kind::kElement:
      return "element";
    case Kind::kOptional:
      return "optional";
    case Kind::kConstant:
      return "constant";
    case Kind::kFilled:
      return "filled";
    case Kind::kBodies:
      return "bodies";
    case Kind::kUnknown:
      return "unknown";
  }
  return "";
}

TEST_CASE("of which type operators' outputs are") {
  struct Case {
    const char* op_type;
    uint32_t slot;
    const char* expected;
  };
  constexpr Case kCases[] = {
      // Nearly all, and all of their outputs.
      {"Add", 0, "input 0"},
      {"Split", 0, "input 0"},
      {"Split", 7, "input 0"},
      {"LSTM", 2, "input 0"},
      {"AnOperatorOfSomebody", 1, "input 0"},
      // The table.
      {"Shape", 0, "int64"},
      {"Equal", 0, "bool"},
      {"Where", 0, "input 1"},
      {"OneHot", 0, "input 2"},
      {"Cast", 0, "to, else unknown"},
      {"RandomNormal", 0, "dtype, else float32"},
      {"RandomNormalLike", 0, "dtype, else input 0"},
      {"QuantizeLinear", 0, "input 2, else output_dtype, else uint8"},
      {"DequantizeLinear", 0, "output_dtype, else input 1"},
      {"QLinearConcat", 0, "input 1"},
      {"QGemm", 0, "input 8"},
      {"SequenceConstruct", 0, "sequence"},
      {"SequenceAt", 0, "element"},
      {"Optional", 0, "optional"},
      {"Constant", 0, "constant"},
      {"ConstantOfShape", 0, "filled"},
      {"Loop", 3, "bodies"},
      {"TreeEnsembleClassifier", 0, "constant"},
      {"ZipMap", 0, "unknown"},
      // Later outputs that are something else, and those behind them.
      {"TopK", 0, "input 0"},
      {"TopK", 1, "int64"},
      {"Dropout", 1, "bool"},
      {"MaxPool", 1, "int64"},
      {"Unique", 3, "int64"},
      {"DynamicQuantizeLinear", 0, "uint8"},
      {"DynamicQuantizeLinear", 1, "float32"},
      {"DynamicQuantizeLinear", 2, "uint8"},
      {"LayerNormalization", 0, "input 0"},
      {"LayerNormalization", 2, "stash_type, else float32"},
      {"SkipLayerNormalization", 1, "float32"},
      {"SkipLayerNormalization", 3, "input 0"},
      {"EmbedLayerNormalization", 0, "input 2"},
      {"EmbedLayerNormalization", 1, "int32"},
      {"EmbedLayerNormalization", 2, "input 2"},
      {"TreeEnsembleClassifier", 1, "float32"},
  };
  for (const Case& c : kCases) {
    CAPTURE(c.op_type);
    CAPTURE(c.slot);
    CHECK(Text(RuleOf(c.op_type, c.slot)) == c.expected);
  }
}

TEST_CASE("which rules need attributes") {
  for (const char* op_type : {"Cast", "Constant", "EyeLike", "QuantizeLinear"}) {
    CHECK(RuleOf(op_type, 0).needs_attributes());
  }
  for (const char* op_type : {"Add", "Shape", "ConstantOfShape", "If", "SequenceAt"}) {
    CHECK(!RuleOf(op_type, 0).needs_attributes());
  }
}

}  // namespace
}  // namespace onnx_hier
