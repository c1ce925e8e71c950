// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace onnx_hier::fuzz {
namespace {

constexpr size_t kShownInput = 300;

}  // namespace

void Require(bool holds, absl::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

void RequireSame(absl::string_view a, absl::string_view b, absl::string_view what) {
  if (a == b) return;
  const size_t common =
      static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const size_t from = common - std::min<size_t>(common, 40);
  Require(false, absl::StrCat(what, ": they part at byte ", common, "\n  ",
                              absl::CHexEscape(a.substr(from, kShownInput)), "\n  ",
                              absl::CHexEscape(b.substr(from, kShownInput))));
}

MemoryFile::MemoryFile()
    : fd_(memfd_create("fuzz", MFD_CLOEXEC)), path_(absl::StrCat("/proc/self/fd/", fd_)) {
  Require(fd_ >= 0, "a file in memory can be made");
}

MemoryFile::~MemoryFile() { close(fd_); }

int MemoryFile::Reset(absl::string_view contents) {
  const ssize_t size = static_cast<ssize_t>(contents.size());
  Require(ftruncate(fd_, 0) == 0 && pwrite(fd_, contents.data(), contents.size(), 0) == size &&
              lseek(fd_, 0, SEEK_SET) == 0,
          "a file in memory can be written");
  return fd_;
}

std::string MemoryFile::Read() const {
  struct stat status;
  Require(fstat(fd_, &status) == 0, "a file in memory can be inspected");
  std::string contents(static_cast<size_t>(status.st_size), '\0');
  Require(pread(fd_, contents.data(), contents.size(), 0) == status.st_size,
          "a file in memory can be read");
  return contents;
}

Model OpenWritten(const MemoryFile& file) {
  absl::StatusOr<Model> model = Model::Open(file.path());
  Require(model.ok(), absl::StrCat("what was written can be read: ", model.status().message()));
  return *std::move(model);
}

}  // namespace onnx_hier::fuzz
