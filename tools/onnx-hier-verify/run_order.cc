// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier-verify/run_order.h"

#include <functional>
#include <queue>
#include <string>

#include "absl/container/flat_hash_map.h"

namespace onnx_hier::verify {

std::vector<int> RunOrder(const Nodes& nodes) {
  absl::flat_hash_map<absl::string_view, int> makers;
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i].output()) makers.emplace(output, i);
  }
  const auto size = static_cast<size_t>(nodes.size());
  std::vector<std::vector<int>> readers(size);
  std::vector<int> waits_for(size, 0);
  for (int i = 0; i < nodes.size(); ++i) {
    ForEachRead(nodes[i], [&](const std::string& value) {
      const auto maker = makers.find(value);
      if (maker == makers.end()) return;
      readers[static_cast<size_t>(maker->second)].push_back(i);
      ++waits_for[static_cast<size_t>(i)];
    });
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    if (waits_for[static_cast<size_t>(i)] == 0) ready.push(i);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const int reader : readers[static_cast<size_t>(next)]) {
      if (--waits_for[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
  }
  for (int i = 0; i < nodes.size(); ++i) {
    if (waits_for[static_cast<size_t>(i)] > 0) order.push_back(i);
  }
  return order;
}

}  // namespace onnx_hier::verify
