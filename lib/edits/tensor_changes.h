// SPDX-License-Identifier: Apache-2.0

// What changes in tensors: their names, the graph that an initializer is in, and where data lie
// that are in other files. Contents that are in the model's own file are stepped over.
#ifndef ONNX_HIER_LIB_EDITS_TENSOR_CHANGES_H_
#define ONNX_HIER_LIB_EDITS_TENSOR_CHANGES_H_

#include <vector>

#include "absl/status/status.h"
#include "lib/edits/edit_list.h"
#include "lib/edits/field_index.h"
#include "lib/edits/splices.h"
#include "lib/files/file_image.h"
#include "lib/onnx/data_cut.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// Tensors that find their data in another file.
struct DataMove {
  const DataCut* cut = nullptr;   // that file, whose places are known
  std::vector<TensorId> tensors;  // of the model as it is edited
};

// Adds what `edits` say of initializers' names and moves, and `data` of tensors of any kind. Of the
// entries that tell of data there are the location, offset and length then: others, as a checksum,
// speak of the file that the data come from.
absl::Status AddTensorChanges(const FileImage& image, const ScannedModel& model, FieldIndex& index,
                              const EditList& edits, const DataMove& data, ChangeList& changes);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_TENSOR_CHANGES_H_
