// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

std::string WithThousands(uint64_t number) {
  std::string digits = absl::StrCat(number);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string Counted(uint64_t count, absl::string_view one, absl::string_view many) {
  if (count == 1) return absl::StrCat("1 ", one);
  const std::string number = WithThousands(count);
  return many.empty() ? absl::StrCat(number, " ", one, "s") : absl::StrCat(number, " ", many);
}

std::string HumanBytes(uint64_t bytes) {
  constexpr absl::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return absl::StrCat(bytes, " B");
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

}  // namespace onnx_hier
