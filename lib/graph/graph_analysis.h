// SPDX-License-Identifier: Apache-2.0

// What the graph alone tells the resolver: no names, nothing known yet.
//
// Needs neither evidence nor paths, so that another thread can work it out while names are read.
#ifndef ONNX_HIER_LIB_GRAPH_GRAPH_ANALYSIS_H_
#define ONNX_HIER_LIB_GRAPH_GRAPH_ANALYSIS_H_

#include <optional>

#include "lib/graph/dominators.h"
#include "lib/graph/fingerprints.h"
#include "lib/graph/flow.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

class GraphAnalysis {
 public:
  // `graph` must outlive this.
  explicit GraphAnalysis(const Graph& graph) : flow_(graph), dominators_(flow_) {}
  GraphAnalysis(const GraphAnalysis&) = delete;
  GraphAnalysis& operator=(const GraphAnalysis&) = delete;

  const Flow& flow() const { return flow_; }
  const Dominators& dominators() const { return dominators_; }
  // The costliest part, which a file in which all nodes have names never needs: made when first
  // asked for, by one thread at a time.
  const Fingerprints& fingerprints() const {
    if (!fingerprints_.has_value()) fingerprints_.emplace(flow_);
    return *fingerprints_;
  }

 private:
  const Flow flow_;
  const Dominators dominators_;
  mutable std::optional<Fingerprints> fingerprints_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_GRAPH_GRAPH_ANALYSIS_H_
