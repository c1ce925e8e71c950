// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/files/system.h"

namespace onnx_hier {
namespace {

std::string DescriptorPath(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

}  // namespace

UniqueFd OpenUnnamed(int folder, uint32_t mode) {
  UniqueFd file(openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, static_cast<mode_t>(mode)));
  // A name can only be given to it by way of /proc.
  if (file.valid() && access(DescriptorPath(file.get()).c_str(), F_OK) != 0) file.Reset();
  return file;
}

int NameUnnamed(int file, int folder, const std::string& name) {
  return linkat(AT_FDCWD, DescriptorPath(file).c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW);
}

UniqueFd OpenInMemory() { return UniqueFd(memfd_create("onnx-hier", MFD_CLOEXEC)); }

int RenameToFree(int folder, const std::string& name, int new_folder, const std::string& new_name) {
  const int result =
      renameat2(folder, name.c_str(), new_folder, new_name.c_str(), RENAME_NOREPLACE);
  // A link refuses as well.
  return result != 0 && IsUnsupported(errno)
             ? linkat(folder, name.c_str(), new_folder, new_name.c_str(), 0)
             : result;
}

int Exchange(int folder, const std::string& name, int other_folder, const std::string& other_name) {
  return renameat2(folder, name.c_str(), other_folder, other_name.c_str(), RENAME_EXCHANGE);
}

UniqueFd OpenUnreadFolder(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

int Lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }

int ReserveSpace(int fd, uint64_t begin, uint64_t end) {
  return fallocate(fd, 0, static_cast<off_t>(begin), static_cast<off_t>(end - begin));
}

int ShareBlocks(int in, uint64_t from, uint64_t length, int out, uint64_t to) {
  file_clone_range range = {};
  range.src_fd = in;
  range.src_offset = from;
  range.src_length = length;
  range.dest_offset = to;
  return ioctl(out, FICLONERANGE, &range);
}

void StartWriteBack(int fd) { sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); }

std::vector<std::string> AttributeNames(int fd) {
  const ssize_t size = flistxattr(fd, nullptr, 0);
  if (size <= 0) return {};
  std::string names(static_cast<size_t>(size), '\0');
  const ssize_t n = flistxattr(fd, names.data(), names.size());
  names.resize(n < 0 ? 0 : static_cast<size_t>(n));
  return absl::StrSplit(names, '\0', absl::SkipEmpty());
}

int64_t ReadAttribute(int fd, const std::string& name, std::string* value) {
  const ssize_t size = fgetxattr(fd, name.c_str(), nullptr, 0);
  if (size < 0) return size;
  value->resize(static_cast<size_t>(size));
  const ssize_t n = fgetxattr(fd, name.c_str(), value->data(), value->size());
  value->resize(n < 0 ? 0 : static_cast<size_t>(n));
  return n;
}

int WriteAttribute(int fd, const std::string& name, const std::string& value) {
  return fsetxattr(fd, name.c_str(), value.data(), value.size(), 0);
}

// As the kernel names it (xattr(7)).
void RemoveAccessList(int fd) { fremovexattr(fd, "system.posix_acl_access"); }

// Newer kernels let such mappings begin there by themselves, Debian 12's does not.
char* ReserveAddresses(uint64_t size) {
  const uint64_t slack = size < kHugePage ? 0 : kHugePage;
  void* memory = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(memory);
  if (slack == 0) return begin;
  const uint64_t head = -reinterpret_cast<uintptr_t>(begin) & (kHugePage - 1);
  if (head > 0) munmap(begin, head);
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t used = (head + size + page - 1) / page * page;
  if (used < size + slack) munmap(begin + used, size + slack - used);
  return begin + head;
}

void ReleaseAddresses(char* begin, uint64_t size) { munmap(begin, size); }

void AskForHugePage(char* page) { madvise(page, kHugePage, MADV_HUGEPAGE); }

}  // namespace onnx_hier
