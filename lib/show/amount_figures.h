// SPDX-License-Identifier: Apache-2.0

// Amounts of a column as people read them, all in one unit.
//
//   const AmountFigures figures(column);
//   figures.unit()                           // "ms"; of what is no time, the measure's title
//   figures.Text(amount)                     // "1.235", "17.5 MB", "1,234"
#ifndef ONNX_HIER_LIB_SHOW_AMOUNT_FIGURES_H_
#define ONNX_HIER_LIB_SHOW_AMOUNT_FIGURES_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/measures.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

class AmountFigures {
 public:
  explicit AmountFigures(const Column& column) : AmountFigures(column.measure(), column.whole()) {}
  // Of parts of `whole`; of two columns side by side, the larger one.
  AmountFigures(const Measure& measure, Amount whole)
      : title_(SafeForTerminal(measure.title, kWidestTitle)),
        unit_(measure.unit),
        in_ms_(whole.whole() >= kLeastInMilliseconds) {}

  absl::string_view unit() const;
  std::string Text(Amount amount) const;
  // ">=": a sum of which something is not known.
  std::string Text(Amount amount, uint64_t unknown) const;
  // With the unit, where the text has none.
  std::string Whole(Amount amount) const;
  // After less before: "+1.5", "-0.2", "0".
  std::string Difference(Amount before, Amount after) const;

 private:
  static constexpr uint64_t kLeastInMilliseconds = 10'000'000;
  static constexpr size_t kWidestTitle = 40;  // a table may call its columns anything

  std::string title_;
  MeasureUnit unit_;
  bool in_ms_;
};

// Whether an amount made of so many says anything: a sum of none is 0, a mean of none is nothing.
inline bool IsSaid(const Measure& measure, uint64_t known) {
  return measure.adds == Adds::kSum || known > 0;
}

// "12.3 %" of the whole; of none, "-".
std::string Percent(Amount part, Amount whole);

// "MatMul", or "(fused)" where it is not said.
absl::string_view OperatorName(absl::string_view op_type);

// "CPU 13, NPU 41": words with how often they were said, the first `most` of them, and how many
// more there are.
std::string WordsText(absl::Span<const WordAmount> words, size_t most);
// "MatMul:5000 Add:200": all of them, for machines.
std::string WordsField(absl::Span<const WordAmount> words);
// "MatMul 60 %, Add 20 %": the largest of an amount's parts.
std::string SharesText(absl::Span<const WordAmount> words);

// As machines read it: all digits of a whole number, four decimals of a ratio, of another number as
// many digits as tell it apart.
std::string PlainNumber(Amount amount, MeasureUnit unit = MeasureUnit::kNumber);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHOW_AMOUNT_FIGURES_H_
