// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/numbers.h"

#include "absl/base/casts.h"
#include "lib/base/load_word.h"
#include "lib/graph/data_type.h"

namespace onnx_hier {

// IEEE 754's binary16: a sign, 5 bits of exponent, 10 of fraction.
double FromHalf(uint16_t bits) {
  const uint64_t sign = uint64_t{bits & 0x8000u} << 48;
  const uint64_t exponent = bits >> 10 & 0x1F;
  const uint64_t fraction = bits & 0x3FF;
  if (exponent == 0) {  // fraction times 2 to the -24
    const double value = static_cast<double>(fraction) / (1 << 24);
    return sign != 0 ? -value : value;
  }
  const uint64_t wide = exponent == 0x1F ? 0x7FF : exponent - 15 + 1023;
  return absl::bit_cast<double>(sign | wide << 52 | fraction << 42);
}

double FromBfloat16(uint16_t bits) { return absl::bit_cast<float>(uint32_t{bits} << 16); }

namespace {

template <class Stored, class Convert>
void ConvertAll(const char* from, absl::Span<double> to, Convert convert) {
  for (double& value : to) {
    value = convert(LoadWord<Stored>(from));
    from += sizeof(Stored);
  }
}

template <class Stored>
void ConvertNumbers(const char* from, absl::Span<double> to) {
  ConvertAll<Stored>(from, to, [](Stored number) { return static_cast<double>(number); });
}

}  // namespace

uint64_t NumberSize(int32_t type) {
  switch (type) {
    case data_type::kInt8:
    case data_type::kUint8:
    case data_type::kBool:
      return 1;
    case data_type::kFloat16:
    case data_type::kBfloat16:
    case data_type::kInt16:
    case data_type::kUint16:
      return 2;
    case data_type::kFloat:
    case data_type::kInt32:
    case data_type::kUint32:
      return 4;
    case data_type::kDouble:
    case data_type::kInt64:
    case data_type::kUint64:
      return 8;
    default:
      return 0;
  }
}

void ToNumbers(int32_t type, const char* from, absl::Span<double> to) {
  switch (type) {
    case data_type::kInt8:
      return ConvertNumbers<int8_t>(from, to);
    case data_type::kUint8:
    case data_type::kBool:
      return ConvertNumbers<uint8_t>(from, to);
    case data_type::kFloat16:
      return ConvertAll<uint16_t>(from, to, FromHalf);
    case data_type::kBfloat16:
      return ConvertAll<uint16_t>(from, to, FromBfloat16);
    case data_type::kInt16:
      return ConvertNumbers<int16_t>(from, to);
    case data_type::kUint16:
      return ConvertNumbers<uint16_t>(from, to);
    case data_type::kFloat:
      return ConvertNumbers<float>(from, to);
    case data_type::kInt32:
      return ConvertNumbers<int32_t>(from, to);
    case data_type::kUint32:
      return ConvertNumbers<uint32_t>(from, to);
    case data_type::kDouble:
      return ConvertNumbers<double>(from, to);
    case data_type::kInt64:
      return ConvertNumbers<int64_t>(from, to);
    default:
      return ConvertNumbers<uint64_t>(from, to);
  }
}

}  // namespace onnx_hier
