// What the layers of a list hold, laid upon each other: how many layers have a module
// ".attention.query" is told by reading that name, however many layers there are.
#ifndef ONNX_HIER_LIB_LAYERS_LAYER_CONTENTS_H_
#define ONNX_HIER_LIB_LAYERS_LAYER_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class LayerContents {
 public:
  // What the layers of one list may have in one place; none: no layer has that.
  using Content = Id<struct LayerContentTag>;
  using Children = absl::FunctionRef<absl::Span<const PathId>(PathId)>;

  // `paths` must outlive this.
  explicit LayerContents(const ModulePaths& paths) : paths_(paths) {}

  // Adds a list with all that is inside its layers, and returns these themselves.
  Content AddList(absl::Span<const PathId> layers, Children children);
  // What is called that inside of `around`, which may be none.
  Content Inside(Content around, absl::string_view name) const;
  // How many layers have it.
  uint32_t Count(Content content) const { return content.valid() ? counts_[content] : 0; }

 private:
  const ModulePaths& paths_;
  IdVector<Content, uint32_t> counts_;
  absl::flat_hash_map<std::pair<Content, absl::string_view>, Content> inside_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_LAYERS_LAYER_CONTENTS_H_
