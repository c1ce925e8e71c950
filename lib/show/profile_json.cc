// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/column_json.h"
#include "lib/show/profile_formats.h"
#include "lib/show/row_figures.h"
#include "lib/show/tree_order.h"
#include "lib/show/tree_rows.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

class ProfileJson {
 public:
  ProfileJson(const ProfileReport& report, ByteSink& sink)
      : report_(report),
        annotation_(report.hierarchy.annotation()),
        fields_(report.columns),
        out_(sink),
        json_(out_.text()) {}

  absl::Status Write() {
    json_.BeginDocument("onnx-hier/profile", 1);
    json_.Key("model").String(report_.model_file);
    const Measure& measure = report_.main.placed.amounts.measure();
    if (measure.unit != MeasureUnit::kNanoseconds) {
      json_.Key("measure").String(measure.id);
      json_.Key("adds").String(AddsName(measure.adds));
    }
    json_.Key("unit").String(UnitName(measure.unit));
    json_.NewLine();
    AppendProfile("profile", report_.main);
    if (report_.other) {
      json_.NewLine();
      AppendProfile("after", *report_.other);
    }
    if (!report_.columns.empty()) {
      json_.NewLine();
      json_.Key("measures");
      AppendMeasures(report_.columns, json_);
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
    Put("total", timed.placed.amounts.whole());
    Put("not_placed", timed.placed.amounts.unplaced().total);
    json_.EndObject();
  }

  void Put(absl::string_view key, Amount amount) {
    json_.Key(key);
    AppendAmount(amount, report_.main.profile.measure.unit, json_);
  }

  void AppendFigures(const PlacedProfile& placed, ModuleId id) {
    const Figure& figure = placed.amounts.figure(id);
    Put("total", figure.total);
    Put("own", figure.own);
    if (figure.unknown > 0) json_.Key("unknown").Unsigned(figure.unknown);
    Put("calls", placed.calls.figure(id).total);
    Put("own_calls", placed.calls.figure(id).own);
  }

  void AppendModules() {
    json_.NewLine();
    json_.Key("modules").BeginArray();
    for (ModuleId id : ModulesShown(annotation_.modules, report_.rows())) {
      const Column& column = report_.main.placed.amounts;
      json_.NewLine();
      json_.BeginObject();
      json_.Key("path").String(annotation_.Tag(id));
      AppendFigures(report_.main.placed, id);
      json_.Key("parameters").Unsigned(annotation_.modules.module(id).total_parameters);
      const bool is_words = column.measure().unit == MeasureUnit::kWords;
      json_.Key(is_words ? "words" : "operators").BeginArray();
      for (const WordAmount& part : column.OwnWords(id)) {
        json_.BeginObject();
        json_.Key(is_words ? "word" : "op_type").String(part.word);
        Put("own", part.amount);
        json_.EndObject();
      }
      json_.EndArray();
      absl::StrAppend(out_.text(), fields_.Of(id));
      if (report_.other) {
        json_.Key("after").BeginObject();
        AppendFigures(report_.other->placed, id);
        json_.EndObject();
      }
      json_.EndObject();
      out_.Pass();
    }
    json_.EndArray();
  }

  void AppendOutliers() {
    const Column& column = report_.main.placed.amounts;
    TreeTextOptions options = report_.rows();
    options.lists = false;
    json_.NewLine();
    json_.Key("outliers").BeginArray();
    TreeRows(annotation_, options).ForEach([&](const TreeRow& row, const std::string& /*label*/) {
      const RowFigures figures = FiguresOfRow(column, row);
      for (ModuleId id : OutliersOf(column, row, figures)) {
        json_.NewLine();
        json_.BeginObject();
        json_.Key("path").String(annotation_.Tag(id));
        Put("total", column.figure(id).total);
        json_.Key("alike").Unsigned(row.modules.size());
        Put("median", figures.median);
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
      const KernelPlace& place = report_.main.placed.places[i];
      json_.NewLine();
      json_.BeginObject();
      json_.Key("name").String(kernel.name);
      json_.Key("op_type").String(kernel.op_type);
      const bool is_time = profile.measure.unit == MeasureUnit::kNanoseconds;
      Put(is_time ? "time" : "amount", kernel.amount);
      if (!kernel.word.empty()) json_.Key("word").String(kernel.word);
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
  MeasureFields fields_;
  OutgoingText out_;
  JsonText json_;
};

}  // namespace

absl::Status WriteProfileJson(const ProfileReport& report, ByteSink& sink) {
  return ProfileJson(report, sink).Write();
}

}  // namespace onnx_hier
