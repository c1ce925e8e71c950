// SPDX-License-Identifier: Apache-2.0

// Fields of a model that any relation but "the same" treats in a way of its own.
#ifndef ONNX_HIER_TOOLS_VERIFY_MODEL_FIELDS_H_
#define ONNX_HIER_TOOLS_VERIFY_MODEL_FIELDS_H_

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "tools/onnx-hier-verify/difference.h"

namespace onnx_hier::verify {

// The doc_strings of nodes, wherever they stand: what tags are written into.
const FieldSet& NodeDocStrings();

// Metadata of the model whose keys begin with this is ours.
bool IsOurs(absl::string_view key);
// Keys of ours whose values are not the same in both.
std::set<std::string> OurMetadata(const onnx::ModelProto& in, const onnx::ModelProto& out);
// How the rest differs.
Difference OtherMetadata(const onnx::ModelProto& in, const onnx::ModelProto& out);

// Versions of operators by domain.
std::map<std::string, int64_t> OpsetsOf(const onnx::ModelProto& model);

// The types that a graph states for values: of its inputs, its outputs, and those between. A value
// may have one of each.
using StatedTypes = std::multimap<absl::string_view, const onnx::TypeProto*>;
StatedTypes StatedTypesOf(const onnx::GraphProto& graph);

// Whether a value of one type can be one of the other, whatever their shapes.
bool SameElements(const onnx::TypeProto& a, const onnx::TypeProto& b);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_MODEL_FIELDS_H_
