// SPDX-License-Identifier: Apache-2.0

// Runs one command and says what it cost.
//
//   launch COMMAND [ARG...]
//
// prints one line: wall time in nanoseconds, CPU time (user + system) in microseconds, peak RSS in
// KiB, and the exit code (128 + signal for a killed command). CPU and RSS take in the processes the
// command itself waited for. The command's standard output goes to standard error.
//
// Linux counts into a process's peak RSS the memory of the program that started it. An interpreter
// of 10 MB would hide that a command needs 1 MB, so this small static program stands between them.

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

extern char** environ;

namespace {

constexpr int kCannotRun = 2;

long long Microseconds(const timeval& time) { return time.tv_sec * 1'000'000LL + time.tv_usec; }

// Returns the new process, or prints why there is none and returns -1.
pid_t Start(char** command) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = -1;
  const int error = posix_spawnp(&process, command[0], &actions, nullptr, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    std::fprintf(stderr, "launch: cannot start %s: %s\n", command[0], std::strerror(error));
    return -1;
  }
  return process;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: launch COMMAND [ARG...]\n", stderr);
    return kCannotRun;
  }
  const auto begin = std::chrono::steady_clock::now();
  const pid_t process = Start(argv + 1);
  if (process < 0) return kCannotRun;
  int status = 0;
  rusage usage = {};
  if (wait4(process, &status, 0, &usage) != process) {
    std::perror("launch: wait4");
    return kCannotRun;
  }
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - begin;
  const long long cpu = Microseconds(usage.ru_utime) + Microseconds(usage.ru_stime);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::printf("%lld %lld %ld %d\n", static_cast<long long>(wall.count()), cpu, usage.ru_maxrss,
              code);
  return 0;
}
