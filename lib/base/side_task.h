// SPDX-License-Identifier: Apache-2.0

// Work beside the caller's own, on a thread of its own if one is wanted and to be had.
#ifndef ONNX_HIER_LIB_BASE_SIDE_TASK_H_
#define ONNX_HIER_LIB_BASE_SIDE_TASK_H_

#include <functional>
#include <system_error>
#include <thread>

namespace onnx_hier {

class SideTask {
 public:
  // Starts `work`; without a thread, does all of it now.
  SideTask(bool parallel, const std::function<void()>& work) {
    if (parallel) {
      try {
        thread_ = std::thread(work);
        return;
      } catch (const std::system_error&) {
        // No more threads to be had: one after the other, then.
      }
    }
    work();
  }
  ~SideTask() { Finish(); }
  SideTask(const SideTask&) = delete;
  SideTask& operator=(const SideTask&) = delete;

  // Whether it is known to be done.
  bool done() const { return !thread_.joinable(); }
  void Finish() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_SIDE_TASK_H_
