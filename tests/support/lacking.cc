// SPDX-License-Identifier: Apache-2.0
#include "tests/support/lacking.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <thread>

namespace onnx_hier::testing {
namespace {

// The bit of O_TMPFILE that is not O_DIRECTORY.
constexpr uint32_t kTmpFile = O_TMPFILE & ~O_DIRECTORY;

// A seccomp filter holds for the thread that sets it, and ends with the thread.
bool Forbid(Lacking lacking) {
  constexpr uint32_t kCall = offsetof(seccomp_data, nr);
  constexpr uint32_t kOpenFlags = offsetof(seccomp_data, args) + 2 * sizeof(uint64_t);
  const uint32_t rename =
      lacking == Lacking::kUnnamedFilesAndRename2 ? uint32_t{SYS_renameat2} : ~uint32_t{0};
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kCall),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rename, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kOpenFlags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kTmpFile, 2, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

bool RunLacking(Lacking lacking, const std::function<void()>& body) {
  bool ran = false;
  std::thread([&] {
    if (!Forbid(lacking)) return;
    ran = true;
    body();
  }).join();
  return ran;
}

}  // namespace onnx_hier::testing
