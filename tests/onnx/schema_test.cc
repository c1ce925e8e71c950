// SPDX-License-Identifier: Apache-2.0

// The numbers of lib/onnx/schema.h and lib/graph/data_type.h against those that protoc made of the
// installed onnx.
//
// Newer than onnx 1.12, so not to be found there: GraphProto.metadata_props, NodeProto.overload
// and metadata_props, FunctionProto.value_info, overload and metadata_props, types from 17 on. Of
// these the test only sees to it that the numbers are not taken by others of that version.

#include "lib/onnx/schema.h"

#include <google/protobuf/descriptor.h>
#include <onnx/onnx_pb.h>

#include <string>

#include "doctest/doctest.h"
#include "lib/graph/data_type.h"

namespace onnx_hier::schema {
namespace {

#define CHECK_SAME(ours, theirs) CHECK(ours == static_cast<uint32_t>(onnx::theirs))

TEST_CASE("the numbers of ModelProto") {
  CHECK_SAME(model::kIrVersion, ModelProto::kIrVersionFieldNumber);
  CHECK_SAME(model::kProducerName, ModelProto::kProducerNameFieldNumber);
  CHECK_SAME(model::kProducerVersion, ModelProto::kProducerVersionFieldNumber);
  CHECK_SAME(model::kDomain, ModelProto::kDomainFieldNumber);
  CHECK_SAME(model::kModelVersion, ModelProto::kModelVersionFieldNumber);
  CHECK_SAME(model::kGraph, ModelProto::kGraphFieldNumber);
  CHECK_SAME(model::kOpsetImport, ModelProto::kOpsetImportFieldNumber);
  CHECK_SAME(model::kMetadataProps, ModelProto::kMetadataPropsFieldNumber);
  CHECK_SAME(model::kTrainingInfo, ModelProto::kTrainingInfoFieldNumber);
  CHECK_SAME(model::kFunctions, ModelProto::kFunctionsFieldNumber);
}

TEST_CASE("the numbers of GraphProto and FunctionProto") {
  CHECK_SAME(graph::kNode, GraphProto::kNodeFieldNumber);
  CHECK_SAME(graph::kName, GraphProto::kNameFieldNumber);
  CHECK_SAME(graph::kInitializer, GraphProto::kInitializerFieldNumber);
  CHECK_SAME(graph::kInput, GraphProto::kInputFieldNumber);
  CHECK_SAME(graph::kOutput, GraphProto::kOutputFieldNumber);
  CHECK_SAME(graph::kValueInfo, GraphProto::kValueInfoFieldNumber);
  CHECK_SAME(graph::kQuantizationAnnotation, GraphProto::kQuantizationAnnotationFieldNumber);
  CHECK_SAME(graph::kSparseInitializer, GraphProto::kSparseInitializerFieldNumber);
  CHECK_SAME(function::kName, FunctionProto::kNameFieldNumber);
  CHECK_SAME(function::kInput, FunctionProto::kInputFieldNumber);
  CHECK_SAME(function::kOutput, FunctionProto::kOutputFieldNumber);
  CHECK_SAME(function::kNode, FunctionProto::kNodeFieldNumber);
  CHECK_SAME(function::kOpsetImport, FunctionProto::kOpsetImportFieldNumber);
  CHECK_SAME(function::kDomain, FunctionProto::kDomainFieldNumber);
}

TEST_CASE("the numbers of NodeProto and AttributeProto") {
  CHECK_SAME(node::kInput, NodeProto::kInputFieldNumber);
  CHECK_SAME(node::kOutput, NodeProto::kOutputFieldNumber);
  CHECK_SAME(node::kName, NodeProto::kNameFieldNumber);
  CHECK_SAME(node::kOpType, NodeProto::kOpTypeFieldNumber);
  CHECK_SAME(node::kAttribute, NodeProto::kAttributeFieldNumber);
  CHECK_SAME(node::kDocString, NodeProto::kDocStringFieldNumber);
  CHECK_SAME(node::kDomain, NodeProto::kDomainFieldNumber);
  CHECK_SAME(attribute::kName, AttributeProto::kNameFieldNumber);
  CHECK_SAME(attribute::kFloat, AttributeProto::kFFieldNumber);
  CHECK_SAME(attribute::kInteger, AttributeProto::kIFieldNumber);
  CHECK_SAME(attribute::kText, AttributeProto::kSFieldNumber);
  CHECK_SAME(attribute::kFloats, AttributeProto::kFloatsFieldNumber);
  CHECK_SAME(attribute::kIntegers, AttributeProto::kIntsFieldNumber);
  CHECK_SAME(attribute::kTexts, AttributeProto::kStringsFieldNumber);
  CHECK_SAME(attribute::kTypeProto, AttributeProto::kTpFieldNumber);
  CHECK_SAME(attribute::kTypeProtos, AttributeProto::kTypeProtosFieldNumber);
  CHECK_SAME(attribute::kType, AttributeProto::kTypeFieldNumber);
  CHECK_SAME(attribute::kRefAttrName, AttributeProto::kRefAttrNameFieldNumber);
  CHECK_SAME(attribute::kTensor, AttributeProto::kTFieldNumber);
  CHECK_SAME(attribute::kGraph, AttributeProto::kGFieldNumber);
  CHECK_SAME(attribute::kTensors, AttributeProto::kTensorsFieldNumber);
  CHECK_SAME(attribute::kGraphs, AttributeProto::kGraphsFieldNumber);
  CHECK_SAME(attribute::kSparseTensor, AttributeProto::kSparseTensorFieldNumber);
  CHECK_SAME(attribute::kSparseTensors, AttributeProto::kSparseTensorsFieldNumber);
}

TEST_CASE("the numbers of the small messages") {
  CHECK_SAME(tensor::kDims, TensorProto::kDimsFieldNumber);
  CHECK_SAME(tensor::kDataType, TensorProto::kDataTypeFieldNumber);
  CHECK_SAME(tensor::kName, TensorProto::kNameFieldNumber);
  CHECK_SAME(tensor::kExternalData, TensorProto::kExternalDataFieldNumber);
  CHECK_SAME(tensor::kDataLocation, TensorProto::kDataLocationFieldNumber);
  CHECK_SAME(tensor::kLocationExternal, TensorProto::EXTERNAL);
  CHECK_SAME(sparse_tensor::kValues, SparseTensorProto::kValuesFieldNumber);
  CHECK_SAME(sparse_tensor::kIndices, SparseTensorProto::kIndicesFieldNumber);
  CHECK_SAME(sparse_tensor::kDims, SparseTensorProto::kDimsFieldNumber);
  CHECK_SAME(value_info::kName, ValueInfoProto::kNameFieldNumber);
  CHECK_SAME(value_info::kType, ValueInfoProto::kTypeFieldNumber);
  CHECK_SAME(tensor_annotation::kTensorName, TensorAnnotation::kTensorNameFieldNumber);
  CHECK_SAME(type::kTensor, TypeProto::kTensorTypeFieldNumber);
  CHECK_SAME(type::kSequence, TypeProto::kSequenceTypeFieldNumber);
  CHECK_SAME(type::kSparseTensor, TypeProto::kSparseTensorTypeFieldNumber);
  CHECK_SAME(type::kOptional, TypeProto::kOptionalTypeFieldNumber);
  CHECK_SAME(type::kMap, TypeProto::kMapTypeFieldNumber);
  CHECK_SAME(type::kOpaque, TypeProto::kOpaqueTypeFieldNumber);
  CHECK_SAME(type::kElement, TypeProto_Map::kKeyTypeFieldNumber);
  CHECK_SAME(type::kMapValue, TypeProto_Map::kValueTypeFieldNumber);
  CHECK_SAME(type::kElement, TypeProto_Tensor::kElemTypeFieldNumber);
  CHECK_SAME(type::kElement, TypeProto_SparseTensor::kElemTypeFieldNumber);
  CHECK_SAME(type::kShape, TypeProto_Tensor::kShapeFieldNumber);
  CHECK_SAME(type::kShape, TypeProto_SparseTensor::kShapeFieldNumber);
  CHECK_SAME(shape::kDim, TensorShapeProto::kDimFieldNumber);
  CHECK_SAME(shape::kValue, TensorShapeProto_Dimension::kDimValueFieldNumber);
  CHECK_SAME(shape::kParam, TensorShapeProto_Dimension::kDimParamFieldNumber);
  CHECK_SAME(type::kElement, TypeProto_Sequence::kElemTypeFieldNumber);
  CHECK_SAME(type::kElement, TypeProto_Optional::kElemTypeFieldNumber);
  CHECK_SAME(string_entry::kKey, StringStringEntryProto::kKeyFieldNumber);
  CHECK_SAME(string_entry::kValue, StringStringEntryProto::kValueFieldNumber);
  CHECK_SAME(opset::kDomain, OperatorSetIdProto::kDomainFieldNumber);
  CHECK_SAME(opset::kVersion, OperatorSetIdProto::kVersionFieldNumber);
  CHECK_SAME(training_info::kInitialization, TrainingInfoProto::kInitializationFieldNumber);
  CHECK_SAME(training_info::kAlgorithm, TrainingInfoProto::kAlgorithmFieldNumber);
}

TEST_CASE("the numbers of TensorProto.DataType") {
  const auto check = [](int32_t ours, onnx::TensorProto::DataType theirs) {
    CAPTURE(onnx::TensorProto::DataType_Name(theirs));
    CHECK(ours == theirs);
  };
  check(data_type::kFloat, onnx::TensorProto::FLOAT);
  check(data_type::kUint8, onnx::TensorProto::UINT8);
  check(data_type::kInt8, onnx::TensorProto::INT8);
  check(data_type::kUint16, onnx::TensorProto::UINT16);
  check(data_type::kInt16, onnx::TensorProto::INT16);
  check(data_type::kInt32, onnx::TensorProto::INT32);
  check(data_type::kInt64, onnx::TensorProto::INT64);
  check(data_type::kString, onnx::TensorProto::STRING);
  check(data_type::kBool, onnx::TensorProto::BOOL);
  check(data_type::kFloat16, onnx::TensorProto::FLOAT16);
  check(data_type::kDouble, onnx::TensorProto::DOUBLE);
  check(data_type::kUint32, onnx::TensorProto::UINT32);
  check(data_type::kUint64, onnx::TensorProto::UINT64);
  check(data_type::kComplex64, onnx::TensorProto::COMPLEX64);
  check(data_type::kComplex128, onnx::TensorProto::COMPLEX128);
  check(data_type::kBfloat16, onnx::TensorProto::BFLOAT16);
}

// The field of that number in the installed onnx; "" if it has none.
template <class Message>
std::string FieldName(uint32_t number) {
  const auto* field = Message::descriptor()->FindFieldByNumber(static_cast<int>(number));
  return field == nullptr ? "" : field->name();
}

// With a newer onnx the names are there, and must be these.
TEST_CASE("fields that came after onnx 1.12") {
  const std::string graph_metadata = FieldName<onnx::GraphProto>(graph::kMetadataProps);
  CHECK((graph_metadata == "" || graph_metadata == "metadata_props"));
  const std::string node_overload = FieldName<onnx::NodeProto>(node::kOverload);
  CHECK((node_overload == "" || node_overload == "overload"));
  const std::string node_metadata = FieldName<onnx::NodeProto>(node::kMetadataProps);
  CHECK((node_metadata == "" || node_metadata == "metadata_props"));
  const std::string defaults = FieldName<onnx::FunctionProto>(function::kAttributeProto);
  CHECK((defaults == "" || defaults == "attribute_proto"));
  const std::string value_info = FieldName<onnx::FunctionProto>(function::kValueInfo);
  CHECK((value_info == "" || value_info == "value_info"));
  const std::string overload = FieldName<onnx::FunctionProto>(function::kOverload);
  CHECK((overload == "" || overload == "overload"));
  const std::string metadata = FieldName<onnx::FunctionProto>(function::kMetadataProps);
  CHECK((metadata == "" || metadata == "metadata_props"));
}

TEST_CASE("types that came after onnx 1.12") {
  const auto check = [](int32_t number, const std::string& expected) {
    const auto* value = onnx::TensorProto::DataType_descriptor()->FindValueByNumber(number);
    const std::string name = value == nullptr ? "" : value->name();
    CAPTURE(name);
    CHECK((name == "" || name == expected));
  };
  check(data_type::kFloat8E4M3Fn, "FLOAT8E4M3FN");
  check(data_type::kFloat8E4M3Fnuz, "FLOAT8E4M3FNUZ");
  check(data_type::kFloat8E5M2, "FLOAT8E5M2");
  check(data_type::kFloat8E5M2Fnuz, "FLOAT8E5M2FNUZ");
  check(data_type::kUint4, "UINT4");
  check(data_type::kInt4, "INT4");
  check(data_type::kFloat4E2M1, "FLOAT4E2M1");
  check(data_type::kFloat8E8M0, "FLOAT8E8M0");
  check(data_type::kUint2, "UINT2");
  check(data_type::kInt2, "INT2");
}

#undef CHECK_SAME

}  // namespace
}  // namespace onnx_hier::schema
