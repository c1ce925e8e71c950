// SPDX-License-Identifier: Apache-2.0

// What a user knows better than the file.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "tests/support/invariants.h"
#include "tests/support/random.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Invariants;
using testing::MemoryFile;

Model TwoLayers() {
  std::string nodes;
  for (const char* layer : {"0", "1"}) {
    const std::string scope = absl::StrCat("/encoder/layer.", layer);
    const std::string before = layer[0] == '0' ? "x" : "a0";
    const std::string weight = absl::StrCat("encoder.layer.", layer, ".fc.weight");
    nodes += wire::Node("MatMul", {before, weight}, {absl::StrCat("h", layer)},
                        absl::StrCat(scope, "/fc/MatMul"));
    nodes += wire::Node("Relu", {absl::StrCat("h", layer)}, {absl::StrCat("r", layer)},
                        absl::StrCat(scope, "/act/Relu"));
    nodes += wire::Node("Add", {absl::StrCat("r", layer), before}, {absl::StrCat("a", layer)},
                        absl::StrCat("Add_", layer));
    nodes += wire::Initializer(weight, {4, 4}, std::string(64, 'w'));
  }
  return testing::Value(Model::Open(
      MemoryFile(wire::Model(wire::Graph(nodes + wire::Input("x") + wire::Output("a1")))).path()));
}

Annotation ByRules(const Model& model, const std::string& text) {
  AnnotateOptions options;
  options.rules = std::make_shared<const UserRules>(testing::Value(ReadUserRules(text, "r.txt")));
  Annotation annotation = Annotate(model, options);
  CHECK(Invariants(model.graph(), annotation) == "");
  return annotation;
}

std::string ModuleAt(const Annotation& annotation, size_t node) {
  return annotation.paths.Tag(annotation.assignments[NodeId(node)].primary);
}

std::string Listed(const Annotation& annotation) {
  std::string text;
  for (ModuleId id : annotation.modules.ids()) absl::StrAppend(&text, annotation.Tag(id), " ");
  return text;
}

TEST_CASE("owner: a node by id, name or value, or all nodes of modules; the first line counts") {
  const Annotation annotation =
      ByRules(TwoLayers(),
              "owner 0 = encoder.layer.1\nowner /encoder/layer.0/act/Relu = /encoder/layer.1/act\n"
              "owner a0 = other.place\nowner encoder.layer.* = encoder\n");
  CHECK(ModuleAt(annotation, 0) == "/encoder/layer.1");
  CHECK(ModuleAt(annotation, 1) == "/encoder/layer.1/act");
  CHECK(ModuleAt(annotation, 2) == "/other/place");
  CHECK(ModuleAt(annotation, 3) == "/encoder");
  CHECK(annotation.assignments[NodeId(1)].method == Method::kRule);
  CHECK(annotation.assignments[NodeId(1)].confidence == 1);
  CHECK(annotation.ruled.size() == 6);
  CHECK(annotation.ruled[2].line == 3);
}

TEST_CASE("owner: other nodes follow those that it places") {
  CHECK(ModuleAt(ByRules(TwoLayers(), ""), 2) == "/encoder/layer.0");
  const Annotation annotation = ByRules(TwoLayers(), "owner Add_0 = encoder.layer.0.skip\n");
  CHECK(ModuleAt(annotation, 2) == "/encoder/layer.0/skip");
  CHECK(ModuleAt(annotation, 5) != "/encoder/layer.0/skip");
}

TEST_CASE("rename: one module or list with all inside, or each as its stars are found") {
  CHECK(Listed(ByRules(TwoLayers(), "rename encoder = model.body\n")) ==
        "/ /model /model/body /model/body/layer.0 /model/body/layer.0/fc /model/body/layer.0/act "
        "/model/body/layer.1 /model/body/layer.1/fc /model/body/layer.1/act ");
  CHECK(Listed(ByRules(TwoLayers(), "rename encoder.layer = blocks\n")) ==
        "/ /blocks.0 /blocks.0/fc /blocks.0/act /blocks.1 /blocks.1/fc /blocks.1/act ");
  CHECK(Listed(ByRules(TwoLayers(), "rename encoder.layer.*.f* = f*.in_*\n")) ==
        "/ /f0 /f0/in_c /encoder /encoder/layer.0 /encoder/layer.0/act /encoder/layer.1 "
        "/encoder/layer.1/act /f1 /f1/in_c ");
  const Annotation swapped = ByRules(TwoLayers(),
                                     "rename encoder.layer.0 = encoder.layer.1\n"
                                     "rename encoder.layer.1 = encoder.layer.0\n");
  CHECK(ModuleAt(swapped, 0) == "/encoder/layer.1/fc");
  CHECK(ModuleAt(swapped, 3) == "/encoder/layer.0/fc");
}

TEST_CASE("boundary: modules inside are not told apart, nor their parameters") {
  const Annotation annotation = ByRules(TwoLayers(), "boundary encoder.layer.0\n");
  CHECK(Listed(annotation) ==
        "/ /encoder /encoder/layer.0 /encoder/layer.1 /encoder/layer.1/fc "
        "/encoder/layer.1/act ");
  CHECK(annotation.paths.Tag(annotation.parameters[0].owner) == "/encoder/layer.0");
  CHECK(annotation.assignments[NodeId(0)].method == Method::kNodeName);
}

TEST_CASE("least: nodes of these modules that are less sure go out") {
  const Annotation annotation = ByRules(TwoLayers(), "least encoder.layer.0 = 1\n");
  CHECK(ModuleAt(annotation, 0) == "/encoder/layer.0/fc");
  CHECK(ModuleAt(annotation, 2) != "/encoder/layer.0");
  CHECK(ModuleAt(annotation, 3) == "/encoder/layer.1/fc");
}

TEST_CASE("what means nothing, or contradicts names, is told with its line") {
  const Annotation annotation =
      ByRules(TwoLayers(),
              "owner nobody = encoder\nboundary nothing.*\nrename no = yes\n"
              "owner /encoder/layer.0/fc/MatMul = encoder\n");
  REQUIRE(annotation.rules->warnings.size() == 4);
  CHECK(annotation.rules->warnings[0] == "r.txt:1: no node or module is meant by 'nobody'");
  CHECK(annotation.rules->warnings[1] ==
        "r.txt:4: 1 node says itself to be elsewhere, such as '/encoder/layer.0/fc/MatMul' in "
        "/encoder/layer.0/fc");
  CHECK(annotation.rules->warnings[2] == "r.txt:3: no module is meant by 'no'");
  CHECK(annotation.rules->warnings[3] == "r.txt:2: no module is meant by 'nothing.*'");
}

TEST_CASE("explain names the file and the line") {
  const Model model = TwoLayers();
  AnnotateOptions options;
  options.rules = std::make_shared<const UserRules>(
      testing::Value(ReadUserRules("rename encoder = e\nowner Add_1 = e2\n", "r.txt")));
  const Explanations why = Explain(model, {NodeId(0), NodeId(5)}, options);
  REQUIRE(!why.nodes[0].opinions.empty());
  CHECK(why.nodes[0].opinions[0].name == "r.txt:1");
  CHECK(why.nodes[0].opinions[0].method == Method::kRule);
  CHECK(why.nodes[1].opinions[0].name == "r.txt:2");
}

TEST_CASE("a line that is none names line and column") {
  const std::pair<const char*, const char*> wrong[] = {
      {"\n ownr a = b", "line 2, column 2: 'ownr' is no rule"},
      {"owner a", "line 1, column 7: owner takes"},
      {"owner a = b*", "line 1, column 11: 'b*' is no single module"},
      {"rename a.* = b", "line 1, column 14: PATTERN has 1 '*', and PATH 0"},
      {"rename a.[0-1] = b", "line 1, column 8: in rename"},
      {"least a = 2", "line 1, column 11: '2' is no number from 0 to 1"},
      {"boundary a[", "line 1, column 10: pattern"},
      {"bytes a <= many", "line 1, column 12: 'many' is no number"},
      {"coverage >= .9 to .9", "line 1, column 19: coverage takes"},
  };
  for (const auto& [text, message] : wrong) {
    const absl::Status status = ReadUserRules(text, "r.txt").status();
    CHECK(absl::IsInvalidArgument(status));
    CHECK_MESSAGE(absl::StrContains(status.message(), message), std::string(status.message()));
  }
}

TEST_CASE("whatever the rules, what always holds holds") {
  testing::Random random(7);
  const std::string words[] = {"encoder", "encoder.layer.*", "encoder.layer.0",    "**",
                               "0",       "Add_*",           "encoder.layer.1.fc", "/",
                               "x.y",     "encoder.layer"};
  const auto word = [&] { return words[random.Below(std::size(words))]; };
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (size_t line = random.Below(5); line < 5; ++line) {
      const std::string plain[] = {"encoder", "encoder.layer.0", "/", "x.y", "encoder.layer"};
      const std::string to = plain[random.Below(std::size(plain))];
      const std::string lines[] = {
          absl::StrCat("owner ", word(), " = ", to), absl::StrCat("boundary ", word()),
          absl::StrCat("rename ", plain[random.Below(std::size(plain))], " = ", to),
          absl::StrCat("major ", word()), absl::StrCat("least ", word(), " = .9")};
      absl::StrAppend(&text, lines[random.Below(std::size(lines))], "\n");
    }
    INFO(text);
    ByRules(TwoLayers(), text);
  }
}

}  // namespace
}  // namespace onnx_hier
