// Hashes of what tensors hold: the only place where weights are read.
//
//   StoredTensorHashes hashes(image, scanned);
//   hashes.Sample(tensor);   // of its beginning, middle and end
//   hashes.Whole(tensor);    // equal for tensors of the same elements, however they are encoded
//
// Read through a buffer, so that memory does not grow with them. What lies in other files, in
// pieces or nowhere, texts and sparse tensors are not known: 0.
#ifndef ONNX_HIER_LIB_ONNX_STORED_TENSOR_HASHES_H_
#define ONNX_HIER_LIB_ONNX_STORED_TENSOR_HASHES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "lib/files/file_image.h"
#include "lib/graph/tensor_hashes.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class StoredTensorHashes : public TensorHashes {
 public:
  // `model` was scanned from `image`; both must outlive this.
  StoredTensorHashes(const FileImage& image, const ScannedModel& model)
      : image_(image), model_(model) {}

  absl::StatusOr<uint64_t> Sample(TensorId tensor) override;
  absl::StatusOr<uint64_t> Whole(TensorId tensor) override;

 private:
  struct Span {
    uint64_t begin;
    uint64_t end;
  };

  absl::StatusOr<uint64_t> HashOf(Span span);
  // Of numbers that take as many bytes as they need, as if they took what their type does.
  absl::StatusOr<uint64_t> HashOfVarints(Span span, uint64_t element_size);
  // In the buffer, or where the image has it.
  absl::StatusOr<const char*> Read(uint64_t begin, uint64_t size);

  const FileImage& image_;
  const ScannedModel& model_;
  std::string buffer_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_STORED_TENSOR_HASHES_H_
