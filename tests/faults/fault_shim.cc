// SPDX-License-Identifier: Apache-2.0

// Loaded before the C library (LD_PRELOAD): makes chosen system calls fail.
//
//   ONNX_HIER_FAULT="fsync:1:28"         the first fsync() fails with errno 28
//   ONNX_HIER_FAULT="pwrite:3+:5"        the third pwrite() and all after it fail with errno 5
//   ONNX_HIER_FAULT="pread:2:short"      the second pread() gives one byte
//   ONNX_HIER_FAULT="linkat:9:kill"      at the ninth linkat() the program is killed
//   ONNX_HIER_FAULT="fsync:1:5,open:2:24"  several
//   ONNX_HIER_CALLS=FILE                 a line for each call is added to FILE: its name, and of
//                                        a file that was opened a line "opened REAL_PATH"
//
// An open() for a file without a name is a call of its own, "tmpfile"; so is the one ioctl() that
// has to do with files, "clone". Calls are counted over all
// threads. Everything goes to the kernel directly, so that the shim works with and without
// sanitizers.

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// What a fault gives instead of an errno: as little as the call may.
constexpr int kShort = -1;
constexpr int kKill = -2;

struct Fault {
  char call[16] = "";
  long first = 0;
  bool persists = false;
  int error = 0;
  std::atomic<long> calls{0};
};

class Faults {
 public:
  Faults() {
    const char* text = std::getenv("ONNX_HIER_FAULT");
    for (Fault& fault : faults_) {
      if (text == nullptr) return;
      Read(text, fault);
      text = std::strchr(text, ',');
      if (text != nullptr) ++text;
    }
    if (text != nullptr) std::abort();
  }

  // 0: the call goes on as usual. Else what it is to do instead.
  int Of(const char* call) {
    for (Fault& fault : faults_) {
      if (std::strcmp(fault.call, call) != 0) continue;
      const long number = ++fault.calls;
      if (fault.persists ? number >= fault.first : number == fault.first) return fault.error;
    }
    return 0;
  }

 private:
  static void Read(const char* text, Fault& fault) {
    char after = ' ';
    char action[16] = "";
    if (std::sscanf(text, "%15[^:]:%ld%c", fault.call, &fault.first, &after) != 3) std::abort();
    const char* const last = std::strchr(std::strchr(text, ':') + 1, ':') + 1;
    if (std::sscanf(last, "%15[^,]", action) != 1) std::abort();
    fault.persists = after == '+';
    fault.error = std::strcmp(action, "short") == 0  ? kShort
                  : std::strcmp(action, "kill") == 0 ? kKill
                                                     : std::atoi(action);
  }

  Fault faults_[4];
};

void Note(const char* call, const char* path) {
  static const int log = [] {
    const char* name = std::getenv("ONNX_HIER_CALLS");
    if (name == nullptr) return -1;
    return static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  }();
  if (log < 0) return;
  char line[4500];
  const int n = std::snprintf(line, sizeof(line), "%s%s%s\n", call, path == nullptr ? "" : " ",
                              path == nullptr ? "" : path);
  // One write, so that lines of several threads stay whole.
  syscall(SYS_write, log, line, n);
}

int FaultOf(const char* call) {
  static Faults faults;
  const int saved = errno;
  Note(call, nullptr);
  const int fault = faults.Of(call);
  if (fault == kKill) syscall(SYS_kill, getpid(), SIGKILL);
  errno = saved;
  return fault;
}

int Fail(int error) {
  errno = error;
  return -1;
}

// Of a call that moves bytes.
template <class Call>
ssize_t Move(const char* name, size_t size, Call call) {
  const int fault = FaultOf(name);
  if (fault > 0) return Fail(fault);
  return call(fault == kShort && size > 1 ? 1 : size);
}

template <class Call>
int Plain(const char* name, Call call) {
  const int fault = FaultOf(name);
  return fault > 0 ? Fail(fault) : static_cast<int>(call());
}

// Says in the log what a descriptor stands for, whatever links led to it.
int Opened(long fd) {
  if (fd < 0) return static_cast<int>(fd);
  char link[64];
  char path[4096];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%ld", fd);
  const ssize_t n = syscall(SYS_readlink, link, path, sizeof(path) - 1);
  path[n < 0 ? 0 : n] = 0;
  Note("opened", path);
  return static_cast<int>(fd);
}

int Open(int folder, const char* path, int flags, va_list arguments) {
  const bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = unnamed || (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  const int fault = FaultOf(unnamed ? "tmpfile" : "open");
  if (fault > 0) return Fail(fault);
  return Opened(syscall(SYS_openat, folder, path, flags, mode));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = Open(AT_FDCWD, path, flags, arguments);
  va_end(arguments);
  return fd;
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int fd = Open(folder, path, flags, arguments);
  va_end(arguments);
  return fd;
}

// The tool's one use of it is to read a text.
FILE* fopen(const char* path, const char*) {
  const int fault = FaultOf("open");
  if (fault > 0) {
    errno = fault;
    return nullptr;
  }
  const int fd = Opened(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  return fd < 0 ? nullptr : fdopen(fd, "rb");
}

ssize_t read(int fd, void* data, size_t size) {
  return Move("read", size, [&](size_t n) { return syscall(SYS_read, fd, data, n); });
}

ssize_t pread(int fd, void* data, size_t size, off_t at) {
  return Move("pread", size, [&](size_t n) { return syscall(SYS_pread64, fd, data, n, at); });
}

ssize_t write(int fd, const void* data, size_t size) {
  // What is said to people is not data.
  if (fd == STDERR_FILENO) return syscall(SYS_write, fd, data, size);
  return Move("write", size, [&](size_t n) { return syscall(SYS_write, fd, data, n); });
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  return Move("pwrite", size, [&](size_t n) { return syscall(SYS_pwrite64, fd, data, n, at); });
}

int fsync(int fd) {
  // No test cuts the power: what is asked for is counted, and nothing waits for the disk.
  return Plain("fsync", [&] { return fcntl(fd, F_GETFD) < 0 ? -1 : 0; });
}

int ftruncate(int fd, off_t size) {
  return Plain("ftruncate", [&] { return syscall(SYS_ftruncate, fd, size); });
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  return Plain("fallocate", [&] { return syscall(SYS_fallocate, fd, mode, at, size); });
}

int ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  const auto call = [&] { return syscall(SYS_ioctl, fd, request, argument); };
  return request == FICLONERANGE ? Plain("clone", call) : static_cast<int>(call());
}

int flock(int fd, int operation) {
  return Plain("flock", [&] { return syscall(SYS_flock, fd, operation); });
}

int fchmod(int fd, mode_t mode) {
  return Plain("fchmod", [&] { return syscall(SYS_fchmod, fd, mode); });
}

int fchown(int fd, uid_t user, gid_t group) {
  return Plain("fchown", [&] { return syscall(SYS_fchown, fd, user, group); });
}

int unlinkat(int folder, const char* path, int flags) {
  return Plain("unlinkat", [&] { return syscall(SYS_unlinkat, folder, path, flags); });
}

int mkdirat(int folder, const char* path, mode_t mode) {
  return Plain("mkdirat", [&] { return syscall(SYS_mkdirat, folder, path, mode); });
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return Plain("linkat",
               [&] { return syscall(SYS_linkat, from_folder, from, to_folder, to, flags); });
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return Plain("renameat",
               [&] { return syscall(SYS_renameat2, from_folder, from, to_folder, to, 0); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return Plain("renameat2",
               [&] { return syscall(SYS_renameat2, from_folder, from, to_folder, to, flags); });
}

int fstat(int fd, struct stat* status) {
  return Plain("fstat", [&] { return syscall(SYS_fstat, fd, status); });
}

int fstatat(int folder, const char* path, struct stat* status, int flags) {
  return Plain("fstatat", [&] { return syscall(SYS_newfstatat, folder, path, status, flags); });
}

ssize_t flistxattr(int fd, char* names, size_t size) {
  return Plain("flistxattr", [&] { return syscall(SYS_flistxattr, fd, names, size); });
}

int mkostemp(char* name, int flags) {
  const int fault = FaultOf("open");
  return fault > 0 ? Fail(fault) : mkostemps(name, 0, flags);
}

}  // extern "C"
