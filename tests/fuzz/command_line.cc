// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/cli/program.h"
#include "tools/onnx-hier/cli.h"

#if defined(__SANITIZE_ADDRESS__)
#define ONNX_HIER_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONNX_HIER_SANITIZED
#endif
#endif
#ifdef ONNX_HIER_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

// As the program's own main.cc says.
const char onnx_hier::cli::kProgramName[] = "onnx-hier";

namespace onnx_hier::fuzz {
namespace {

double CpuSeconds() {
  timespec time;
  Require(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, "there is a clock");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

int Duplicate(int fd) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  Require(copy >= 0, "a stream can be kept");
  return copy;
}

// What a handler of signals may read: the last command line, and where it is said what went wrong.
struct LastRun {
  std::string line;
  int caught = -1;  // what the command writes to standard error; -1 when none is running
  int told = -1;    // where people read
};
LastRun last_run;

// Signals that end a process: a requirement, an assertion, a trap, the limit of time.
constexpr std::array kFatal = {SIGABRT, SIGILL, SIGTRAP, SIGPROF};
std::array<struct sigaction, std::size(kFatal)> usual;

void TellAndEnd(int signal) {
  char text[4096];
  ssize_t length = write(last_run.told, last_run.line.data(), last_run.line.size());
  if (last_run.caught >= 0) {
    length = pread(last_run.caught, text, sizeof(text), 0);
    if (length > 0) length = write(last_run.told, text, static_cast<size_t>(length));
  }
  // What stood there before: a fuzzer keeps the input.
  for (size_t i = 0; i < std::size(kFatal); ++i) {
    if (kFatal[i] == signal) sigaction(signal, &usual[i], nullptr);
  }
  raise(signal);
}

}  // namespace

CommandLine::CommandLine()
    : real_out_(Duplicate(STDOUT_FILENO)), real_err_(Duplicate(STDERR_FILENO)) {
#ifdef ONNX_HIER_SANITIZED
  // What a sanitizer finds must not end in a stream that is caught.
  __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<intptr_t>(real_err_)));
#endif
  last_run.told = real_err_;
  struct sigaction action = {};
  action.sa_handler = TellAndEnd;
  for (size_t i = 0; i < std::size(kFatal); ++i) sigaction(kFatal[i], &action, &usual[i]);
}

CommandResult CommandLine::Run(const std::vector<std::string>& words) {
  std::vector<std::string> all = {cli::kProgramName};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  last_run.line = absl::StrCat("last command: ", absl::StrJoin(all, " "), "\n");
  dup2(out_.Reset(), STDOUT_FILENO);
  last_run.caught = err_.Reset();
  dup2(last_run.caught, STDERR_FILENO);
  const double start = CpuSeconds();
  CommandResult result;
  result.code = cli::Run(static_cast<int>(arguments.size()), arguments.data());
  result.seconds = CpuSeconds() - start;
  last_run.caught = -1;
  dup2(real_out_, STDOUT_FILENO);
  dup2(real_err_, STDERR_FILENO);
  result.out = out_.Read();
  result.err = err_.Read();
  return result;
}

}  // namespace onnx_hier::fuzz
