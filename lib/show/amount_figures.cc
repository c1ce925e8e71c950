// SPDX-License-Identifier: Apache-2.0
#include "lib/show/amount_figures.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// A tenth of a microsecond, or a whole one: as exact as clocks of profiles are.
std::string TimeText(uint64_t time, bool in_ms) {
  if (in_ms) {
    const uint64_t microseconds = (time + 500) / 1000;
    return absl::StrCat(WithThousands(microseconds / 1000),
                        absl::StrFormat(".%03d", microseconds % 1000));
  }
  const uint64_t tenths = (time + 50) / 100;
  return absl::StrCat(WithThousands(tenths / 10), ".", tenths % 10);
}

std::string NumberText(Amount amount) {
  const double number = amount.real();
  constexpr double kAllDigits = 1e15;
  if (amount.is_whole()) return WithThousands(amount.whole());
  if (number >= 0 && number < kAllDigits && number == std::floor(number)) {
    return WithThousands(static_cast<uint64_t>(number));
  }
  return absl::StrFormat("%.6g", number);
}

}  // namespace

absl::string_view AmountFigures::unit() const {
  if (unit_ != MeasureUnit::kNanoseconds) return title_;
  return in_ms_ ? "ms" : "µs";
}

std::string AmountFigures::Text(Amount amount) const {
  switch (unit_) {
    case MeasureUnit::kNanoseconds:
      return TimeText(amount.whole(), in_ms_);
    case MeasureUnit::kBytes:
      return HumanBytes(amount.whole());
    case MeasureUnit::kRatio:
      return absl::StrFormat("%.1f %%", 100 * amount.real());
    case MeasureUnit::kCount:
    case MeasureUnit::kNumber:
    case MeasureUnit::kWords:
      break;
  }
  return NumberText(amount);
}

std::string AmountFigures::Text(Amount amount, uint64_t unknown) const {
  std::string text = Text(amount);
  if (unknown > 0) text.insert(0, ">=");
  return text;
}

std::string AmountFigures::Whole(Amount amount) const {
  return unit_ == MeasureUnit::kNanoseconds ? absl::StrCat(Text(amount), " ", unit())
                                            : Text(amount);
}

std::string AmountFigures::Difference(Amount before, Amount after) const {
  if (before == after) return "0";
  const auto between = [](Amount less, Amount more) {
    return less.is_whole() && more.is_whole() ? Amount(more.whole() - less.whole())
                                              : Amount(more.real() - less.real());
  };
  return before < after ? absl::StrCat("+", Text(between(before, after)))
                        : absl::StrCat("-", Text(between(after, before)));
}

std::string Percent(Amount part, Amount whole) {
  if (whole.is_zero()) return "-";
  return absl::StrFormat("%.1f %%", 100.0 * part.real() / whole.real());
}

absl::string_view OperatorName(absl::string_view op_type) {
  return op_type.empty() ? "(fused)" : op_type;
}

std::string WordsText(absl::Span<const WordAmount> words, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, words.size()); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", SafeForTerminal(OperatorName(words[i].word), 40),
                    " ", NumberText(words[i].amount));
  }
  if (words.size() > most) absl::StrAppend(&text, ", ", words.size() - most, " more");
  return text;
}

std::string WordsField(absl::Span<const WordAmount> words) {
  std::string text;
  for (const WordAmount& part : words) {
    absl::StrAppend(&text, text.empty() ? "" : " ", OperatorName(part.word), ":",
                    PlainNumber(part.amount));
  }
  return text;
}

std::string SharesText(absl::Span<const WordAmount> words) {
  constexpr size_t kShown = 2;
  Amount whole;
  for (const WordAmount& part : words) whole += part.amount;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, words.size()); ++i) {
    if (words[i].amount.is_zero()) break;
    absl::StrAppend(&text, i == 0 ? "" : ", ", SafeForTerminal(OperatorName(words[i].word), 40),
                    absl::StrFormat(" %.0f %%", 100.0 * words[i].amount.real() / whole.real()));
  }
  return text;
}

std::string PlainNumber(Amount amount, MeasureUnit unit) {
  if (amount.is_whole()) return absl::StrCat(amount.whole());
  std::string text;
  if (unit == MeasureUnit::kRatio) {
    AppendProbability(amount.real(), &text);
    return text;
  }
  // 17 digits tell any two apart; most need fewer.
  for (int digits = 6; digits <= 17; ++digits) {
    text = absl::StrFormat("%.*g", digits, amount.real());
    double again = 0;
    if (absl::SimpleAtod(text, &again) && again == amount.real()) break;
  }
  return text;
}

}  // namespace onnx_hier
