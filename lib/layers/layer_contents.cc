#include "lib/layers/layer_contents.h"

#include <vector>

namespace onnx_hier {

LayerContents::Content LayerContents::AddList(absl::Span<const PathId> layers, Children children) {
  const Content top = counts_.push_back(static_cast<uint32_t>(layers.size()));
  std::vector<std::pair<PathId, Content>> open;
  for (PathId layer : layers) open.emplace_back(layer, top);
  while (!open.empty()) {
    const auto [path, content] = open.back();
    open.pop_back();
    for (PathId child : children(path)) {
      const auto [entry, added] =
          inside_.try_emplace({content, paths_.name(child)}, counts_.next_id());
      if (added) counts_.push_back(0);
      ++counts_[entry->second];
      open.emplace_back(child, entry->second);
    }
  }
  return top;
}

LayerContents::Content LayerContents::Inside(Content around, absl::string_view name) const {
  if (!around.valid()) return Content();
  const auto found = inside_.find({around, name});
  return found == inside_.end() ? Content() : found->second;
}

}  // namespace onnx_hier
