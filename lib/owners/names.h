// SPDX-License-Identifier: Apache-2.0

// A witness as a method: how a node that says itself where it is was placed.
#ifndef ONNX_HIER_LIB_OWNERS_NAMES_H_
#define ONNX_HIER_LIB_OWNERS_NAMES_H_

#include "lib/owners/evidence.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {

Method MethodOf(Witness witness);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_NAMES_H_
