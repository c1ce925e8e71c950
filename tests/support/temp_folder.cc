// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temp_folder.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"

namespace onnx_hier::testing {

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "onnx-hier-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::operator/(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

std::string TempFolder::Write(absl::string_view name, absl::string_view contents,
                              mode_t mode) const {
  const std::string path = *this / name;
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  REQUIRE(file.good());
  REQUIRE(chmod(path.c_str(), mode) == 0);
  return path;
}

std::vector<std::string> TempFolder::List() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

MemoryFile::MemoryFile(absl::string_view contents) : fd_(memfd_create("test", MFD_CLOEXEC)) {
  REQUIRE(fd_ >= 0);
  REQUIRE(write(fd_, contents.data(), contents.size()) == static_cast<ssize_t>(contents.size()));
}

MemoryFile::~MemoryFile() { close(fd_); }

std::string MemoryFile::path() const { return absl::StrCat("/proc/self/fd/", fd_); }

std::string MemoryFile::Read() const { return ReadFile(path()); }

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  std::ostringstream contents;
  contents << file.rdbuf();
  return std::move(contents).str();
}

}  // namespace onnx_hier::testing
