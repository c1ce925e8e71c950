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
  for (const char* name : {"table", "markdown", "csv", "json", "folded", "speedscope", "trace"}) {
    const ProfileFormat format = *ProfileFormatNamed(name);
    StringSink sink;
    Require(WriteProfile(report, format, sink).ok(), "a report is written");
    Require(!sink.text().empty() || timed.placed.amounts.whole().is_zero(), "it says something");
    if (!HasColumns(format)) continue;
    report.other.emplace(timed);
    Require(WriteProfile(report, format, sink).ok(), "a comparison is written");
    report.other.reset();
  }
}

void Read(absl::string_view text) {
  const Graph& graph = Model();
  static const Annotation* const annotation = new Annotation(AnnotateGraph(graph, nullptr, {}));
  static const Hierarchy* const hierarchy = new Hierarchy(graph, *annotation);
  for (const bool sums : {false, true}) {
    const absl::StatusOr<Profile> profile = ParseProfile(text, {.sum_runs = sums});
    if (!profile.ok()) return Require(!profile.status().message().empty(), "an error says why");
    Require(profile->runs > 0, "there is a run that counts");
    const PlacedProfile placed = PlaceProfile(*hierarchy, *profile);
    const Column& column = placed.amounts;
    Amount own = column.unplaced().own;
    for (ModuleId id : hierarchy->modules().ids()) own += column.figure(id).own;
    Amount kernels;
    bool is_whole = true;
    for (const Kernel& kernel : profile->kernels) {
      kernels += kernel.amount;
      is_whole = is_whole && kernel.amount.is_whole();
    }
    // Other numbers are rounded as they are added up.
    if (is_whole) {
      Require(own == kernels && column.whole() == kernels,
              "own amounts add up to those of kernels");
    }
    Report(*hierarchy, {"p.json", *profile, placed});
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
