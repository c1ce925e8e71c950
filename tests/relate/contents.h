// SPDX-License-Identifier: Apache-2.0

// What tensors of a graph in memory hold, by their names.
#ifndef ONNX_HIER_TESTS_RELATE_CONTENTS_H_
#define ONNX_HIER_TESTS_RELATE_CONTENTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "lib/graph/tensor_hashes.h"
#include "onnx_hier/graph.h"

namespace onnx_hier::testing {

class Contents : public TensorHashes {
 public:
  explicit Contents(const Graph& graph, std::map<std::string, uint64_t> by_name = {})
      : graph_(graph), by_name_(std::move(by_name)) {}

  absl::StatusOr<uint64_t> Sample(TensorId tensor) override { return Of(tensor); }
  absl::StatusOr<uint64_t> Whole(TensorId tensor) override {
    ++read_;
    return Of(tensor);
  }
  int read() const { return read_; }  // tensors, whole

 private:
  uint64_t Of(TensorId tensor) const {
    const auto found = by_name_.find(std::string(graph_.tensor(tensor).name));
    return found == by_name_.end() ? 0 : found->second;
  }

  const Graph& graph_;
  const std::map<std::string, uint64_t> by_name_;
  int read_ = 0;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_RELATE_CONTENTS_H_
