// SPDX-License-Identifier: Apache-2.0

// A checkpoint: the tensors of a network by the names that they have where it is trained.
//
//   absl::StatusOr<Checkpoint> checkpoint = Checkpoint::Open({"model.safetensors"});
//   if (!checkpoint.ok()) ...                       // says which file, and what is wrong with it
//   for (const CheckpointTensor& tensor : checkpoint->tensors()) ...
//
// Headers are read when it is opened; what tensors hold only as it is compared with a model.
//
// Sources: the formats of safetensors (README.md, "Format") and of GGUF (docs/gguf.md of ggml).
#ifndef ONNX_HIER_CHECKPOINT_H_
#define ONNX_HIER_CHECKPOINT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

struct CheckpointTensor {
  std::string name;  // "encoder.layer.0.attention.query.weight"
  std::string type;  // as its format calls it: "BF16", "Q4_K", "float16"
  std::vector<uint64_t> dims;
  uint64_t elements = 0;
  uint32_t file = 0;  // in Checkpoint::files()
};

class Checkpoint {
 public:
  struct File {
    std::string path;
    absl::string_view format;  // "safetensors", "gguf" or "onnx"
    uint64_t size = 0;         // in bytes
    // Of its header, which holds names, types and shapes.
    uint64_t header_hash = 0;
  };

  // Safetensors, an index of several (model.safetensors.index.json), GGUF, an ONNX model, or
  // several of them that have no name in common. kNotFound, kPermissionDenied, kInvalidArgument:
  // the message names the file, the place and what to do. Pickled files are not read: reading them
  // runs programs.
  static absl::StatusOr<Checkpoint> Open(const std::vector<std::string>& paths);
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;
  ~Checkpoint();

  // In the order of the files, and of what they hold.
  absl::Span<const CheckpointTensor> tensors() const;
  absl::Span<const File> files() const;

 private:
  friend class CheckpointValues;
  struct State;
  explicit Checkpoint(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_CHECKPOINT_H_
