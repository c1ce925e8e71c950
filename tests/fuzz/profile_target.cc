// SPDX-License-Identifier: Apache-2.0

// A profile that somebody gives to us, of any kind: read, placed in a model, and reported in every
// format.

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/api/annotate.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/profile.h"
#include "onnx_hier_program/reports.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/test_graph.h"

namespace onnx_hier::fuzz {
namespace {

// Four layers with names that profiles of the seeds have, and a node without one.
const Graph& Model() {
  static const Graph* const graph = [] {
    auto* model = new testing::TestGraph();
    std::string previous = "x";
    for (const char* layer : {"0", "1", "2", "3"}) {
      const std::string name = absl::StrCat("/layer.", layer);
      model->Initializer(name + ".weight", {4, 4});
      model->Node("Conv", {previous, name + ".weight"}, {name + "/conv/Conv_output_0"},
                  name + "/conv/Conv");
      model->Node("Relu", {name + "/conv/Conv_output_0"}, {name + "/act/Relu_output_0"},
                  name + "/act/Relu");
      previous = name + "/act/Relu_output_0";
    }
    model->Node("Add", {previous}, {"out"});
    return &model->Build();
  }();
  return *graph;
}

void Report(const Hierarchy& hierarchy, const TimedProfile& timed) {
  ProfileReport report = {"m.onnx", hierarchy, timed, std::nullopt};
  for (const char* name : {"table", "csv", "json", "folded", "speedscope", "trace"}) {
    const ProfileFormat format = *ProfileFormatNamed(name);
    StringSink sink;
    Require(WriteProfile(report, format, sink).ok(), "a report is written");
    Require(!sink.text().empty() || timed.times.total == 0, "it says something");
    if (!CanCompare(format)) continue;
    report.other.emplace(timed);
    Require(WriteProfile(report, format, sink).ok(), "a comparison is written");
    report.other.reset();
  }
}

void Read(absl::string_view text) {
  const Graph& graph = Model();
  static const Annotation* const annotation = new Annotation(AnnotateGraph(graph, {}));
  static const Hierarchy* const hierarchy = new Hierarchy(graph, *annotation);
  for (const bool sums : {false, true}) {
    const absl::StatusOr<Profile> profile = ParseProfile(text, {.sum_runs = sums});
    if (!profile.ok()) return Require(!profile.status().message().empty(), "an error says why");
    Require(profile->runs > 0, "there is a run that counts");
    const ModuleTimes times = TimesOf(*hierarchy, *profile);
    uint64_t own = times.unplaced;
    for (const ModuleTime& time : times.modules) own += time.own;
    uint64_t kernels = 0;
    for (const Kernel& kernel : profile->kernels) kernels += kernel.time;
    Require(own == kernels && times.total == kernels, "own times add up to those of kernels");
    Require(times.modules[ModuleId(0)].total + times.unplaced == kernels, "so does the root's");
    Report(*hierarchy, {"p.json", *profile, times});
  }
}

void ReadAsLayerInfo(absl::string_view text) {
  Profile profile;
  profile.kernels.emplace_back().name = "a";
  const absl::Status status = AddLayerInfo(text, profile);
  Require(status.ok() || !status.message().empty(), "an error says why");
}

}  // namespace
}  // namespace onnx_hier::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = onnx_hier::fuzz::Text(data, size);
  onnx_hier::fuzz::Read(text);
  onnx_hier::fuzz::ReadAsLayerInfo(text);
  return 0;
}
