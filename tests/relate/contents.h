// SPDX-License-Identifier: Apache-2.0

// What tensors of a graph in memory hold, by their names.
#ifndef ONNX_HIER_TESTS_RELATE_CONTENTS_H_
#define ONNX_HIER_TESTS_RELATE_CONTENTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/graph/tensor_values.h"
#include "onnx_hier/graph.h"

namespace onnx_hier::testing {

class Contents : public TensorValues {
 public:
  // Tensors of one number hold the same.
  explicit Contents(const Graph& graph, std::map<std::string, uint64_t> by_name = {})
      : graph_(graph), by_name_(std::move(by_name)) {}

  absl::StatusOr<bool> Begin(TensorId tensor) override {
    const auto found = by_name_.find(std::string(graph_.tensor(tensor).name));
    if (found == by_name_.end()) return false;
    ++read_;
    number_ = static_cast<double>(found->second);
    next_ = 0;
    return true;
  }
  absl::Status Read(absl::Span<double> values) override {
    for (double& value : values) value = number_ + 1 / static_cast<double>(3 + next_++);
    return absl::OkStatus();
  }
  absl::Status Skip(uint64_t count) override {
    next_ += count;
    return absl::OkStatus();
  }
  int read() const { return read_; }  // tensors

 private:
  const Graph& graph_;
  const std::map<std::string, uint64_t> by_name_;
  double number_ = 0;
  uint64_t next_ = 0;
  int read_ = 0;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_RELATE_CONTENTS_H_
