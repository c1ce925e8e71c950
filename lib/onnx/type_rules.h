// SPDX-License-Identifier: Apache-2.0

// Of which type an operator's outputs are: of nearly all, that of its first input; a table holds
// the others. Facts: the operators' definitions of the ONNX project (opset 24, with ai.onnx.ml) and
// of onnxruntime's contributed operators (domain com.microsoft).
#ifndef ONNX_HIER_LIB_ONNX_TYPE_RULES_H_
#define ONNX_HIER_LIB_ONNX_TYPE_RULES_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace onnx_hier {

struct TypeRule {
  enum class Kind : uint8_t {
    kInput,      // of the input `argument`
    kFixed,      // a tensor of the data type `argument`
    kAttribute,  // a tensor of the type that `attribute` says; without it, of type `argument`
    kAttributeOrInput,  // likewise; without it, of the input `argument`
    kZeroPoint,         // of the input `argument`; without it, what the attribute says; else uint8
    kSequence,          // a sequence of the input `argument`
    kElement,           // what the first input holds
    kOptional,          // an optional value of the first input
    kConstant,          // by the attribute that holds the value, or the labels
    kFilled,            // of the tensor it holds; without one, float32
    kBodies,            // of what the graphs inside it give out
    kUnknown,           // of none that is known here: a map, or what more than a type decides
  };

  Kind kind = Kind::kInput;
  int32_t argument = 0;
  absl::string_view attribute;

  bool needs_attributes() const {
    return kind == Kind::kAttribute || kind == Kind::kAttributeOrInput ||
           kind == Kind::kZeroPoint || kind == Kind::kConstant;
  }
};

// Of the output `slot`. Operators of other domains that bear a standard name are taken for it.
TypeRule RuleOf(absl::string_view op_type, uint32_t slot);

// Whether operators of a domain are among those that the rules know.
bool HasRules(absl::string_view domain);

// What an operator needs of the value that it reads at `slot`.
struct ReadingRule {
  int32_t element = 0;       // a tensor of this data type; 0: of several
  bool like_others = false;  // of the type of all that it reads
  bool is_floating = false;  // of a floating type
};
ReadingRule ReadingRuleOf(absl::string_view op_type, uint32_t slot);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_TYPE_RULES_H_
