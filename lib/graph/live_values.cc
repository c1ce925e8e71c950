// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/live_values.h"

#include <algorithm>

namespace onnx_hier {

LiveValues::LiveValues(const Flow& flow) : after_(flow.size(), 0), last_reader_(flow.size()) {
  IdVector<Rank, int32_t> change(flow.size(), 0);
  for (Rank i : flow.ranks()) {
    if (flow.is_constant(i) || flow.consumers(i).empty()) continue;
    last_reader_[i] = flow.consumers(i).back().rank;
    ++change[i];
    --change[last_reader_[i]];
  }
  int32_t live = 0;
  for (Rank i : flow.ranks()) {
    live += change[i];
    after_[i] = static_cast<uint32_t>(live);
  }
}

}  // namespace onnx_hier
