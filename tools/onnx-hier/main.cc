#include <unistd.h>

#include <new>

#include "absl/strings/string_view.h"
#include "tools/onnx-hier/cli.h"

namespace {

// Where memory ends, so does the run: as a failure that says why, not as a crash. Files that were
// begun have no name yet, or one that the next run clears away.
void EndOutOfMemory() {
  constexpr absl::string_view kMessage = "onnx-hier: out of memory\n";
  if (write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0) {
    // Nowhere to say it: the exit code must do.
  }
  _exit(onnx_hier::cli::kFailed);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(EndOutOfMemory);
  return onnx_hier::cli::Run(argc, argv);
}
