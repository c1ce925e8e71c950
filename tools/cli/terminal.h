// SPDX-License-Identifier: Apache-2.0

// Talking to people: whether anybody watches, progress, interruption.
#ifndef ONNX_HIER_TOOLS_CLI_TERMINAL_H_
#define ONNX_HIER_TOOLS_CLI_TERMINAL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/bytes.h"

namespace onnx_hier::cli {

// Standard error, at once and whole. Errors of writing it have nobody to go to.
void Say(absl::string_view text);
// One line, with nothing in it that steers a terminal: names of files may hold anything.
void SayLine(absl::string_view text);

// Standard output. False, with errno, if it could not be written; then the program must fail. A
// reader that went away is no error: see OutputClosed().
bool Print(absl::string_view text);
bool OutputClosed();
// The same for what is written in pieces; the error says why.
class PrintSink : public ByteSink {
 public:
  absl::Status Append(absl::string_view bytes) override;
};

// Keeps files that are opened from becoming a standard stream that the caller has closed: a
// message would be written into them.
void OccupyStandardStreams();

// Makes a closed pipe, and a limit on file sizes, errors of write(), not the end of the program.
void OutliveFailedWrites();

// Makes Ctrl-C, SIGTERM and SIGHUP set a flag that writers watch, so that nothing is left
// half-written. A second one ends the program at once, as the first one does as long as nobody
// writes. Further calls only return the flag.
const std::atomic<bool>* CatchInterrupts();
// Whether one came. False as long as they are not caught.
bool Interrupted();
// If one came: ends the program the way the signal would have.
void PassOnInterrupt();

// Shows on a terminal how far writing has come, from the first second on; silent elsewhere.
class Progress {
 public:
  Progress(std::string what, uint64_t bytes, bool quiet);
  ~Progress();
  std::atomic<uint64_t>* counter() { return &done_; }

 private:
  void Watch();

  const std::string what_;
  const uint64_t bytes_;
  std::atomic<uint64_t> done_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool finished_ = false;
  std::thread watcher_;
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CLI_TERMINAL_H_
