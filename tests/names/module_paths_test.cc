// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/module_paths.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

TEST_CASE("tags and qualified names") {
  struct Case {
    const char* qualified_name;
    const char* tag;
  };
  const Case cases[] = {
      {"", "/"},
      {"encoder", "/encoder"},
      {"encoder.layer.1.attention.query", "/encoder/layer.1/attention/query"},
      {"layer.0.0", "/layer.0.0"},
      {"features.0.block.1.2", "/features.0/block.1.2"},
      {"0", "/0"},
      {"0.1.conv", "/0.1/conv"},
      {"layer.01", "/layer.01"},
      {"layer.1a", "/layer/1a"},
  };
  for (const Case& c : cases) {
    ModulePaths paths;
    const PathId id = paths.Parse(c.qualified_name);
    CHECK(paths.Tag(id) == c.tag);
    CHECK(paths.QualifiedName(id) == c.qualified_name);
    CHECK(paths.Parse(c.qualified_name) == id);
  }
}

TEST_CASE("a clone has the same paths, and its own") {
  ModulePaths paths;
  const PathId layer = paths.Parse("encoder.layer.1");
  paths.MarkModel(paths.Parse("encoder"));
  const PathId strange = paths.Child(layer, "a\x1f/b");
  ModulePaths clone = paths.Clone();
  REQUIRE(clone.size() == paths.size());
  for (PathId id : paths.ids()) CHECK(clone.Tag(id) == paths.Tag(id));
  CHECK(clone.FindChild(layer, "a\x1f/b") == strange);
  CHECK(clone.Parse("encoder.layer.2").index() == paths.size());
  CHECK(clone.size() == paths.size() + 1);
}

TEST_CASE("one module has one path") {
  ModulePaths paths;
  const PathId encoder = paths.Child(paths.root(), "encoder");
  const PathId layer = paths.Child(encoder, "layer");
  CHECK(paths.Parse("encoder.layer") == layer);
  CHECK(paths.FindChild(encoder, "layer") == layer);
  CHECK_FALSE(paths.FindChild(layer, "layer").valid());
  CHECK(paths.Child(layer, "layer") != layer);
  CHECK(paths.parent(layer) == encoder);
  CHECK_FALSE(paths.parent(paths.root()).valid());
  CHECK(paths.size() == 4);
}

TEST_CASE("numbers") {
  ModulePaths paths;
  const auto child = [&](absl::string_view name) { return paths.Child(paths.root(), name); };
  CHECK(paths.number(child("12")) == 12);
  CHECK(paths.number(child("007")) == 7);
  CHECK(paths.number(child("18446744073709551615")) == UINT64_MAX);
  CHECK(paths.number(child("99999999999999999999999")) == UINT64_MAX);
  CHECK_FALSE(paths.is_number(child("1x")));
  CHECK_FALSE(paths.is_number(child("-1")));
  CHECK_FALSE(paths.is_number(child("")));
  CHECK_FALSE(paths.is_number(paths.root()));
}

TEST_CASE("a path copied from others, with dots in a name") {
  ModulePaths others;
  const PathId layer = others.Child(others.Child(others.root(), "encoder"), "layer_._1");
  ModulePaths paths;
  const PathId copy = paths.Copy(others, others.Child(layer, "attention"));
  CHECK(paths.Tag(copy) == "/encoder/layer_._1/attention");
  CHECK(paths.name(paths.parent(copy)) == "layer_._1");
  CHECK(paths.Copy(others, others.Child(layer, "attention")) == copy);
  CHECK(paths.Copy(others, others.root()) == paths.root());
}

TEST_CASE("common ancestors and what contains what") {
  ModulePaths paths;
  const PathId a = paths.Parse("encoder.layer.0.attention");
  const PathId b = paths.Parse("encoder.layer.1.attention");
  const PathId c = paths.Parse("decoder");
  const PathId list = paths.Parse("encoder.layer");
  CHECK(paths.CommonAncestor(a, b) == list);
  CHECK(paths.CommonAncestor(a, list) == list);
  CHECK(paths.CommonAncestor(list, a) == list);
  CHECK(paths.CommonAncestor(a, a) == a);
  CHECK(paths.CommonAncestor(a, c) == paths.root());
  CHECK(paths.Contains(list, a));
  CHECK(paths.Contains(a, a));
  CHECK_FALSE(paths.Contains(a, list));
  CHECK_FALSE(paths.Contains(c, a));
  CHECK(paths.Contains(paths.root(), c));
  CHECK(paths.AncestorAtDepth(a, 2) == list);
  CHECK(paths.AncestorAtDepth(c, 5) == c);
}

TEST_CASE("the deepest level") {
  ModulePaths paths;
  PathId path = paths.root();
  for (uint32_t i = 0; i < 2 * ModulePaths::kDeepest; ++i) path = paths.Child(path, "m");
  CHECK(paths.depth(path) == ModulePaths::kDeepest);
  CHECK(paths.Child(path, "other") == path);
  CHECK(paths.size() == ModulePaths::kDeepest + 1);
}

TEST_CASE("paths end where they are too long") {
  ModulePaths paths;
  const std::string name(100, 'n');
  PathId path = paths.root();
  for (int i = 0; i < 10; ++i) path = paths.Child(path, name);
  CHECK(paths.depth(path) == 5);
  CHECK(paths.Tag(path).size() <= ModulePaths::kLongest);
  CHECK(paths.Child(path, "other") != path);  // there is room for a short one
  // What JSON escapes takes more room.
  path = paths.root();
  for (int i = 0; i < 10; ++i) path = paths.Child(path, std::string(20, '\x1b'));
  CHECK(paths.depth(path) == 4);
}

TEST_CASE("names are made fit") {
  ModulePaths paths;
  const auto child = [&](absl::string_view name) { return paths.Child(paths.root(), name); };
  const std::string longest(ModulePaths::kLongestName, 'n');
  CHECK(paths.name(child(longest)) == longest);
  const PathId cut = child(longest + "a");
  CHECK(paths.name(cut).size() == ModulePaths::kLongestName);
  CHECK(cut != child(longest + "b"));
  CHECK(cut == child(longest + "a"));
  CHECK(cut == paths.FindChild(paths.root(), longest + "a"));
  CHECK(cut == child(paths.name(cut)));
  CHECK(paths.name(child("//a//b/")) == "a/b");
  CHECK(paths.FindChild(paths.root(), "a//b").valid());
  CHECK(child("//") == paths.root());
  CHECK(child("\xff") != child("\xfe"));
  CHECK_FALSE(paths.FindChild(paths.root(), "\xfd").valid());
}

TEST_CASE("moving keeps all names") {
  ModulePaths first;
  for (int i = 0; i < 1000; ++i) first.Parse(absl::StrCat("layer.", i, ".a"));
  ModulePaths second(std::move(first));
  ModulePaths third;
  third.Parse("x.y");
  third = std::move(second);
  CHECK(third.Tag(third.Parse("layer.999.a")) == "/layer.999/a");
  CHECK(third.size() == 2002);
}

TEST_CASE("a number behind a whole model is not joined to it") {
  ModulePaths paths;
  const PathId norm = paths.Parse("m1.2.norm");
  const PathId member = paths.Parse("m1.layers.0");
  CHECK(paths.Tag(norm) == "/m1.2/norm");
  paths.MarkModel(paths.Parse("m1"));
  CHECK(paths.Tag(norm) == "/m1/2/norm");
  CHECK(paths.QualifiedName(norm) == "m1.2.norm");
  CHECK(paths.Tag(member) == "/m1/layers.0");
  ModulePaths other;
  CHECK(other.Tag(other.Copy(paths, norm)) == "/m1/2/norm");
}

}  // namespace
}  // namespace onnx_hier
