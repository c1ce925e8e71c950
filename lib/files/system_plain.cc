// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "lib/files/system.h"

namespace onnx_hier {
namespace {

int Unsupported() {
  errno = ENOTSUP;
  return -1;
}

}  // namespace

UniqueFd OpenUnnamed(int /*folder*/, uint32_t /*mode*/) {
  Unsupported();
  return UniqueFd();
}

int NameUnnamed(int /*file*/, int /*folder*/, const std::string& /*name*/) { return Unsupported(); }

UniqueFd OpenInMemory() {
  Unsupported();
  return UniqueFd();
}

int RenameToFree(int folder, const std::string& name, int new_folder, const std::string& new_name) {
  const int result = linkat(folder, name.c_str(), new_folder, new_name.c_str(), 0);
  // Some file systems, and all of WebAssembly's, have no links: between the look and the renaming
  // lies a moment.
  const bool has_no_links =
      result != 0 && (errno == EMLINK || errno == EPERM || IsUnsupported(errno));
  if (!has_no_links) return result;
  struct stat there;
  if (fstatat(new_folder, new_name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return renameat(folder, name.c_str(), new_folder, new_name.c_str());
}

int Exchange(int /*folder*/, const std::string& /*name*/, int /*other_folder*/,
             const std::string& /*other_name*/) {
  return Unsupported();
}

UniqueFd OpenUnreadFolder(const std::string& path) {
#ifdef O_SEARCH
  return UniqueFd(open(path.c_str(), O_SEARCH | O_DIRECTORY | O_CLOEXEC));
#else
  return UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
#endif
}

int Lock(int fd) {
#ifdef __EMSCRIPTEN__
  static_cast<void>(fd);
  return Unsupported();  // its flock() says that all went well
#else
  return flock(fd, LOCK_EX | LOCK_NB);
#endif
}

int ReserveSpace(int /*fd*/, uint64_t /*begin*/, uint64_t /*end*/) { return Unsupported(); }

int ShareBlocks(int /*in*/, uint64_t /*from*/, uint64_t /*length*/, int /*out*/, uint64_t /*to*/) {
  return Unsupported();
}

void StartWriteBack(int /*fd*/) {}

std::vector<std::string> AttributeNames(int /*fd*/) { return {}; }

int64_t ReadAttribute(int /*fd*/, const std::string& /*name*/, std::string* /*value*/) {
  return Unsupported();
}

int WriteAttribute(int /*fd*/, const std::string& /*name*/, const std::string& /*value*/) {
  return Unsupported();
}

void RemoveAccessList(int /*fd*/) {}

char* ReserveAddresses(uint64_t size) {
  if (size > SIZE_MAX / 2) {
    errno = EFBIG;
    return nullptr;
  }
  // Systems give a large block memory where it is touched. WebAssembly's mmap() would fill it.
  return static_cast<char*>(std::malloc(size));
}

void ReleaseAddresses(char* begin, uint64_t /*size*/) { std::free(begin); }

void AskForHugePage(char* /*page*/) {}

}  // namespace onnx_hier
