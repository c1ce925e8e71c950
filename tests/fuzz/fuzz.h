// SPDX-License-Identifier: Apache-2.0

// What the fuzz targets share.
//
// A target is a function that takes any bytes and checks what must hold for all of them. Built
// with libFuzzer (preset fuzz) it is a fuzzer, else a program that replays files: see README.md.
#ifndef ONNX_HIER_TESTS_FUZZ_FUZZ_H_
#define ONNX_HIER_TESTS_FUZZ_FUZZ_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "onnx_hier/onnx_hier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace onnx_hier::fuzz {

inline absl::string_view Text(const uint8_t* data, size_t size) {
  return absl::string_view(reinterpret_cast<const char*>(data), size);
}

// Says what does not hold and aborts, so that the input is kept.
void Require(bool holds, absl::string_view what);
// The same, with both texts where they part.
void RequireSame(absl::string_view a, absl::string_view b, absl::string_view what);

// A file in memory whose contents are replaced again and again.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Empty, or with these contents; the position is at the start.
  int Reset(absl::string_view contents = {});
  int fd() const { return fd_; }
  // Opens it as often as wanted while the object lives.
  const std::string& path() const { return path_; }
  std::string Read() const;

 private:
  int fd_;
  std::string path_;
};

// A model that the library wrote there.
Model OpenWritten(const MemoryFile& file);

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_FUZZ_H_
