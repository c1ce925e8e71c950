// SPDX-License-Identifier: Apache-2.0
#include "lib/profile/table_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lib/profile/csv_profile.h"
#include "lib/profile/times.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kNames[] = {
    "name",   "node",       "nodename", "layer",      "layername", "kernel",    "kernelname",
    "output", "outputname", "tensor",   "tensorname", "value",     "valuename", "eventidentifier"};
constexpr absl::string_view kOperators[] = {"op",     "optype",   "type",
                                            "opname", "operator", "layertype"};
// Of several columns, the one that a table is about.
constexpr absl::string_view kAmounts[] = {
    "ep", "epname", "provider", "executionprovider", "totaldynamicsizes", "time"};
constexpr size_t kShownTitles = 12;  // that an error lists

template <size_t kSize>
size_t FindOneOf(absl::Span<const std::string> titles, const absl::string_view (&names)[kSize],
                 size_t besides) {
  for (absl::string_view name : names) {
    for (size_t i = 0; i < titles.size(); ++i) {
      if (i != besides && PlainTitle(titles[i]) == name) return i;
    }
  }
  return TableColumns::kNone;
}

std::string ListOf(absl::Span<const std::string> titles) {
  const size_t shown = std::min(titles.size(), kShownTitles);
  std::string list = absl::StrJoin(titles.first(shown), ", ");
  if (shown < titles.size()) absl::StrAppend(&list, ", ...");
  return list;
}

absl::StatusOr<size_t> ColumnCalled(absl::Span<const std::string> titles, absl::string_view flag,
                                    absl::string_view wanted) {
  for (size_t i = 0; i < titles.size(); ++i) {
    if (titles[i] == wanted) return i;
  }
  for (size_t i = 0; i < titles.size(); ++i) {
    if (SameTitle(titles[i], wanted)) return i;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("has no column '", wanted, "' for --", flag, "; there are ", ListOf(titles)));
}

// None: it is none, or not finite.
std::optional<double> NumberIn(absl::string_view text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool SaysNothing(absl::string_view text) {
  double number = 0;
  return text.empty() || absl::EqualsIgnoreCase(text, "null") ||
         absl::EqualsIgnoreCase(text, "none") || absl::EqualsIgnoreCase(text, "n/a") ||
         (absl::SimpleAtod(text, &number) && !std::isfinite(number));
}

Amount AmountIn(absl::string_view text, double scale) {
  uint64_t whole = 0;
  if (scale == 1 && absl::SimpleAtoi(text, &whole)) return Amount(whole);
  const double number = NumberIn(text).value_or(0) * scale;
  return scale == 1 ? Amount(number) : Amount(Nanoseconds(number, 1).value_or(0));
}

bool IsOfBytes(absl::string_view title) {
  const std::string plain = PlainTitle(title);
  return absl::StrContains(plain, "bytes") || absl::EndsWith(plain, "sizes") ||
         absl::StrContains(plain, "memory");
}

}  // namespace

std::string PlainTitle(absl::string_view title) {
  std::string plain;
  for (char c : title) {
    if (absl::StrContains("_- #", absl::string_view(&c, 1))) continue;
    plain.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

bool SameTitle(absl::string_view a, absl::string_view b) { return PlainTitle(a) == PlainTitle(b); }

absl::StatusOr<TableColumns> ChooseColumns(absl::Span<const std::string> titles,
                                           const TableOptions& options) {
  TableColumns columns;
  if (!options.value.empty()) {
    const absl::StatusOr<size_t> found = ColumnCalled(titles, "value", options.value);
    if (!found.ok()) return found.status();
    columns.amount = *found;
  }
  if (options.key.empty()) {
    columns.name = FindOneOf(titles, kNames, columns.amount);
    if (columns.name == TableColumns::kNone) {
      return absl::InvalidArgumentError(
          absl::StrCat("has no column that names nodes (name, node, output, ...): --key says which "
                       "does; there are ",
                       ListOf(titles)));
    }
  } else {
    const absl::StatusOr<size_t> found = ColumnCalled(titles, "key", options.key);
    if (!found.ok()) return found.status();
    columns.name = *found;
  }
  columns.op_type = FindOneOf(titles, kOperators, columns.name);
  if (columns.op_type == columns.amount) columns.op_type = TableColumns::kNone;
  if (columns.amount != TableColumns::kNone || options.adds == TableAdds::kCount) return columns;
  std::vector<std::string> others;
  for (size_t i = 0; i < titles.size(); ++i) {
    if (i == columns.name || i == columns.op_type || titles[i].empty()) continue;
    others.push_back(titles[i]);
    columns.amount = i;
  }
  if (others.size() == 1) return columns;
  columns.amount = FindOneOf(titles, kAmounts, columns.name);
  if (columns.amount == columns.op_type) columns.amount = TableColumns::kNone;
  if (columns.amount != TableColumns::kNone) return columns;
  if (others.empty() && columns.op_type != TableColumns::kNone) {
    columns.amount = std::exchange(columns.op_type, TableColumns::kNone);
    return columns;
  }
  if (others.empty()) return columns;  // a list of names
  return absl::InvalidArgumentError(absl::StrCat(
      "has several columns: --value says which one is meant; there are ", ListOf(others)));
}

Kernel& TableRows::KernelOf(absl::string_view name, absl::string_view op_type,
                            absl::string_view word) {
  const Key key(name, op_type, word);
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return profile_.kernels[found->second];
  if (profile_.kernels.size() >= options_.most_names) {
    if (profile_.others == Profile::kNone) {
      profile_.others = profile_.kernels.size();
      profile_.kernels.emplace_back();
      if (has_words_) profile_.kernels.back().word = "(others)";
    }
    return profile_.kernels[profile_.others];
  }
  numbers_.emplace(key, profile_.kernels.size());
  Kernel& kernel = profile_.kernels.emplace_back();
  kernel.name = std::string(name);
  kernel.op_type = std::string(op_type);
  kernel.word = std::string(word);
  return kernel;
}

absl::Status TableRows::Add(absl::string_view title, absl::string_view name,
                            absl::string_view op_type, absl::string_view amount) {
  amount = absl::StripAsciiWhitespace(amount);
  const bool counts = options_.table.adds == TableAdds::kCount;
  const bool is_known = !SaysNothing(amount);
  if (title_.empty()) title_ = std::string(title);
  if (!is_decided_ && (is_known || counts)) {
    is_decided_ = true;
    title_ = std::string(title);
    has_words_ = options_.table.adds == TableAdds::kAny && !NumberIn(amount);
    scale_ = counts || has_words_ ? 1 : TimeScale(title).value_or(1);
  }
  ++rows_;
  // onnxruntime's providers: people say "CPU".
  if (has_words_) absl::ConsumeSuffix(&amount, "ExecutionProvider");
  if (has_words_ || counts) {
    // Of words, one that says nothing is one, too.
    Kernel& kernel = KernelOf(name, op_type, has_words_ ? amount : "");
    ++kernel.calls;
    kernel.amount += Amount(uint64_t{1});
    return absl::OkStatus();
  }
  if (is_known && !NumberIn(amount)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", amount, "' is no number, as others of '", title_, "' are"));
  }
  if (is_known && scale_ != 1 && !Nanoseconds(NumberIn(amount).value_or(0), scale_)) {
    return absl::InvalidArgumentError(absl::StrCat("'", amount, "' is no time"));
  }
  Kernel& kernel = KernelOf(name, op_type, "");
  if (!is_known) {
    ++kernel.unknown;
    return absl::OkStatus();
  }
  const Amount number = AmountIn(amount, scale_);
  const bool is_most = options_.table.adds == TableAdds::kMost;
  if (kernel.calls++ == 0 || (is_most && kernel.amount < number)) {
    kernel.amount = number;
  } else if (!is_most) {
    kernel.amount += number;
  }
  return absl::OkStatus();
}

Profile TableRows::Finish(uint64_t samples) && {
  Measure& measure = profile_.measure;
  const bool counts = options_.table.adds == TableAdds::kCount;
  measure.id = title_.empty() ? "rows" : title_;
  while (absl::StartsWith(measure.id, "#")) measure.id.erase(0, 1);
  measure.title = measure.id;
  if (IsKnownMeasure(measure.id)) measure.id.insert(0, "table_");
  if (has_words_) {
    measure.unit = MeasureUnit::kWords;
  } else if (counts) {
    measure.unit = MeasureUnit::kCount;
  } else {
    measure.unit = TimeScale(title_)   ? MeasureUnit::kNanoseconds
                   : IsOfBytes(title_) ? MeasureUnit::kBytes
                                       : MeasureUnit::kNumber;
    measure.adds = options_.table.adds == TableAdds::kMean   ? Adds::kMean
                   : options_.table.adds == TableAdds::kMost ? Adds::kMost
                                                             : Adds::kSum;
  }
  if (measure.adds == Adds::kMean) {
    for (Kernel& kernel : profile_.kernels) {
      if (kernel.calls > 1) {
        kernel.amount = Amount(kernel.amount.real() / static_cast<double>(kernel.calls));
      }
    }
  }
  if (samples > 1 && measure.adds == Adds::kSum && !has_words_ && !counts) {
    for (Kernel& kernel : profile_.kernels) {
      const bool is_even = kernel.amount.is_whole() && kernel.amount.whole() % samples == 0;
      kernel.amount = (is_even ? kernel.amount : Amount(kernel.amount.real())) / samples;
    }
  }
  profile_.kind = ProfileKind::kTable;
  profile_.runs = 1;
  return std::move(profile_);
}

}  // namespace onnx_hier
