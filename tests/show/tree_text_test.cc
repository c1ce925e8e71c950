// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Place;
using testing::TestGraph;

// One node in each module, which reads a parameter of `elements` floats if that is above 0.
struct Owner {
  std::string module;
  int64_t elements = 0;
};

std::string Draw(const Graph& graph, const Annotation& annotation, TreeTextOptions options = {},
                 const std::string& sort = "") {
  const Hierarchy hierarchy(graph, annotation);
  ColumnSet columns(hierarchy);
  options.columns = *columns.FindAll(UsualColumns());
  if (!sort.empty()) options.sort_by = *columns.Find(sort);
  StringSink sink;
  REQUIRE(WriteTreeText(annotation, options, sink).ok());
  return sink.text();
}

std::string Draw(const std::vector<Owner>& owners, const TreeTextOptions& options = {},
                 const std::string& sort = "") {
  TestGraph model;
  std::vector<std::string> modules;
  for (const Owner& owner : owners) {
    const std::string parameter = absl::StrCat("w", modules.size());
    if (owner.elements > 0) model.Initializer(parameter, {owner.elements});
    model.Node("A", {owner.elements > 0 ? parameter : ""}, {});
    modules.push_back(owner.module);
  }
  const Graph& graph = model.Build();
  return Draw(graph, Place(graph, modules), options, sort);
}

TEST_CASE("a tree with members that are built alike") {
  CHECK(Draw({{"embeddings", 1000000},
              {"encoder.layer.0.fc", 250},
              {"encoder.layer.0", 0},
              {"encoder.layer.1.fc", 250},
              {"encoder.layer.1", 0},
              {"encoder.layer.2.fc", 250},
              {"encoder.layer.2", 0},
              {"encoder.layer.3.fc", 251},
              {"encoder.layer.3", 0},
              {"head.out", 3}}) ==
        "module                nodes  parameters    size\n"
        "/                        10   1,001,004  4.0 MB\n"
        "├─ embeddings             1   1,000,000  4.0 MB\n"
        "├─ encoder                8       1,001  4.0 kB\n"
        "│  ├─ layer.[0-2] x3      6         750  3.0 kB\n"
        "│  │  each                2         250  1.0 kB\n"
        "│  │  └─ fc               1         250  1.0 kB\n"
        "│  └─ layer.3             2         251  1.0 kB\n"
        "│     └─ fc               1         251  1.0 kB\n"
        "└─ head                   1           3    12 B\n"
        "   └─ out                 1           3    12 B\n"
        "xN: N modules built alike, with their sum, and what each of them has.\n");
}

TEST_CASE("what is alike inside of what is alike is summed up in each") {
  CHECK(Draw({{"a.0.b.0", 3}, {"a.0.b.1", 3}, {"a.1.b.0", 3}, {"a.1.b.1", 3}}) ==
        "module            nodes  parameters  size\n"
        "/                     4          12  48 B\n"
        "└─ a.[0-1] x2         4          12  48 B\n"
        "   each               2           6  24 B\n"
        "   └─ b.[0-1] x2      2           6  24 B\n"
        "      each            1           3  12 B\n"
        "xN: N modules built alike, with their sum, and what each of them has.\n");
}

TEST_CASE("a list whose members are not all alike has a line with their sum") {
  CHECK(Draw({{"conv", 5},
              {"layer1.0.conv", 10},
              {"layer1.0.down", 1},
              {"layer1.1.conv", 10},
              {"layer1.2.conv", 10},
              {"fc", 3}}) ==
        "module                 nodes  parameters   size\n"
        "/                          6          39  156 B\n"
        "├─ conv                    1           5   20 B\n"
        "├─ layer1.[0-2]            4          31  124 B\n"
        "│  ├─ layer1.0             2          11   44 B\n"
        "│  │  ├─ conv              1          10   40 B\n"
        "│  │  └─ down              1           1    4 B\n"
        "│  └─ layer1.[1-2] x2      2          20   80 B\n"
        "│     each                 1          10   40 B\n"
        "│     └─ conv              1          10   40 B\n"
        "└─ fc                      1           3   12 B\n"
        "xN: N modules built alike, with their sum, and what each of them has.\n");
  const std::string shallow = Draw({{"a.0.conv", 1}, {"a.1.conv", 2}, {"b", 3}}, {.depth = 1});
  CHECK(shallow.find("├─ a.[0-1]") != std::string::npos);
  CHECK(shallow.find("│  └─ a.1") != std::string::npos);
  CHECK(shallow.find("conv") == std::string::npos);
}

TEST_CASE("modules whose names differ by a number") {
  const std::vector<Owner> owners = {{"stem", 9},          {"block_9.conv", 1},
                                     {"block_10.conv", 1}, {"block_12.conv", 1},
                                     {"fc1", 1},           {"fc2", 1}};
  const std::string text = Draw(owners);
  CHECK(text.find("├─ block_[9-10] x2") != std::string::npos);
  CHECK(text.find("├─ block_12") != std::string::npos);
  CHECK(text.find("├─ fc1 ") != std::string::npos);
}

TEST_CASE("the largest first") {
  const std::vector<Owner> owners = {{"a", 1}, {"b.0", 2}, {"b.1", 2}, {"c", 3}, {"d", 3}};
  const std::string text = Draw(owners, {}, "parameters");
  const size_t b = text.find("─ b.[0-1] x2");
  const size_t c = text.find("─ c");
  const size_t d = text.find("─ d");
  CHECK(b < c);
  CHECK(c < d);
  CHECK(d < text.find("─ a"));
}

TEST_CASE("only neighbours with following numbers are drawn as one") {
  const std::string text = Draw({{"l.0"}, {"l.2"}, {"m.7"}, {"n.8"}, {"9"}, {"10"}});
  CHECK(text.find("l.0 ") != std::string::npos);
  CHECK(text.find("l.2 ") != std::string::npos);
  CHECK(text.find("n.8 ") != std::string::npos);
  CHECK(text.find("─ [9-10] x2 ") != std::string::npos);
}

TEST_CASE("no number follows the largest one") {
  const std::string text = Draw({{"l.18446744073709551615"}, {"l.0"}});
  CHECK(text.find(" x2") == std::string::npos);
}

TEST_CASE("depth") {
  const std::vector<Owner> owners = {{"a.b.c"}, {"d"}};
  CHECK(Draw(owners, {.depth = 0}) ==
        "module  nodes  parameters  size\n"
        "/           2           0   0 B\n");
  CHECK(Draw(owners, {.depth = 1}) ==
        "module  nodes  parameters  size\n"
        "/           2           0   0 B\n"
        "├─ a        1           0   0 B\n"
        "└─ d        1           0   0 B\n");
}

TEST_CASE("modules of which nothing computes say where their parameters are read") {
  TestGraph model;
  model.Initializer("w", {7});
  model.Node("A", {"w"}, {"a"});
  const Graph& graph = model.Build();
  const Annotation annotation = Place(graph, {"head"}, {{"w", "embeddings"}});
  CHECK(Draw(graph, annotation) ==
        "module         nodes  parameters  size  read in\n"
        "/                  1           7  28 B\n"
        "├─ head            1           0   0 B\n"
        "└─ embeddings      0           7  28 B  /head\n");
}

TEST_CASE("a file in which nothing names modules") {
  TestGraph model;
  model.Node("A", {}, {});
  const Graph& graph = model.Build();
  Annotation annotation = Place(graph, {""});
  annotation.assignments[NodeId(0)].confidence = 0.03f;
  CHECK(Draw(graph, annotation) ==
        "module  nodes  parameters  size\n"
        "/           1           0   0 B\n"
        "Nothing in the file names modules: all nodes are at the root.\n");
}

TEST_CASE("names steer no terminal") {
  const std::string text = Draw({{"\x1B[2J\u202E"}, {"\xC3\xA4"}});
  CHECK(text.find("\\x1b[2J\\xe2\\x80\\xae") != std::string::npos);
  CHECK(text.find("└─ \xC3\xA4                  ") != std::string::npos);  // one column wide
}

TEST_CASE("as deep as paths can be") {
  std::string name = "m";
  for (int i = 0; i < 300; ++i) name += ".m";
  const std::string text = Draw({{name}});
  CHECK(std::count(text.begin(), text.end(), '\n') == ModulePaths::kDeepest + 2);
  // Of so many branches the outer ones are left out.
  CHECK(text.size() < 250 * ModulePaths::kDeepest);
  CHECK(text.find("\n…  ") != std::string::npos);
}

TEST_CASE("a name that is wider than a terminal widens no other line") {
  const std::string wide(ModulePaths::kLongestName - 1, 'w');
  std::vector<Owner> owners = {{wide}};
  for (int i = 0; i < 1000; ++i) owners.push_back({absl::StrCat("m", i, "x")});
  const std::string text = Draw(owners);
  CHECK(text.find(std::string(99, 'w') + "…") != std::string::npos);
  CHECK(text.find(std::string(100, 'w')) == std::string::npos);
  CHECK(text.size() < 140 * owners.size());
}

TEST_CASE("figures for people") {
  CHECK(WithThousands(0) == "0");
  CHECK(WithThousands(999) == "999");
  CHECK(WithThousands(1000) == "1,000");
  CHECK(WithThousands(1234567) == "1,234,567");
  CHECK(WithThousands(UINT64_MAX) == "18,446,744,073,709,551,615");
  CHECK(HumanBytes(0) == "0 B");
  CHECK(HumanBytes(999) == "999 B");
  CHECK(HumanBytes(1000) == "1.0 kB");
  CHECK(HumanBytes(999949) == "999.9 kB");
  CHECK(HumanBytes(999950) == "1.0 MB");
  CHECK(HumanBytes(17543680) == "17.5 MB");
  CHECK(HumanBytes(UINT64_MAX) == "18.4 EB");
}

}  // namespace
}  // namespace onnx_hier
