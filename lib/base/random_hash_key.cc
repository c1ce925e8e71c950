// SPDX-License-Identifier: Apache-2.0
#include "lib/base/random_hash_key.h"

#include <exception>
#include <random>

namespace onnx_hier {

HashKey RandomHashKey() {
  try {
    std::random_device device;
    const auto word = [&device] { return uint64_t{device()} << 32 | device(); };
    return {.state = word(), .word = word()};
  } catch (const std::exception&) {
    return HashKey();
  }
}

}  // namespace onnx_hier
