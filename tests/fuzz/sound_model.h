// SPDX-License-Identifier: Apache-2.0

// Whether a model is one that ONNX allows, as far as versions and values go: of any other nobody
// can say what a part of it is, or whether a fold of it is the same.
#ifndef ONNX_HIER_TESTS_FUZZ_SOUND_MODEL_H_
#define ONNX_HIER_TESTS_FUZZ_SOUND_MODEL_H_

#include "onnx/onnx_pb.h"

namespace onnx_hier::fuzz {

// It has a version, and one of each domain. Every value is made once, before it is read, also in
// graphs inside of nodes, which may read what is around them, and in functions, which may not and
// are defined once; each graph and function makes its outputs.
bool IsSound(const onnx::ModelProto& model);

}  // namespace onnx_hier::fuzz

#endif  // ONNX_HIER_TESTS_FUZZ_SOUND_MODEL_H_
