// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/content_print.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "absl/base/casts.h"
#include "absl/types/span.h"
#include "lib/base/status_macros.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kPieceOfNumbers = 1 << 15;
constexpr int kFractionBits = 23;
// That one number is worth.
constexpr int kMostBits = 20;

// To so many bits less of the fraction, to the even one of two that are as near.
uint32_t RoundBits(uint32_t bits, uint32_t less) {
  const uint32_t half = (uint32_t{1} << (less - 1)) - 1;
  return (bits + half + (bits >> less & 1)) & ~((uint32_t{1} << less) - 1);
}

// As float16 holds it, back in a float.
uint32_t RoundToHalf(float number) {
  constexpr float kLeastNormal = 6.103515625e-05F;
  constexpr float kStep = 5.9604644775390625e-08F;  // of what is smaller
  constexpr float kTooLarge = 65520;
  const float size = number < 0 ? -number : number;
  if (size >= kTooLarge) return number < 0 ? 0xFF800000 : 0x7F800000;
  if (size >= kLeastNormal) return RoundBits(absl::bit_cast<uint32_t>(number), 13);
  // Sums of floats are rounded to even where one holds no more of them.
  constexpr float kShift = 8388608.0F * kStep;
  const float rounded = (size + kShift) - kShift;
  return absl::bit_cast<uint32_t>(number < 0 ? -rounded : rounded);
}

uint32_t Rounded(RoundedTo rounding, float number) {
  switch (rounding) {
    case RoundedTo::kHalf:
      return RoundToHalf(number);
    case RoundedTo::kBfloat:
      return RoundBits(absl::bit_cast<uint32_t>(number), 16);
    default:
      return absl::bit_cast<uint32_t>(number);
  }
}

void AddNumber(uint32_t bits, ContentPrint& print) {
  if ((bits & 0x7FFFFFFF) == 0) return;
  ++print.count;
  uint64_t hash = (bits + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
  hash = (hash ^ hash >> 32) * 0x94D049BB133111EBull;
  hash ^= hash >> 29;
  print.low += hash;
  print.high += (hash ^ 0xD1B54A32D192ED03ull) * (hash | 1);
  // Bits of the fraction up to the last one that is set: few of what people write.
  const uint32_t fraction = bits & 0x007FFFFF;
  const int unset = fraction == 0 ? kFractionBits : std::countr_zero(fraction);
  print.information += static_cast<uint64_t>(std::min(kFractionBits - unset, kMostBits));
}

}  // namespace

ContentPrint& ContentPrint::operator+=(const ContentPrint& other) {
  low += other.low;
  high += other.high;
  count += other.count;
  information += other.information;
  return *this;
}

absl::StatusOr<ContentPrints> ContentPrintsOf(TensorValues& values, TensorId tensor,
                                              uint64_t elements, const bool (&asked)[kRoundings]) {
  ContentPrints prints;
  OH_ASSIGN_OR_RETURN(prints.is_known, values.Begin(tensor));
  if (!prints.is_known) return prints;
  std::vector<double> piece(std::min(elements, kPieceOfNumbers));
  double first = 0;
  bool is_constant = true;
  for (uint64_t done = 0; done < elements; done += piece.size()) {
    piece.resize(std::min(elements - done, kPieceOfNumbers));
    OH_RETURN_IF_ERROR(values.Read(absl::MakeSpan(piece)));
    if (done == 0) first = piece[0];
    is_constant = is_constant && std::all_of(piece.begin(), piece.end(),
                                             [&](double number) { return number == first; });
    for (size_t i = 0; i < kRoundings; ++i) {
      if (!asked[i]) continue;
      for (const double number : piece) {
        AddNumber(Rounded(static_cast<RoundedTo>(i), static_cast<float>(number)), prints.of[i]);
      }
    }
  }
  // One number is as good as another, however often it is there.
  if (is_constant) {
    for (ContentPrint& print : prints.of)
      print.information = std::min<uint64_t>(print.information, kMostBits);
  }
  return prints;
}

}  // namespace onnx_hier
