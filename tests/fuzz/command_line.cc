#include "tests/fuzz/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

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

}  // namespace

CommandLine::CommandLine()
    : real_out_(Duplicate(STDOUT_FILENO)), real_err_(Duplicate(STDERR_FILENO)) {
#ifdef ONNX_HIER_SANITIZED
  // What a sanitizer finds must not end in a stream that is caught.
  __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<intptr_t>(real_err_)));
#endif
}

CommandResult CommandLine::Run(const std::vector<std::string>& words) {
  std::vector<std::string> all = {cli::kProgramName};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  dup2(out_.Reset(), STDOUT_FILENO);
  dup2(err_.Reset(), STDERR_FILENO);
  const double start = CpuSeconds();
  CommandResult result;
  result.code = cli::Run(static_cast<int>(arguments.size()), arguments.data());
  result.seconds = CpuSeconds() - start;
  dup2(real_out_, STDOUT_FILENO);
  dup2(real_err_, STDERR_FILENO);
  result.out = out_.Read();
  result.err = err_.Read();
  return result;
}

}  // namespace onnx_hier::fuzz
