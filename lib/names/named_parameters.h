// SPDX-License-Identifier: Apache-2.0

// A graph whose parameters have the names that are known of them from elsewhere than the file.
#ifndef ONNX_HIER_LIB_NAMES_NAMED_PARAMETERS_H_
#define ONNX_HIER_LIB_NAMES_NAMED_PARAMETERS_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/graph/renamed_graph.h"
#include "lib/graph/weight.h"
#include "lib/names/parameter_name.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/parameter_names.h"

namespace onnx_hier {

class NamedParameters {
 public:
  // Of a name that is so sure, nothing is in doubt.
  static constexpr float kSure = 0.999F;

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
      if (graph.value(id).tensor.valid())
        renamed_->SetName(graph.value(id).tensor, found->second.name);
      NameCopies(id, found->second.name);
      if (found->second.probability < kSure) doubtful_.emplace_back(id, found->second.probability);
    }
  }

  // With the same ids.
  const Graph& graph() const { return renamed_.has_value() ? renamed_->graph() : graph_; }
  // How surely they are called so.
  const std::vector<std::pair<ValueId, float>>& doubtful() const { return doubtful_; }

 private:
  // Exporters keep one of equal tensors, and copies of it where others were.
  void NameCopies(ValueId id, absl::string_view name) {
    for (const Use& use : graph_.uses(id)) {
      if (graph_.op(use.node).type != "Identity") continue;
      for (const ValueId output : graph_.outputs(use.node)) {
        if (!output.valid() || !OwnerInParameterName(graph_.value(output).name).empty()) continue;
        renamed_->SetName(output, name);
      }
    }
  }

  const Graph& graph_;
  const std::shared_ptr<const ParameterNames> names_;
  std::optional<RenamedGraph> renamed_;
  std::vector<std::pair<ValueId, float>> doubtful_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_NAMED_PARAMETERS_H_
