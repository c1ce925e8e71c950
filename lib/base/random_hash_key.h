// SPDX-License-Identifier: Apache-2.0

// A key that is another in each run, so that no file can be made whose names or prints all collide.
#ifndef ONNX_HIER_LIB_BASE_RANDOM_HASH_KEY_H_
#define ONNX_HIER_LIB_BASE_RANDOM_HASH_KEY_H_

#include "lib/base/hash.h"

namespace onnx_hier {

// Where there is no randomness to be had, the fixed key is as right, if not as safe.
HashKey RandomHashKey();

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_RANDOM_HASH_KEY_H_
