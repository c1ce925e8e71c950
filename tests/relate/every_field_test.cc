// SPDX-License-Identifier: Apache-2.0

// A comparison that is blind to a field of a model says "the same" of models that compute something
// else. So every field of every message of onnx.proto is changed, in a model that has it, by
// protobuf's reflection: the comparison sees the change, or the field is listed below with the
// reason why it need not.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "doctest/doctest.h"
#include "tests/relate/compared.h"

namespace onnx_hier {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Fields that compute nothing, by full name without "onnx.".
const std::map<std::string, std::string>& Silent() {
  static const auto& silent = *new std::map<std::string, std::string>({
      {"AttributeProto.doc_string", "a comment"},
      {"FunctionProto.doc_string", "a comment"},
      {"GraphProto.doc_string", "a comment"},
      {"GraphProto.name", "what a graph is called"},
      {"GraphProto.quantization_annotation", "a hint for tools: no operator reads it"},
      {"GraphProto.value_info", "what follows from operators"},
      {"ModelProto.doc_string", "a comment"},
      {"ModelProto.domain", "who made the model"},
      {"ModelProto.ir_version", "how the file is written"},
      {"ModelProto.metadata_props", "a comment"},
      {"ModelProto.model_version", "which release it is"},
      {"ModelProto.producer_name", "which program wrote the file"},
      {"ModelProto.producer_version", "which program wrote the file"},
      {"ModelProto.training_info", "runs when the model is trained, not when it computes"},
      {"NodeProto.doc_string", "a comment"},
      {"NodeProto.name", "what a node is called"},
      {"TensorProto.data_location", "where it is kept: contents are compared (the cases of diff)"},
      {"TensorProto.doc_string", "a comment"},
      {"TensorProto.external_data", "where it is kept: contents are compared (the cases of diff)"},
      {"TensorProto.segment", "no reader knows it"},
      {"TensorShapeProto.Dimension.denotation", "a comment"},
      {"TensorShapeProto.Dimension.dim_param", "what an open dimension is called"},
      {"TypeProto.denotation", "a comment"},
      {"ValueInfoProto.doc_string", "a comment"},
  });
  return silent;
}

// The same in some places only: ways to them, and why.
const std::map<std::string, std::string>& SilentAt() {
  static const auto& silent = *new std::map<std::string, std::string>({
      {"AttributeProto.g/GraphProto.output/ValueInfoProto.type", "follows from operators"},
      {"AttributeProto.sparse_tensor/SparseTensorProto.values/TensorProto.name",
       "nothing reads it"},
      {"AttributeProto.sparse_tensors/SparseTensorProto.values/TensorProto.name",
       "nothing reads it"},
      {"AttributeProto.t/TensorProto.name", "nothing reads it"},
      {"AttributeProto.tensors/TensorProto.name", "nothing reads it"},
      {"GraphProto.input/ValueInfoProto.name",
       "names of values play no part: seen of one that is read, whose readers read nothing then"},
      {"GraphProto.output/ValueInfoProto.type", "follows from operators"},
      {"SparseTensorProto.indices/TensorProto.data_type", "int64 by the standard"},
      {"SparseTensorProto.indices/TensorProto.dims", "follows from the elements"},
      {"SparseTensorProto.indices/TensorProto.name", "nothing reads it"},
      {"SparseTensorProto.values/TensorProto.dims", "follows from the elements"},
  });
  return silent;
}

// A model with every field of the format, but for what only data files and tools have (`Silent`).
constexpr char kModel[] = R"(
ir_version: 8
producer_name: "made" producer_version: "1" domain: "d" model_version: 1 doc_string: "doc"
opset_import { domain: "" version: 12 }
opset_import { domain: "f" version: 1 }
metadata_props { key: "k" value: "v" }
training_info {
  initialization { name: "i" node { op_type: "Constant" output: "t" } output { name: "t" } }
  algorithm { name: "a" node { op_type: "Neg" input: "w" output: "u" } output { name: "u" } }
  initialization_binding { key: "w" value: "t" }
  update_binding { key: "w" value: "u" }
}
graph {
  name: "main" doc_string: "doc"
  node { name: "/a/Softmax" op_type: "Softmax" domain: "" input: "x" output: "s" doc_string: "doc"
         attribute { name: "axis" type: INT i: 1 doc_string: "doc" } }
  node { name: "/a/Custom" op_type: "Custom" domain: "f" input: "s" input: "w" output: "c"
         attribute { name: "f" type: FLOAT f: 0.5 }
         attribute { name: "s" type: STRING s: "text" }
         attribute { name: "floats" type: FLOATS floats: 1 floats: 2 }
         attribute { name: "ints" type: INTS ints: 1 ints: 2 }
         attribute { name: "strings" type: STRINGS strings: "a" strings: "b" }
         attribute { name: "t" type: TENSOR
                     t { dims: 2 data_type: 1 float_data: 1 float_data: 2 name: "inner"
                         doc_string: "doc" } }
         attribute { name: "tensors" type: TENSORS
                     tensors { dims: 1 data_type: 7 int64_data: 5 name: "inner" } }
         attribute { name: "sparse" type: SPARSE_TENSOR
                     sparse_tensor { values { dims: 1 data_type: 1 float_data: 3 }
                                     indices { dims: 1 data_type: 7 int64_data: 1 } dims: 4 } }
         attribute { name: "sparses" type: SPARSE_TENSORS
                     sparse_tensors { values { dims: 1 data_type: 1 float_data: 3 }
                                      indices { dims: 1 data_type: 7 int64_data: 1 } dims: 4 } }
         attribute { name: "type" type: TYPE_PROTO
                     tp { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
         attribute { name: "types" type: TYPE_PROTOS
                     type_protos { tensor_type { elem_type: 1 } } } }
  node { name: "/b/If" op_type: "If" input: "cond" output: "i"
         attribute { name: "then_branch" type: GRAPH
                     g { name: "then" node { name: "/b/Neg" op_type: "Neg" input: "c" output: "n" }
                         output { name: "n" type { tensor_type { elem_type: 1 } } } } }
         attribute { name: "else_branch" type: GRAPH
                     g { name: "else" node { op_type: "Abs" input: "c" output: "m" }
                         output { name: "m" } } } }
  node { name: "/b/Lists" op_type: "Lists" domain: "f" input: "i" input: "string" output: "l"
         attribute { name: "bodies" type: GRAPHS
                     graphs { name: "first" node { op_type: "Exp" input: "i" output: "e" }
                              output { name: "e" } } } }
  node { name: "/c/F" op_type: "F" domain: "f" input: "l" output: "o"
         attribute { name: "given" type: INT i: 2 } }
  node { name: "/c/Mul" op_type: "Mul" input: "o" input: "double" output: "p" }
  node { name: "/c/Add" op_type: "Add" input: "p" input: "int" output: "q" }
  node { name: "/c/Sub" op_type: "Sub" input: "q" input: "unsigned" output: "r" }
  node { name: "/c/Div" op_type: "Div" input: "r" input: "sparse" output: "d" }
  node { name: "/c/Resize" op_type: "Resize" input: "d" output: "y" }
  initializer { name: "w" dims: 2 data_type: 1 raw_data: "\000\000\200?\000\000\000@"
                doc_string: "doc" }
  initializer { name: "double" dims: 1 data_type: 11 double_data: 2 }
  initializer { name: "int" dims: 1 data_type: 6 int32_data: 2 }
  initializer { name: "unsigned" dims: 1 data_type: 13 uint64_data: 2 }
  initializer { name: "string" dims: 2 data_type: 8 string_data: "a" string_data: "b" }
  sparse_initializer { values { name: "sparse" dims: 1 data_type: 1 float_data: 3 }
                       indices { dims: 1 data_type: 7 int64_data: 1 } dims: 4 }
  input { name: "x" doc_string: "doc"
          type { denotation: "IMAGE"
                 tensor_type { elem_type: 1
                               shape { dim { dim_param: "n" denotation: "BATCH" }
                                       dim { dim_value: 2 } } } } }
  input { name: "cond" type { tensor_type { elem_type: 9 } } }
  input { name: "list" type { sequence_type { elem_type { tensor_type { elem_type: 1 } } } } }
  input { name: "table"
          type { map_type { key_type: 8 value_type { tensor_type { elem_type: 1 } } } } }
  input { name: "perhaps" type { optional_type { elem_type { tensor_type { elem_type: 1 } } } } }
  input { name: "few" type { sparse_tensor_type { elem_type: 1 shape { dim { dim_value: 5 } } } } }
  input { name: "other" type { opaque_type { domain: "f" name: "thing" } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
  value_info { name: "s" type { tensor_type { elem_type: 1 } } }
  quantization_annotation { tensor_name: "w"
                            quant_parameter_tensor_names { key: "SCALE_TENSOR" value: "s" } }
}
functions {
  name: "F" domain: "f" doc_string: "doc" input: "a" output: "b" attribute: "given"
  opset_import { domain: "" version: 12 }
  node { name: "/c/Body" op_type: "Softmax" input: "a" output: "b"
         attribute { name: "axis" type: INT ref_attr_name: "given" } }
}
)";

// "NodeProto.name"
std::string NameOf(const FieldDescriptor& field) {
  return std::string(absl::StripPrefix(field.full_name(), "onnx."));
}

bool IsSilent(const std::vector<std::string>& way) {
  std::string at;
  for (const std::string& field : way) {
    if (Silent().count(field) != 0) return true;
    absl::StrAppend(&at, at.empty() ? "" : "/", field);
  }
  for (const auto& [place, reason] : SilentAt()) {
    const bool ends = absl::EndsWith(at, place) || absl::StrContains(at, absl::StrCat(place, "/"));
    if (ends) return true;
  }
  return false;
}

// Changes one field, or the element of it at `index`; -1: it is no list.
void Change(Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  const auto change = [&](auto get, auto set, auto get_one, auto set_one, auto other) {
    if (index < 0) {
      (reflection.*set)(&message, &field, other((reflection.*get)(message, &field)));
    } else {
      (reflection.*set_one)(&message, &field, index,
                            other((reflection.*get_one)(message, &field, index)));
    }
  };
  const auto more = [](auto value) { return value + 1; };
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return change(&Reflection::GetInt32, &Reflection::SetInt32, &Reflection::GetRepeatedInt32,
                    &Reflection::SetRepeatedInt32, more);
    case FieldDescriptor::CPPTYPE_INT64:
      return change(&Reflection::GetInt64, &Reflection::SetInt64, &Reflection::GetRepeatedInt64,
                    &Reflection::SetRepeatedInt64, more);
    case FieldDescriptor::CPPTYPE_UINT64:
      return change(&Reflection::GetUInt64, &Reflection::SetUInt64, &Reflection::GetRepeatedUInt64,
                    &Reflection::SetRepeatedUInt64, more);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return change(&Reflection::GetFloat, &Reflection::SetFloat, &Reflection::GetRepeatedFloat,
                    &Reflection::SetRepeatedFloat, more);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return change(&Reflection::GetDouble, &Reflection::SetDouble, &Reflection::GetRepeatedDouble,
                    &Reflection::SetRepeatedDouble, more);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const EnumValueDescriptor* const value = reflection.GetEnum(message, &field);
      // The first of them stands for one that is not given.
      const int next = value->index() % (value->type()->value_count() - 1) + 1;
      return reflection.SetEnum(&message, &field, value->type()->value(next));
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      // As long as before: bytes of a tensor stay as many.
      const auto other = [](std::string text) {
        if (text.empty()) return std::string("other");
        text[0] = text[0] == 'q' ? 'z' : 'q';
        return text;
      };
      return change(&Reflection::GetString, &Reflection::SetString, &Reflection::GetRepeatedString,
                    &Reflection::SetRepeatedString, other);
    }
    default:
      FAIL("a type that onnx.proto did not have: " << field.full_name());
  }
}

// Every place of a model in which a field is written, one after the other: `visit` changes it.
class Places {
 public:
  using Visit = std::function<void(const std::vector<std::string>& way,
                                   absl::FunctionRef<void(Message&)> change)>;

  explicit Places(Visit visit) : visit_(std::move(visit)) {}

  // `reach` finds the message in another model.
  void Walk(const Message& message, absl::FunctionRef<Message&(Message&)> reach) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      way_.push_back(NameOf(*field));
      const int count =
          field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
      for (int i = 0; i < count; ++i)
        VisitOne(message, *field, field->is_repeated() ? i : -1, reach);
      way_.pop_back();
    }
  }

 private:
  void VisitOne(const Message& message, const FieldDescriptor& field, int index,
                absl::FunctionRef<Message&(Message&)> reach) {
    const Reflection& reflection = *message.GetReflection();
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      visit_(way_, [&](Message& model) { Change(reach(model), field, index); });
      return;
    }
    const Message& inner = index < 0 ? reflection.GetMessage(message, &field)
                                     : reflection.GetRepeatedMessage(message, &field, index);
    Walk(inner, [&](Message& model) -> Message& {
      Message& outer = reach(model);
      return *(index < 0 ? reflection.MutableMessage(&outer, &field)
                         : reflection.MutableRepeatedMessage(&outer, &field, index));
    });
  }

  Visit visit_;
  std::vector<std::string> way_;
};

onnx::ModelProto Base() {
  onnx::ModelProto model;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(kModel, &model));
  return model;
}

TEST_CASE("a comparison sees each field of a model that computes something") {
  const onnx::ModelProto base = Base();
  const std::string bytes = base.SerializeAsString();
  REQUIRE(testing::Compared(bytes, bytes).diff.IsEmpty());
  Places places([&](const std::vector<std::string>& way, absl::FunctionRef<void(Message&)> change) {
    if (IsSilent(way)) return;
    onnx::ModelProto other = base;
    change(other);
    const std::string place = absl::StrJoin(way, "/");
    CHECK_MESSAGE(!testing::Compared(bytes, other.SerializeAsString()).diff.IsEmpty(), place);
  });
  places.Walk(base, [](Message& model) -> Message& { return model; });
}

// All fields of a message and of those in it.
void ListFields(const google::protobuf::Descriptor& message, std::set<std::string>& seen,
                std::set<std::string>& fields) {
  if (!seen.insert(message.full_name()).second) return;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    fields.insert(NameOf(field));
    if (field.message_type() != nullptr) ListFields(*field.message_type(), seen, fields);
  }
}

TEST_CASE("the model has each field of the format") {
  std::set<std::string> seen;
  std::set<std::string> missing;
  ListFields(*onnx::ModelProto::descriptor(), seen, missing);
  const onnx::ModelProto base = Base();
  Places places([&](const std::vector<std::string>& way, absl::FunctionRef<void(Message&)>) {
    for (const std::string& field : way) missing.erase(field);
  });
  places.Walk(base, [](Message& model) -> Message& { return model; });
  for (const auto& [field, reason] : Silent()) missing.erase(field);
  for (const std::string& field : missing) {
    // What is inside of a field that computes nothing.
    const bool is_inside = absl::StartsWith(field, "TensorProto.Segment.") ||
                           absl::StartsWith(field, "TensorAnnotation.") ||
                           absl::StartsWith(field, "TrainingInfoProto.");
    CHECK_MESSAGE(is_inside, field);
  }
}

}  // namespace
}  // namespace onnx_hier
