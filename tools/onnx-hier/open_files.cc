// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace onnx_hier::cli {
namespace {

// The file, its folder, and on some file systems the one that it is made in.
constexpr rlim_t kPerOutput = 3;
// For the streams, the input, and what libraries open.
constexpr rlim_t kOthers = 64;

}  // namespace

void AllowOutputs(size_t outputs) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = kPerOutput * outputs + kOthers;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace onnx_hier::cli
