// SPDX-License-Identifier: Apache-2.0

// From edits to what they change in the file.
#ifndef ONNX_HIER_LIB_EDITS_EDIT_CHANGES_H_
#define ONNX_HIER_LIB_EDITS_EDIT_CHANGES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "lib/edits/edit_list.h"
#include "lib/edits/field_index.h"
#include "lib/edits/splices.h"
#include "lib/edits/tensor_changes.h"
#include "lib/files/file_image.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// `model` was scanned from `image`; both must outlive this.
class EditChanges {
 public:
  EditChanges(const FileImage& image, const ScannedModel& model) : image_(image), model_(model) {}

  // All but those of doc_strings, and what `data` says, which Splices takes as they are; other
  // texts are those of `edits`. kInvalidArgument if the edits do not fit together (edit_checks.h).
  // The file is walked once more for the first edits that are more than doc_strings, then at most
  // once for those of other nodes' names, attributes and metadata: the many parts of a split cost
  // two walks.
  absl::StatusOr<ChangeList> Of(const EditList& edits, const DataMove& data = {});

 private:
  absl::Status ReadLayout(const EditList& edits);

  const FileImage& image_;
  const ScannedModel& model_;
  std::unique_ptr<const ModelLayout> layout_;  // none: it was not read yet
  std::unique_ptr<FieldIndex> index_;          // of the layout
  bool has_all_nodes_ = false;                 // in the layout
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_EDIT_CHANGES_H_
