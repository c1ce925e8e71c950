// SPDX-License-Identifier: Apache-2.0

// Chrome's trace events: when kernels ran, and the modules that they were in.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/amount_figures.h"
#include "lib/show/profile_formats.h"
#include "lib/tree/module_name.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// Kernels one after the other, where it is not known when they ran.
std::vector<KernelSpan> SpansOf(const Profile& profile) {
  if (!profile.last_run.empty()) return profile.last_run;
  std::vector<KernelSpan> spans;
  uint64_t begin = 0;
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    const uint64_t time = profile.kernels[i].amount.whole();
    if (profile.kernels[i].calls > 0) spans.push_back({static_cast<uint32_t>(i), 0, begin, time});
    begin += time;
  }
  return spans;
}

class TraceWriter {
 public:
  TraceWriter(const ProfileReport& report, ByteSink& sink)
      : report_(report),
        annotation_(report.hierarchy.annotation()),
        tree_(annotation_.modules),
        out_(sink),
        json_(out_.text()) {}

  absl::Status Write() {
    json_.BeginObject();
    json_.Key("displayTimeUnit").String("ns");
    json_.Key("traceEvents").BeginArray();
    const std::vector<KernelSpan> spans = SpansOf(report_.main.profile);
    for (size_t i = 0; i < spans.size(); ++i) {
      if (i == 0 || spans[i].thread != spans[i - 1].thread) {
        CloseTo(ModuleId(), kEnd);
        BeginThread(spans[i].thread);
      }
      Enter(spans[i]);
      AppendKernel(spans[i]);
      out_.Pass();
    }
    CloseTo(ModuleId(), kEnd);
    json_.EndArray();
    json_.EndObject();
    out_.text()->push_back('\n');
    return out_.Finish();
  }

 private:
  static constexpr uint64_t kEnd = ~uint64_t{0};
  // Spans in each other: more are higher than a screen, and would make the square of the input.
  static constexpr uint32_t kDeepest = 20;

  // A module that is running.
  struct Open {
    ModuleId module;
    uint64_t begin;
    uint64_t end;
  };

  // Threads have a track of modules and one of kernels.
  void BeginThread(uint32_t thread) {
    ++thread_;
    for (const char* what : {"modules", "kernels"}) {
      const bool is_kernels = what[0] == 'k';
      json_.NewLine();
      json_.BeginObject();
      json_.Key("name").String("thread_name");
      json_.Key("ph").String("M");
      AppendTrack(is_kernels);
      json_.Key("args").BeginObject();
      json_.Key("name").String(absl::StrCat(what, " of thread ", thread));
      json_.EndObject();
      json_.EndObject();
    }
  }

  void AppendTrack(bool is_kernels) {
    json_.Key("pid").Unsigned(1);
    json_.Key("tid").Unsigned(2 * thread_ + (is_kernels ? 1 : 0));
  }

  void AppendSpan(absl::string_view name, absl::string_view category, uint64_t begin,
                  uint64_t duration) {
    json_.NewLine();
    json_.BeginObject();
    json_.Key("name").String(name);
    json_.Key("cat").String(category);
    json_.Key("ph").String("X");
    AppendTrack(category == "kernel");
    json_.Key("ts").Raw(Microseconds(begin));
    json_.Key("dur").Raw(Microseconds(duration));
  }

  static std::string Microseconds(uint64_t time) {
    return absl::StrFormat("%d.%03d", time / 1000, time % 1000);
  }

  // Ends the modules that do not hold `module`, by `now` at the latest.
  void CloseTo(ModuleId module, uint64_t now) {
    while (!open_.empty() && !(module.valid() && tree_.Contains(open_.back().module, module))) {
      const Open& last = open_.back();
      const uint64_t end = std::max(last.begin, std::min(last.end, now));
      AppendSpan(NameInParent(annotation_, last.module), "module", last.begin, end - last.begin);
      json_.EndObject();
      open_.pop_back();
    }
  }

  // Begins the modules around a kernel that are not running.
  void Enter(const KernelSpan& span) {
    const ModuleId module = report_.main.placed.places[span.kernel].module;
    const ModuleId shown =
        module.valid() ? ShownModule(report_.hierarchy, module, std::min(report_.depth, kDeepest))
                       : module;
    CloseTo(shown, span.begin);
    std::vector<ModuleId> entered;
    const ModuleId around = open_.empty() ? ModuleId() : open_.back().module;
    for (ModuleId at = shown; at != around && at.valid(); at = tree_.module(at).parent) {
      entered.push_back(at);
    }
    for (size_t i = entered.size(); i-- > 0;) open_.push_back({entered[i], span.begin, 0});
    for (Open& open : open_) open.end = std::max(open.end, span.begin + span.duration);
  }

  void AppendKernel(const KernelSpan& span) {
    const Kernel& kernel = report_.main.profile.kernels[span.kernel];
    const ModuleId module = report_.main.placed.places[span.kernel].module;
    AppendSpan(OperatorName(kernel.op_type), "kernel", span.begin, span.duration);
    json_.Key("args").BeginObject();
    json_.Key("kernel").String(kernel.name);
    json_.Key("module").String(module.valid() ? annotation_.Tag(module) : kNotPlaced);
    json_.EndObject();
    json_.EndObject();
  }

  const ProfileReport& report_;
  const Annotation& annotation_;
  const ModuleTree& tree_;
  OutgoingText out_;
  JsonText json_;
  std::vector<Open> open_;  // from the outermost inwards
  uint64_t thread_ = 0;
};

}  // namespace

absl::Status WriteProfileTrace(const ProfileReport& report, ByteSink& sink) {
  return TraceWriter(report, sink).Write();
}

}  // namespace onnx_hier
