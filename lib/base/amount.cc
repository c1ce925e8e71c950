// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

std::optional<double> ReadAmount(absl::string_view text) {
  struct Suffix {
    absl::string_view name;
    double factor;
  };
  static constexpr Suffix kSuffixes[] = {
      {"KiB", 1024.0},
      {"MiB", 1048576.0},
      {"GiB", 1073741824.0},
      {"TiB", 1099511627776.0},
      {"kB", 1e3},
      {"KB", 1e3},
      {"MB", 1e6},
      {"GB", 1e9},
      {"TB", 1e12},
      {"B", 1.0},
      {"k", 1e3},
      {"K", 1e3},
      {"M", 1e6},
      {"G", 1e9},
      {"T", 1e12},
  };
  constexpr double kMost = 1e18;
  double factor = 1;
  for (const Suffix& suffix : kSuffixes) {
    if (!absl::ConsumeSuffix(&text, suffix.name)) continue;
    factor = suffix.factor;
    break;
  }
  double number = 0;
  // The comparison also fails for what is no number.
  const bool is_good = absl::SimpleAtod(absl::StripAsciiWhitespace(text), &number) && number >= 0 &&
                       number * factor <= kMost;
  return is_good ? std::optional<double>(number * factor) : std::nullopt;
}

}  // namespace onnx_hier
