// SPDX-License-Identifier: Apache-2.0

// One model as text, by two readers that share no code: libonnx (protobuf) and our scanner. Where
// both texts are equal, both saw the same nodes, names, inputs, outputs, tensors and graphs.
#ifndef ONNX_HIER_TESTS_ONNX_MODEL_TEXT_H_
#define ONNX_HIER_TESTS_ONNX_MODEL_TEXT_H_

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "lib/onnx/scanner.h"

namespace onnx_hier::testing {

// Protobuf's own limit on nesting lifted; the test case stops if protobuf cannot read it.
onnx::ModelProto ParseModel(const std::string& bytes);

std::string ModelText(const onnx::ModelProto& model);
std::string ModelText(const Graph& graph);

// Protobuf's view of the model without the doc_strings of its nodes, at any depth, as bytes.
std::string WithoutDocs(const std::string& bytes);

// A scanned model and the image that its views point into.
struct Scanned {
  FileImage image;
  ScannedModel model;
};
absl::StatusOr<Scanned> Scan(const std::string& bytes, const ScanOptions& options = {});

// Where all of it lies in the file, and what no other reader knows of it.
std::string LayoutText(const ScannedModel& model);

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_ONNX_MODEL_TEXT_H_
