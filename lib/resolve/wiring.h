// What the graph alone tells the resolver: no names, nothing known yet.
//
// Needs neither evidence nor paths, so that another thread can work it out while names are read.
#ifndef ONNX_HIER_LIB_RESOLVE_WIRING_H_
#define ONNX_HIER_LIB_RESOLVE_WIRING_H_

#include <optional>

#include "lib/resolve/fingerprints.h"
#include "lib/resolve/flow.h"
#include "lib/resolve/structure.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class Wiring {
 public:
  // `graph` must outlive this.
  explicit Wiring(const Graph& graph) : flow_(graph), branches_(flow_) {}
  Wiring(const Wiring&) = delete;
  Wiring& operator=(const Wiring&) = delete;

  const Flow& flow() const { return flow_; }
  const Branches& branches() const { return branches_; }
  // The dearest part, and where all nodes have names nobody asks: made when first asked for, by
  // one thread at a time.
  const Fingerprints& fingerprints() const {
    if (!fingerprints_.has_value()) fingerprints_.emplace(flow_);
    return *fingerprints_;
  }

 private:
  const Flow flow_;
  const Branches branches_;
  mutable std::optional<Fingerprints> fingerprints_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_WIRING_H_
