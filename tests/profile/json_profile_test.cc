// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/str_cat.h"
#include "doctest/doctest.h"
#include "lib/profile/profile_text.h"
#include "onnx_hier/profile.h"
#include "tests/profile/profile_errors.h"
#include "tests/support/status.h"

namespace onnx_hier {
namespace {

// As onnxruntime writes them; times in microseconds.
std::string KernelEvent(absl::string_view name, int begin, int duration,
                        absl::string_view op = "Add") {
  return absl::StrCat(R"({"cat":"Node","ph":"X","pid":1,"tid":7,"name":")", name,
                      R"(_kernel_time","ts":)", begin, ",\"dur\":", duration,
                      R"(,"args":{"op_name":")", op,
                      R"(","node_index":"3","parameter_size":"64"}})");
}
const char kRun[] = R"({"cat":"Session","ph":"X","name":"model_run","ts":0,"dur":9,"args":{}})";

TEST_CASE("a profile of onnxruntime") {
  const std::string list =
      absl::StrCat("[", KernelEvent("a", 1, 5), ",", kRun, ",", KernelEvent("b", 2, 7, "If"), ",",
                   KernelEvent("a", 9, 6), ",", kRun, "]");
  for (const std::string& text :
       {list, absl::StrCat(R"({"other":[{"cat":"Node"}],"traceEvents":)", list, "}")}) {
    const Profile profile =
        testing::Value(ParseProfile(text, {.warm_up_runs = 0, .sum_runs = true}));
    CHECK(profile.kind == ProfileKind::kOnnxRuntime);
    CHECK(profile.runs == 2);
    REQUIRE(profile.kernels.size() == 2);
    CHECK(profile.kernels[0].name == "a");
    CHECK(profile.kernels[0].op_type == "Add");
    CHECK(profile.kernels[0].index == 3u);
    CHECK(profile.kernels[0].parameter_bytes == 64);
    CHECK(profile.kernels[0].amount.whole() == 11000);
    CHECK(profile.kernels[1].amount.whole() == 7000);
    REQUIRE(profile.last_run.size() == 2);
    CHECK(profile.last_run[1].begin == 9000);
    CHECK(profile.last_run[1].thread == 7);
  }
}

TEST_CASE("a profile of TensorRT, as its documentation has it") {
  const char kText[] = R"([ { "count" : 10 }
, { "name" : "/conv/Conv + /relu/Relu", "timeMs" : 5, "averageMs" : 0.5, "medianMs" : 0.4, "percentage" : 100 }
])";
  const Profile profile = testing::Value(ParseProfile(kText));
  CHECK(profile.kind == ProfileKind::kTensorRt);
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].amount.whole() == 400000);
  CHECK(testing::Value(ParseProfile(kText, {.sum_runs = true})).kernels[0].amount.whole() ==
        5000000);
  // Older versions know the sum only.
  CHECK(testing::Value(ParseProfile(R"([{"count":10},{"name":"a","timeMs":5}])"))
            .kernels[0]
            .amount.whole() == 500000);
}

TEST_CASE("what TensorRT's layers are made of") {
  Profile profile = testing::Value(ParseProfile(R"([{"name":"myelin0","timeMs":1}])"));
  CHECK_OK(
      AddLayerInfo("{\"Layers\":[\"x\",{\"Name\":\"myelin0\",\"Metadata\":\"[ONNX Layer: /a/Add]"
                   "\\u001e[ONNX Layer: /b/Mul]\"}],\"Bindings\":[]}",
                   profile));
  CHECK(profile.kernels[0].nodes == std::vector<std::string>{"/a/Add", "/b/Mul"});
  CHECK(AddLayerInfo(R"({"Layers":["a","b"]})", profile).message() ==
        "says nothing of nodes: build the engine with --profilingVerbosity=detailed");
  CHECK_FALSE(AddLayerInfo("[1]", profile).ok());
  CHECK_FALSE(AddLayerInfo("{", profile).ok());
}

TEST_CASE("JSON that is no profile") {
  CHECK(testing::ErrorOf(" ") == "is empty: nothing was profiled, or the session has not ended");
  CHECK(testing::ErrorOf("[]") ==
        "is JSON, but neither a profile nor a table that is known: no rows that name nodes");
  CHECK(testing::ErrorOf(absl::StrCat("[", kRun, "]")) ==
        "has 1 events, but no kernel among them (category 'Node', name '..._kernel_time'): was the "
        "model run?");
  CHECK(testing::ErrorOf(R"({"Layers":[]})") ==
        "has layers of TensorRT and no times: it goes with a profile, as --layer-info");
  CHECK(testing::ErrorOf(absl::StrCat("[", KernelEvent("a", 1, 5), ",")) ==
        "byte 144: it ends in the middle of the JSON; was the profiling ended (end_profiling)?");
  CHECK(testing::ErrorOf("[nonsense, 1]") == "byte 3: is not JSON");
  CHECK(testing::ErrorOf("[1e999]") == "byte 6: a number that is too large");
}

TEST_CASE("JSON that is made to hurt") {
  CHECK(testing::ErrorOf(absl::StrCat("[", KernelEvent("a", 1, -5), "]")) ==
        "byte 143: a time that is below zero or beyond measure");
  CHECK(testing::ErrorOf(std::string(100000, '[')) == "byte 65: nests deeper than 64 levels");
  const std::string name(ProfileText::kLongest + 1, 'n');
  CHECK(testing::ErrorOf(absl::StrCat("[", KernelEvent(name, 1, 5), "]")) ==
        "byte 1048624: a string is longer than 1048576 bytes");
  // Quotes and backslashes inside of strings end none.
  CHECK(ParseProfile(absl::StrCat("[", KernelEvent(R"(a\"\\)", 1, 5), "]")).ok());
  // Texts where numbers are expected, and the other way round.
  CHECK_FALSE(ParseProfile(R"([{"cat":1,"name":[],"dur":"x","ts":{}}])").ok());
}

}  // namespace
}  // namespace onnx_hier
