// SPDX-License-Identifier: Apache-2.0

// Names of parameters whose dots were written as underscores:
//
//   layers_0_attn_q_proj_weight, layers_0_mlp_weight   ->  layers.0.attn.q_proj.weight, ...
//   p_model_layers_0_mlp_weight                        ->  model.layers.0.mlp.weight
//
// (torch.export calls its inputs so, and so do programs that make identifiers of names.) Which
// underscores were dots, the names tell together: those around numbers, those where names part, and
// the one before the parameter's own name. A module that has parameters itself holds no others:
// "ffn" beside "ffn_out" is not around it. What never parts stays one name.
#ifndef ONNX_HIER_LIB_NAMES_FLATTENED_NAMES_H_
#define ONNX_HIER_LIB_NAMES_FLATTENED_NAMES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class FlattenedNames {
 public:
  // `graph` must outlive this. Linear in its names.
  explicit FlattenedNames(const Graph& graph);

  // Whether parameters are named so: none has a dot or a slash, many end as PyTorch's do, and there
  // are lists of layers, or they begin as torch.export lets them.
  bool any() const { return any_; }
  // Of 57 models of which all other names were taken away too, 7,833 of 15,651 nodes are in the
  // right module but for dots, 3,965 in one that is called so.
  static constexpr float kSureness = 0.5f;
  // With dots; `text` is where that is kept, untouched where the name is no such parameter's.
  absl::string_view Of(absl::string_view name, std::string& text) const;

 private:
  // What a module's name begins with, up to one of its words.
  using PrefixId = Id<struct NamePrefixTag>;
  struct Prefix {
    uint32_t parts = 0;  // how many different words follow
    bool has_parameters = false;
    bool has_numbers = false;  // among these words
  };

  struct Split {
    std::vector<absl::string_view> words;  // of the module
    absl::string_view parameter;           // "weight"; "": it is none
  };
  Split SplitName(absl::string_view name) const;
  void Add(const Split& split);

  bool is_export_ = false;  // all begin with "p_", "b_" or "c_"
  bool any_ = false;
  bool has_lists_ = false;
  IdVector<PrefixId, Prefix> prefixes_;
  absl::flat_hash_map<std::pair<PrefixId, absl::string_view>, PrefixId> next_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_FLATTENED_NAMES_H_
