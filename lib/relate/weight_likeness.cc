// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/weight_likeness.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lib/base/status_macros.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kSketchRows = 32;
constexpr uint64_t kSketchColumns = 32;
// Numbers that are compared of a tensor, about.
constexpr uint64_t kCompared = 1 << 17;
constexpr uint64_t kMostRows = 1 << 13;
constexpr uint64_t kFewestColumns = 16;
// Of more axes, nobody changes the order.
constexpr size_t kMostAxes = 5;
// A row or column of fewer numbers is like any other, once it is scaled.
constexpr uint64_t kFewestInChannel = 4;

// Where numbers of a grid of rows and columns of `dims` stand in a tensor that has its axes in
// another order.
class PlacesOf {
 public:
  PlacesOf(const TensorDims& dims, const AxisOrder& order) : dims_(dims), strides_(dims.size(), 1) {
    uint64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      strides_[order[i]] = stride;
      stride *= dims[order[i]];
    }
  }

  uint64_t rows() const { return dims_.empty() ? 1 : dims_[0]; }
  uint64_t columns() const {
    uint64_t columns = 1;
    for (size_t i = 1; i < dims_.size(); ++i) columns *= dims_[i];
    return columns;
  }
  uint64_t At(uint64_t row, uint64_t column) const {
    if (dims_.empty()) return 0;
    uint64_t place = row * strides_[0];
    for (size_t i = dims_.size(); i-- > 1;) {
      place += column % dims_[i] * strides_[i];
      column /= dims_[i];
    }
    return place;
  }

 private:
  const TensorDims& dims_;
  std::vector<uint64_t> strides_;
};

// Reads numbers at places that only grow from call to call, several that follow each other at once.
class Gatherer {
 public:
  // `values` have begun.
  explicit Gatherer(TensorValues& values) : values_(values) {}

  // `places` are in order.
  absl::Status Gather(absl::Span<const uint64_t> places, absl::Span<double> to) {
    for (size_t i = 0; i < places.size();) {
      size_t end = i + 1;
      while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
      OH_RETURN_IF_ERROR(values_.Skip(places[i] - next_));
      OH_RETURN_IF_ERROR(values_.Read(to.subspan(i, end - i)));
      next_ = places[end - 1] + 1;
      i = end;
    }
    return absl::OkStatus();
  }

 private:
  TensorValues& values_;
  uint64_t next_ = 0;
};

struct Sums {
  double a = 0;
  double b = 0;
  double both = 0;
  void Add(double x, double y) {
    a += x * x;
    b += y * y;
    both += x * y;
  }
  double cosine() const { return a > 0 && b > 0 ? both / std::sqrt(a * b) : 0; }
  // Of the square of b, what no multiple of a explains.
  double rest() const { return a > 0 ? std::max(0.0, b - both * both / a) : b; }
};

double MeanCosine(const std::vector<Sums>& sums) {
  double total = 0;
  for (const Sums& sum : sums) total += std::fabs(sum.cosine());
  return sums.empty() ? 0 : total / static_cast<double>(sums.size());
}

double ErrorOf(const std::vector<Sums>& sums) {
  double rest = 0;
  double all = 0;
  for (const Sums& sum : sums) {
    rest += sum.rest();
    all += sum.b;
  }
  return all > 0 ? std::sqrt(rest / all) : 1;
}

std::vector<double> FactorsOf(const std::vector<Sums>& sums) {
  std::vector<double> factors;
  factors.reserve(sums.size());
  for (const Sums& sum : sums) factors.push_back(sum.a > 0 ? sum.both / sum.a : 0);
  return factors;
}

// Reads rows of both, or the beginnings of rows, and adds up by rows and by columns.
class Comparison {
 public:
  Comparison(const TensorDims& dims, const AxisOrder& order)
      : in_order_(dims, OwnOrder(dims.size())),
        other_(dims, order),
        is_in_order_(IsInOrder(order)) {
    rows_ = std::min(in_order_.rows(), kMostRows);
    columns_ = std::min(in_order_.columns(), std::max(kFewestColumns, kCompared / rows_));
    by_row_.resize(rows_);
    by_column_.resize(columns_);
  }

  absl::Status Run(TensorValues& from_values, TensorId from, TensorValues& to_values, TensorId to) {
    OH_ASSIGN_OR_RETURN(const bool is_there, from_values.Begin(from));
    OH_ASSIGN_OR_RETURN(const bool is_other_there, to_values.Begin(to));
    if (!is_there || !is_other_there) return absl::OkStatus();
    Gatherer from_numbers(from_values);
    Gatherer to_numbers(to_values);
    return Compare(from_numbers, to_numbers);
  }

  TensorDistance Result() const {
    TensorDistance distance;
    if (all_.b == 0 || all_.a == 0) return distance;
    distance.plain = std::sqrt(std::max(0.0, all_.a - 2 * all_.both + all_.b) / all_.b);
    distance.error = std::sqrt(all_.rest() / all_.b);
    const double factor = all_.both / all_.a;
    // What rounding does to one is no scale.
    const bool is_one = std::fabs(factor - 1) < 0.02 && distance.plain < 2 * distance.error + 1e-3;
    distance.scaled = is_one ? ScaledBy::kNothing : ScaledBy::kNumber;
    if (is_one) distance.error = distance.plain;
    const double rows = columns_ < kFewestInChannel ? 1 : ErrorOf(by_row_);
    const double columns = rows_ < kFewestInChannel ? 1 : ErrorOf(by_column_);
    // Factors of their own explain a little of anything.
    if (std::min(rows, columns) > distance.error / 2) return distance;
    distance.scaled = rows <= columns ? ScaledBy::kRows : ScaledBy::kColumns;
    distance.error = std::min(rows, columns);
    distance.factors = FactorsOf(rows <= columns ? by_row_ : by_column_);
    return distance;
  }

 private:
  uint64_t RowAt(uint64_t row) const { return row * in_order_.rows() / rows_; }

  absl::Status Compare(Gatherer& from, Gatherer& to) {
    const size_t count = rows_ * columns_;
    places_.resize(count);
    a_.resize(count);
    b_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      places_[i] = in_order_.At(RowAt(i / columns_), i % columns_);
    }
    OH_RETURN_IF_ERROR(from.Gather(places_, absl::MakeSpan(a_)));
    if (is_in_order_) {
      OH_RETURN_IF_ERROR(to.Gather(places_, absl::MakeSpan(b_)));
    } else {
      OH_RETURN_IF_ERROR(GatherOther(count, to));
    }
    for (size_t i = 0; i < count; ++i) {
      if (!std::isfinite(a_[i]) || !std::isfinite(b_[i])) continue;
      all_.Add(a_[i], b_[i]);
      by_row_[i / columns_].Add(a_[i], b_[i]);
      by_column_[i % columns_].Add(a_[i], b_[i]);
    }
    return absl::OkStatus();
  }

  absl::Status GatherOther(size_t count, Gatherer& to) {
    std::vector<std::pair<uint64_t, uint32_t>> sorted(count);
    for (size_t i = 0; i < count; ++i) {
      sorted[i] = {other_.At(RowAt(i / columns_), i % columns_), static_cast<uint32_t>(i)};
    }
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < count; ++i) places_[i] = sorted[i].first;
    std::vector<double> numbers(count);
    OH_RETURN_IF_ERROR(to.Gather(places_, absl::MakeSpan(numbers)));
    for (size_t i = 0; i < count; ++i) b_[sorted[i].second] = numbers[i];
    return absl::OkStatus();
  }

  const PlacesOf in_order_;
  const PlacesOf other_;
  const bool is_in_order_;
  uint64_t rows_ = 0;
  uint64_t columns_ = 0;
  Sums all_;
  std::vector<Sums> by_row_;
  std::vector<Sums> by_column_;
  std::vector<uint64_t> places_;
  std::vector<double> a_;
  std::vector<double> b_;
};

}  // namespace

TensorDims Squeezed(absl::Span<const uint64_t> dims) {
  TensorDims squeezed;
  for (const uint64_t dim : dims) {
    if (dim != 1) squeezed.push_back(dim);
  }
  return squeezed;
}

AxisOrder OwnOrder(size_t axes) {
  AxisOrder order(axes);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<AxisOrder> AxisOrders(const TensorDims& from, const TensorDims& to) {
  if (from.size() != to.size()) return {};
  AxisOrder order = OwnOrder(from.size());
  std::vector<AxisOrder> orders;
  if (from.size() > kMostAxes) {
    if (from == to) orders.push_back(order);
    return orders;
  }
  do {
    bool fits = true;
    for (size_t i = 0; i < to.size() && fits; ++i) fits = from[order[i]] == to[i];
    if (fits) orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

absl::StatusOr<std::optional<TensorSketch>> SketchOf(TensorValues& values, TensorId tensor,
                                                     const TensorDims& dims,
                                                     const AxisOrder& order) {
  OH_ASSIGN_OR_RETURN(const bool is_there, values.Begin(tensor));
  if (!is_there) return std::nullopt;
  const PlacesOf places(dims, order);
  TensorSketch sketch;
  sketch.rows = static_cast<uint32_t>(std::min(places.rows(), kSketchRows));
  sketch.columns = static_cast<uint32_t>(std::min(places.columns(), kSketchColumns));
  std::vector<std::pair<uint64_t, uint32_t>> sorted;
  for (uint64_t row = 0; row < sketch.rows; ++row) {
    for (uint64_t column = 0; column < sketch.columns; ++column) {
      const uint64_t place =
          places.At(row * places.rows() / sketch.rows, column * places.columns() / sketch.columns);
      sorted.emplace_back(place, static_cast<uint32_t>(sorted.size()));
    }
  }
  std::sort(sorted.begin(), sorted.end());
  Gatherer gatherer(values);
  sketch.numbers.resize(sorted.size());
  for (const auto& [place, at] : sorted) {
    double number = 0;
    OH_RETURN_IF_ERROR(gatherer.Gather(absl::MakeConstSpan(&place, 1), absl::MakeSpan(&number, 1)));
    sketch.numbers[at] = std::isfinite(number) ? static_cast<float>(number) : 0;
  }
  return sketch;
}

double LikenessOf(const TensorSketch& a, const TensorSketch& b) {
  Sums all;
  std::vector<Sums> rows(a.rows);
  std::vector<Sums> columns(a.columns);
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    all.Add(a.numbers[i], b.numbers[i]);
    rows[i / a.columns].Add(a.numbers[i], b.numbers[i]);
    columns[i % a.columns].Add(a.numbers[i], b.numbers[i]);
  }
  double most = std::fabs(all.cosine());
  if (a.columns >= kFewestInChannel) most = std::max(most, MeanCosine(rows));
  if (a.rows >= kFewestInChannel) most = std::max(most, MeanCosine(columns));
  return most;
}

absl::StatusOr<TensorDistance> DistanceOf(TensorValues& from_values, TensorId from,
                                          TensorValues& to_values, TensorId to,
                                          const TensorDims& dims, const AxisOrder& order) {
  Comparison comparison(dims, order);
  OH_RETURN_IF_ERROR(comparison.Run(from_values, from, to_values, to));
  return comparison.Result();
}

}  // namespace onnx_hier
