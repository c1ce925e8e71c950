// SPDX-License-Identifier: Apache-2.0

// The data file of one output: "part.data" beside "part.onnx".
#ifndef ONNX_HIER_LIB_EDITS_DATA_OUTPUT_H_
#define ONNX_HIER_LIB_EDITS_DATA_OUTPUT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/edits/tensor_changes.h"
#include "lib/files/output_file.h"
#include "lib/onnx/data_cut.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/model.h"
#include "onnx_hier/write.h"

namespace onnx_hier {

// Where the data of a model goes.
struct DataPlace {
  std::string path;
  std::string old;  // what is not needed any more once the new model is there; "": nothing
};

// Of the model that is written to `target`: "part.data". Where one is replaced that reads a file of
// that name, "part.data.1", and next time the other one: neither model ever finds the other's data,
// whenever the run ends. Errors of reading that one.
absl::StatusOr<DataPlace> DataPlaceOf(const std::string& target, bool replace);

class DataOutput {
 public:
  // Of the data that these tensors of the model read. What is wrong with them is found here, before
  // anything is written.
  static absl::StatusOr<std::unique_ptr<DataOutput>> Lay(
      const Model& model, DataPlace place, const std::vector<const ExternalTensor*>& tensors);
  DataOutput(const DataOutput&) = delete;
  DataOutput& operator=(const DataOutput&) = delete;

  // How the tensors find it.
  DataMove move() const { return {&cut_, tensors_}; }
  const std::string& name() const { return cut_.location(); }
  uint64_t size() const { return cut_.size(); }

  absl::Status Fill(const WriteOptions& options);
  OutputFile& file() { return *file_; }  // once it is filled
  const std::string& old() const { return place_.old; }

 private:
  DataOutput(const std::string& folder, DataPlace place, uint32_t mode);

  const DataPlace place_;
  DataCut cut_;
  const uint32_t mode_;  // of the model, which others may not read either
  std::vector<TensorId> tensors_;
  std::unique_ptr<OutputFile> file_;  // none: it is not filled yet
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_DATA_OUTPUT_H_
