// From edits to what they change in the file.
#ifndef ONNX_HIER_LIB_EDITS_EDIT_CHANGES_H_
#define ONNX_HIER_LIB_EDITS_EDIT_CHANGES_H_

#include "absl/status/statusor.h"
#include "lib/edits/edit_list.h"
#include "lib/edits/splices.h"
#include "lib/files/file_image.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// All but those of doc_strings, which Splices takes as they are; other texts are those of `edits`.
// kInvalidArgument if the edits do not fit together (edit_checks.h). `model` was scanned from
// `image`, which is walked once more unless only doc_strings change.
absl::StatusOr<ChangeList> EditChanges(const FileImage& image, const ScannedModel& model,
                                       const EditList& edits);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_EDIT_CHANGES_H_
