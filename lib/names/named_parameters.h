// SPDX-License-Identifier: Apache-2.0

// A graph whose parameters have the names that are known of them from elsewhere than the file.
#ifndef ONNX_HIER_LIB_NAMES_NAMED_PARAMETERS_H_
#define ONNX_HIER_LIB_NAMES_NAMED_PARAMETERS_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lib/graph/renamed_graph.h"
#include "lib/graph/weight.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/parameter_names.h"

namespace onnx_hier {

class NamedParameters {
 public:
  // `graph` must outlive this; `names` may be null.
  NamedParameters(const Graph& graph, std::shared_ptr<const ParameterNames> names)
      : graph_(graph), names_(std::move(names)) {
    if (names_ == nullptr || names_->of.empty()) return;
    renamed_.emplace(graph);
    for (ValueId id : graph.value_ids()) {
      if (!HeldTensor(graph, id).valid()) continue;
      const auto found = names_->of.find(graph.value(id).name);
      if (found == names_->of.end()) continue;
      renamed_->SetName(id, found->second.name);
      if (graph.value(id).tensor.valid()) renamed_->SetName(graph.value(id).tensor, found->second.name);
      if (found->second.probability < 1) doubtful_.emplace_back(id, found->second.probability);
    }
  }

  // With the same ids.
  const Graph& graph() const { return renamed_.has_value() ? renamed_->graph() : graph_; }
  // How surely they are called so.
  const std::vector<std::pair<ValueId, float>>& doubtful() const { return doubtful_; }

 private:
  const Graph& graph_;
  const std::shared_ptr<const ParameterNames> names_;
  std::optional<RenamedGraph> renamed_;
  std::vector<std::pair<ValueId, float>> doubtful_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_NAMED_PARAMETERS_H_
