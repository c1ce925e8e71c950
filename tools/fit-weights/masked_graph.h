// SPDX-License-Identifier: Apache-2.0

// A model as it would be if some of its nodes had lost their names.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_MASKED_GRAPH_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_MASKED_GRAPH_H_

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"

namespace onnx_hier::fit {

class MaskedGraph {
 public:
  // Masked nodes lose name and metadata, the values they make get numbers for names. `original`
  // must outlive this.
  // Parameters whose names are `forgotten` get numbers, too.
  using Forgotten = std::function<bool(absl::string_view name)>;
  MaskedGraph(
      const Graph& original, const std::vector<bool>& masked,
      const Forgotten& forgotten = [](absl::string_view) { return false; });

  const Graph& graph() const { return graph_; }

 private:
  absl::string_view NameOf(const Graph& original, ValueId value, const std::vector<bool>& masked,
                           const Forgotten& forgotten);

  std::deque<std::string> names_;
  Graph graph_;
};

// `percent` of the nodes at random, in runs of about `run` nodes (1: each for itself). The same
// for the same seed, everywhere.
std::vector<bool> RandomMask(size_t nodes, uint32_t percent, uint32_t run, uint64_t seed);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_MASKED_GRAPH_H_
