// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier::cli {
namespace {

constexpr auto kSilentFor = std::chrono::seconds(1);
constexpr auto kBetween = std::chrono::milliseconds(100);
// Below this size no disk takes long enough to be worth a thread that watches.
constexpr uint64_t kWorthWatching = 64 << 20;

std::atomic<bool> output_closed{false};
std::atomic<bool> interrupted{false};
volatile sig_atomic_t interrupting_signal = 0;

void OnInterrupt(int number) {
  interrupting_signal = number;
  interrupted.store(true, std::memory_order_relaxed);
}

bool WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool InstallHandlers() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  // Without SA_RESTART: a call that waits must return.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old = {};
    sigaction(number, nullptr, &old);
    // What the caller had ignored (nohup) stays ignored.
    if (old.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  return true;
}

}  // namespace

void Say(absl::string_view text) { WriteAll(STDERR_FILENO, text); }

void SayLine(absl::string_view text) { Say(absl::StrCat(SafeForTerminal(text), "\n")); }

bool Print(absl::string_view text) {
  if (WriteAll(STDOUT_FILENO, text)) return true;
  output_closed = errno == EPIPE;
  return output_closed;
}

absl::Status PrintSink::Append(absl::string_view bytes) {
  if (Print(bytes)) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot write to standard output");
}

bool OutputClosed() { return output_closed; }

void OccupyStandardStreams() {
  for (;;) {
    // The lowest free number is taken. Only for reading: a write must go on failing.
    const int fd = open("/dev/null", O_RDONLY);
    if (fd > STDERR_FILENO) close(fd);
    if (fd < 0 || fd > STDERR_FILENO) return;
  }
}

void OutliveFailedWrites() {
  for (int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_IGN);
}

const std::atomic<bool>* CatchInterrupts() {
  static const bool installed = InstallHandlers();
  static_cast<void>(installed);
  return &interrupted;
}

bool Interrupted() { return interrupted.load(); }

void PassOnInterrupt() {
  if (interrupting_signal == 0) return;
  signal(interrupting_signal, SIG_DFL);
  raise(interrupting_signal);
}

Progress::Progress(std::string what, uint64_t bytes, bool quiet)
    : what_(std::move(what)), bytes_(bytes) {
  if (quiet || bytes < kWorthWatching || isatty(STDERR_FILENO) == 0) return;
  watcher_ = std::thread([this] { Watch(); });
}

Progress::~Progress() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_ = true;
  }
  wake_.notify_all();
  watcher_.join();
}

void Progress::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  bool shown = false;
  auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(kSilentFor);
  while (!wake_.wait_for(lock, wait, [this] { return finished_; })) {
    wait = kBetween;
    shown = true;
    const uint64_t percent = std::min<uint64_t>(100, done_.load() * 100 / bytes_);
    Say(absl::StrCat("\r", SafeForTerminal(what_), ": ", percent, " % written"));
  }
  // Back to the start of an empty line.
  if (shown) Say("\r\x1b[K");
}

}  // namespace onnx_hier::cli
