// SPDX-License-Identifier: Apache-2.0
#include "lib/show/page_contents.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/pen.h"
#include "lib/graph/weight.h"
#include "lib/onnx/value_shape.h"
#include "lib/onnx/value_type.h"
#include "lib/show/page_names.h"
#include "onnx_hier/annotation.h"

namespace onnx_hier {
namespace {

// More is damage, and no number of JavaScript.
constexpr uint64_t kMostBytes = uint64_t{1} << 53;

// Readers of one value: layers far apart say the same of it when it is named by its maker.
constexpr size_t kMany = 12;

std::string HowText(const Assignment& assignment) {
  const auto figure = [](double probability) { return std::lround(probability * 10000); };
  return absl::StrCat(MethodName(assignment.method), " ", figure(assignment.confidence), " ",
                      figure(assignment.containment));
}

bool StandAlike(const Assignment& a, const Assignment& b) {
  return a.method == b.method && a.confidence == b.confidence && a.containment == b.containment;
}

// An item, how often it comes, the next item, and so on.
std::vector<int64_t> RunsOf(absl::Span<const int64_t> items) {
  std::vector<int64_t> runs;
  for (int64_t item : items) {
    if (runs.empty() || runs[runs.size() - 2] != item) runs.insert(runs.end(), {item, 0});
    ++runs.back();
  }
  return runs;
}

// The numbers as an array of JSON, between these.
std::string ArrayText(absl::string_view begin, absl::Span<const int64_t> numbers,
                      absl::string_view end) {
  constexpr size_t kBrackets = 2;
  std::string text(
      begin.size() + numbers.size() * (1 + Pen::kLongestNumber) + kBrackets + end.size(), '\0');
  Pen pen(text.data());
  pen.Put(begin).Put('[');
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) pen.Put(',');
    pen.Number(numbers[i]);
  }
  pen.Put(']').Put(end);
  text.resize(static_cast<size_t>(pen.end() - text.data()));
  return text;
}

void AppendKnown(std::string* out, absl::string_view dim) {
  absl::StrAppend(out, dim.empty() ? "?" : dim);
}

}  // namespace

const std::array<absl::string_view, PageContents::kNodeColumns> PageContents::kNodeColumnNames = {
    "step",  "block",      "op",  "name",   "inputs", "outputs",
    "types", "attributes", "how", "reason", "call"};
const std::array<absl::string_view, PageContents::kParameterColumns>
    PageContents::kParameterColumnNames = {"name", "type", "bytes"};
const std::array<absl::string_view, PageContents::kTextLists> PageContents::kTextListNames = {
    "texts", "names", "reads", "made", "reasons"};

PageContents::PageContents(const Hierarchy& hierarchy, const ValueTypes& types,
                           const KnownShapes& shapes,
                           const IdVector<NodeId, std::string>& attributes)
    : hierarchy_(hierarchy),
      types_(types),
      shapes_(shapes),
      attributes_(attributes),
      slots_(hierarchy.graph().value_count(), 0) {
  const Graph& graph = hierarchy.graph();
  for (NodeId node : graph.node_ids()) {
    uint32_t slot = 0;
    for (ValueId output : graph.outputs(node)) {
      if (output.valid()) slots_[output] = slot;
      ++slot;
    }
  }
}

std::string ColumnText(absl::Span<const int64_t> items) {
  const std::vector<int64_t> runs = RunsOf(items);
  if (runs.size() == 2) return absl::StrCat(runs[0]);
  std::vector<int64_t> steps(items.begin(), items.end());
  std::adjacent_difference(items.begin(), items.end(), steps.begin());
  std::string shortest = ArrayText("", items, "");
  const auto take = [&shortest](std::string text) {
    if (text.size() < shortest.size()) shortest = std::move(text);
  };
  take(ArrayText(R"({"runs":)", runs, "}"));
  take(ArrayText(R"({"steps":)", RunsOf(steps), "}"));
  return shortest;
}

uint32_t PageContents::AddText(absl::string_view text) {
  return texts_[kTexts].Add(ShownText(text));
}

size_t PageContents::bytes() const {
  size_t bytes = columns_.bytes() + contents_.bytes();
  for (const DistinctTexts& list : texts_) bytes += list.bytes();
  return bytes;
}

uint32_t PageContents::AddNodes(ModuleId module) {
  const NameScope scope(hierarchy_.annotation().Tag(module));
  NumberParameters(module);
  Columns columns(kNodeColumns);
  NodeId before;
  for (NodeId node : hierarchy_.OwnNodes(module)) {
    AppendNode(node, before, scope, columns);
    before = node;
  }
  return AddColumns(columns);
}

// As AddParameters() lists them.
void PageContents::NumberParameters(ModuleId module) {
  own_parameters_.clear();
  for (ValueId value : hierarchy_.OwnParameters(module)) {
    if (!HeldTensor(hierarchy_.graph(), value).valid()) continue;
    own_parameters_.emplace(value, static_cast<uint32_t>(own_parameters_.size()));
  }
}

uint32_t PageContents::AddParameters(ModuleId module) {
  const NameScope scope(hierarchy_.annotation().Tag(module));
  Columns columns(kParameterColumns);
  for (ValueId value : hierarchy_.OwnParameters(module)) AppendParameter(value, scope, columns);
  return AddColumns(columns);
}

void PageContents::AppendNode(NodeId id, NodeId before, const NameScope& scope, Columns& columns) {
  const Graph& graph = hierarchy_.graph();
  const Annotation& annotation = hierarchy_.annotation();
  const Node& node = graph.node(id);
  const Assignment& assignment = annotation.assignments[id];
  const NameParts parts = {scope, graph.op(id).type, node.index};
  NameParts of_output = parts;
  of_output.name = node.name;

  const auto put = [&columns](NodeColumn column, int64_t item) { columns[column].push_back(item); };
  const auto put_text = [&](NodeColumn column, std::string text, TextList list = kTexts) {
    put(column, texts_[list].Add(std::move(text)));
  };
  const int64_t last = before.valid() ? graph.node(before).index : node.index;
  put(kStep, int64_t{node.index} - last);
  const bool is_like_last = last_block_.valid() && node.block == last_block_;
  if (!is_like_last) {
    last_block_ = node.block;
    const absl::string_view path = graph.BlockPath(node.block);
    last_block_text_ = texts_[kTexts].Add(absl::StrCat(path, path.empty() ? "" : "/"));
  }
  put(kBlock, last_block_text_);
  put(kOp, OpText(node.op));
  put_text(kName, NamePattern(node.name, parts), kNames);
  const auto lines = [](absl::Span<const ValueId> values, const auto& text_of) {
    return absl::StrJoin(values, "\n", [&text_of](std::string* out, ValueId value) {
      if (value.valid()) out->append(text_of(value));
    });
  };
  put_text(kInputs,
           lines(graph.inputs(id), [&](ValueId value) { return ReadText(node, value, parts); }),
           kReads);
  put_text(kOutputs,
           lines(graph.outputs(id),
                 [&](ValueId value) { return NamePattern(graph.value(value).name, of_output); }),
           kMade);
  put_text(kTypes, lines(graph.outputs(id), [&](ValueId value) { return TypeOf(value); }));
  put_text(kAttributes, ShownText(attributes_[id]));
  if (!last_how_.has_value() || !StandAlike(*last_how_, assignment)) {
    last_how_ = assignment;
    last_how_text_ = texts_[kTexts].Add(HowText(assignment));
  }
  put(kHow, last_how_text_);
  put_text(kReason, ShownText(ReasonText(graph, annotation, id)), kReasons);
  put(kCall, assignment.call);
}

std::string PageContents::SlotText(ValueId value) const {
  return slots_[value] > 0 ? absl::StrCat(":", slots_[value]) : "";
}

std::string PageContents::MakerOf(ValueId value) const {
  const Graph& graph = hierarchy_.graph();
  const NodeId maker = graph.value(value).producer;
  return maker.valid() ? absl::StrCat(graph.NodePath(maker), SlotText(value)) : "";
}

std::string PageContents::ReadText(const Node& reader, ValueId value,
                                   const NameParts& parts) const {
  const Graph& graph = hierarchy_.graph();
  const NodeId made_by = graph.value(value).producer;
  if (!made_by.valid()) {
    const auto own = own_parameters_.find(value);
    return own != own_parameters_.end()
               ? absl::StrCat("$", own->second)
               : absl::StrCat("=", NamePattern(graph.value(value).name, parts));
  }
  const Node& maker = graph.node(made_by);
  if (maker.block != reader.block || graph.uses(value).size() > kMany) {
    return absl::StrCat("!", MakerOf(value));
  }
  return absl::StrCat(int64_t{reader.index} - int64_t{maker.index}, SlotText(value));
}

uint32_t PageContents::OpText(OpId op) {
  if (op_texts_.empty()) op_texts_.assign(hierarchy_.graph().op_count(), kNoText);
  uint32_t& text = op_texts_[op];
  if (text == kNoText) text = texts_[kTexts].Add(ShownText(hierarchy_.graph().op(op).type));
  return text;
}

void PageContents::AppendParameter(ValueId id, const NameScope& scope, Columns& columns) {
  const Graph& graph = hierarchy_.graph();
  const TensorId tensor = HeldTensor(graph, id);
  if (!tensor.valid()) return;
  columns[kTensor].push_back(texts_[kNames].Add(NamePattern(graph.value(id).name, {scope})));
  columns[kTensorType].push_back(texts_[kTexts].Add(TensorText(graph, tensor)));
  columns[kBytes].push_back(static_cast<int64_t>(std::min(graph.tensor(tensor).bytes, kMostBytes)));
}

// As the model states it, else as far as it is known: "float32[1,128]", "int64"; "" where nothing
// tells.
std::string PageContents::TypeOf(ValueId value) const {
  const absl::string_view type = types_.type(value);
  if (type.empty()) return "";
  std::string shape = ShapeText(types_.stated(value));
  if (const CountedShape known = shapes_.shape(value); shape.empty() && known) {
    shape = absl::StrCat("[", absl::StrJoin(*known, ",", AppendKnown), "]");
  }
  return ShownText(absl::StrCat(TypeText(type), shape));
}

uint32_t PageContents::AddColumns(const Columns& columns) {
  std::vector<uint32_t> numbers;
  for (const std::vector<int64_t>& column : columns) {
    numbers.push_back(columns_.Add(ColumnText(column)));
  }
  return contents_.Add(absl::StrCat("[", absl::StrJoin(numbers, ","), "]"));
}

}  // namespace onnx_hier
