// SPDX-License-Identifier: Apache-2.0
#include "lib/names/metadata_scope.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/names/python_list.h"
#include "onnx_hier/module_paths.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

// "name:class" of each module, joined by " > "; "(nothing)" if the metadata says nothing.
std::string ScopeText(const std::optional<MetadataScope>& scope) {
  if (!scope.has_value()) return "(nothing)";
  std::string text;
  for (const MetadataModule& module : scope->modules) {
    absl::StrAppend(&text, text.empty() ? "" : " > ", module.qualified_name, ":",
                    module.class_name);
  }
  return text;
}

std::string Text(const std::vector<StringPair>& metadata) {
  return ScopeText(ReadMetadataScope(metadata));
}

constexpr char kNames[] = "pkg.torch.onnx.name_scopes";
constexpr char kClasses[] = "pkg.torch.onnx.class_hierarchy";

TEST_CASE("torch's lists end with the operator") {
  CHECK(Text({{kNames, "['', 'blocks.0', 'blocks.0.lin', 'linear']"},
              {kClasses, "['M', 'Block', 'torch.nn.Linear', 'aten.linear.default']"}}) ==
        ":M > blocks.0:Block > blocks.0.lin:torch.nn.Linear");
  CHECK(Text({{kNames, "['', 'add']"}}) == ":");
}

TEST_CASE("what is read after another node's metadata is what would be read without") {
  const std::vector<std::vector<StringPair>> all = {
      {},
      {{kNames, "['', 'a', 'add']"}},
      {{kNames, "['', 'a', 'mul']"}},
      {{kNames, "['', 'a', 'mul'] "}},
      {{kNames, "['', 'a', 'mul'"}},
      {{kNames, "['', 'a'"}},
      {{kNames, "['', 'a', \"b'c\"]"}},
      {{kNames, "['', \"a', 'mul']"}},
      {{kNames, "['', \"a', 'add']"}},
      {{kNames, "['', 'a\\', 'add']"}},
      {{kNames, "['', 'a\\', 'mul']"}},
      {{kNames, "['', 'a', '\\x61']"}},
      {{kNames, "['add']"}},
      {{kNames, "['', 'b', 'mul']"}, {kClasses, "['M', 'B', 'aten.mul']"}},
      {{kNames, "['', 'b', 'add']"}, {kClasses, "['M', 'B', 'aten.add']"}},
      {{kNames, "['', 'b', 'add']"}, {kClasses, "['M', 'B']"}},
      {{kNames, "['', 'b', 'add']"}, {kClasses, "['M', 'C', 'aten.add']"}},
      {{"pkg.onnxscript.name_scopes", "['', 'a', 'add']"}},
      {{"pkg.onnxscript.name_scopes", "['', 'a', 'mul']"}},
      {{"namespace", ": M/a: A/add: aten"}},
      {{"namespace", ": M/a: A/mul: aten"}},
      {{"namespace", ": M/a: A"}},
      {{"namespace", "a: A"}},
      {{"namespace", "a: A/add"}},
  };
  for (const auto& before : all) {
    for (const auto& metadata : all) {
      MetadataReader reader;
      const std::string was = ScopeText(reader.Read(before));
      const std::string is = ScopeText(reader.Read(metadata));
      CHECK(is == Text(metadata));
      if (reader.is_same()) CHECK(is == was);
    }
  }
  MetadataReader reader;
  reader.Read(all[1]);
  reader.Read(all[2]);
  CHECK(reader.is_same());
}

TEST_CASE("a list of names that go on from each other ends where paths end") {
  std::string names = "['a'";
  for (int i = 0; i < 100000; ++i) names += ",'a'";
  names += "]";
  const std::vector<StringPair> metadata = {{"pkg.onnxscript.name_scopes", names}};
  const auto scope = ReadMetadataScope(metadata);
  REQUIRE(scope.has_value());
  CHECK(scope->modules.size() <= ModulePaths::kLongest);
}

TEST_CASE("a module that was registered elsewhere keeps its own name") {
  CHECK(Text({{kNames, "['', 'encoder', 'shared', 'embedding']"}}) == ": > encoder: > shared:");
}

TEST_CASE("a list with the operator alone says nothing") {
  CHECK(Text({{kNames, "['add']"}}) == "(nothing)");
  CHECK(Text({{kNames, "[]"}}) == "(nothing)");
  CHECK(Text({{kNames, "no list"}}) == "(nothing)");
}

TEST_CASE("modules that the exporter made up are left out") {
  CHECK(Text({{kNames, "['', '_empty_nn_module_stack_from_metadata_hook', 'add']"}}) == ":");
}

TEST_CASE("onnxscript's lists hold each module's own name and no operator") {
  CHECK(Text({{"pkg.onnxscript.name_scopes", "['', 'model', 'layers.0', 'mlp']"},
              {"pkg.onnxscript.class_hierarchy", "['Top', 'Model', 'Layer', 'Mlp']"}}) ==
        ":Top > model:Model > model.layers.0:Layer > model.layers.0.mlp:Mlp");
}

TEST_CASE("the namespace is used where there are no lists") {
  CHECK(Text({{"namespace", ": M/enc.0: Block/enc.0.c1: Conv3d/conv3d_1: aten.conv3d.default"}}) ==
        ":M > enc.0:Block > enc.0.c1:Conv3d");
  CHECK(Text({{"namespace", "M/avgpool: Pool/node: target"}}) == ":M > avgpool:Pool");
  CHECK(Text({{"namespace", "something else"}}) == "(nothing)");
  CHECK(Text({}) == "(nothing)");
}

TEST_CASE("whether any node's metadata has a scope") {
  const auto has_scopes = [](const std::string& text) {
    testing::TestGraph model;
    model.Node("Relu", {"x"}, {"y"});
    const NodeId node = model.Node("Relu", {"y"}, {"z"});
    if (!text.empty()) model.Metadata(node, "namespace", text);
    return HasScopesInMetadata(model.Build());
  };
  CHECK(has_scopes("M/avgpool: Pool/node: target"));
  CHECK_FALSE(has_scopes("something else"));
  CHECK_FALSE(has_scopes(""));
}

TEST_CASE("Python lists") {
  std::vector<std::string> items;
  REQUIRE(
      ParsePythonList("['a', \"don't\", 'say \\'hi\\'', '\\xe4\\u20ac\\U0001f600\\n']", &items));
  CHECK(items == std::vector<std::string>{"a", "don't", "say 'hi'",
                                          "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\n"});
  CHECK(ParsePythonList(" [ ] ", &items));
  CHECK(items.empty());
  for (const char* bad : {"", "[", "['a'", "['a',]", "['a' 'b']", "['a'] x", "[1]", "'a'",
                          "['\\x']", "['\\U99999999']", "['a\\"}) {
    CAPTURE(bad);
    CHECK_FALSE(ParsePythonList(bad, &items));
  }
}

}  // namespace
}  // namespace onnx_hier
