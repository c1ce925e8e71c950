// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/profile.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/module_plan.h"
#include "onnx_hier_program/placement.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/one_output.h"
#include "tools/onnx-hier/profile_files.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFirstFlags[] = {
    {"rule", 0, "PATTERN=DEVICE",
     "where the nodes of these modules run; may be given several times: the first that means a "
     "module counts",
     /*repeatable=*/true},
    kOutputFlag,
    kInPlaceFlag,
    {"dry-run", 0, nullptr, "write no model, only tell what would be in it"},
    {"verify", 0, "ASSIGNMENT",
     "a table of onnxruntime's by node with its execution providers: hold it against the labels"},
};
constexpr Flag kOtherFlags[] = {
    kModuleMapFlag, kRulesFlag, kExternalDataFlag,
    kNoSyncFlag,    kForceFlag, {"json", 0, nullptr, "print what was done, or found, as JSON"},
    kQuietFlag,     kHelpFlag,
};
constexpr auto kFlags = JoinFlags(kFirstFlags, kTableFlags, kOtherFlags);

constexpr Example kExamples[] = {
    {"onnx-hier place llama.onnx --rule 'model.layers.[0-15]=cuda' --rule '**=cpu'",
     "writes llama_placed.onnx, and tells the session's setting"},
    {"onnx-hier place llama.onnx --rule lm_head=npu --dry-run --json", "only tells it"},
    {"onnx-hier place llama_placed.onnx --verify assignment.csv",
     "what onnxruntime made of it, module by module"},
    {"onnx-hier strip llama_placed.onnx -o - | cmp - llama.onnx", "the model as it was"},
};

std::string WrongFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  if (flags.Has("verify")) {
    for (const char* other : {"rule", "output", "in-place", "dry-run"}) {
      if (flags.Has(other)) return absl::StrCat("--verify and --", other, " exclude each other");
    }
    return WrongTableFlags(flags);
  }
  if (!flags.Has("rule")) return "give a --rule PATTERN=DEVICE, or --verify ASSIGNMENT";
  if (std::string wrong = CheckOneOutput(flags, flags.arguments()[0], "dry-run"); !wrong.empty()) {
    return wrong;
  }
  if (flags.Value("output") == "-" && flags.Has("json")) {
    return "--json and a model cannot both go to standard output";
  }
  return "";
}

class PlaceModules final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    if (std::string wrong = WrongFlags(flags()); !wrong.empty()) return Misused(wrong);
    if (flags().Has("verify")) return absl::OkStatus();
    absl::StatusOr<ModulePlan> plan = ReadDevicePlan(flags().Values("rule"));
    if (!plan.ok()) return Misused(absl::StrCat("--rule: ", plan.status().message()));
    plan_ = *std::move(plan);
    if (flags().Has("dry-run")) return absl::OkStatus();
    output_ = OneOutput(flags(), path(), "_placed");
    return Misused(CheckWriteFlags(flags(), output_));
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = OpenAsItIs();
    if (status.ok()) status = Place();
    if (!status.ok()) return status;
    return flags().Has("verify") ? Verify() : Label();
  }

 private:
  absl::StatusOr<int> Label() {
    const absl::StatusOr<PlannedModules> planned = PlanModules(hierarchy(), plan_);
    if (!planned.ok()) return Misused(absl::StrCat("--rule: ", planned.status().message()));
    if (!planned->unmet.empty()) {
      return About(absl::NotFoundError(NoSuchModule(hierarchy(), planned->unmet.front()->pattern)));
    }
    const Placement placement = PlaceNodes(hierarchy(), *planned);
    std::vector<std::string> warnings =
        RuntimeWarnings(model().graph(), plan_, *planned, placement);
    if (!output_.empty()) {
      const absl::Status status =
          WriteOneOutput(flags(), path(), model(), placement.edits, output_, warnings);
      if (!status.ok()) return status;
    }
    if (!flags().Has("json")) WarnOf(warnings, flags());
    return Tell(*planned, placement, warnings);
  }

  absl::StatusOr<int> Tell(const PlannedModules& planned, const Placement& placement,
                           const std::vector<std::string>& warnings) const {
    if (flags().Has("json")) {
      return PrintOrFail(
          PlacementJson(hierarchy(), plan_, planned, placement, path(), output_, warnings));
    }
    if (flags().Has("quiet")) return kDone;
    const absl::StatusOr<Column> bytes = MeasureModules(hierarchy(), "bytes");
    if (!bytes.ok()) return bytes.status();
    const std::string setting = AssignmentSetting(plan_);
    PlannedModules shown = planned;
    shown.mixed.clear();  // somewhere data goes from one device to another
    std::string text = PlanText(hierarchy(), plan_, shown, "device", &*bytes);
    std::string quoted;
    JsonText(&quoted).String(setting);
    absl::StrAppend(&text, placement.labelled, " nodes labelled, ", placement.constants,
                    " constants not\n", "session.layer_assignment_settings=", setting, "\n",
                    "genai_config.json: {\"session_options\": "
                    "{\"session.layer_assignment_settings\": ",
                    quoted, "}}\n");
    // Beside a model on standard output it is talk.
    if (output_ == "-") {
      Say(text);
      return kDone;
    }
    return PrintOrFail(text);
  }

  absl::StatusOr<int> Verify() const {
    const absl::StatusOr<ProfileOptions> options = ReadProfileOptions(flags());
    if (!options.ok()) return options.status();
    const std::string file = flags().Value("verify");
    const absl::StatusOr<OpenedProfile> opened =
        OpenProfile(file, file, *options, model(), hierarchy(), flags());
    if (!opened.ok()) return opened.status();
    if (opened->profile.measure.unit != MeasureUnit::kWords) {
      return absl::InvalidArgumentError(absl::StrCat(
          InputName(file), ": holds no names of execution providers; --value says which column"));
    }
    const VerifiedPlacement verified =
        VerifyPlacement(hierarchy(), opened->profile, opened->placed);
    if (verified.as_planned + verified.elsewhere == 0) {
      return About(absl::FailedPreconditionError(
          "no node of the assignment has a label of 'place': give the model that it wrote"));
    }
    const std::string name = FileName(path());
    const int printed =
        PrintOrFail(flags().Has("json") ? VerifiedPlacementJson(hierarchy(), verified, name)
                                        : VerifiedPlacementText(hierarchy(), verified, name));
    return printed == kDone && verified.elsewhere > 0 ? kFound : printed;
  }

  std::string output_;  // "": none
  ModulePlan plan_;
};

}  // namespace

CommandEntry PlaceCommand() {
  return {
      "place",
      "IN.onnx",
      "label modules for devices, and see what onnxruntime made of it",
      "Gives the nodes of modules labels (layer_ann in their metadata), and tells the setting of\n"
      "onnxruntime's session that maps each to its device: cpu, gpu, cuda, dml, npu, fpga,\n"
      "accelerator, gpu:nvidia, gpu:1, or an execution provider such as QNNExecutionProvider.\n"
      "Labels that others gave nodes stay. An optimiser that saves a model drops labels: label "
      "the\n"
      "file that is run. With --verify, nodes that ran elsewhere are listed by module, and the\n"
      "exit code is 1 if there are any. 'onnx-hier strip' takes the labels out again, byte for\n"
      "byte. For patterns see 'onnx-hier select --help'. '-' is standard input.",
      kFlags,
      kExamples,
      Make<PlaceModules>};
}

}  // namespace onnx_hier::cli
