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
  uint32_t after(Place place) const { return after_[place]; }
  Place last_reader(Place place) const { return last_reader_[place]; }

 private:
  std::vector<uint32_t> after_;
  std::vector<Place> last_reader_;  // kNowhere: nobody
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_LIVE_VALUES_H_
