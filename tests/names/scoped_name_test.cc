// SPDX-License-Identifier: Apache-2.0
#include "lib/names/scoped_name.h"

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("a tag that was written is read back") {
  ModulePaths paths;
  for (const char* name : {"", "encoder", "layer.1.fc", "layers.layers.0", "a.a.a.0.0.a", "0.1"}) {
    const PathId path = paths.Parse(name);
    CAPTURE(name);
    CHECK(PathOfTag(paths.Tag(path), paths) == path);
  }
}

TEST_CASE("components of scopes") {
  const struct {
    const char* components;
    const char* tag;
  } cases[] = {
      {"encoder/layer.1/attention", "/encoder/layer.1/attention"},
      {"conv.0.0", "/conv.0.0"},
      {"layer1/layer1.0/conv1", "/layer1.0/conv1"},  // a container that repeats itself
      {"layer1/layer2.0", "/layer1/layer2.0"},
      {"v1.5x", "/v1.5x"},
      {"a//b", "/a/b"},
      {"", "/"},
  };
  for (const auto& c : cases) {
    ModulePaths paths;
    CAPTURE(c.components);
    CHECK(paths.Tag(AppendComponents(c.components, paths.root(), paths)) == c.tag);
  }
}

}  // namespace
}  // namespace onnx_hier
