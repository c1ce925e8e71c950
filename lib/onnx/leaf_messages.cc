// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/leaf_messages.h"

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/graph/graph_builder.h"
#include "lib/onnx/schema.h"

namespace onnx_hier {
namespace {

// A repeated number: one a field, or packed into one field.
absl::Status ReadNumbers(WireReader& reader, const Field& field, std::vector<int64_t>* numbers) {
  if (field.type == WireType::kVarint) {
    numbers->push_back(static_cast<int64_t>(field.value));
    return absl::OkStatus();
  }
  while (reader.position() < field.end) {
    uint64_t number;
    OH_RETURN_IF_ERROR(reader.ReadVarint(field.end, &number));
    numbers->push_back(static_cast<int64_t>(number));
  }
  return absl::OkStatus();
}

bool HoldsElements(const Field& field) {
  return field.type == WireType::kBytes && field.number >= schema::tensor::kFloatData &&
         field.number <= schema::tensor::kUint64Data && field.number != schema::tensor::kName &&
         field.number != schema::tensor::kStringData;
}

// Texts have a field each: what follows them directly belongs to them.
void NoteElements(const Field& field, TensorData* data) {
  if (field.Is(schema::tensor::kStringData)) {
    const bool goes_on = data->field == field.number && data->end == field.start;
    const bool is_first = data->end == 0;
    *data = {goes_on ? data->begin : field.start, field.end,
             goes_on || is_first ? field.number : 0};
  } else if (HoldsElements(field)) {
    *data = {field.begin, field.end, data->end != 0 ? 0 : field.number};
  }
}

bool HoldsNumbers(const Field& field, uint32_t number) {
  return field.number == number &&
         (field.type == WireType::kVarint || field.type == WireType::kBytes);
}

// Takes one entry of external_data over; of one that comes twice, the last.
void NoteExternal(const StringPair& pair, ExternalPlace* place) {
  uint64_t number = 0;
  if (pair.key == "location") {
    place->location = pair.value;
    // Some write the same place so.
    while (absl::ConsumePrefix(&place->location, "./")) {
    }
  } else if (pair.key == "offset") {
    if (!absl::SimpleAtoi(pair.value, &place->offset)) place->is_clear = false;
  } else if (pair.key == "length") {
    if (absl::SimpleAtoi(pair.value, &number)) {
      place->length = number;
    } else {
      place->is_clear = false;
    }
  }
}

// All but what follows from several fields: `place` is what external_data says.
absl::Status ReadTensorFields(WireReader& reader, const Field& outer, TensorContents* contents,
                              ExternalPlace* place) {
  Tensor& tensor = contents->tensor;
  while (reader.position() < outer.end) {
    Field field;
    OH_RETURN_IF_ERROR(reader.ReadField(outer.end, &field));
    if (HoldsNumbers(field, schema::tensor::kDims)) {
      OH_RETURN_IF_ERROR(ReadNumbers(reader, field, &contents->dims));
    } else if (field.IsVarint(schema::tensor::kDataType)) {
      tensor.data_type = static_cast<int32_t>(field.value);
    } else if (field.Is(schema::tensor::kName)) {
      contents->name_field = {field.start, field.end};
      OH_RETURN_IF_ERROR(reader.ReadText(field, &tensor.name));
    } else if (field.IsVarint(schema::tensor::kDataLocation)) {
      // An enumeration's value that nobody knows is an unknown field: it changes nothing.
      const auto value = static_cast<uint32_t>(field.value);
      if (value <= schema::tensor::kLocationExternal) {
        tensor.external = value == schema::tensor::kLocationExternal;
      }
    } else if (field.Is(schema::tensor::kExternalData)) {
      StringPair pair;
      contents->external_fields.push_back({field.start, field.end});
      OH_RETURN_IF_ERROR(ReadEntry(reader, field, &pair));
      NoteExternal(pair, place);
    } else {
      NoteElements(field, &contents->data);
      reader.Skip(field);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadEntry(WireReader& reader, const Field& outer, StringPair* pair) {
  while (reader.position() < outer.end) {
    Field field;
    OH_RETURN_IF_ERROR(reader.ReadField(outer.end, &field));
    if (field.Is(schema::string_entry::kKey)) {
      OH_RETURN_IF_ERROR(reader.ReadText(field, &pair->key));
    } else if (field.Is(schema::string_entry::kValue)) {
      OH_RETURN_IF_ERROR(reader.ReadText(field, &pair->value));
    } else {
      reader.Skip(field);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadOpset(WireReader& reader, const Field& outer, OpsetImport* opset) {
  while (reader.position() < outer.end) {
    Field field;
    OH_RETURN_IF_ERROR(reader.ReadField(outer.end, &field));
    if (field.Is(schema::opset::kDomain)) {
      OH_RETURN_IF_ERROR(reader.ReadText(field, &opset->domain));
    } else if (field.IsVarint(schema::opset::kVersion)) {
      opset->version = static_cast<int64_t>(field.value);
    } else {
      reader.Skip(field);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadValueName(WireReader& reader, const Field& outer, absl::string_view* name) {
  while (reader.position() < outer.end) {
    Field field;
    OH_RETURN_IF_ERROR(reader.ReadField(outer.end, &field));
    if (field.Is(schema::value_info::kName)) {
      OH_RETURN_IF_ERROR(reader.ReadText(field, name));
    } else {
      reader.Skip(field);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadTensor(WireReader& reader, const Field& outer, TensorContents* contents) {
  Tensor& tensor = contents->tensor;
  tensor = Tensor();
  contents->data = contents->indices = TensorData();
  contents->dims.clear();
  contents->external_places.clear();
  contents->name_field = FieldExtent();
  contents->external_fields.clear();
  ExternalPlace place;
  OH_RETURN_IF_ERROR(ReadTensorFields(reader, outer, contents, &place));
  if (tensor.external) {
    contents->data = TensorData();
    MeasureTensor(tensor, contents->dims);
    if (tensor.bytes > 0 || tensor.elements == 0) place.tensor_bytes = tensor.bytes;
    contents->external_places.push_back(place);
  }
  return absl::OkStatus();
}

absl::Status ReadSparseTensor(WireReader& reader, const Field& outer, TensorContents* contents) {
  TensorContents part;
  *contents = TensorContents();
  while (reader.position() < outer.end) {
    Field field;
    OH_RETURN_IF_ERROR(reader.ReadField(outer.end, &field));
    if (field.Is(schema::sparse_tensor::kValues) || field.Is(schema::sparse_tensor::kIndices)) {
      OH_RETURN_IF_ERROR(ReadTensor(reader, field, &part));
      if (field.number == schema::sparse_tensor::kValues) {
        contents->tensor = part.tensor;
        contents->data = part.data;
      } else {
        contents->indices = part.data;
      }
      for (ExternalPlace& place : part.external_places) {
        place.is_sparse = true;
        contents->external_places.push_back(place);
      }
    } else if (HoldsNumbers(field, schema::sparse_tensor::kDims)) {
      OH_RETURN_IF_ERROR(ReadNumbers(reader, field, &contents->dims));
    } else {
      reader.Skip(field);
    }
  }
  return absl::OkStatus();
}

}  // namespace onnx_hier
