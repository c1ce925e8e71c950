// SPDX-License-Identifier: Apache-2.0

// Modules as stacks of frames, the operator on top: flame graphs.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/outgoing_text.h"
#include "lib/show/amount_figures.h"
#include "lib/show/profile_formats.h"
#include "lib/tree/module_name.h"
#include "onnx_hier/version.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// A stack, and how long it stood.
struct Stack {
  ModuleId module;  // none: of kernels that were not placed
  absl::string_view top;
  uint64_t time = 0;
};

// Those that took any time, in the tree's order; kernels that were not placed at the end.
std::vector<Stack> StacksOf(const ProfileReport& report) {
  const ModuleTree& tree = report.hierarchy.modules();
  const PlacedProfile& placed = report.main.placed;
  std::vector<Stack> stacks;
  for (ModuleId id : tree.ids()) {
    const ModuleId shown = ShownModule(report.hierarchy, id, report.depth);
    for (const WordAmount& part : placed.amounts.OwnWords(id)) {
      if (part.amount.is_zero()) continue;
      stacks.push_back({shown, OperatorName(part.word), part.amount.whole()});
    }
  }
  for (size_t i = 0; i < placed.places.size(); ++i) {
    const Kernel& kernel = report.main.profile.kernels[i];
    if (placed.places[i].module.valid() || kernel.amount.is_zero()) continue;
    stacks.push_back({ModuleId(), kernel.name, kernel.amount.whole()});
  }
  return stacks;
}

// The module and those around it, the root first.
std::vector<ModuleId> FramesOf(const ModuleTree& tree, ModuleId module) {
  std::vector<ModuleId> frames;
  for (; module.valid(); module = tree.module(module).parent) frames.push_back(module);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

// A semicolon parts frames, and a line ends a stack.
std::string FoldedName(absl::string_view name) {
  return absl::StrReplaceAll(SafeForTerminal(name), {{";", ":"}});
}

class SpeedscopeFrames {
 public:
  explicit SpeedscopeFrames(const Annotation& annotation)
      : annotation_(annotation), numbers_(annotation.modules.size(), kNone) {}

  // The numbers of the frames, new ones appended to the list.
  void AppendSample(const Stack& stack, JsonText& json, JsonText& list) {
    json.NewLine();
    json.BeginArray();
    for (ModuleId id : FramesOf(annotation_.modules, stack.module)) {
      if (numbers_[id] == kNone) {
        numbers_[id] = Add(NameInParent(annotation_, id), annotation_.Tag(id), list);
      }
      json.Unsigned(numbers_[id]);
    }
    if (!stack.module.valid()) {
      if (not_placed_ == kNone) not_placed_ = Add(kNotPlaced, "", list);
      json.Unsigned(not_placed_);
    }
    json.Unsigned(Add(stack.top, stack.module.valid() ? annotation_.Tag(stack.module) : "", list));
    json.EndArray();
  }

 private:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

  uint32_t Add(absl::string_view name, absl::string_view file, JsonText& list) {
    list.NewLine();
    list.BeginObject();
    list.Key("name").String(name);
    if (!file.empty()) list.Key("file").String(file);
    list.EndObject();
    return count_++;
  }

  const Annotation& annotation_;
  IdVector<ModuleId, uint32_t> numbers_;
  uint32_t not_placed_ = kNone;
  uint32_t count_ = 0;
};

}  // namespace

absl::Status WriteProfileFolded(const ProfileReport& report, ByteSink& sink) {
  const Annotation& annotation = report.hierarchy.annotation();
  OutgoingText out(sink);
  for (const Stack& stack : StacksOf(report)) {
    if (!stack.module.valid()) absl::StrAppend(out.text(), kNotPlaced, ";");
    for (ModuleId id : FramesOf(annotation.modules, stack.module)) {
      absl::StrAppend(out.text(), FoldedName(NameInParent(annotation, id)), ";");
    }
    absl::StrAppend(out.text(), FoldedName(stack.top), " ", stack.time, "\n");
    out.Pass();
  }
  return out.Finish();
}

absl::Status WriteProfileSpeedscope(const ProfileReport& report, ByteSink& sink) {
  const std::vector<Stack> stacks = StacksOf(report);
  SpeedscopeFrames frames(report.hierarchy.annotation());
  std::string frame_text;
  JsonText frame_list(&frame_text);
  frame_list.BeginArray();
  std::string sample_text;
  JsonText samples(&sample_text);
  samples.BeginArray();
  for (const Stack& stack : stacks) frames.AppendSample(stack, samples, frame_list);
  samples.EndArray();
  frame_list.EndArray();
  OutgoingText out(sink);
  JsonText json(out.text());
  json.BeginObject();
  json.Key("$schema").String("https://www.speedscope.app/file-format-schema.json");
  json.Key("exporter").String(absl::StrCat("onnx-hier ", kVersion));
  json.Key("name").String(report.model_file);
  json.Key("activeProfileIndex").Unsigned(0);
  json.Key("shared").BeginObject();
  json.Key("frames").Raw(frame_text);
  json.EndObject();
  json.Key("profiles").BeginArray();
  json.BeginObject();
  json.Key("type").String("sampled");
  json.Key("name").String(report.main.file);
  json.Key("unit").String("nanoseconds");
  json.Key("startValue").Unsigned(0);
  json.Key("endValue").Unsigned(report.main.placed.amounts.whole().whole());
  json.Key("samples").Raw(sample_text);
  json.Key("weights").BeginArray();
  for (const Stack& stack : stacks) json.Unsigned(stack.time);
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  out.text()->push_back('\n');
  return out.Finish();
}

}  // namespace onnx_hier
