// SPDX-License-Identifier: Apache-2.0

// What other C libraries than that of Debian 12 lack, by the system calls behind it.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier,
// readability-inconsistent-declaration-parameter-name): glibc's names.
extern "C" {

// It says whether atomic operations may be left out: never.
extern char __libc_single_threaded;
char __libc_single_threaded = 0;

int memfd_create(const char* name, unsigned int flags) noexcept {
  return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) noexcept {
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

// Kernels before 3.17 have no call for it.
int getentropy(void* out, size_t size) {
  if (syscall(SYS_getrandom, out, size, 0) == static_cast<int64_t>(size)) return 0;
  const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t got = read(file, out, size);
  close(file);
  if (got == static_cast<ssize_t>(size)) return 0;
  errno = EIO;
  return -1;
}
uint32_t arc4random() noexcept {
  uint32_t number = 0;
  return getentropy(&number, sizeof(number)) == 0 ? number : 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier,
// readability-inconsistent-declaration-parameter-name)
