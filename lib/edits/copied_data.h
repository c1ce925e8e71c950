// SPDX-License-Identifier: Apache-2.0

// Data files of a model, copied into the folders of outputs that look for them there.
#ifndef ONNX_HIER_LIB_EDITS_COPIED_DATA_H_
#define ONNX_HIER_LIB_EDITS_COPIED_DATA_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/edits/output_places.h"
#include "lib/onnx/external_data.h"
#include "onnx_hier/model.h"
#include "onnx_hier/write.h"

namespace onnx_hier {

class CopiedData {
 public:
  // All must outlive this.
  CopiedData(const Model& model, const ReadPlaces& read, const WriteOptions& options)
      : model_(model), read_(read), options_(options) {}

  // Relative locations are looked up in the model's own folder: what the outputs of another folder
  // refer to is copied there once, before the first of them is written.
  absl::Status Bring(const std::string& folder,
                     absl::FunctionRef<absl::StatusOr<std::vector<std::string>>()> locations_of);
  // As DataFiles has them, of all folders.
  absl::Status Settle();
  void Keep();
  std::vector<std::string> losses() const;
  // `why`, and what could not be removed again.
  absl::Status TakeBack(const absl::Status& why);

 private:
  const Model& model_;
  const ReadPlaces& read_;
  const WriteOptions& options_;
  std::map<std::string, std::unique_ptr<DataFiles>> files_;  // by folder; null: none is needed
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_COPIED_DATA_H_
