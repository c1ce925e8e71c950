// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/cost_flags.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {
namespace {

// "NAME=REST"; the name may have a '=' itself.
absl::StatusOr<std::pair<std::string, std::string>> Entry(const std::string& flag,
                                                          const std::string& text) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0) {
    return Misused(absl::StrCat("--", flag, " takes ", flag == "dim" ? "NAME=N" : "INPUT=DIMS",
                                ", not '", text, "'"));
  }
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

}  // namespace

absl::StatusOr<CostOptions> ReadCostOptions(const ParsedFlags& flags) {
  CostOptions options;
  for (const std::string& text : flags.Values("shape")) {
    absl::StatusOr<std::pair<std::string, std::string>> entry = Entry("shape", text);
    if (!entry.ok()) return entry.status();
    options.shapes.push_back(*std::move(entry));
  }
  for (const std::string& text : flags.Values("dim")) {
    absl::StatusOr<std::pair<std::string, std::string>> entry = Entry("dim", text);
    if (!entry.ok()) return entry.status();
    uint32_t size;
    if (!absl::SimpleAtoi(entry->second, &size) || size > (1u << 30)) {
      return Misused(absl::StrCat("--dim takes NAME=N, not '", text, "'"));
    }
    options.sizes.emplace_back(std::move(entry->first), size);
  }
  if (!flags.Has("device")) return options;
  const std::string text = flags.Value("device");
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  Device device;
  if (parts.size() != 2 || !absl::SimpleAtod(parts[0], &device.gflops) ||
      !absl::SimpleAtod(parts[1], &device.gbytes_per_second) || !(device.gflops > 0) ||
      !(device.gbytes_per_second > 0)) {
    return Misused(absl::StrCat("--device takes GFLOPS:GBPS, as 2000:50, not '", text, "'"));
  }
  options.device = device;
  return options;
}

absl::Status CostError(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kFailedPrecondition) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(),
                                                  ": say it with --dim NAME=N or --shape "
                                                  "INPUT=DIMS"));
}

}  // namespace onnx_hier::cli
