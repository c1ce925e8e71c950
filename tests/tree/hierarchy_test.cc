// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/hierarchy.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/place.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

class Fixture {
 public:
  Fixture() {
    model_.Initializer("encoder.layer.0.fc.weight", {2, 3});
    model_.Initializer("encoder.layer.1.fc.weight", {2, 3});
    model_.Initializer("tied", {4});
    model_.Node("MatMul", {"x", "encoder.layer.0.fc.weight"}, {"a"}, "first");
    model_.Node("Add", {"a", "tied"}, {"b"}, "twice");
    model_.Node("MatMul", {"b", "encoder.layer.1.fc.weight"}, {"c"});
    model_.Node("Relu", {"c"}, {"d"}, "twice");
    model_.Node("Add", {"d", "tied"}, {"e"});
    const Graph& graph = model_.Build();
    graph_ = &graph;
    annotation_ = testing::Place(graph, {"encoder.layer.0.fc", "encoder.layer.0",
                                         "encoder.layer.1.fc", "encoder.layer.1", "head"});
    Evidence evidence;
    evidence.value_owners.resize(graph.value_count());
    for (ValueId id : graph.value_ids()) {
      const std::string name(graph.value(id).name);
      const size_t dot = name.rfind('.');
      if (dot != std::string::npos) {
        evidence.value_owners[id] = annotation_.paths.Parse(name.substr(0, dot));
      }
    }
    testing::BuildModules(graph, annotation_, evidence,
                          {{"encoder.layer.0", "package.Layer"}, {"encoder.layer.1", "Layer"}});
    hierarchy_.emplace(graph, annotation_);
  }

  const Hierarchy& hierarchy() const { return *hierarchy_; }
  std::string Name(ModuleId module) const {
    return annotation_.paths.QualifiedName(annotation_.modules.module(module).path);
  }
  template <class Ids>
  static std::string Numbers(const Ids& ids) {
    std::string text;
    for (const auto id : ids) absl::StrAppend(&text, text.empty() ? "" : " ", id.index());
    return text;
  }
  std::string Names(absl::Span<const ModuleId> modules) const {
    std::string text;
    for (ModuleId id : modules) absl::StrAppend(&text, text.empty() ? "" : " ", Name(id));
    return text;
  }
  std::string Match(absl::string_view pattern) const {
    const absl::StatusOr<std::vector<ModuleId>> found = hierarchy().Match(pattern);
    return found.ok() ? Names(*found) : std::string(found.status().message());
  }
  std::string Parameters(absl::Span<const ValueId> values) const {
    std::string text;
    for (ValueId id : values) {
      absl::StrAppend(&text, text.empty() ? "" : " ", std::string(graph_->value(id).name));
    }
    return text;
  }

 private:
  TestGraph model_;
  const Graph* graph_ = nullptr;
  Annotation annotation_;
  std::optional<Hierarchy> hierarchy_;
};

TEST_CASE("what is most like a pattern that means nothing; ends of paths first") {
  const Fixture fixture;
  const auto nearest = [&](absl::string_view pattern, size_t count) {
    return fixture.Names(fixture.hierarchy().Nearest(pattern, count));
  };
  CHECK(nearest("haed", 1) == "head");
  CHECK(nearest("FC", 2) == "encoder.layer.0.fc encoder.layer.1.fc");
  CHECK(nearest("layer.1", 1) == "encoder.layer.1");
}

TEST_CASE("modules are found by tag and by qualified name") {
  const Fixture model;
  const Hierarchy& hierarchy = model.hierarchy();
  for (const char* name : {"encoder.layer.1.fc", "/encoder/layer.1/fc", "/encoder/layer/1/fc"}) {
    CHECK(model.Name(hierarchy.Find(name)) == "encoder.layer.1.fc");
  }
  CHECK(hierarchy.Find("/") == ModuleId(0));
  CHECK(hierarchy.Find("") == ModuleId(0));
  CHECK_FALSE(hierarchy.Find("encoder.layer.7").valid());
  CHECK_FALSE(hierarchy.Find("encoder.layer").valid());  // a list
}

TEST_CASE("a module's nodes are its own, or all that is inside") {
  const Fixture model;
  const Hierarchy& hierarchy = model.hierarchy();
  CHECK(Fixture::Numbers(hierarchy.OwnNodes(hierarchy.Find("encoder.layer.1"))) == "3");
  CHECK(Fixture::Numbers(hierarchy.Nodes(hierarchy.Find("encoder.layer.1"))) == "3 2");
  CHECK(Fixture::Numbers(hierarchy.OwnNodes(ModuleId(0))) == "");
  CHECK(hierarchy.Nodes(ModuleId(0)).size() == 5);
  CHECK(model.Name(hierarchy.ModuleOf(NodeId(4))) == "head");
  CHECK(Fixture::Numbers(hierarchy.NodesNamed("twice")) == "1 3");
  CHECK(hierarchy.NodesNamed("thrice").empty());
}

TEST_CASE("a module's children are what it holds itself, lists left out") {
  const Fixture model;
  const Hierarchy& hierarchy = model.hierarchy();
  CHECK(model.Names(hierarchy.Children(ModuleId(0))) == "encoder head");
  CHECK(model.Names(hierarchy.Children(hierarchy.Find("encoder"))) ==
        "encoder.layer.0 encoder.layer.1");
  CHECK(model.Names(hierarchy.Children(hierarchy.Find("head"))) == "");
}

TEST_CASE("parameters are where their names put them, or what reads them has in common") {
  const Fixture model;
  const Hierarchy& hierarchy = model.hierarchy();
  CHECK(model.Parameters(hierarchy.OwnParameters(ModuleId(0))) == "tied");
  CHECK(model.Parameters(hierarchy.Parameters(hierarchy.Find("encoder.layer.0"))) ==
        "encoder.layer.0.fc.weight");
  CHECK(model.Parameters(hierarchy.OwnParameters(hierarchy.Find("encoder.layer.0"))) == "");
  CHECK(hierarchy.Parameters(ModuleId(0)).size() == 3);
}

TEST_CASE("patterns") {
  const Fixture model;
  CHECK(model.Match("/encoder/layer.1") == "encoder.layer.1");
  CHECK(model.Match("encoder.layer.*") == "encoder.layer.0 encoder.layer.1");
  CHECK(model.Match("encoder.layer.[1-9]") == "encoder.layer.1");
  CHECK(model.Match("encoder.layer.[0]") == "encoder.layer.0");
  CHECK(model.Match("**.fc") == "encoder.layer.0.fc encoder.layer.1.fc");
  CHECK(model.Match("{head,encoder.layer.0}") == "encoder.layer.0 head");
  CHECK(model.Match("{he{a,x},x}d") == "head");
  CHECK(model.Match("*") == "encoder head");
  CHECK(model.Match("/") == "");  // the root's qualified name is ""
  CHECK(model.hierarchy().Match("/")->size() == 1);
  CHECK(model.hierarchy().Match("**")->size() == 7);
  CHECK(model.Match("**.@Layer") == "encoder.layer.0 encoder.layer.1");
  CHECK(model.Match("@Layer") == "");
  CHECK(model.Match("encoder.layer") == "encoder.layer.0 encoder.layer.1");
  CHECK(model.Match("nothing") == "");
}

TEST_CASE("patterns mean names of nodes, too; a node without a name has none") {
  const Fixture model;
  const auto match = [&model](absl::string_view pattern) {
    return Fixture::Numbers(*model.hierarchy().MatchNodes(pattern));
  };
  CHECK(match("twice") == "1 3");
  CHECK(match("{first,nothing}") == "0");
  CHECK(match("**") == "0 1 3");
  CHECK(match("*.*") == "");
  CHECK(model.hierarchy().MatchNodes("a.[1").status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("what is no pattern is said to be none") {
  const Fixture model;
  for (const char* pattern : {"a.[1", "a.1]", "a.[x-y]", "a.[3-1]", "{a,b", "a}", "a.[]"}) {
    CAPTURE(pattern);
    CHECK(model.hierarchy().Match(pattern).status().code() == absl::StatusCode::kInvalidArgument);
  }
  std::string many;
  for (int i = 0; i < 20; ++i) many += "{a,b}";
  CHECK(model.Match(many).find("alternatives") != std::string::npos);
  CHECK(model.Match(std::string(20000, 'a')).find("too long") != std::string::npos);
}

}  // namespace
}  // namespace onnx_hier
