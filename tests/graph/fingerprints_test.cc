// SPDX-License-Identifier: Apache-2.0
#include "lib/graph/fingerprints.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;
using Colours = std::vector<std::string>;

// Nodes that read one or two of those before them, or the graph's input.
void AddRandomNodes(size_t count, std::mt19937& random, TestGraph& model) {
  const auto any = [&](size_t end) {
    return std::uniform_int_distribution<size_t>(0, end - 1)(random);
  };
  const std::vector<std::string> operators = {"Add", "Mul", "Relu"};
  for (size_t i = 0; i < count; ++i) {
    std::vector<std::string> inputs;
    for (size_t slots = 1 + any(2); slots > 0; --slots) {
      const size_t made = any(std::min<size_t>(i, 4) + 1);
      inputs.push_back(made == 0 ? "x" : absl::StrCat("v", i - made));
    }
    const NodeId node = model.Node(operators[any(3)], inputs, {absl::StrCat("v", i)});
    model.builder().node(node).attribute_hash = any(2);
  }
}

// What stands around each node, in words, one edge further than in `before`.
Colours Refined(const Flow& flow, const Colours& before) {
  Colours after;
  after.reserve(before.size());
  for (Rank i : flow.ranks()) {
    const auto side = [&](absl::Span<const Flow::Edge> edges) {
      std::vector<std::string> texts;
      for (const Flow::Edge& edge : edges) {
        texts.push_back(absl::StrCat(edge.slot, before[edge.rank.index()]));
      }
      std::sort(texts.begin(), texts.end());
      return absl::StrJoin(texts, ",");
    };
    after.push_back(absl::StrCat("(", before[i.index()], "<", side(flow.producers(i)), ">",
                                 side(flow.consumers(i)), ")"));
  }
  return after;
}

// Numbers in place of words, in order of first sight.
Colours Numbered(const Colours& colours) {
  std::map<std::string, std::string> numbers;
  Colours result;
  result.reserve(colours.size());
  for (const std::string& colour : colours) {
    const auto known = numbers.try_emplace(colour, absl::StrCat(numbers.size()));
    result.push_back(known.first->second);
  }
  return result;
}

Colours Prints(const Fingerprints& fingerprints, Likeness likeness, const Flow& flow) {
  Colours result;
  result.reserve(flow.size());
  for (Rank i : flow.ranks()) result.push_back(absl::StrCat(fingerprints.at(likeness, i)));
  return result;
}

TEST_CASE("fingerprints are equal where neighbourhoods are, and numbered as they are met") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    TestGraph model;
    AddRandomNodes(60, random, model);
    const Graph& graph = model.Build();
    const Flow flow(graph);
    const Fingerprints fingerprints(flow);
    Colours loose, tight;
    for (Rank i : flow.ranks()) {
      const NodeId node = flow.node(i);
      loose.push_back(absl::StrCat(graph.op(node).type, graph.inputs(node).size()));
      tight.push_back(absl::StrCat(loose.back(), "/", graph.node(node).attribute_hash));
    }
    const std::map<int, std::vector<Likeness>> kept = {{0, {Likeness::kLoose0}},
                                                       {1, {Likeness::kLoose1}},
                                                       {2, {Likeness::kLoose2}},
                                                       {3, {Likeness::kLoose3, Likeness::kTight3}},
                                                       {6, {Likeness::kLoose6, Likeness::kTight6}}};
    for (int edges = 0; edges <= 6; ++edges) {
      if (const auto found = kept.find(edges); found != kept.end()) {
        CHECK(Prints(fingerprints, found->second[0], flow) == Numbered(loose));
        if (found->second.size() > 1) {
          CHECK(Prints(fingerprints, found->second[1], flow) == Numbered(tight));
        }
      }
      loose = Numbered(Refined(flow, Numbered(loose)));
      tight = Numbered(Refined(flow, Numbered(tight)));
    }
  }
}

}  // namespace
}  // namespace onnx_hier
