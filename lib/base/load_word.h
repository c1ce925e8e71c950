// SPDX-License-Identifier: Apache-2.0

// Several bytes of a text as one number, in the processor's own order.
#ifndef ONNX_HIER_LIB_BASE_LOAD_WORD_H_
#define ONNX_HIER_LIB_BASE_LOAD_WORD_H_

#include <cstring>

namespace onnx_hier {

template <class Word>
inline Word LoadWord(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_LOAD_WORD_H_
