// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/profile_formats.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// As RFC 4180 has it. Whoever looks at a table in a terminal is no reader of its own kind, and a
// spreadsheet takes what begins like a formula for one, but behind an apostrophe.
std::string Field(absl::string_view text) {
  std::string field = SafeForTerminal(text);
  if (!field.empty() && absl::string_view("=+-@").find(field[0]) != absl::string_view::npos) {
    field.insert(0, 1, '\'');
  }
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  for (size_t at = field.find('"'); at != std::string::npos; at = field.find('"', at + 2)) {
    field.insert(at, 1, '"');
  }
  return absl::StrCat("\"", field, "\"");
}

std::string OperatorsField(const ModuleTime& time) {
  std::string text;
  for (const OperatorTime& entry : time.operators) {
    absl::StrAppend(&text, text.empty() ? "" : " ", OperatorName(entry.op_type), ":", entry.time);
  }
  return Field(text);
}

void AppendLine(const ProfileReport& report, absl::string_view name, const ModuleTime& time,
                uint64_t parameters, const ModuleTime* other, std::string* out) {
  const uint64_t whole = std::max<uint64_t>(1, report.main.times.total);
  const double share = static_cast<double>(time.total) / static_cast<double>(whole);
  absl::StrAppend(out, Field(name), ",", time.total, ",", time.own, ",",
                  absl::StrFormat("%.6f", share), ",", time.total_calls, ",", time.own_calls, ",",
                  parameters, ",", OperatorsField(time));
  if (other != nullptr) absl::StrAppend(out, ",", other->total, ",", other->own);
  absl::StrAppend(out, "\n");
}

ModuleTime Unplaced(const TimedProfile& profile) {
  ModuleTime time;
  time.own = profile.times.unplaced;
  time.total = profile.times.unplaced;
  for (size_t i = 0; i < profile.times.places.size(); ++i) {
    if (profile.times.places[i].module.valid()) continue;
    time.own_calls += profile.profile.kernels[i].calls;
  }
  time.total_calls = time.own_calls;
  return time;
}

}  // namespace

absl::Status WriteProfileCsv(const ProfileReport& report, ByteSink& sink) {
  const Annotation& annotation = report.hierarchy.annotation();
  OutgoingText out(sink);
  absl::StrAppend(out.text(),
                  "module,total_ns,own_ns,share,calls,own_calls,parameters,own_ns_by_operator",
                  report.other ? ",after_total_ns,after_own_ns\n" : "\n");
  for (ModuleId id : annotation.modules.ids()) {
    if (annotation.modules.DepthOf(id) > report.depth) continue;
    const Module& module = annotation.modules.module(id);
    AppendLine(report, annotation.Tag(id), report.main.times.modules[id], module.total_parameters,
               report.other ? &report.other->times.modules[id] : nullptr, out.text());
    out.Pass();
  }
  const ModuleTime unplaced = Unplaced(report.main);
  const ModuleTime after = report.other ? Unplaced(*report.other) : ModuleTime();
  if (unplaced.own_calls > 0 || after.own_calls > 0) {
    AppendLine(report, kNotPlaced, unplaced, 0, report.other ? &after : nullptr, out.text());
  }
  return out.Finish();
}

}  // namespace onnx_hier
