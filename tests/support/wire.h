// SPDX-License-Identifier: Apache-2.0

// ONNX files byte by byte, well formed or not.
//
// A protobuf message is its fields one after the other, so fields are strings here and `+` puts
// them together, in any order, as often as wanted:
//
//   const std::string file = wire::Model(wire::Graph(
//       wire::Node("MatMul", {"x", "w"}, {"h"}, "/encoder/MatMul", wire::Doc("kept")) +
//       wire::Node("Relu", {"h"}, {"y"}, "/encoder/act/Relu")));
//
// Written for the tests alone: it shares no code with the reader that it tests.
#ifndef ONNX_HIER_TESTS_SUPPORT_WIRE_H_
#define ONNX_HIER_TESTS_SUPPORT_WIRE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx_hier::wire {

using Names = std::vector<std::string>;

// --- Protobuf. `width` is the least number of bytes of a varint: more than needed pads it.

std::string Varint(uint64_t value, int width = 1);
std::string Tag(uint32_t field, uint32_t wire_type, int width = 1);
std::string Number(uint32_t field, uint64_t value, int width = 1);
std::string Bytes(uint32_t field, absl::string_view contents, int length_width = 1);
std::string Fixed32(uint32_t field);
std::string Fixed64(uint32_t field);
std::string Group(uint32_t field, absl::string_view fields);

// --- ONNX, with the field numbers of onnx.in.proto.

// A whole file: IR version 8, opset 17, and the fields given.
std::string Model(absl::string_view fields);

// Fields of a model.
std::string Graph(absl::string_view fields, int length_width = 1);
std::string Function(absl::string_view domain, absl::string_view name, const Names& inputs,
                     const Names& outputs, absl::string_view fields);
std::string Training(absl::string_view fields);

// Fields of a graph; Node() of a function too (there as FunctionNode()).
std::string Node(absl::string_view op, const Names& inputs, const Names& outputs,
                 absl::string_view name = "", absl::string_view fields = "");
std::string FunctionNode(absl::string_view op, const Names& inputs, const Names& outputs,
                         absl::string_view name = "", absl::string_view fields = "");
std::string Name(absl::string_view name);
std::string Input(absl::string_view name);
std::string Output(absl::string_view name);
std::string Initializer(absl::string_view name, const std::vector<int64_t>& dims,
                        absl::string_view raw_data = "", int32_t data_type = 1);
// An initializer of int64, one-dimensional, with its numbers typed.
std::string Int64Initializer(absl::string_view name, const std::vector<uint64_t>& values);

// Fields of a node.
std::string Doc(absl::string_view text, int length_width = 1);
std::string Domain(absl::string_view domain);
std::string Attribute(absl::string_view name, absl::string_view fields);
std::string IntAttribute(absl::string_view name, uint64_t value);
std::string Subgraph(absl::string_view attribute, absl::string_view fields);
// An attribute with a list of graphs.
std::string Subgraphs(absl::string_view attribute, const std::vector<std::string>& graphs);

// Fields of a training_info entry.
std::string Initialization(absl::string_view graph);
std::string Algorithm(absl::string_view graph);

// An If whose branch holds an If, and so on; `innermost` are the fields of the last graph.
std::string NestedIfs(int depth, absl::string_view innermost);

}  // namespace onnx_hier::wire

#endif  // ONNX_HIER_TESTS_SUPPORT_WIRE_H_
