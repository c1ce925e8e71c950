// SPDX-License-Identifier: Apache-2.0

// The nodes of a model as protobuf holds them: all of them, what they read, and which are calls of
// local functions.
#ifndef ONNX_HIER_TOOLS_VERIFY_NODES_H_
#define ONNX_HIER_TOOLS_VERIFY_NODES_H_

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace onnx_hier::verify {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

// These nodes and all in graphs of their attributes.
void ForEachNode(const Nodes& nodes, absl::FunctionRef<void(const onnx::NodeProto&)> visit);
// All of a model: main graph, local functions, training graphs.
void ForEachNode(const onnx::ModelProto& model,
                 absl::FunctionRef<void(const onnx::NodeProto&)> visit);

struct NodeCounts {
  size_t nodes = 0;
  size_t doc_strings = 0;  // nodes that have one
  size_t nameless = 0;
};
NodeCounts CountNodes(const onnx::ModelProto& model);

// Each value that a node takes from the graph that it stands in: its inputs, and what the graphs in
// its attributes capture. A value may come several times.
void ForEachRead(const onnx::NodeProto& node, absl::FunctionRef<void(const std::string&)> visit);

// ONNX has two names for its own domain: "ai.onnx" becomes "".
absl::string_view PlainDomain(absl::string_view domain);

// What makes a function one of its own, and what a node calls it by: "domain:name", with an
// overload "domain:name:overload". The latter is younger than what this onnx knows.
std::string KeyOf(const onnx::FunctionProto& function);
std::string CalledKey(const onnx::NodeProto& node);

using Functions = std::map<std::string, const onnx::FunctionProto*>;
Functions FunctionsOf(const onnx::ModelProto& model);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_NODES_H_
