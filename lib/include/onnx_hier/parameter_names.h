// SPDX-License-Identifier: Apache-2.0

// What a model's weights are called where it was trained, if that is known from elsewhere than the
// file: from a checkpoint (onnx_hier/weights.h).
#ifndef ONNX_HIER_PARAMETER_NAMES_H_
#define ONNX_HIER_PARAMETER_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace onnx_hier {

struct ParameterName {
  std::string name;       // "encoder.layer.0.fc.weight"; of several in one, with "__" between
  float probability = 0;  // that it is right
};

struct ParameterNames {
  // Where they are from.
  struct File {
    std::string name;    // without its folder
    std::string format;  // "safetensors", "gguf" or "onnx"
    uint64_t bytes = 0;
    uint64_t header_hash = 0;
  };

  std::vector<File> files;
  // By the names that they have in the file.
  absl::flat_hash_map<std::string, ParameterName> of;
  // Modules that hold tensors, and those around them, as in a module map: "encoder.layer.0.fc".
  std::vector<std::string> modules;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_PARAMETER_NAMES_H_
