// SPDX-License-Identifier: Apache-2.0

// Attributes in a function's body that are those of the call.
//
//   call:  F(x) {alpha = 0.5}      in F:  LeakyRelu(x) {alpha: refers to alpha}
//   ->     LeakyRelu(x) {alpha = 0.5}
//
// In messages; lib/edits/call_attributes does it by edits, for nodes that stay in the file.
#ifndef ONNX_HIER_LIB_PARTS_BODY_ATTRIBUTES_H_
#define ONNX_HIER_LIB_PARTS_BODY_ATTRIBUTES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace onnx_hier {

// By name: AttributeProtos.
using AttributeValues = absl::flat_hash_map<absl::string_view, absl::string_view>;

// Those of a call, a NodeProto. `outer` are those that it refers to itself; what it does not give
// is as in `defaults`. The texts are those of the arguments.
AttributeValues ValuesOfCall(absl::string_view call, const AttributeValues& outer,
                             const AttributeValues& defaults);

// A NodeProto of a body with `values` for what it refers to, in the graphs inside of it, too; what
// has no value is no attribute of it.
std::string WithValues(absl::string_view node, const AttributeValues& values);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_PARTS_BODY_ATTRIBUTES_H_
