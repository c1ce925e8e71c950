// SPDX-License-Identifier: Apache-2.0

// How many values are alive between two nodes.
#ifndef ONNX_HIER_LIB_GRAPH_LIVE_VALUES_H_
#define ONNX_HIER_LIB_GRAPH_LIVE_VALUES_H_

#include <cstdint>
#include <vector>

#include "lib/graph/flow.h"

namespace onnx_hier {

// How many values are alive after each node, in order: small where one module ends and the next
// begins.
class LiveValues {
 public:
  explicit LiveValues(const Flow& flow);
  uint32_t after(Rank rank) const { return after_[rank]; }
  Rank last_reader(Rank rank) const { return last_reader_[rank]; }

 private:
  IdVector<Rank, uint32_t> after_;
  IdVector<Rank, Rank> last_reader_;  // none: nobody
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_LIVE_VALUES_H_
