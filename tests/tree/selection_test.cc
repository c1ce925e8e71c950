// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "onnx_hier/hierarchy.h"
#include "tests/support/names.h"
#include "tests/support/place.h"
#include "tests/support/status.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::Names;
using testing::TestGraph;
using testing::Value;

using List = std::vector<std::string>;

class SelectedModel {
 public:
  SelectedModel() {
    model_.Input("x").Output("y");
    model_.Initializer("w", {1});
    model_.Node("MatMul", {"x", "w"}, {"a"}, "0/fc");
    model_.Node("Add", {"a", "x"}, {"b"}, "0/add");
    model_.Node("Constant", {}, {"c"}, "1/constant");
    model_.Node("MatMul", {"b", "c"}, {"d"}, "1/fc");
    model_.Node("Split", {"d"}, {"e", ""}, "1/split");
    model_.Node("MatMul", {"e", "b"}, {"y"}, "head");
    const Graph& graph = model_.Build();
    annotation_ = testing::Place(
        graph, {"layer.0.fc", "layer.0", "layer.1.fc", "layer.1.fc", "layer.1", "head"});
    annotation_.assignments[NodeId(4)].confidence = 0.4f;
    hierarchy_.emplace(graph, annotation_);
  }

  const Graph& graph() const { return hierarchy_->graph(); }
  Selection Select(const SelectOptions& options) const {
    return Value(onnx_hier::Select(*hierarchy_, options));
  }
  std::string Nodes(const SelectOptions& options) const {
    return Names(graph(), Select(options).nodes);
  }
  absl::Status Error(const List& patterns) const {
    return onnx_hier::Select(*hierarchy_, {.patterns = patterns}).status();
  }
  // "inputs | outputs | all"
  std::string Values(const List& patterns) const {
    const SelectedValues values = ValuesOf(graph(), Select({.patterns = patterns}).nodes);
    return absl::StrCat(Names(graph(), values.inputs), " | ", Names(graph(), values.outputs), " | ",
                        Names(graph(), values.all));
  }
  std::string Modules(const SelectOptions& options) const {
    return absl::StrJoin(Select(options).modules, " ", [&](std::string* text, ModuleId id) {
      *text += annotation_.paths.Tag(annotation_.modules.module(id).path);
    });
  }

 private:
  TestGraph model_;
  Annotation annotation_;
  std::optional<Hierarchy> hierarchy_;
};

TEST_CASE("patterns, and those that take away") {
  const SelectedModel fixture;
  const auto nodes = [&](const List& patterns) { return fixture.Nodes({.patterns = patterns}); };
  CHECK(nodes({}) == "0/fc 0/add 1/constant 1/fc 1/split head");
  CHECK(nodes({"layer.0"}) == "0/fc 0/add");
  CHECK(nodes({"layer.[0-1].fc", "head"}) == "0/fc 1/constant 1/fc head");
  CHECK(nodes({"!head"}) == "0/fc 0/add 1/constant 1/fc 1/split");
  // Wherever it stands.
  CHECK(nodes({"!**.fc", "layer.*"}) == "0/add 1/split");
  CHECK(nodes({"layer.0", "!layer.0"}) == "");
}

TEST_CASE("which modules are meant; patterns that mean none") {
  const SelectedModel fixture;
  CHECK(fixture.Modules({}) == "/");
  CHECK(fixture.Modules({.patterns = {"head", "layer.1", "head"}}) == "/layer.1 /head");
  const Selection selection = fixture.Select({.patterns = {"head", "tail", "!hat"}});
  CHECK(selection.unmet == List{"tail", "!hat"});
  CHECK(Names(fixture.graph(), selection.nodes) == "head");
  // Nothing is meant, which is not everything.
  CHECK(fixture.Nodes({.patterns = {"tail"}}) == "");
  CHECK_ERROR(fixture.Error({"a[b]"}), kInvalidArgument, "brackets");
}

TEST_CASE("own nodes, operators, doubt") {
  const SelectedModel fixture;
  CHECK(fixture.Nodes({.patterns = {"layer.*"}, .own = true}) == "0/add 1/split");
  CHECK(fixture.Nodes({.patterns = {"layer.1", "!layer.1"}, .own = true}) == "");
  CHECK(fixture.Nodes({.op_types = {"MatMul", "Add"}}) == "0/fc 0/add 1/fc head");
  CHECK(fixture.Nodes({.op_types = {"Relu"}}) == "");
  CHECK(fixture.Nodes({.below = 0.5f}) == "1/split");
  CHECK(fixture.Nodes({.below = 0.4f}) == "");
  CHECK(fixture.Nodes({.patterns = {"layer.1"}, .op_types = {"Split"}, .below = 1.f}) == "1/split");
}

TEST_CASE("values of a selection") {
  const SelectedModel fixture;
  CHECK(fixture.Values({"layer.0"}) == "x | b | a b");
  // Constants are no inputs; an output that was left out is none.
  CHECK(fixture.Values({"layer.1"}) == "b | e | c d e");
  CHECK(fixture.Values({"head"}) == "e b | y | y");
  CHECK(fixture.Values({"layer.1.fc"}) == "b | d | c d");
  CHECK(fixture.Values({}) == "x | y | a b c d e y");
}

}  // namespace
}  // namespace onnx_hier
