// SPDX-License-Identifier: Apache-2.0
#include "lib/tree/call_counts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "tests/support/test_graph.h"

namespace onnx_hier {
namespace {

using testing::TestGraph;

struct Step {
  std::string module;
  uint32_t call = 0;
  bool from_input = false;  // it computes from the graph's input, or else from the step before it
  Method method = Method::kNodeName;
};

// "path calls", of each path that names or nodes show, when nodes of these modules run in turn.
// `called`: the modules that the file shows to be called; none: it does not tell.
std::string CallsText(const std::vector<Step>& steps, const std::vector<std::string>& called = {}) {
  TestGraph model;
  model.Input("v");
  ModulePaths paths;
  Assignments assignments;
  std::string last = "v";
  for (const Step& step : steps) {
    const std::string made = absl::StrCat("v", assignments.size());
    model.Node("A", {step.from_input ? "v" : last}, {made});
    last = made;
    Assignment assignment;
    assignment.primary = paths.Parse(step.module);
    assignment.call = step.call;
    assignment.method = step.method;
    assignments.push_back(assignment);
  }
  Evidence evidence;
  if (!called.empty()) evidence.called = IdSet<PathId>(paths.size());
  for (const std::string& module : called) evidence.called.Add(paths.Parse(module));
  const IdVector<PathId, uint32_t> calls =
      CountCalls(Flow(model.Build()), evidence, paths, assignments);
  std::string text;
  for (PathId path : paths.ids()) {
    if (path == paths.root()) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", paths.Tag(path), " ", calls[path]);
  }
  return text;
}

TEST_CASE("nodes tell how often their module ran") {
  CHECK(CallsText({{"a"}, {"a", 4}, {"b"}}) == "/a 5, /b 1");
}

TEST_CASE("a module without nodes ran as often as all inside, if it was left in between") {
  CHECK(CallsText({{"m.a"}, {"m.b"}, {""}, {"m.a", 1, true}, {"m.b", 1}}) ==
        "/m 2, /m/a 2, /m/b 2");
  // However deep that is, and whatever its own parts run in each run.
  CHECK(CallsText({{"m.n.a"},
                   {"m.n.b", 0},
                   {"m.n.b", 1},
                   {""},
                   {"m.n.a", 1, true},
                   {"m.n.b", 2},
                   {"m.n.b", 3}}) == "/m 2, /m/n 2, /m/n/a 2, /m/n/b 4");
}

TEST_CASE("a module without nodes ran as often as all inside") {
  CHECK(CallsText({{"m.a"}, {"m.b"}, {"m.a", 1}, {"m.b", 1}}) == "/m 2, /m/a 2, /m/b 2");
}

TEST_CASE("so it did for each of several inputs, one after the other") {
  CHECK(CallsText({{"m.n.a", 0, true}, {"m.b"}, {"m.n.a", 1, true}, {"m.b", 1}}) ==
        "/m 2, /m/n 2, /m/n/a 2, /m/b 2");
}

TEST_CASE("what is inside of a module that ran once takes turns") {
  CHECK(CallsText({{"m.a"}, {"m.a", 1}, {"m.b"}, {"m.b", 1}}) == "/m 1, /m/a 2, /m/b 2");
  CHECK(CallsText({{"m.act"}, {"m.fc"}, {"m.act", 1}}) == "/m 1, /m/act 2, /m/fc 1");
}

TEST_CASE("of what ran a number of times, a part may have run in each of fewer runs") {
  // Both ran four times, but in twos.
  CHECK(CallsText({{"m.a"},
                   {"m.a", 1},
                   {"m.b"},
                   {"m.b", 1},
                   {"m.a", 2},
                   {"m.a", 3},
                   {"m.b", 2},
                   {"m.b", 3}}) == "/m 2, /m/a 4, /m/b 4");
}

TEST_CASE("where names were lost, most of what is inside tells") {
  const auto calls = [](Method method, std::vector<Step> behind) {
    std::vector<Step> steps = {{"m.a", 0, true, method}, {"m.b"},    {"m.c"}, {""},
                               {"m.a", 1, true},         {"m.c", 1}, {""}};
    steps.insert(steps.end(), behind.begin(), behind.end());
    return CallsText(steps).substr(0, 4);
  };
  CHECK(calls(Method::kParameters, {}) == "/m 2");
  CHECK(calls(Method::kNodeName, {}) == "/m 1");
  // But not if something ran behind all of these runs.
  CHECK(calls(Method::kParameters, {{"m.d"}}) == "/m 1");
}

TEST_CASE("a list of modules is not called, but what it holds is inside of the module around it") {
  const std::vector<Step> steps = {
      {"m.list.a"}, {"m.list.b"}, {""}, {"m.list.a", 1}, {"m.list.b", 1}};
  CHECK(CallsText(steps, {"m"}) == "/m 2, /m/list 1, /m/list/a 2, /m/list/b 2");
  CHECK(CallsText(steps, {"m", "m.list"}) == "/m 2, /m/list 2, /m/list/a 2, /m/list/b 2");
}

TEST_CASE("calls that no node is left of, and numbers that no file needs") {
  CHECK(CallsText({{"m.a", 7}, {"m.a", 9}}) == "/m 1, /m/a 10");
  CHECK(CallsText({{"m.a", 4294967294u}}) == "/m 1, /m/a 4294967295");
}

}  // namespace
}  // namespace onnx_hier
