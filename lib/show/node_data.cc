// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/graph_names.h"
#include "lib/show/model_explorer.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

constexpr double kMicrosecond = 1000;  // of nanoseconds
constexpr char kRed[] = "#d7301f";
constexpr char kWhite[] = "#ffffff";

void AppendStop(double stop, absl::string_view colour, JsonText& json) {
  json.BeginObject();
  json.Key("stop").Probability(stop);
  json.Key("bgColor").String(colour);
  json.EndObject();
}

void AppendItem(const Graph& graph, const NodeData::Item& item, JsonText& json) {
  json.NewLine();
  json.Key(graph.NodePath(item.node)).BeginObject();
  json.Key("value");
  if (item.text.empty()) {
    json.Raw(absl::StrCat(item.number));
  } else {
    json.String(item.text);
  }
  json.EndObject();
}

}  // namespace

NodeData ColumnData(const Column& column) {
  const Measure& measure = column.measure();
  const bool is_time = measure.unit == MeasureUnit::kNanoseconds;
  // Of how sure a tool is, what is least is looked for.
  const bool is_ratio = measure.unit == MeasureUnit::kRatio;
  NodeData data = {is_time    ? "time in microseconds"
                   : is_ratio ? absl::StrCat(measure.title, " of the module")
                              : measure.title,
                   {},
                   is_ratio ? kRed : kWhite,
                   is_ratio ? kWhite : kRed,
                   ""};
  Amount of_nodes;
  for (const auto& [node, amount] : column.nodes()) {
    of_nodes += amount;
    data.items.push_back({node, amount.real() / (is_time ? kMicrosecond : 1), ""});
  }
  if (measure.adds == Adds::kSum && of_nodes < column.whole()) {
    const double whole = column.whole().real();
    const double without = whole - of_nodes.real();
    data.left_out = is_time
                        ? absl::StrFormat("%.1f of %.1f µs are of kernels that are no node",
                                          without / kMicrosecond, whole / kMicrosecond)
                        : absl::StrFormat("%g of %g are of rows that are no node", without, whole);
    absl::StrAppend(&data.name, " (", data.left_out, ")");
  }
  return data;
}

NodeData FindingData(const Tags& tags, const std::vector<Finding>& found) {
  NodeData data = {"wrong tags", {}, "", "", ""};
  for (const Finding& finding : found) {
    data.items.push_back(
        {finding.node, 0, absl::StrCat("belongs to ", tags.Spell(finding.expected))});
  }
  return data;
}

absl::Status WriteNodeData(const Graph& graph, const NodeData& data, ByteSink& sink) {
  const GraphNames names(graph);
  IdVector<BlockId, std::vector<const NodeData::Item*>> by_graph(graph.block_count());
  for (const NodeData::Item& item : data.items) {
    by_graph[graph.node(item.node).block].push_back(&item);
  }
  OutgoingText out(sink);
  JsonText json(out.text());
  json.BeginObject();
  for (BlockId block : graph.block_ids()) {
    if (by_graph[block].empty() && block != graph.main_block()) continue;
    json.NewLine();
    json.Key(names[block]).BeginObject();
    json.Key("name").String(data.name);
    json.Key("results").BeginObject();
    for (const NodeData::Item* item : by_graph[block]) {
      AppendItem(graph, *item, json);
      out.Pass();
    }
    json.EndObject();
    if (!data.least_colour.empty()) {
      json.Key("gradient").BeginArray();
      AppendStop(0, data.least_colour, json);
      AppendStop(1, data.greatest_colour, json);
      json.EndArray();
    }
    json.EndObject();
  }
  json.NewLine();
  json.EndObject();
  out.text()->push_back('\n');
  return out.Finish();
}

}  // namespace onnx_hier
