// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kOnnx = ".onnx";

}  // namespace

std::string Stem(const std::string& path) {
  return absl::EndsWith(path, kOnnx) ? path.substr(0, path.size() - kOnnx.size()) : path;
}

std::string FileName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string ModelBeside(const std::string& input, absl::string_view suffix,
                        const std::string& folder) {
  if (folder.empty()) return absl::StrCat(Stem(input), suffix, kOnnx);
  return absl::StrCat(folder, "/", Stem(FileName(input)), suffix, kOnnx);
}

std::string FileNumber(size_t index, size_t count) {
  const int width = static_cast<int>(std::max<size_t>(2, absl::StrCat(count - 1).size()));
  return absl::StrFormat("%0*d", width, index);
}

std::string SidecarOf(const std::string& model) {
  return absl::StrCat(Stem(model), "_hierarchy.json");
}

}  // namespace onnx_hier
