// SPDX-License-Identifier: Apache-2.0

// Numbers that a model leaves open, and arithmetic with them.
//
//   Expressions all;
//   const Dim length = all.Symbol("seq");
//   all.Text(all.Add(all.Times(2, length), 1));   // "2*seq + 1"
//
// What is the same number in another form is the same Dim. What cannot be said in a few terms is
// not known.
#ifndef ONNX_HIER_LIB_SHAPES_EXPRESSIONS_H_
#define ONNX_HIER_LIB_SHAPES_EXPRESSIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

// A dimension, or an element of a small tensor: a number, an expression in symbols, or not known.
// Whole numbers are exact up to 2^53.
class Dim {
 public:
  constexpr Dim() = default;  // not known
  // Numbers are dimensions; what is none, as 0 / 0, is not known.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Dim(double number) {
    if (number == number) {
      number_ = number;
      expression_ = kNumber;
    }
  }

  bool is_known() const { return expression_ != kUnknown; }
  bool is_number() const { return expression_ == kNumber; }
  bool Is(double number) const { return is_number() && number_ == number; }
  double number() const { return number_; }  // of a number

  // Nothing is equal to what is not known.
  friend bool operator==(Dim a, Dim b) {
    return a.is_known() && a.expression_ == b.expression_ && a.number_ == b.number_;
  }

 private:
  friend class Expressions;
  static constexpr uint32_t kUnknown = 0;
  static constexpr uint32_t kNumber = 1;

  double number_ = 0;
  uint32_t expression_ = kUnknown;  // from 2 on: one of Expressions
};

// How a quotient that is no whole number becomes one.
enum class Rounding : uint8_t {
  kNone,
  kFloor,
  kCeiling,
  kToZero,
  kDivides,  // it is one, whatever it looks like
};

class Expressions {
 public:
  // Names of open numbers that are given: these are numbers.
  explicit Expressions(absl::flat_hash_map<std::string, double> given = {})
      : given_(std::move(given)) {}

  // What the name of a dimension says: a name, or sums and products of names ("past + 1").
  Dim Symbol(absl::string_view name);

  Dim Add(Dim a, Dim b);
  Dim Subtract(Dim a, Dim b) { return Add(a, Times(b, -1)); }
  Dim Times(Dim a, Dim b) {
    return a.is_number() && b.is_number() ? Dim(a.number_ * b.number_) : TimesSymbols(a, b);
  }
  Dim Divide(Dim a, Dim b, Rounding rounding);

  // "?": not known.
  std::string Text(Dim dim) const;
  // The names in it, of those that are open.
  std::vector<std::string> NamesIn(Dim dim) const;

 private:
  // A factor, and the numbers of the names that it is multiplied by, in order.
  struct Term {
    std::vector<uint32_t> names;
    double factor;
  };
  using Sum = std::vector<Term>;  // in order of the names

  static constexpr uint32_t kFirst = 2;
  static constexpr size_t kMostTerms = 12;
  static constexpr size_t kMostFactors = 6;

  Dim TimesSymbols(Dim a, Dim b);
  Dim Name(absl::string_view name);
  Sum SumOf(Dim dim) const;
  Dim DimOf(Sum sum);
  std::string TextOf(const Sum& sum) const;

  absl::flat_hash_map<std::string, double> given_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;  // of names
  std::vector<std::string> names_;
  std::vector<Sum> sums_;
  absl::flat_hash_map<std::string, uint32_t> known_;  // sums by their text
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHAPES_EXPRESSIONS_H_
