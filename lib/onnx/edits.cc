#include "onnx_hier/edits.h"

#include "lib/onnx/edit_list.h"

namespace onnx_hier {

Edits::Edits() : list_(std::make_unique<EditList>()) {}
Edits::Edits(Edits&&) noexcept = default;
Edits& Edits::operator=(Edits&&) noexcept = default;
Edits::~Edits() = default;

void Edits::SetDocString(NodeId node, absl::string_view text) {
  list_->docs.push_back({node, true, list_->texts.emplace_back(text)});
}

void Edits::RemoveDocString(NodeId node) { list_->docs.push_back({node, false, ""}); }

}  // namespace onnx_hier
