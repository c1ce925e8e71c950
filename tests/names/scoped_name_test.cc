// SPDX-License-Identifier: Apache-2.0
#include "lib/names/scoped_name.h"

#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

constexpr char kNothing[] = "(nothing)";

std::string TagOf(PathId (*read)(absl::string_view, ModulePaths&), const std::string& name) {
  ModulePaths paths;
  const PathId path = read(name, paths);
  return path.valid() ? paths.Tag(path) : kNothing;
}

struct Case {
  const char* name;
  const char* tag;
};

TEST_CASE("names of nodes") {
  const Case cases[] = {
      {"/encoder/layer.1/attention/self/MatMul_2", "/encoder/layer.1/attention/self"},
      {"/encoder/layer.1/Add", "/encoder/layer.1"},
      {"/conv.0.0/Conv", "/conv.0.0"},
      {"/layer1/layer1.0/Conv", "/layer1.0"},  // a container that repeats itself
      {"/layer1/layer1.0/conv1/Conv", "/layer1.0/conv1"},
      {"/layer1/layer2.0/Conv", "/layer1/layer2.0"},
      {"/Constant", "/"},  // made by the root
      {"/", "/"},
      {"//Add", "/"},
      {"/a//b/Add", "/a/b"},
      {"/\xC3\xA4/Add", "/\xC3\xA4"},
      {"Constant_13", kNothing},
      {"", kNothing},
      {"encoder/layer/MatMul", kNothing},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(TagOf(&ScopeOfNodeName, c.name) == c.tag);
  }
}

TEST_CASE("names of values") {
  const Case cases[] = {
      {"/encoder/layer.1/MatMul_2_output_0", "/encoder/layer.1"},
      {"/encoder/Split_output_12", "/encoder"},
      {"/Shape_output_0", "/"},
      {"/encoder/x_output_", kNothing},
      {"/encoder/x_output_a", kNothing},
      {"/encoder/MatMul_2", kNothing},
      {"MatMul_2_output_0", kNothing},
      {"_output_0", kNothing},
      {"", kNothing},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(TagOf(&ScopeOfValueName, c.name) == c.tag);
  }
}

TEST_CASE("a tag that was written is read back") {
  ModulePaths paths;
  for (const char* name : {"", "encoder", "layer.1.fc", "layers.layers.0", "a.a.a.0.0.a", "0.1"}) {
    const PathId path = paths.Parse(name);
    CAPTURE(name);
    CHECK(PathOfTag(paths.Tag(path), paths) == path);
  }
}

TEST_CASE("names of any length and depth end at the deepest level") {
  std::string name;
  for (int i = 0; i < 10000; ++i) name += "/m";
  ModulePaths paths;
  const PathId path = ScopeOfNodeName(name + "/Add", paths);
  CHECK(paths.depth(path) == ModulePaths::kDeepest);
}

}  // namespace
}  // namespace onnx_hier
