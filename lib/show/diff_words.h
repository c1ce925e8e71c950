// SPDX-License-Identifier: Apache-2.0

// How a module differs from its counterpart in another model, in words.
#ifndef ONNX_HIER_LIB_SHOW_DIFF_WORDS_H_
#define ONNX_HIER_LIB_SHOW_DIFF_WORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/measures.h"
#include "onnx_hier_program/reports.h"

namespace onnx_hier {

// What became of each of A's modules; null: nothing. `diff` must outlive it.
IdVector<ModuleId, const ModuleDiff*> ChangesByModule(const ModelDiff& diff, const Annotation& a);

// "moved, operators", "only in A".
std::string ChangesText(const ModuleDiff& diff);

// "Add x2, Relu"
std::string CountsText(const std::vector<KindCount>& counts);

// "LayerNormalization epsilon: 1e-05 -> 0.001 x2"
std::string AttributeText(const AttributeDiff& diff);

// "- Add x2, Relu", "+ float32[64]": what only one of the two has; "~ Softmax axis: 1 -> -1". Names
// are as files have them.
std::vector<std::string> DetailLines(const ModuleDiff& diff);

// "12 modules, 104 nodes, 8,544 parameters".
std::string FiguresText(const ModuleFigures& figures);

// "largest difference 0.0012, relative 0.42 %"; of several modules, those of each that are largest.
std::string DifferenceText(const WeightDifference& difference);

// Whether a module that only one model has is all that there is of it: then it is told of with its
// operators, else as a whole.
inline bool IsToldAlone(const OnlyInOne& only) {
  return !only.is_member && only.figures.modules == 1;
}

// "float32" of "float32[32,64]".
inline absl::string_view TypeOfKind(absl::string_view kind) {
  return kind.substr(0, kind.find('['));
}

// What a module that changed has of a column of the report, itself or, where what is inside it was
// not told apart, in all; none: it is in the other model only.
struct AmountPair {
  std::optional<Amount> a;
  std::optional<Amount> b;
};
AmountPair AmountsOf(const DiffReport& report, const ModuleDiff& diff, const ColumnPair& columns);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_DIFF_WORDS_H_
