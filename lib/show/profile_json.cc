// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/profile_formats.h"
#include "lib/show/row_times.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

class ProfileJson {
 public:
  ProfileJson(const ProfileReport& report, ByteSink& sink)
      : report_(report),
        annotation_(report.hierarchy.annotation()),
        out_(sink),
        json_(out_.text()) {}

  absl::Status Write() {
    json_.BeginDocument("onnx-hier/profile", 1);
    json_.Key("model").String(report_.model_file);
    json_.Key("unit").String("ns");
    json_.NewLine();
    AppendProfile("profile", report_.main);
    if (report_.other) {
      json_.NewLine();
      AppendProfile("after", *report_.other);
    }
    AppendModules();
    AppendOutliers();
    AppendKernels();
    json_.EndObject();
    out_.text()->push_back('\n');
    return out_.Finish();
  }

 private:
  void AppendProfile(absl::string_view key, const TimedProfile& timed) {
    json_.Key(key).BeginObject();
    json_.Key("file").String(timed.file);
    json_.Key("kind").String(ProfileKindName(timed.profile.kind));
    json_.Key("runs").Unsigned(timed.profile.runs);
    json_.Key("warm_up_runs").Unsigned(timed.profile.warm_up_runs);
    json_.Key("summed").Bool(timed.profile.is_summed);
    json_.Key("cut").Bool(timed.profile.is_cut);
    json_.Key("seldom").Unsigned(timed.profile.seldom);
    json_.Key("total").Unsigned(timed.times.total);
    json_.Key("not_placed").Unsigned(timed.times.unplaced);
    json_.EndObject();
  }

  void AppendTimes(const ModuleTime& time) {
    json_.Key("total").Unsigned(time.total);
    json_.Key("own").Unsigned(time.own);
    json_.Key("calls").Unsigned(time.total_calls);
    json_.Key("own_calls").Unsigned(time.own_calls);
  }

  void AppendModules() {
    json_.NewLine();
    json_.Key("modules").BeginArray();
    for (ModuleId id : annotation_.modules.ids()) {
      if (annotation_.modules.DepthOf(id) > report_.depth) continue;
      const ModuleTime& time = report_.main.times.modules[id];
      json_.NewLine();
      json_.BeginObject();
      json_.Key("path").String(annotation_.Tag(id));
      AppendTimes(time);
      json_.Key("parameters").Unsigned(annotation_.modules.module(id).total_parameters);
      json_.Key("operators").BeginArray();
      for (const OperatorTime& entry : time.operators) {
        json_.BeginObject();
        json_.Key("op_type").String(entry.op_type);
        json_.Key("own").Unsigned(entry.time);
        json_.EndObject();
      }
      json_.EndArray();
      if (report_.other) {
        json_.Key("after").BeginObject();
        AppendTimes(report_.other->times.modules[id]);
        json_.EndObject();
      }
      json_.EndObject();
      out_.Pass();
    }
    json_.EndArray();
  }

  void AppendOutliers() {
    const ModuleTimes& times = report_.main.times;
    const TreeTextOptions options = {.depth = report_.depth, .lists = false};
    json_.NewLine();
    json_.Key("outliers").BeginArray();
    TreeRows(annotation_, options).ForEach([&](const TreeRow& row, const std::string& /*label*/) {
      const RowTimes sums = TimesOfRow(row, times);
      for (ModuleId id : OutliersOf(row, sums, times)) {
        json_.NewLine();
        json_.BeginObject();
        json_.Key("path").String(annotation_.Tag(id));
        json_.Key("total").Unsigned(times.modules[id].total);
        json_.Key("alike").Unsigned(row.modules.size());
        json_.Key("median").Unsigned(sums.median);
        json_.EndObject();
        out_.Pass();
      }
    });
    json_.EndArray();
  }

  void AppendKernels() {
    const Profile& profile = report_.main.profile;
    const Graph& graph = report_.hierarchy.graph();
    json_.NewLine();
    json_.Key("kernels").BeginArray();
    for (size_t i = 0; i < profile.kernels.size(); ++i) {
      const Kernel& kernel = profile.kernels[i];
      const KernelPlace& place = report_.main.times.places[i];
      json_.NewLine();
      json_.BeginObject();
      json_.Key("name").String(kernel.name);
      json_.Key("op_type").String(kernel.op_type);
      json_.Key("time").Unsigned(kernel.time);
      json_.Key("calls").Unsigned(kernel.calls);
      json_.Key("module").StringOrNull(place.module.valid() ? annotation_.Tag(place.module) : "");
      json_.Key("node").StringOrNull(place.node.valid() ? graph.NodePath(place.node) : "");
      json_.Key("placed_by").String(PlacedByName(place.by));
      json_.EndObject();
      out_.Pass();
    }
    json_.EndArray();
  }

  const ProfileReport& report_;
  const Annotation& annotation_;
  OutgoingText out_;
  JsonText json_;
};

}  // namespace

absl::Status WriteProfileJson(const ProfileReport& report, ByteSink& sink) {
  return ProfileJson(report, sink).Write();
}

}  // namespace onnx_hier
