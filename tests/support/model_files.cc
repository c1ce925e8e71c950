// SPDX-License-Identifier: Apache-2.0
#include "tests/support/model_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

namespace onnx_hier::testing {

std::string InTestdata(absl::string_view name) {
  return absl::StrCat(ONNX_HIER_TESTDATA, "/", name);
}

std::vector<std::string> ModelFiles(absl::string_view folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(InTestdata(folder))) {
    if (entry.path().extension() == ".onnx") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> AllModelFiles() {
  std::vector<std::string> paths = ModelFiles();
  for (std::string& path : ModelFiles("drawn")) paths.push_back(std::move(path));
  return paths;
}

}  // namespace onnx_hier::testing
