// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx_hier/numerics.h"

namespace onnx_hier {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of float16 (IEEE 754's binary16): the largest number, the smallest with all its bits.
constexpr double kMostOfHalf = 65504;
constexpr double kLeastOfHalf = 0x1p-14;
// From here on a number means "as far as can be": masks hold the least number of their type, which
// is another one in a smaller type.
constexpr double kFar = 1e30;
constexpr double kFarInHalf = 1e4;

bool AreBothFar(double a, double b) {
  return std::abs(a) >= kFar && std::abs(b) >= kFarInHalf && std::signbit(a) == std::signbit(b);
}

}  // namespace

double ValueError::relative() const {
  if (broken > 0) return kInfinity;
  if (noise == 0) return 0;
  return signal == 0 ? kInfinity : std::sqrt(noise / signal);
}

double ValueError::cosine() const {
  if (signal == 0 || others == 0) return signal == others ? 1 : 0;
  return std::clamp(product / std::sqrt(signal) / std::sqrt(others), -1.0, 1.0);
}

double ValueError::sqnr() const {
  const double error = relative();
  return error == 0 ? kInfinity : -20 * std::log10(error);
}

void ValueError::Add(const ValueError& other) {
  count += other.count;
  signal += other.signal;
  noise += other.noise;
  product += other.product;
  others += other.others;
  most = std::max(most, other.most);
  largest = std::max(largest, other.largest);
  broken += other.broken;
  beyond_half += other.beyond_half;
  subnormal += other.subnormal;
}

void ErrorSum::Add(absl::Span<const double> original, absl::Span<const double> other) {
  error_.count += original.size();
  for (size_t i = 0; i < original.size(); ++i) {
    const double a = original[i];
    const double b = other[i];
    if (!std::isfinite(a) || AreBothFar(a, b)) continue;
    const double size = std::abs(a);
    error_.largest = std::max(error_.largest, size);
    if (size > kMostOfHalf) ++error_.beyond_half;
    if (size > 0 && size < kLeastOfHalf) ++error_.subnormal;
    if (!std::isfinite(b)) {
      ++error_.broken;
      continue;
    }
    const double difference = b - a;
    error_.signal += a * a;
    error_.noise += difference * difference;
    error_.product += a * b;
    error_.others += b * b;
    error_.most = std::max(error_.most, std::abs(difference));
  }
}

}  // namespace onnx_hier
