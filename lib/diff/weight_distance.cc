#include "lib/diff/weight_distance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "lib/base/status_macros.h"
#include "lib/graph/data_type.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kBlock = 1 << 13;  // numbers

bool IsFloat(int32_t type) {
  return type == data_type::kFloat || type == data_type::kFloat16 || type == data_type::kBfloat16 ||
         type == data_type::kDouble;
}

}  // namespace

absl::StatusOr<bool> WeightDistance::Add(TensorId a, TensorId b) {
  if (!AreComparable(a, b)) return false;
  OH_ASSIGN_OR_RETURN(const bool has_a, values_a_.Begin(a));
  if (!has_a) return false;
  OH_ASSIGN_OR_RETURN(const bool has_b, values_b_.Begin(b));
  if (!has_b) return false;
  std::vector<double> block_a(kBlock);
  std::vector<double> block_b(kBlock);
  for (uint64_t left = a_.tensor(a).elements; left > 0;) {
    const uint64_t count = std::min(left, kBlock);
    const absl::Span<double> of_a = absl::MakeSpan(block_a).subspan(0, count);
    const absl::Span<double> of_b = absl::MakeSpan(block_b).subspan(0, count);
    OH_RETURN_IF_ERROR(values_a_.Read(of_a));
    OH_RETURN_IF_ERROR(values_b_.Read(of_b));
    AddBlock(of_a, of_b);
    left -= count;
  }
  return true;
}

WeightDifference WeightDistance::Result() const {
  WeightDifference result = result_;
  if (squared_differences_ > 0) {
    result.relative = squares_ > 0 ? std::sqrt(squared_differences_ / squares_)
                                   : std::numeric_limits<double>::infinity();
  }
  return result;
}

bool WeightDistance::AreComparable(TensorId a, TensorId b) const {
  const absl::Span<const int64_t> dims_a = a_.dims(a);
  const absl::Span<const int64_t> dims_b = b_.dims(b);
  if (!std::equal(dims_a.begin(), dims_a.end(), dims_b.begin(), dims_b.end())) return false;
  if (a_.tensor(a).elements != b_.tensor(b).elements) return false;
  const int32_t type_a = a_.tensor(a).data_type;
  const int32_t type_b = b_.tensor(b).data_type;
  return type_a == type_b || (IsFloat(type_a) && IsFloat(type_b));
}

void WeightDistance::AddBlock(absl::Span<const double> a, absl::Span<const double> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(b[i] - a[i]);
    if (!std::isfinite(difference)) {
      const bool are_same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
      result_.not_finite += are_same ? 0 : 1;
      continue;
    }
    result_.largest = std::max(result_.largest, difference);
    squared_differences_ += difference * difference;
    squares_ += a[i] * a[i];
  }
  result_.compared += a.size();
}

}  // namespace onnx_hier
