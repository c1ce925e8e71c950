// SPDX-License-Identifier: Apache-2.0
#include "lib/shapes/operator_attributes.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/base/casts.h"
#include "lib/base/load_word.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/file_order.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_reader.h"

namespace onnx_hier {
namespace {

using Attribute = OperatorAttributes::Attribute;

// Graphs nest no deeper; what does is not read.
constexpr uint32_t kDeepest = 64;

// What is no number counts as 0.
double NumberOf(float number) { return std::isfinite(number) ? number : 0; }
double FloatOf(uint64_t bits) {
  return NumberOf(absl::bit_cast<float>(static_cast<uint32_t>(bits)));
}

class AttributeReader {
 public:
  AttributeReader(FileImage& image, std::vector<double>& numbers)
      : reader_(image), numbers_(numbers) {}

  absl::Status ReadNode(const ScannedModel& model, NodeId node, std::vector<Attribute>& into) {
    return ForEachAttribute(reader_, model, node, [&](const Field& field) {
      return ReadAttribute(field, into.emplace_back());
    });
  }

 private:
  absl::Status ReadAttribute(const Field& outer, Attribute& attribute) {
    const size_t begin = numbers_.size();
    while (reader_.position() < outer.end) {
      Field field;
      OH_RETURN_IF_ERROR(reader_.ReadField(outer.end, &field));
      OH_RETURN_IF_ERROR(TakeField(field, attribute));
      reader_.Skip(field);
    }
    if (numbers_.size() - begin > OperatorAttributes::kMostNumbers) numbers_.resize(begin);
    attribute.numbers = {static_cast<uint32_t>(begin), static_cast<uint32_t>(numbers_.size())};
    return absl::OkStatus();
  }

  absl::Status TakeField(const Field& field, Attribute& attribute) {
    const bool is_text = field.type == WireType::kBytes;
    switch (field.number) {
      case schema::attribute::kName:
        return is_text ? reader_.ReadText(field, &attribute.name) : absl::OkStatus();
      case schema::attribute::kText:
        return is_text ? reader_.ReadText(field, &attribute.text) : absl::OkStatus();
      case schema::attribute::kRefAttrName:
        return is_text ? reader_.ReadText(field, &attribute.reference) : absl::OkStatus();
      case schema::attribute::kInteger:
      case schema::attribute::kIntegers:
        if (is_text) return TakeIntegers(field);
        numbers_.push_back(static_cast<double>(static_cast<int64_t>(field.value)));
        return absl::OkStatus();
      case schema::attribute::kFloat:
      case schema::attribute::kFloats:
        if (is_text) return TakeFloats(field);
        numbers_.push_back(FloatOf(field.value));
        return absl::OkStatus();
      default:
        return absl::OkStatus();
    }
  }

  absl::Status TakeIntegers(const Field& field) {
    if (field.end - field.begin > kMostBytes) return absl::OkStatus();
    absl::string_view bytes;
    OH_RETURN_IF_ERROR(reader_.ReadText(field, &bytes));
    for (uint64_t value; TakeVarint(&bytes, &value);) {
      numbers_.push_back(static_cast<double>(static_cast<int64_t>(value)));
    }
    return absl::OkStatus();
  }

  absl::Status TakeFloats(const Field& field) {
    if (field.end - field.begin > kMostBytes) return absl::OkStatus();
    absl::string_view bytes;
    OH_RETURN_IF_ERROR(reader_.ReadText(field, &bytes));
    for (; bytes.size() >= sizeof(float); bytes.remove_prefix(sizeof(float))) {
      numbers_.push_back(NumberOf(LoadWord<float>(bytes.data())));
    }
    return absl::OkStatus();
  }

  static constexpr uint64_t kMostBytes = OperatorAttributes::kMostNumbers * 10;

  WireReader reader_;
  std::vector<double>& numbers_;
};

}  // namespace

absl::StatusOr<OperatorAttributes> OperatorAttributes::Read(const FileImage& image,
                                                            const ScannedModel& model) {
  const Graph& graph = model.graph;
  std::vector<std::vector<NodeId>> by_depth;
  for (NodeId node : graph.node_ids()) {
    const uint32_t depth = graph.block(graph.node(node).block).depth;
    if (depth >= kDeepest) continue;
    if (depth >= by_depth.size()) by_depth.resize(depth + 1);
    by_depth[depth].push_back(node);
  }
  OperatorAttributes result;
  IdVector<NodeId, std::vector<Attribute>> attributes(graph.node_count());
  // Reading goes forwards only: a node that holds graphs is read in another turn than those.
  for (std::vector<NodeId>& nodes : by_depth) {
    SortInFileOrder(model, nodes);
    OH_ASSIGN_OR_RETURN(FileImage again, image.Again());
    AttributeReader reader(again, result.numbers_);
    for (NodeId node : nodes) OH_RETURN_IF_ERROR(reader.ReadNode(model, node, attributes[node]));
    OH_RETURN_IF_ERROR(again.VerifyUnchanged());
    result.images_.push_back(std::move(again));
  }
  result.attributes_ = Grouped<NodeId, Attribute>(graph.node_count(), [&](const auto& add) {
    for (NodeId node : graph.node_ids()) {
      for (const Attribute& attribute : attributes[node]) add(node, attribute);
    }
  });
  return result;
}

}  // namespace onnx_hier
