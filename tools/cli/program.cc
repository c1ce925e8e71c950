#include "tools/cli/program.h"

#include <unistd.h>

#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "tools/cli/terminal.h"

namespace onnx_hier::cli {
namespace {

// Files that were begun have no name yet, or one that the next run clears away.
void EndOutOfMemory() {
  constexpr absl::string_view kMessage = ": out of memory\n";
  if (write(STDERR_FILENO, kProgramName, strlen(kProgramName)) < 0 ||
      write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0) {
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
