// SPDX-License-Identifier: Apache-2.0

// Hashes of what tensors hold.
//
//   StoredTensorHashes hashes(image, scanned, "models");
//   hashes.Sample(tensor);   // of its beginning, middle and end
//   hashes.Whole(tensor);    // equal for tensors of the same elements, however they are encoded
//
// Read through a buffer (tensor_bytes.h). What lies in pieces or nowhere is not known: 0; nor is
// what a data file should hold and does not, which faults() tells.
#ifndef ONNX_HIER_LIB_ONNX_STORED_TENSOR_HASHES_H_
#define ONNX_HIER_LIB_ONNX_STORED_TENSOR_HASHES_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "lib/files/file_image.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/onnx/data_file_reader.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/tensor_bytes.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class StoredTensorHashes : public TensorHashes {
 public:
  // `model` was scanned from `image`; both must outlive this. `folder` is the one that its data
  // files are in; none: they are not read.
  StoredTensorHashes(const FileImage& image, const ScannedModel& model, std::string folder = "")
      : bytes_(image, model, std::move(folder)) {}

  // Errors are those of the model's file, and of a data file that is changed meanwhile.
  absl::StatusOr<uint64_t> Sample(TensorId tensor) override {
    return HashOfTensor(tensor, /*sample=*/true);
  }
  absl::StatusOr<uint64_t> Whole(TensorId tensor) override {
    return HashOfTensor(tensor, /*sample=*/false);
  }

  // Data files that were asked for, and what was wrong with them.
  const std::vector<DataFileReader::Fault>& faults() const { return bytes_.files().faults(); }

 private:
  using Span = TensorBytes::Span;

  // Of all of it; of a sample of what is large, where that is enough.
  absl::StatusOr<uint64_t> HashOfTensor(TensorId tensor, bool sample);
  // Of such elements in the model's file.
  absl::StatusOr<uint64_t> HashOfData(const TensorData& data, uint64_t element_size, bool sample);
  absl::StatusOr<uint64_t> HashOfSpan(Span span, bool sample);
  // Of numbers that take as many bytes as they need, as if they took what their type does.
  absl::StatusOr<uint64_t> HashOfVarints(Span span, uint64_t element_size, bool sample);
  absl::StatusOr<uint64_t> HashOfExternal(TensorId tensor, Span span, bool sample);
  absl::StatusOr<uint64_t> WholeExternal(absl::string_view location, Span span);

  TensorBytes bytes_;
  // Of stretches of data files that were read whole: tensors that share one read it once.
  absl::flat_hash_map<std::tuple<absl::string_view, uint64_t, uint64_t>, uint64_t> external_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_STORED_TENSOR_HASHES_H_
