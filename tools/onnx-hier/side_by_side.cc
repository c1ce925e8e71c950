#include "tools/onnx-hier/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "tools/cli/terminal.h"

namespace onnx_hier::cli {

void RunSideBySide(size_t count, size_t threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};  // the first that nobody has taken
  const auto take = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count && !CatchInterrupts()->load();) work(i);
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

}  // namespace onnx_hier::cli
