#include "lib/graph/live_values.h"

#include <algorithm>

namespace onnx_hier {

LiveValues::LiveValues(const Flow& flow)
    : after_(flow.size(), 0), last_reader_(flow.size(), kNowhere) {
  std::vector<int32_t> change(flow.size() + 1, 0);
  for (Place i = 0; i < flow.size(); ++i) {
    if (flow.is_constant(i) || flow.consumers(i).empty()) continue;
    last_reader_[i] = flow.consumers(i).back().place;
    ++change[i];
    --change[last_reader_[i]];
  }
  int32_t live = 0;
  for (Place i = 0; i < flow.size(); ++i) {
    live += change[i];
    after_[i] = static_cast<uint32_t>(live);
  }
}

}  // namespace onnx_hier
