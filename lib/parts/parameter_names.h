// SPDX-License-Identifier: Apache-2.0

// What a parameter is called inside of a module that is called with it.
#ifndef ONNX_HIER_LIB_PARTS_PARAMETER_NAMES_H_
#define ONNX_HIER_LIB_PARTS_PARAMETER_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/parts/units.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// In "encoder.layer.0", "attention.query.bias" for "encoder.layer.0.attention.query.bias"; and
// "attention.query.weight" for "onnx::MatMul_385", a name that an exporter made up, if a MatMul of
// that module reads it as its weight. "" where the name tells of no place in the module.
std::string ParameterNameIn(absl::string_view module, ValueId value, const Units& units,
                            const Hierarchy& hierarchy);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_PARAMETER_NAMES_H_
