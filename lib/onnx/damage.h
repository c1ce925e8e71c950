// SPDX-License-Identifier: Apache-2.0

// What may be wrong with a file that is no model, or a damaged one, and what to do about it.
#ifndef ONNX_HIER_LIB_ONNX_DAMAGE_H_
#define ONNX_HIER_LIB_ONNX_DAMAGE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_image.h"

namespace onnx_hier {

// An error for files that are commonly mistaken for a model: empty ones, text, Git LFS pointers.
absl::Status LookAtStart(FileImage& image);

// What a file is that could not be read as a model, and what to do with it; "" where its start does
// not tell. Only for files that failed: few formats begin with what no model can begin with.
std::string OtherFormat(FileImage& image);

// How far reading had come when it failed.
struct ReadingState {
  bool in_outermost = false;   // in no message inside the model
  bool has_version = false;    // the model's first field was read
  bool has_graph = false;      // and so was the beginning of its graph
  uint64_t missing_bytes = 0;  // at least so many past the end of the file; 0: it is long enough
  std::optional<uint32_t> node_index;  // of the node that was being read
  absl::string_view node_name;         // if that was read already
};

// Adds to an error about the file's bytes where they stand and what to do about it; gives other
// errors back as they are.
absl::Status ExplainDamage(const absl::Status& status, const ReadingState& state);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_DAMAGE_H_
