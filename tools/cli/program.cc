// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/program.h"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "tools/cli/terminal.h"

namespace onnx_hier::cli {
namespace {

constexpr char kOutOfMemory[] = ": out of memory\n";

// Files that were begun have no name yet, or one that the next run clears away. Several threads may
// run out at once: the first one speaks, and ends the process.
void EndOutOfMemory() {
  static std::atomic_flag ending = ATOMIC_FLAG_INIT;
  while (ending.test_and_set()) pause();
  std::array<iovec, 2> message = {{{const_cast<char*>(kProgramName), strlen(kProgramName)},
                                   {const_cast<char*>(kOutOfMemory), strlen(kOutOfMemory)}}};
  if (writev(STDERR_FILENO, message.data(), message.size()) < 0) {
    // Nowhere to say it: the exit code must do.
  }
  _exit(kFailed);
}

}  // namespace

int Fail(absl::string_view text) {
  // Nothing is said: whoever interrupts the program knows why it ends.
  if (Interrupted()) return kFailed;
  SayLine(absl::StrCat(kProgramName, ": ", text));
  return kFailed;
}

void Warn(absl::string_view text) { SayLine(absl::StrCat(kProgramName, ": warning: ", text)); }

int PrintOrFail(absl::string_view text) {
  return PrintOrFail([text](ByteSink& sink) { return sink.Append(text); });
}

int PrintOrFail(const std::function<absl::Status(ByteSink&)>& write) {
  PrintSink sink;
  const absl::Status status = write(sink);
  return status.ok() ? kDone : Fail(status.message());
}

void FailWhenOutOfMemory() { std::set_new_handler(EndOutOfMemory); }

}  // namespace onnx_hier::cli
