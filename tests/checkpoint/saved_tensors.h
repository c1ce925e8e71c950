// SPDX-License-Identifier: Apache-2.0

// Checkpoints as programs write them, made by hand.
#ifndef ONNX_HIER_TESTS_CHECKPOINT_SAVED_TENSORS_H_
#define ONNX_HIER_TESTS_CHECKPOINT_SAVED_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/support/raw_bytes.h"

namespace onnx_hier::testing {

inline std::string Floats(const std::vector<float>& numbers) { return Bytes(numbers); }

inline std::string Safetensors(absl::string_view header, absl::string_view data) {
  return absl::StrCat(Word(static_cast<uint64_t>(header.size())), header, data);
}

inline std::string GgufText(absl::string_view text) {
  return absl::StrCat(Word(static_cast<uint64_t>(text.size())), text);
}

// With one key, an array of texts.
inline std::string GgufHead(uint32_t version, uint64_t tensors) {
  return absl::StrCat("GGUF", Word(version), Word(tensors), Word(uint64_t{1}), GgufText("words"),
                      Word(uint32_t{9}), Word(uint32_t{8}), Word(uint64_t{2}), GgufText("a"),
                      GgufText("bc"));
}

// `dims` as the file has them, the innermost first.
inline std::string GgufTensor(absl::string_view name, const std::vector<uint64_t>& dims,
                              uint32_t type, uint64_t offset) {
  std::string bytes = absl::StrCat(GgufText(name), Word(static_cast<uint32_t>(dims.size())));
  for (const uint64_t dim : dims) bytes += Word(dim);
  return absl::StrCat(bytes, Word(type), Word(offset));
}

inline std::string Padded(std::string bytes, size_t alignment = 32) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, '\0');
  return bytes;
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_CHECKPOINT_SAVED_TENSORS_H_
