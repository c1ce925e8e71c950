// SPDX-License-Identifier: Apache-2.0

// Which tensors of other files a model still has once it is edited.
#ifndef ONNX_HIER_LIB_EDITS_EXTERNAL_USE_H_
#define ONNX_HIER_LIB_EDITS_EXTERNAL_USE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/edits/edit_list.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

class ExternalUse {
 public:
  // `model` must outlive this.
  explicit ExternalUse(const ScannedModel& model);

  // In order of their ids. Of edits that keep some of the main graph and move nothing, it takes no
  // longer than there are things that are kept: a split has many of those.
  std::vector<const ExternalTensor*> In(const EditList& edits) const;

 private:
  // What must stay of the model that a tensor does: an initializer or a node of the main graph, a
  // function, or a graph for training.
  enum class HolderKind : uint8_t { kInitializer, kNode, kBlock };
  using Holder = std::pair<HolderKind, size_t>;
  class Staying;

  Holder HolderOf(const ExternalTensor& external) const;
  void AddOf(const Holder& holder, std::vector<size_t>& found) const;

  const ScannedModel& model_;
  absl::flat_hash_map<Holder, std::vector<size_t>> held_;  // indices of `external_tensors`
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_EXTERNAL_USE_H_
