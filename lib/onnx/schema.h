// SPDX-License-Identifier: Apache-2.0

// Field numbers of the ONNX messages that are walked, as in onnx.in.proto of the ONNX project.
// A test compares each with the constants that protoc made of the installed onnx.
#ifndef ONNX_HIER_LIB_ONNX_SCHEMA_H_
#define ONNX_HIER_LIB_ONNX_SCHEMA_H_

#include <cstdint>

namespace onnx_hier::schema {

namespace model {
constexpr uint32_t kIrVersion = 1;
constexpr uint32_t kProducerName = 2;
constexpr uint32_t kProducerVersion = 3;
constexpr uint32_t kDomain = 4;
constexpr uint32_t kModelVersion = 5;
constexpr uint32_t kGraph = 7;
constexpr uint32_t kOpsetImport = 8;
constexpr uint32_t kMetadataProps = 14;
constexpr uint32_t kTrainingInfo = 20;
constexpr uint32_t kFunctions = 25;
}  // namespace model

namespace graph {
constexpr uint32_t kNode = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kInitializer = 5;
constexpr uint32_t kDocString = 10;
constexpr uint32_t kInput = 11;
constexpr uint32_t kOutput = 12;
constexpr uint32_t kValueInfo = 13;
constexpr uint32_t kQuantizationAnnotation = 14;
constexpr uint32_t kSparseInitializer = 15;
constexpr uint32_t kMetadataProps = 16;
}  // namespace graph

namespace node {
constexpr uint32_t kInput = 1;
constexpr uint32_t kOutput = 2;
constexpr uint32_t kName = 3;
constexpr uint32_t kOpType = 4;
constexpr uint32_t kAttribute = 5;
constexpr uint32_t kDocString = 6;
constexpr uint32_t kDomain = 7;
constexpr uint32_t kOverload = 8;       // IR 10
constexpr uint32_t kMetadataProps = 9;  // IR 10
}  // namespace node

namespace attribute {
constexpr uint32_t kName = 1;
constexpr uint32_t kFloat = 2;
constexpr uint32_t kInteger = 3;
constexpr uint32_t kText = 4;
constexpr uint32_t kTensor = 5;
constexpr uint32_t kGraph = 6;
constexpr uint32_t kFloats = 7;
constexpr uint32_t kIntegers = 8;
constexpr uint32_t kTexts = 9;
constexpr uint32_t kTensors = 10;
constexpr uint32_t kGraphs = 11;
constexpr uint32_t kDocString = 13;
constexpr uint32_t kTypeProto = 14;
constexpr uint32_t kTypeProtos = 15;
constexpr uint32_t kType = 20;
constexpr uint32_t kRefAttrName = 21;
constexpr uint32_t kSparseTensor = 22;
constexpr uint32_t kSparseTensors = 23;
}  // namespace attribute

namespace tensor {
constexpr uint32_t kDims = 1;
constexpr uint32_t kDataType = 2;
constexpr uint32_t kFloatData = 4;
constexpr uint32_t kInt32Data = 5;
constexpr uint32_t kStringData = 6;
constexpr uint32_t kInt64Data = 7;
constexpr uint32_t kName = 8;
constexpr uint32_t kRawData = 9;
constexpr uint32_t kDoubleData = 10;
constexpr uint32_t kUint64Data = 11;
constexpr uint32_t kDocString = 12;
constexpr uint32_t kExternalData = 13;
constexpr uint32_t kDataLocation = 14;
constexpr uint64_t kLocationExternal = 1;
}  // namespace tensor

namespace sparse_tensor {
constexpr uint32_t kValues = 1;
constexpr uint32_t kIndices = 2;
constexpr uint32_t kDims = 3;
}  // namespace sparse_tensor

namespace value_info {
constexpr uint32_t kName = 1;
constexpr uint32_t kType = 2;
constexpr uint32_t kDocString = 3;
constexpr uint32_t kMetadataProps = 4;  // IR 10
}  // namespace value_info

namespace tensor_annotation {
constexpr uint32_t kTensorName = 1;
constexpr uint32_t kParameterNames = 2;
}  // namespace tensor_annotation

namespace type {
constexpr uint32_t kTensor = 1;
constexpr uint32_t kSequence = 4;
constexpr uint32_t kMap = 5;
constexpr uint32_t kOpaque = 7;
constexpr uint32_t kSparseTensor = 8;
constexpr uint32_t kOptional = 9;
// Of each of these but kOpaque: the type of the elements, or of a map's keys, as a number or a
// type.
constexpr uint32_t kElement = 1;
constexpr uint32_t kMapValue = 2;
constexpr uint32_t kShape = 2;  // of tensors
}  // namespace type

namespace shape {
constexpr uint32_t kDim = 1;
constexpr uint32_t kValue = 1;  // of a dimension, as the next one
constexpr uint32_t kParam = 2;
}  // namespace shape

namespace string_entry {
constexpr uint32_t kKey = 1;
constexpr uint32_t kValue = 2;
}  // namespace string_entry

namespace opset {
constexpr uint32_t kDomain = 1;
constexpr uint32_t kVersion = 2;
}  // namespace opset

namespace function {
constexpr uint32_t kName = 1;
constexpr uint32_t kInput = 4;
constexpr uint32_t kOutput = 5;
constexpr uint32_t kAttribute = 6;
constexpr uint32_t kNode = 7;
constexpr uint32_t kDocString = 8;
constexpr uint32_t kOpsetImport = 9;
constexpr uint32_t kDomain = 10;
constexpr uint32_t kAttributeProto = 11;  // IR 9: attributes with defaults
constexpr uint32_t kValueInfo = 12;       // IR 10
constexpr uint32_t kOverload = 13;        // IR 10
constexpr uint32_t kMetadataProps = 14;   // IR 10
}  // namespace function

namespace training_info {
constexpr uint32_t kInitialization = 1;
constexpr uint32_t kAlgorithm = 2;
}  // namespace training_info

}  // namespace onnx_hier::schema

#endif  // ONNX_HIER_LIB_ONNX_SCHEMA_H_
