// SPDX-License-Identifier: Apache-2.0

// Work that is shared out among threads.
#ifndef ONNX_HIER_PROGRAM_THREADS_H_
#define ONNX_HIER_PROGRAM_THREADS_H_

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace onnx_hier {

// The one with that index of so many parts, one behind the other, of about one size.
template <class T>
absl::Span<const T> PartOf(absl::Span<const T> whole, size_t index, size_t parts) {
  const size_t begin = whole.size() * index / parts;
  return whole.subspan(begin, whole.size() * (index + 1) / parts - begin);
}

// Calls `work` with 0 to count - 1, begun in this order, and returns when all have returned: on up
// to `threads` threads, the caller's among them.
inline void RunOnThreads(size_t count, size_t threads, absl::FunctionRef<void(size_t)> work) {
  std::atomic<size_t> next{0};  // the first that nobody has taken
  const auto take = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) work(i);
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(threads, count); ++i) {
    try {
      helpers.emplace_back(take);
    } catch (const std::system_error&) {
      break;  // no more threads to be had: those there are do it all
    }
  }
  take();
  for (std::thread& helper : helpers) helper.join();
}

// Likewise for spans of `at_once` (more than 0) of `count` items: what `make` gives of the items
// [begin, end) goes to `take` in their order, one at a time, as soon as those before it were taken.
// No more of it is there at once than there are threads.
template <class Made>
void RunInOrder(size_t count, size_t at_once, size_t threads,
                absl::FunctionRef<Made(size_t, size_t)> make, absl::FunctionRef<void(Made)> take) {
  std::mutex mutex;
  std::condition_variable taken;
  size_t next = 0;  // to be taken
  RunOnThreads((count + at_once - 1) / at_once, threads, [&](size_t i) {
    Made made = make(i * at_once, std::min((i + 1) * at_once, count));
    std::unique_lock<std::mutex> lock(mutex);
    taken.wait(lock, [&] { return next == i; });
    take(std::move(made));
    ++next;
    taken.notify_all();
  });
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_THREADS_H_
