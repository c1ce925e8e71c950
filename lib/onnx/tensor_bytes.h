// SPDX-License-Identifier: Apache-2.0

// Where the elements of tensors stand, and the bytes there: read through a buffer, so that memory
// does not grow with them, in the model's file or in data files beside it.
//
//   TensorBytes bytes(image, scanned, "models");
//   const std::optional<TensorBytes::Span> span = bytes.Find(tensor);
//   bytes.Read({span->begin, span->begin + 4096, span->in_data_file});
#ifndef ONNX_HIER_LIB_ONNX_TENSOR_BYTES_H_
#define ONNX_HIER_LIB_ONNX_TENSOR_BYTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/files/file_image.h"
#include "lib/onnx/data_file_reader.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class TensorBytes {
 public:
  // Read at a time: fits into the processor's second cache.
  static constexpr uint64_t kBlock = 1 << 18;

  // Bytes of the model's file, or of the open data file.
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool in_data_file = false;

    uint64_t size() const { return end - begin; }
  };

  // `model` was scanned from `image`; both must outlive this. `folder` is the one that its data
  // files are in; none: they are not read.
  TensorBytes(const FileImage& image, const ScannedModel& model, std::string folder)
      : image_(image), model_(model), files_(std::move(folder)) {}

  // Opens the data file that it is in. None: they lie in pieces or nowhere, or the data file does
  // not hold them, which its faults() tell.
  std::optional<Span> Find(TensorId tensor);
  // Of a tensor in a data file: which.
  absl::string_view LocationOf(TensorId tensor) const;
  // At most kBlock of them, where the image has them or in the buffer, until more is read.
  absl::StatusOr<const char*> Read(Span span);

  const ScannedModel& model() const { return model_; }
  DataFileReader& files() { return files_; }
  const DataFileReader& files() const { return files_; }

 private:
  const ExternalPlace* PlaceOf(TensorId tensor) const;

  const FileImage& image_;
  const ScannedModel& model_;
  DataFileReader files_;
  std::string buffer_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_TENSOR_BYTES_H_
