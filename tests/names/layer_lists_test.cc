// SPDX-License-Identifier: Apache-2.0
#include "lib/names/layer_lists.h"

#include <string>

#include "doctest/doctest.h"

namespace onnx_hier {
namespace {

struct Compared {
  TagRelation relation;
  uint32_t depth;
};

// How `tag` differs from `truth` where these and `others` exist.
Compared Compare(const std::string& truth, const std::string& tag,
                 const std::vector<std::string>& others = {}) {
  ModulePaths paths;
  std::vector<PathId> used = {paths.Parse(truth), paths.Parse(tag)};
  for (const std::string& other : others) used.push_back(paths.Parse(other));
  const LayerLists layers(paths, used);
  const TagDifference difference = layers.Compare(used[0], used[1]);
  return {difference.relation, difference.depth};
}

TEST_CASE("less and more specific tags are not wrong") {
  CHECK(Compare("a.b", "a.b").relation == TagRelation::kSame);
  CHECK(Compare("a.b", "a").relation == TagRelation::kAncestor);
  CHECK(Compare("a.b", "").relation == TagRelation::kAncestor);
  CHECK(Compare("a", "a.b").relation == TagRelation::kDeeper);
}

TEST_CASE("members of lists are layers, at any depth") {
  CHECK(Compare("enc.layer.0.fc", "enc.layer.1.fc").relation == TagRelation::kCrossLayer);
  CHECK(Compare("enc.layer.0.fc", "enc.layer.1.fc").depth == 2);
  CHECK(Compare("stages.2.layers.1", "stages.2.layers.0").depth == 3);
  CHECK(Compare("enc.layer.0", "dec.layer.0").relation == TagRelation::kCrossModule);
  CHECK(Compare("enc.layer.0.fc", "enc.layer.0.norm").relation == TagRelation::kCrossModule);
}

TEST_CASE("numbered names are layers only if they are built alike") {
  CHECK(Compare("conv1", "conv2").relation == TagRelation::kCrossModule);
  CHECK(Compare("block1.a", "block2.b", {"block1.c"}).relation == TagRelation::kCrossModule);
  CHECK(Compare("block1.a", "block2.a").relation == TagRelation::kCrossLayer);
}

TEST_CASE("a later call of a module is the module") {
  CHECK(Compare("a.relu_1", "a.relu").relation == TagRelation::kSame);
  CHECK(Compare("a.relu_1", "a.relu_2").relation == TagRelation::kCrossModule);
}

TEST_CASE("paths may skip modules, but numbers stay with their lists") {
  ModulePaths paths;
  const LayerLists layers(paths, {});
  const auto skips = [&](const char* a, const char* b) {
    return layers.OneSkipsAtoms(paths.Parse(a), paths.Parse(b));
  };
  CHECK(skips("encoder.attention", "encoder.layers.0.attention"));
  CHECK(skips("model.decoder.fc", "decoder.fc"));
  CHECK(skips("shared", "encoder.shared"));
  CHECK_FALSE(skips("features.0.0", "features.1.0.block.0"));
  CHECK_FALSE(skips("a.b", "b.a"));
}

TEST_CASE("lists hold the members that have a counterpart") {
  ModulePaths paths;
  std::vector<PathId> used;
  for (const char* path : {"f.0.conv", "f.0.norm", "f.1.pool", "f.2.conv", "f.2.norm", "f.3"}) {
    used.push_back(paths.Parse(path));
  }
  const LayerLists layers(paths, used);
  REQUIRE(layers.list_count() == 1);
  const ListId list(0);
  REQUIRE(layers.list(list).layers.size() == 2);
  CHECK(paths.QualifiedName(layers.list(list).layers[1]) == "f.2");
  CHECK(layers.LayerOf(paths.Parse("f.2.norm"), list) == paths.Parse("f.2"));
  CHECK_FALSE(layers.LayerOf(paths.Parse("f.1.pool"), list).valid());
  CHECK(layers.Transplant(paths.Parse("f.0"), paths.Parse("f.2.norm"), 2) ==
        paths.Parse("f.0.norm"));
  CHECK(layers.Transplant(paths.Parse("f.0"), paths.Parse("f.2.other"), 2) == paths.Parse("f.0"));
  // A name that was only asked for exists no more than before.
  paths.Parse("f.0.other");
  CHECK(layers.Transplant(paths.Parse("f.0"), paths.Parse("f.2.other"), 2) == paths.Parse("f.0"));
}

TEST_CASE("what several layers have should exist in another one") {
  ModulePaths paths;
  std::vector<PathId> used;
  for (const char* path :
       {"s0.0.a", "s0.1.a", "s0.1.b.c", "s1.0.a", "s1.1.a", "s1.1.b.c", "s2.0.a", "s2.1.a"}) {
    used.push_back(paths.Parse(path));
  }
  const LayerLists layers(paths, used);
  const auto moved = [&](const char* layer, const char* path) {
    return paths.QualifiedName(layers.Transplant(paths.Parse(layer), paths.Parse(path), 2));
  };
  // Of its cousins in the other stages two have it.
  CHECK(moved("s2.1", "s1.1.b.c") == "s2.1.b.c");
  CHECK(moved("s2.1", "s1.1.b.d") == "s2.1.b");
  CHECK(moved("s2.0", "s1.1.b.c") == "s2.0");
}

TEST_CASE("lists in lists end somewhere") {
  ModulePaths paths;
  std::string around;
  std::vector<PathId> used;
  for (int depth = 0; depth < 20; ++depth) {
    for (const char* layer : {"l.0", "l.1"}) used.push_back(paths.Parse(around + layer + ".l.0"));
    around += "l.0.";
  }
  const LayerLists layers(paths, used);
  CHECK(layers.list_count() == 8);
}

}  // namespace
}  // namespace onnx_hier
