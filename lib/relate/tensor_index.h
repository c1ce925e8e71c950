// SPDX-License-Identifier: Apache-2.0

// Tensors of a checkpoint by their names, and by the modules that these say.
#ifndef ONNX_HIER_LIB_RELATE_TENSOR_INDEX_H_
#define ONNX_HIER_LIB_RELATE_TENSOR_INDEX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/graph/parameter_parts.h"
#include "onnx_hier/checkpoint.h"

namespace onnx_hier {

class TensorIndex {
 public:
  // `checkpoint` must outlive this.
  explicit TensorIndex(const Checkpoint& checkpoint) : tensors_(checkpoint.tensors()) {
    for (uint32_t i = 0; i < tensors_.size(); ++i) {
      by_name_.emplace(tensors_[i].name, i);
      by_module_[ModuleOfParameterName(tensors_[i].name)].push_back(i);
    }
  }

  std::optional<uint32_t> Find(absl::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
  }
  // Of so many numbers.
  std::optional<uint32_t> InModule(absl::string_view module, absl::string_view leaf,
                                   uint64_t elements) const {
    const auto found = Find(absl::StrCat(module, module.empty() ? "" : ".", leaf));
    return found && tensors_[*found].elements == elements ? found : std::nullopt;
  }
  absl::Span<const uint32_t> OfModule(absl::string_view module) const {
    const auto found = by_module_.find(module);
    return found == by_module_.end() ? absl::Span<const uint32_t>() : found->second;
  }

 private:
  const absl::Span<const CheckpointTensor> tensors_;
  absl::flat_hash_map<absl::string_view, uint32_t> by_name_;
  absl::flat_hash_map<absl::string_view, std::vector<uint32_t>> by_module_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RELATE_TENSOR_INDEX_H_
