// Hashes of what tensors hold: the only place where weights are read.
//
//   StoredTensorHashes hashes(image, scanned, "models");
//   hashes.Sample(tensor);   // of its beginning, middle and end
//   hashes.Whole(tensor);    // equal for tensors of the same elements, however they are encoded
//
// Read through a buffer, so that memory does not grow with them: in the model's file, or in data
// files beside it. What lies in pieces or nowhere, texts and sparse tensors are not known: 0; nor
// is what a data file should hold and does not, which faults() tells.
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
#include "onnx_hier/ids.h"

namespace onnx_hier {

class StoredTensorHashes : public TensorHashes {
 public:
  // `model` was scanned from `image`; both must outlive this. `folder` is the one that its data
  // files are in; none: they are not read.
  StoredTensorHashes(const FileImage& image, const ScannedModel& model, std::string folder = "")
      : image_(image), model_(model), files_(std::move(folder)) {}

  // Errors are those of the model's file, and of a data file that is changed meanwhile.
  absl::StatusOr<uint64_t> Sample(TensorId tensor) override {
    return HashOfTensor(tensor, /*sample=*/true);
  }
  absl::StatusOr<uint64_t> Whole(TensorId tensor) override {
    return HashOfTensor(tensor, /*sample=*/false);
  }

  // Data files that were asked for, and what was wrong with them.
  const std::vector<DataFileReader::Fault>& faults() const { return files_.faults(); }

 private:
  // Bytes of the model's file, or of the open data file.
  struct Span {
    uint64_t begin;
    uint64_t end;
    bool in_data_file = false;

    uint64_t size() const { return end - begin; }
  };

  // Of all of it; of a sample of what is large, where that is enough.
  absl::StatusOr<uint64_t> HashOfTensor(TensorId tensor, bool sample);
  absl::StatusOr<uint64_t> HashOfSpan(Span span, bool sample);
  // Of numbers that take as many bytes as they need, as if they took what their type does.
  absl::StatusOr<uint64_t> HashOfVarints(Span span, uint64_t element_size, bool sample);
  absl::StatusOr<uint64_t> HashOfExternal(TensorId tensor, bool sample);
  absl::StatusOr<uint64_t> WholeExternal(const ExternalPlace& place, Span span);
  // In the buffer, or where the image has it.
  absl::StatusOr<const char*> Read(Span span);

  const FileImage& image_;
  const ScannedModel& model_;
  DataFileReader files_;
  // Of stretches of data files that were read whole: tensors that share one read it once.
  absl::flat_hash_map<std::tuple<absl::string_view, uint64_t, uint64_t>, uint64_t> external_;
  std::string buffer_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_STORED_TENSOR_HASHES_H_
