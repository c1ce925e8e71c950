// SPDX-License-Identifier: Apache-2.0

// Files for tests: folders that go when they go out of scope, and files in memory.
#ifndef ONNX_HIER_TESTS_SUPPORT_TEMP_FOLDER_H_
#define ONNX_HIER_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier::testing {

// A new empty folder, removed with all it holds.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of `name` in it.
  std::string operator/(absl::string_view name) const;
  // Writes a file and returns its path.
  std::string Write(absl::string_view name, absl::string_view contents, mode_t mode = 0644) const;
  // Names of everything in it, hidden ones too, sorted.
  std::vector<std::string> List() const;

 private:
  std::string path_;
};

// A file without a place: path() opens it as often as wanted while the object lives.
class MemoryFile {
 public:
  explicit MemoryFile(absl::string_view contents);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }
  std::string path() const;
  // All of it.
  std::string Read() const;

 private:
  int fd_;
};

std::string ReadFile(const std::string& path);

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_SUPPORT_TEMP_FOLDER_H_
