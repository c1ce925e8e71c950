// SPDX-License-Identifier: Apache-2.0
#include "lib/shapes/expressions.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace onnx_hier {
namespace {

// Of what is longer, or more, than any model says.
constexpr size_t kLongestName = 256;
constexpr size_t kLongestSum = 1024;
constexpr size_t kMostSums = 1 << 16;

double Rounded(double quotient, Rounding rounding) {
  switch (rounding) {
    case Rounding::kFloor:
      return std::floor(quotient);
    case Rounding::kCeiling:
      return std::ceil(quotient);
    case Rounding::kToZero:
    case Rounding::kDivides:
      return std::trunc(quotient);
    case Rounding::kNone:
      break;
  }
  return quotient;
}

bool IsNameByItself(absl::string_view text) {
  return !text.empty() && !absl::c_any_of(text, [](char c) {
    return absl::ascii_isspace(static_cast<unsigned char>(c)) ||
           absl::StrContains("()+*/-,", absl::string_view(&c, 1));
  });
}

}  // namespace

Dim Expressions::Name(absl::string_view name) {
  if (const auto found = given_.find(name); found != given_.end()) return found->second;
  const auto [number, is_new] =
      numbers_.try_emplace(std::string(name), static_cast<uint32_t>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return DimOf({{{number->second}, 1}});
}

Dim Expressions::Symbol(absl::string_view name) {
  if (given_.contains(name)) return Name(name);
  Dim sum = 0;
  for (absl::string_view term : absl::StrSplit(name, '+')) {
    Dim product = 1;
    for (absl::string_view factor : absl::StrSplit(term, '*')) {
      factor = absl::StripAsciiWhitespace(factor);
      double number;
      if (!IsNameByItself(factor)) return Name(name);
      product = Times(product, absl::SimpleAtod(factor, &number) ? Dim(number) : Name(factor));
    }
    sum = Add(sum, product);
  }
  return sum.is_known() ? sum : Name(name);
}

Expressions::Sum Expressions::SumOf(Dim dim) const {
  if (!dim.is_number()) return sums_[dim.expression_ - kFirst];
  return dim.number_ == 0 ? Sum() : Sum{{{}, dim.number_}};
}

Dim Expressions::DimOf(Sum sum) {
  absl::c_sort(sum, [](const Term& a, const Term& b) { return a.names < b.names; });
  Sum joined;
  for (Term& term : sum) {
    if (term.names.size() > kMostFactors) return Dim();
    if (!joined.empty() && joined.back().names == term.names) {
      joined.back().factor += term.factor;
    } else {
      joined.push_back(std::move(term));
    }
  }
  std::erase_if(joined, [](const Term& term) { return term.factor == 0; });
  if (joined.empty()) return 0;
  if (joined.size() == 1 && joined[0].names.empty()) return joined[0].factor;
  if (joined.size() > kMostTerms) return Dim();
  std::string text = TextOf(joined);
  if (text.size() > kLongestSum || sums_.size() == kMostSums) return Dim();
  const auto [number, is_new] =
      known_.try_emplace(std::move(text), static_cast<uint32_t>(sums_.size()) + kFirst);
  if (is_new) sums_.push_back(std::move(joined));
  Dim dim;
  dim.expression_ = number->second;
  return dim;
}

Dim Expressions::Add(Dim a, Dim b) {
  if (a.is_number() && b.is_number()) return a.number_ + b.number_;
  if (!a.is_known() || !b.is_known()) return Dim();
  Sum sum = SumOf(a);
  for (Term& term : SumOf(b)) sum.push_back(std::move(term));
  return DimOf(std::move(sum));
}

Dim Expressions::TimesSymbols(Dim a, Dim b) {
  if (a.Is(0) || b.Is(0)) return 0;
  if (!a.is_known() || !b.is_known()) return Dim();
  if (a.Is(1)) return b;
  if (b.Is(1)) return a;
  Sum product;
  const Sum right = SumOf(b);
  for (const Term& left : SumOf(a)) {
    for (const Term& other : right) {
      Term& term = product.emplace_back(left);
      term.factor *= other.factor;
      term.names.insert(term.names.end(), other.names.begin(), other.names.end());
      absl::c_sort(term.names);
    }
  }
  return DimOf(std::move(product));
}

Dim Expressions::Divide(Dim a, Dim b, Rounding rounding) {
  if (!a.is_known() || !b.is_known() || b.Is(0)) return Dim();
  if (a.is_number() && b.is_number()) return Rounded(a.number_ / b.number_, rounding);
  if (a == b) return 1;
  if (a.Is(0)) return a;
  const Sum divisor = SumOf(b);
  Sum quotient = SumOf(a);
  bool divides = divisor.size() == 1;
  for (Term& term : quotient) {
    if (!divides) break;
    term.factor /= divisor[0].factor;
    divides = rounding == Rounding::kNone || std::trunc(term.factor) == term.factor;
    for (uint32_t name : divisor[0].names) {
      const auto found = absl::c_find(term.names, name);
      divides = divides && found != term.names.end();
      if (divides) term.names.erase(found);
    }
  }
  if (divides) return DimOf(std::move(quotient));
  // Something by itself from now on.
  const absl::string_view kind = rounding == Rounding::kCeiling ? "ceil" : "floor";
  const bool is_whole = rounding == Rounding::kNone || rounding == Rounding::kDivides;
  const std::string name = absl::StrCat(is_whole ? "" : kind, "((", Text(a), ")/(", Text(b), "))");
  // Of quotients of quotients the names would grow without end.
  return name.size() > kLongestName ? Dim() : Name(name);
}

std::string Expressions::TextOf(const Sum& sum) const {
  std::string text;
  // What is only a number comes last.
  for (bool has_names : {true, false}) {
    for (const Term& term : sum) {
      if (term.names.empty() == has_names) continue;
      const double factor = std::abs(term.factor);
      const absl::string_view sign = term.factor < 0 ? "-" : "+";
      if (!text.empty()) absl::StrAppend(&text, " ", sign, " ");
      if (text.empty() && term.factor < 0) text = "-";
      // Whole numbers as such, however large.
      if (factor != 1 || !has_names) absl::StrAppend(&text, absl::StrFormat("%.17g", factor));
      if (factor != 1 && has_names) text += "*";
      absl::StrAppend(&text,
                      absl::StrJoin(term.names, "*", [this](std::string* out, uint32_t name) {
                        absl::StrAppend(out, names_[name]);
                      }));
    }
  }
  return text;
}

std::string Expressions::Text(Dim dim) const {
  if (!dim.is_known()) return "?";
  if (dim.is_number()) return absl::StrFormat("%.17g", dim.number_);
  return TextOf(sums_[dim.expression_ - kFirst]);
}

std::vector<std::string> Expressions::NamesIn(Dim dim) const {
  std::vector<std::string> names;
  if (!dim.is_known() || dim.is_number()) return names;
  for (const Term& term : sums_[dim.expression_ - kFirst]) {
    for (uint32_t name : term.names) {
      if (!absl::c_linear_search(names, names_[name])) names.push_back(names_[name]);
    }
  }
  return names;
}

}  // namespace onnx_hier
