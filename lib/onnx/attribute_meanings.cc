// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/attribute_meanings.h"

#include <algorithm>
#include <cstddef>

#include "absl/base/casts.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/hash.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/graph/weight.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/value_shape.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

namespace attribute = schema::attribute;

// Contents of a Constant beyond this count as those of a parameter.
constexpr uint64_t kLargestConstant = 4096;
// Elements and characters of a text.
constexpr size_t kMostTold = 8;
constexpr size_t kLongestText = 40;

// AttributeProto.AttributeType: the field that each type has its value in; 0: none.
constexpr uint32_t kFields[] = {0,
                                attribute::kFloat,
                                attribute::kInteger,
                                attribute::kText,
                                attribute::kTensor,
                                attribute::kGraph,
                                attribute::kFloats,
                                attribute::kIntegers,
                                attribute::kTexts,
                                attribute::kTensors,
                                attribute::kGraphs,
                                attribute::kSparseTensor,
                                attribute::kSparseTensors,
                                attribute::kTypeProto,
                                attribute::kTypeProtos};

std::string NumberText(float number) {
  std::string text = absl::StrCat(number);
  float read = 0;
  if (absl::SimpleAtof(text, &read) && read != number) text = absl::StrFormat("%.9g", number);
  return text;
}

// What one field says.
struct Said {
  uint32_t field = 0;
  uint64_t hash = 0;
  size_t count = 0;  // of elements
  std::string text;
};

// One attribute, read field by field.
class MeaningReader {
 public:
  // `tells`: texts are asked for.
  MeaningReader(const FileImage& image, const ScannedModel& model, TensorHashes& tensors,
                bool tells)
      : image_(image), model_(model), tensors_(tensors), tells_(tells) {}

  // Adds the meaning of each attribute of the node.
  absl::Status Read(WireReader& reader, NodeId node, std::vector<AttributeMeaning>* meanings) {
    node_ = node;
    tensor_ = 0;
    return ForEachAttribute(reader, model_, node, [&](const Field& field) {
      OH_RETURN_IF_ERROR(ReadAttribute(reader, field));
      meanings->push_back(Meaning());
      return absl::OkStatus();
    });
  }

 private:
  absl::Status ReadAttribute(WireReader& reader, const Field& outer) {
    parts_.clear();
    name_.clear();
    reference_.clear();
    type_ = 0;
    while (reader.position() < outer.end) {
      Field field;
      OH_RETURN_IF_ERROR(reader.ReadField(outer.end, &field));
      OH_RETURN_IF_ERROR(TakeField(field));
      reader.Skip(field);
    }
    return absl::OkStatus();
  }

  absl::Status TakeField(const Field& field) {
    const bool is_bytes = field.type == WireType::kBytes;
    switch (field.number) {
      case attribute::kName:
        return is_bytes ? Contents(field, &name_) : absl::OkStatus();
      case attribute::kRefAttrName:
        return is_bytes ? Contents(field, &reference_) : absl::OkStatus();
      case attribute::kType:
        if (field.type == WireType::kVarint) type_ = field.value;
        return absl::OkStatus();
      case attribute::kFloat:
      case attribute::kInteger:
        if (is_bytes) return absl::OkStatus();
        Begin(field.number);
        return AddNumbers(field);
      case attribute::kFloats:
      case attribute::kIntegers:
        return AddNumbers(field);
      case attribute::kText:
      case attribute::kTypeProto:
        if (!is_bytes) return absl::OkStatus();
        Begin(field.number);
        return AddBytes(field);
      case attribute::kTexts:
      case attribute::kTypeProtos:
        return is_bytes ? AddBytes(field) : absl::OkStatus();
      case attribute::kTensor:
      case attribute::kTensors:
      case attribute::kSparseTensor:
      case attribute::kSparseTensors:
        return is_bytes ? AddTensor(field.number) : absl::OkStatus();
      default:
        return absl::OkStatus();
    }
  }

  Said& SaidIn(uint32_t number) {
    for (Said& part : parts_) {
      if (part.field == number) return part;
    }
    parts_.emplace_back().field = number;
    return parts_.back();
  }
  // Of a singular field the last one counts.
  void Begin(uint32_t number) {
    Said& part = SaidIn(number);
    part = Said();
    part.field = number;
  }
  template <class Text>
  void Add(uint32_t number, uint64_t hash, const Text& text) {
    Said& part = SaidIn(number);
    part.hash = MixHash(part.hash, hash);
    if (tells_ && part.count < kMostTold) {
      absl::StrAppend(&part.text, part.count == 0 ? "" : ",", text());
    }
    ++part.count;
  }

  void AddNumber(uint32_t number, uint64_t value) {
    if (number == attribute::kFloat || number == attribute::kFloats) {
      Add(number, value,
          [&] { return NumberText(absl::bit_cast<float>(static_cast<uint32_t>(value))); });
    } else {
      Add(number, value, [&] { return absl::StrCat(static_cast<int64_t>(value)); });
    }
  }

  absl::Status AddNumbers(const Field& field) {
    const bool is_float = field.number == attribute::kFloat || field.number == attribute::kFloats;
    if (field.type == WireType::kVarint && !is_float) AddNumber(field.number, field.value);
    if (field.type == WireType::kFixed32 && is_float) {
      AddNumber(field.number, LoadWord<uint32_t>(image_.data() + field.end - sizeof(uint32_t)));
    }
    if (field.type != WireType::kBytes) return absl::OkStatus();
    std::string packed;
    OH_RETURN_IF_ERROR(Contents(field, &packed));
    absl::string_view rest = packed;
    if (is_float) {
      for (; rest.size() >= sizeof(uint32_t); rest.remove_prefix(sizeof(uint32_t))) {
        AddNumber(field.number, LoadWord<uint32_t>(rest.data()));
      }
      return absl::OkStatus();
    }
    for (uint64_t value = 0; !rest.empty() && TakeVarint(&rest, &value);) {
      AddNumber(field.number, value);
    }
    return absl::OkStatus();
  }

  absl::Status AddBytes(const Field& field) {
    std::string bytes;
    OH_RETURN_IF_ERROR(Contents(field, &bytes));
    const bool is_text = field.number == attribute::kText || field.number == attribute::kTexts;
    Add(field.number, HashBytes(bytes), [&] {
      if (!is_text) return std::string("a type");
      const bool is_long = bytes.size() > kLongestText;
      return absl::StrCat("'", absl::string_view(bytes).substr(0, kLongestText),
                          is_long ? "..." : "", "'");
    });
    return absl::OkStatus();
  }

  // The scan has listed a node's tensors in the order of the file.
  absl::Status AddTensor(uint32_t number) {
    const absl::Span<const TensorId> tensors = model_.graph.tensors(node_);
    if (tensor_ == tensors.size()) return absl::OkStatus();
    const TensorId id = tensors[tensor_++];
    const Tensor& tensor = model_.graph.tensor(id);
    uint64_t hash = static_cast<uint64_t>(tensor.data_type);
    for (int64_t dim : model_.graph.dims(id)) hash = MixHash(hash, static_cast<uint64_t>(dim));
    if (!IsConstant(model_.graph, node_) || tensor.bytes <= kLargestConstant) {
      OH_ASSIGN_OR_RETURN(const uint64_t contents, tensors_.Whole(id));
      hash = MixHash(hash, contents);
    }
    Add(number, hash, [&] { return TensorText(model_.graph, id); });
    return absl::OkStatus();
  }

  // Whether or not the scan has loaded it.
  absl::Status Contents(const Field& field, std::string* contents) const {
    if (image_.in_memory() || image_.IsLoaded(field.begin, field.end)) {
      *contents = std::string(image_.Text(field.begin, field.end));
      return absl::OkStatus();
    }
    contents->resize(field.end - field.begin);
    return image_.ReadAt(contents->data(), contents->size(), field.begin);
  }

  // A value that is not there is 0, "", or an empty list.
  AttributeMeaning Meaning() {
    uint64_t type = type_;
    if (type == 0 && !parts_.empty()) {
      // Files of IR version 1 do not say it.
      type = static_cast<uint64_t>(
          std::find(std::begin(kFields), std::end(kFields), parts_.front().field) -
          std::begin(kFields));
    }
    AttributeMeaning meaning;
    meaning.node = node_;
    meaning.name = name_;
    meaning.hash = MixHash(HashBytes(name_), type);
    if (!reference_.empty()) {
      meaning.hash = HashBytes(reference_, meaning.hash);
      if (tells_) meaning.text = absl::StrCat("attribute ", reference_, " of the function");
      return meaning;
    }
    const uint32_t field = type < std::size(kFields) ? kFields[type] : 0;
    if (field == attribute::kGraph || field == attribute::kGraphs) return meaning;
    if (field == attribute::kFloat || field == attribute::kInteger) {
      const bool is_given = std::any_of(parts_.begin(), parts_.end(),
                                        [&](const Said& part) { return part.field == field; });
      if (!is_given) AddNumber(field, 0);
    }
    const Said& part = SaidIn(field);
    meaning.hash = MixHash(meaning.hash, part.hash);
    if (!tells_) return meaning;
    meaning.text = part.text;
    const bool is_list = field == attribute::kFloats || field == attribute::kIntegers ||
                         field == attribute::kTexts || field == attribute::kTensors ||
                         field == attribute::kSparseTensors || field == attribute::kTypeProtos;
    if (is_list) {
      meaning.text = part.count <= kMostTold
                         ? absl::StrCat("[", part.text, "]")
                         : absl::StrCat("[", part.text, ",...] of ", part.count);
    }
    return meaning;
  }

  const FileImage& image_;
  const ScannedModel& model_;
  TensorHashes& tensors_;
  const bool tells_;
  NodeId node_;
  size_t tensor_ = 0;  // the next one of the node
  std::string name_;
  std::string reference_;
  uint64_t type_ = 0;
  absl::InlinedVector<Said, 2> parts_;
};

}  // namespace

absl::StatusOr<IdVector<NodeId, uint64_t>> AttributeMeanings::Hash() const {
  OH_ASSIGN_OR_RETURN(FileImage again, image_.Again());
  WireReader wire(again);
  MeaningReader reader(image_, model_, tensors_, /*tells=*/false);
  IdVector<NodeId, uint64_t> hashes(model_.graph.node_count(), 0);
  std::vector<AttributeMeaning> meanings;
  for (NodeId node : model_.graph.node_ids()) {
    meanings.clear();
    OH_RETURN_IF_ERROR(reader.Read(wire, node, &meanings));
    std::stable_sort(meanings.begin(), meanings.end(),
                     [](const auto& a, const auto& b) { return a.name < b.name; });
    for (const AttributeMeaning& meaning : meanings) {
      hashes[node] = MixHash(hashes[node], meaning.hash);
    }
  }
  return hashes;
}

absl::StatusOr<std::vector<AttributeMeaning>> AttributeMeanings::Tell(
    absl::Span<const NodeId> nodes) const {
  OH_ASSIGN_OR_RETURN(FileImage again, image_.Again());
  WireReader wire(again);
  MeaningReader reader(image_, model_, tensors_, /*tells=*/true);
  std::vector<AttributeMeaning> meanings;
  for (NodeId node : nodes) OH_RETURN_IF_ERROR(reader.Read(wire, node, &meanings));
  return meanings;
}

}  // namespace onnx_hier
