// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/numbered_order.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "doctest/doctest.h"
#include "lib/graph/flow.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

using Names = std::vector<std::string>;

// What nodes make, in the order that the flow has them in.
std::string OrderOf(TestGraph& model) {
  const Graph& graph = model.Build();
  const Flow flow(graph);
  Names names;
  for (Rank rank : flow.ranks()) {
    names.emplace_back(graph.value(graph.outputs(flow.node(rank))[0]).name);
  }
  return absl::StrJoin(names, " ");
}

// `count` nodes that read the model's input, with these names, in this order.
std::string OrderOfNodes(const Names& nodes) {
  TestGraph model;
  for (const std::string& node : nodes) model.Node("Relu", {"x"}, {"of " + node}, node);
  return OrderOf(model);
}

std::string OrderOfValues(const Names& values) {
  TestGraph model;
  for (const std::string& value : values) model.Node("Relu", {"x"}, {value});
  return OrderOf(model);
}

Names Numbered(const std::string& stem, int count) {
  Names names;
  for (int i = 0; i < count; ++i) names.push_back(absl::StrCat(stem, "_", i));
  return names;
}

TEST_CASE("nodes that are counted stand by their numbers") {
  Names nodes = Numbered("Relu", 8);
  const std::string in_order = OrderOfNodes(nodes);
  std::swap(nodes[2], nodes[6]);
  CHECK(OrderOfNodes(nodes) == in_order);
  std::reverse(nodes.begin(), nodes.end());
  CHECK(OrderOfNodes(nodes) == in_order);
}

TEST_CASE("not where most have no number, or two have the same") {
  const auto as_in_file = [](const Names& nodes) {
    Names values;
    for (const std::string& node : nodes) values.push_back("of " + node);
    return OrderOfNodes(nodes) == absl::StrJoin(values, " ");
  };
  CHECK(as_in_file({"Relu_1", "Relu_0", "a", "b", "c"}));
  CHECK(!as_in_file({"Relu_1", "Relu_0", "a", "b"}));
  CHECK(as_in_file({"Relu_1", "Relu_0", "Relu_1"}));
  CHECK(as_in_file({"Abs_1", "Abs_0"}));
}

TEST_CASE("where each stem of values is counted, few that were replaced are no other order") {
  Names values = Numbered("a", 21);
  values[0] = "a";
  const std::string in_order = absl::StrJoin(values, " ");
  std::swap(values[3], values[4]);
  CHECK(OrderOfValues(values) == absl::StrJoin(values, " "));
  std::swap(values[9], values[10]);
  CHECK(OrderOfValues(values) == in_order);
  // Too few to tell.
  Names few = Numbered("a", 16);
  std::reverse(few.begin(), few.end());
  CHECK(OrderOfValues(few) == absl::StrJoin(few, " "));
  few = Numbered("a", 17);
  std::reverse(few.begin(), few.end());
  CHECK(OrderOfValues(few) == absl::StrJoin(Numbered("a", 17), " "));
}

// Pairs of a relu and the abs that reads it, all relus first, from the last one on.
std::string OrderOfPairs(int count, bool is_one_count) {
  TestGraph model;
  const auto relu = [&](int i) { return absl::StrCat("relu_", is_one_count ? 2 * i : i); };
  for (int i = count; i-- > 0;) model.Node("Relu", {"x"}, {relu(i)});
  for (int i = count; i-- > 0;) {
    model.Node("Abs", {relu(i)}, {absl::StrCat("abs_", is_one_count ? 2 * i + 1 : i)});
  }
  return OrderOf(model);
}

TEST_CASE("one count over all values, or one for each stem: what was made is read at once") {
  for (const bool is_one_count : {false, true}) {
    CAPTURE(is_one_count);
    Names wanted;
    for (int i = 0; i < 20; ++i) {
      wanted.push_back(absl::StrCat("relu_", is_one_count ? 2 * i : i));
      wanted.push_back(absl::StrCat("abs_", is_one_count ? 2 * i + 1 : i));
    }
    CHECK(OrderOfPairs(20, is_one_count) == absl::StrJoin(wanted, " "));
  }
}

TEST_CASE("where one count goes over all, what has no number stands before its reader") {
  TestGraph model;
  Names wanted;
  for (int i = 20; i-- > 0;)
    model.Node("Abs", {absl::StrCat("relu_", 2 * i)}, {absl::StrCat("abs_", 2 * i + 1)});
  for (int i = 20; i-- > 0;)
    model.Node("Relu", {i == 7 ? "odd" : "x"}, {absl::StrCat("relu_", 2 * i)});
  model.Node("Exp", {"x"}, {"odd"});
  for (int i = 0; i < 20; ++i) {
    if (i == 7) wanted.push_back("odd");
    wanted.push_back(absl::StrCat("relu_", 2 * i));
    wanted.push_back(absl::StrCat("abs_", 2 * i + 1));
  }
  CHECK(OrderOf(model) == absl::StrJoin(wanted, " "));
}

}  // namespace
}  // namespace onnx_hier
