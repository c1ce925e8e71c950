// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/check.h"
#include "onnx_hier/diff.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/tags.h"
#include "onnx_hier/user_rules.h"
#include "onnx_hier_program/model_results.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "onnx_hier_program/text.h"
#include "tools/cli/flags.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/cost_flags.h"
#include "tools/onnx-hier/input_list.h"
#include "tools/onnx-hier/many_inputs.h"
#include "tools/onnx-hier/model_batch.h"
#include "tools/onnx-hier/one_output.h"
#include "tools/onnx-hier/profile_files.h"
#include "tools/onnx-hier/review_model.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

struct FixOutcome {
  size_t left = 0;  // findings
  std::vector<std::string> warnings;
  std::string message;  // for people
};

// Where --fix writes to; "" without it.
std::string OutputPath(const ParsedFlags& flags) {
  return flags.Has("in-place") ? flags.arguments()[0] : flags.Value("output");
}

// The repaired tags; all tags, if they were not in doc_strings. Texts lie in `tags` and `spelled`.
std::vector<GivenTag> TagsToWrite(const Graph& graph, const Tags& tags,
                                  const std::vector<Finding>& repairs,
                                  std::deque<std::string>& spelled) {
  std::vector<GivenTag> given;
  size_t next = 0;
  for (NodeId node : graph.node_ids()) {
    const bool repaired = next < repairs.size() && repairs[next].node == node;
    if (!repaired && (tags.source == TagSource::kDocStrings || !tags.has_tag(node))) continue;
    GivenTag tag;
    tag.node = node;
    tag.tags.emplace_back(tags.Text(node));
    for (PathId path : tags.auxiliary_of(node)) {
      tag.tags.push_back(spelled.emplace_back(tags.Spell(path)));
    }
    tag.method = repaired                              ? Method::kRepaired
                 : tags.source == TagSource::kMetadata ? Method::kMetadata
                                                       : Method::kSidecar;
    tag.confidence = repaired ? repairs[next].confidence : kSidecarConfidence;
    given.push_back(std::move(tag));
    if (repaired) ++next;
  }
  return given;
}

// What is wrong with --fix and the flags that go with it, or "".
std::string CheckFixFlags(const ParsedFlags& flags) {
  if (flags.Has("output") && flags.Has("in-place")) {
    return "--output and --in-place exclude each other";
  }
  if (!flags.Has("fix")) {
    for (const char* name : {"output", "in-place", "external-data", "no-sync", "force"}) {
      if (flags.Has(name)) return absl::StrCat("--", name, " needs --fix");
    }
    return "";
  }
  if (OutputPath(flags).empty()) return "--fix needs --output or --in-place";
  if (flags.Has("fresh")) return "--fix and --fresh exclude each other: 'tag' writes fresh tags";
  if (flags.Has("original")) {
    return "--fix and --original exclude each other: 'apply ORIGINAL.onnx' writes its tags";
  }
  if (flags.Has("coverage") && !flags.Has("contamination")) {
    return "--fix mends wrong tags: leave --coverage out, or add --contamination";
  }
  if (OutputPath(flags) == "-") {
    if (flags.Has("in-place")) return "standard input cannot be replaced: use --output";
    if (flags.Has("json-lines")) return "--json-lines needs standard output for itself";
    if (!flags.Has("quiet")) {
      return "standard output cannot take the model and the findings: add --quiet";
    }
  }
  return CheckWriteFlags(flags, OutputPath(flags));
}

// Whether the output of --fix, if there is one, may be written.
absl::Status CheckFixOutput(const Model& model, const ParsedFlags& flags) {
  if (!flags.Has("fix")) return absl::OkStatus();
  const TextFile texts[] = {{"the sidecar", flags.Value("tags")},
                            {"the module map", flags.Value("module-map")},
                            {"the rules", flags.Value("rules")}};
  return CheckOutput(model, flags.arguments()[0], OutputPath(flags), flags, texts);
}

// Writes the model. The error names the output; kCancelled: interrupted, or nobody reads it.
absl::StatusOr<FixOutcome> Fix(const Model& model, const ParsedFlags& flags, const ModuleMap& map,
                               std::vector<Finding> findings, Tags& tags) {
  const std::string& input = flags.arguments()[0];
  const std::string output = OutputPath(flags);
  const Repairs repairs = Repair(model.graph(), map, std::move(findings), tags);
  std::deque<std::string> spelled;
  const std::vector<GivenTag> given = TagsToWrite(model.graph(), tags, repairs.done, spelled);
  FixOutcome outcome;
  const absl::Status status = WriteOneOutput(flags, input, model, GivenTagEdits(model, given, map),
                                             output, outcome.warnings);
  if (!status.ok()) return status;
  const size_t proven = repairs.done.size() - repairs.layer_only;
  outcome.left = repairs.left.size() + repairs.layer_only;
  outcome.message = absl::StrCat(output, ": ", proven, " tags put right, ", outcome.left, " left",
                                 repairs.layer_only == 0
                                     ? ""
                                     : absl::StrCat(" (", repairs.layer_only,
                                                    " in the right layer now, their module "
                                                    "unproven: --module-map FILE would tell)"));
  return outcome;
}

constexpr Flag kFlags[] = {
    {"contamination", 0, nullptr, "look for tags that name a wrong layer or module (the default)"},
    {"coverage", 0, nullptr, "look for missing tags, unknown modules, a sidecar out of step"},
    {"tags", 't', "FILE", "check the tags of a sidecar instead of those in the model"},
    {"fresh", 0, nullptr, "check what 'tag' would write instead of what the model has"},
    {"module-map", 0, "FILE", "classes of modules (JSON), to compare class tags with"},
    kCheckpointFlag,
    {"rules", 0, "FILE", "what you know better than names, and what must hold besides (see tag)"},
    kOriginalFlag,
    kCostFlags[0],
    kCostFlags[1],
    {"module", 0, "PATTERN",
     "check the nodes of these modules only, as 'tag' places them; may be given several times",
     /*repeatable=*/true},
    {"max", 0, "N", "succeed with up to N findings"},
    {"review", 0, nullptr,
     "ask about doubtful modules, as few questions as there are, and keep the answers as rules "
     "(--rules FILE, else IN.rules); not on a terminal: print the questions as JSON"},
    {"below", 0, "P", "with --review: of nodes less sure than P (default: 0.9)"},
    {"fix", 0, nullptr, "write a model with the wrong tags put right"},
    {"output", 'o', "OUT.onnx", "with --fix: write it here ('-': standard output)",
     /*repeatable=*/false, ".onnx"},
    {"in-place", 0, nullptr, "with --fix: replace the input, atomically"},
    kExternalDataFlag,
    kNoSyncFlag,
    kForceFlag,
    kFilesFromFlag,
    kJobsFlag,
    kThreadsFlag,
    OneOf({"format", 0, "F", "text (default), markdown, lines or json"},
          "text markdown lines json"),
    {"json", 0, nullptr, "the same as --format json"},
    kJsonLinesFlag,
    {"lines", 0, nullptr, "one line for each finding: the same as --format lines"},
    kQuietFlag,
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier check bert_tagged.onnx", "lists tags that name a wrong layer or module"},
    {"onnx-hier check bert_tagged.onnx --coverage", "lists what has no tag or does not fit"},
    {"onnx-hier check bert.onnx --tags bert_hierarchy.json", "checks the tags of a sidecar"},
    {"onnx-hier check bert_tagged.onnx --fix -o bert_fixed.onnx", "puts wrong tags right"},
    {"onnx-hier check bert_optimised.onnx --original bert.onnx",
     "checks the tags of a model against those of the one that it was made from"},
    {"onnx-hier check bert_tagged.onnx --module '**.layer.[0-5]'", "checks some of the layers"},
    {"onnx-hier check tagged/*.onnx --lines", "checks many models"},
    {"onnx-hier check bert_tagged.onnx --format markdown", "for a pull request"},
    {"onnx-hier check bert.onnx --fresh", "checks the tags that 'tag' would write"},
    {"onnx-hier check bert.onnx --rules gate.rules", "checks what must hold, such as sizes"},
    {"onnx-hier check bert.onnx --review", "asks what you know better, and writes bert.rules"},
};

constexpr absl::string_view kFormats[] = {"text", "markdown", "lines", "json"};

std::string FormatOf(const ParsedFlags& flags) {
  if (flags.Has("json") || flags.Has("json-lines")) return "json";
  if (flags.Has("lines")) return "lines";
  return flags.Has("format") ? flags.Value("format") : "text";
}

std::string CheckFlags(const ParsedFlags& flags) {
  if (std::string wrong = CheckInputs(flags, {"tags", "original", "fix"}); !wrong.empty()) {
    return wrong;
  }
  if (flags.Has("review") && IsForSeveral(flags)) return "--review is for one model";
  if (flags.Has("below") && !flags.Has("review")) return "--below needs --review";
  if (flags.Has("tags") && flags.Has("fresh")) return "--tags and --fresh exclude each other";
  if (flags.Has("json") + flags.Has("lines") + flags.Has("json-lines") > 1) {
    return "--json, --lines and --json-lines exclude each other";
  }
  if (flags.Has("format") && (flags.Has("json") || flags.Has("lines") || flags.Has("json-lines"))) {
    return "--format excludes --json, --lines and --json-lines";
  }
  const std::string format = FormatOf(flags);
  if (!absl::c_linear_search(kFormats, format)) {
    return absl::StrCat("--format takes text, markdown, lines or json, not '", format, "'");
  }
  if (format == "json" && !flags.Has("json-lines") && IsForSeveral(flags))
    return "several models need --json-lines";
  const std::string wrong = CheckStreams(flags, {"tags", "original", "files-from"});
  return wrong.empty() ? CheckFixFlags(flags) : wrong;
}

bool HasRequirements(const AnnotateOptions& options) {
  return options.rules != nullptr && !options.rules->requirements.empty();
}

// The model that is checked, which is flat: of a folded one it is what that was before.
struct CheckedModel {
  Model given;
  std::optional<UnfoldedModel> unfolded;

  const Model& flat() const { return unfolded.has_value() ? unfolded->model : given; }
};

absl::StatusOr<CheckedModel> OpenChecked(const std::string& path, const ParsedFlags& flags,
                                         const AnnotateOptions& options) {
  absl::StatusOr<Model> model = OpenModel(path, options.threads);
  if (!model.ok()) return model.status();
  CheckedModel checked = {*std::move(model), std::nullopt};
  const bool needs_weights =
      options.checkpoint != nullptr || (HasRequirements(options) && flags.Has("original"));
  absl::StatusOr<std::optional<UnfoldedModel>> unfolded =
      UnfoldModel(checked.given, path, needs_weights ? Weights::kCopied : Weights::kZeros);
  if (!unfolded.ok()) return unfolded.status();
  checked.unfolded = *std::move(unfolded);
  if (checked.unfolded.has_value() && flags.Has("fix")) {
    const bool is_folded = IsFolded(checked.given);
    return absl::FailedPreconditionError(
        absl::StrCat(InputName(path), ": ",
                     is_folded ? "is folded: unfold it first"
                               : "has functions that stand for several modules: "
                                 "'unfold --all' it first",
                     ", then --fix it"));
  }
  return checked;
}

// Of the model, or of the sidecar that the flags name.
absl::StatusOr<CheckedTags> ReadCheckedTags(const CheckedModel& checked, const ParsedFlags& flags,
                                            const AnnotateOptions& options) {
  std::optional<std::string> sidecar;
  const std::string path = flags.Value("tags");
  if (flags.Has("tags")) {
    absl::StatusOr<std::string> text = ReadText(path);
    if (!text.ok()) return text.status();
    sidecar = *std::move(text);
  }
  absl::StatusOr<CheckedTags> tags =
      checked.unfolded.has_value()
          ? TagsOfFolded(checked.given, *checked.unfolded, sidecar, options)
          : TagsToCheck(checked.given.graph(), sidecar);
  if (tags.ok()) return tags;
  return absl::InvalidArgumentError(absl::StrCat(InputName(path), ": ", tags.status().message()));
}

absl::StatusOr<CheckedTags> FindSubject(const std::string& path, const CheckedModel& checked,
                                        const ParsedFlags& flags, const AnnotateOptions& options,
                                        const Annotation& written) {
  const Model& model = checked.flat();
  absl::StatusOr<CheckedTags> found = flags.Has("fresh") ? CheckedTags{TagsOf(written), {}, {}}
                                                         : ReadCheckedTags(checked, flags, options);
  if (!found.ok()) return found;
  CheckedTags& subject = *found;
  const bool nothing_to_tag = model.graph().node_count() == 0;
  if (subject.tags.CountTagged() > 0 || nothing_to_tag || flags.Has("coverage")) return found;
  // Rules may be all that is to be checked.
  if (HasRequirements(options) && !flags.Has("contamination")) return found;
  if (!subject.malformed.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(InputName(path), ": none of its ",
                                                      subject.malformed.size(),
                                                      " tags can be read; --coverage lists them"));
  }
  if (flags.Has("tags")) {
    return absl::FailedPreconditionError(absl::StrCat(InputName(flags.Value("tags")),
                                                      ": has no tags of nodes of ", InputName(path),
                                                      " to check"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(InputName(path),
                   ": has no tags to check; tag it first, give them with --tags FILE, or "
                   "check with --fresh what 'tag' would write"));
}

// What a check for wrong tags says nothing of, but should not pass over in silence.
std::vector<std::string> Unread(const std::string& path, const ParsedFlags& flags,
                                const AnnotateOptions& options, const Annotation& written,
                                const CheckedTags& subject) {
  std::vector<std::string> warnings;
  if (!subject.malformed.empty() && !flags.Has("coverage")) {
    const size_t count = subject.malformed.size();
    warnings.push_back(absl::StrCat(InputName(path), ": ", Counted(count, "tag"),
                                    " cannot be read; --coverage lists them"));
  }
  if (!flags.Has("module-map") && options.rules == nullptr) return warnings;
  for (std::string& warning : WarningsOf(flags, options, written)) {
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

absl::Status WriteReport(const ParsedFlags& flags, const CheckReport& report, ByteSink& sink) {
  const std::string format = FormatOf(flags);
  return format == "json"       ? WriteCheckReportJson(report, sink)
         : format == "lines"    ? WriteCheckReportLines(report, sink)
         : format == "markdown" ? WriteCheckReportMarkdown(report, sink)
                                : WriteCheckReportText(report, sink);
}

// What is known of the model that is checked, besides its tags.
struct Known {
  Annotation written;  // what `tag` would write, where anything is compared with that
  std::optional<Annotation> carried;  // with --original: what that makes of it
};

absl::StatusOr<Known> FindKnown(const std::string& path, const Model& model,
                                const ParsedFlags& flags, const AnnotateOptions& options) {
  Known known;
  if (flags.Has("fresh") || flags.Has("coverage") || flags.Has("module-map") ||
      flags.Has("module") || options.rules != nullptr) {
    absl::StatusOr<Annotation> written = AnnotateModel(model, path, options);
    if (!written.ok()) return written.status();
    known.written = *std::move(written);
  }
  if (!flags.Has("original")) return known;
  absl::StatusOr<Annotation> carried = AnnotateByOriginal(model, path, flags, options);
  if (!carried.ok()) return carried.status();
  known.carried = *std::move(carried);
  return known;
}

// What is wrong with the subject's tags, as far as the flags ask.
CheckReport Compare(const std::string& path, const Model& model, const ParsedFlags& flags,
                    const AnnotateOptions& options, const Known& known, CheckedTags& subject) {
  const ModuleMap& map = options.module_map;
  subject.tags.rules = known.written.rules.get();
  subject.tags.parameter_names = options.parameter_names;
  CheckReport report = {NameInReports(path, flags),
                        model.graph(),
                        subject.tags,
                        subject.malformed.size(),
                        {},
                        {},
                        {}};
  const bool is_untagged = subject.tags.CountTagged() == 0 && HasRequirements(options);
  if (flags.Has("contamination") || (!flags.Has("coverage") && !is_untagged)) {
    report.contamination = known.carried.has_value()
                               ? FindContamination(model.graph(), map, *known.carried, subject.tags)
                               : FindContamination(model.graph(), map, subject.tags);
  }
  if (flags.Has("coverage")) {
    report.coverage = FindGaps(model.graph(), map, known.written, subject.tags, subject.malformed,
                               subject.sidecar);
  }
  return report;
}

absl::StatusOr<std::vector<BrokenRule>> FindBrokenRules(const std::string& path, const Model& model,
                                                        const ParsedFlags& flags,
                                                        const AnnotateOptions& options,
                                                        const Annotation& written) {
  const auto about = [&](const absl::Status& status) {
    return Named(InputName(flags.Value("rules")), CostError(status));
  };
  const absl::StatusOr<CostOptions> costs = ReadCostFlags(flags);
  if (!costs.ok()) return costs.status();
  const Hierarchy hierarchy(model.graph(), written);
  const auto check = [&](const ComparedOriginal* original) {
    absl::StatusOr<std::vector<BrokenRule>> broken =
        CheckRequirements(model, hierarchy, *options.rules, *costs, original);
    return broken.ok() ? std::move(broken) : about(broken.status());
  };
  if (!flags.Has("original")) return check(nullptr);
  const absl::StatusOr<Model> original = OpenFlatModel(flags.Value("original"), Weights::kCopied);
  if (!original.ok()) return original.status();
  // The same rules, so that modules which they rename are the same ones.
  const Annotation before = Annotate(*original, options);
  const Hierarchy modules_before(original->graph(), before);
  const absl::StatusOr<ModelDiff> diff =
      onnx_hier::Compare(*original, modules_before, model, hierarchy, {});
  if (!diff.ok()) return Named(InputName(path), diff.status());
  const ComparedOriginal compared = {modules_before, *diff};
  return check(&compared);
}

// What --module does not ask for goes out of the report; what is about no node stays.
absl::Status KeepChosen(const std::string& path, const ParsedFlags& flags, const Known& known,
                        CheckReport& report) {
  if (!flags.Has("module")) return absl::OkStatus();
  const Hierarchy hierarchy(report.graph, known.written);
  const absl::StatusOr<std::vector<ModuleId>> modules =
      FindModules(hierarchy, flags.Values("module"));
  if (!modules.ok()) {
    return Named(InputName(path), modules.status());
  }
  IdSet<NodeId> chosen(report.graph.node_count());
  for (ModuleId module : *modules) {
    for (NodeId node : hierarchy.Nodes(module)) chosen.Add(node);
  }
  const auto is_left_out = [&chosen](const auto& found) {
    return found.node.valid() && !chosen.Has(found.node);
  };
  if (report.contamination.has_value()) std::erase_if(*report.contamination, is_left_out);
  if (report.coverage.has_value()) std::erase_if(report.coverage->gaps, is_left_out);
  return absl::OkStatus();
}

// Checks models one by one, from any thread.
class Checking {
 public:
  // `most` findings are tolerated.
  Checking(const ParsedFlags& flags, const AnnotateOptions& options, uint32_t most)
      : flags_(flags), options_(options), most_(most) {}

  ModelOutcome Do(const std::string& path) const {
    return ReportOn(path, flags_, "report",
                    [&](ByteSink& sink, ModelResult& result, std::string& message) {
                      return Check(path, sink, result, message);
                    });
  }

 private:
  // Reports, and fixes if that is wanted.
  absl::Status Check(const std::string& path, ByteSink& sink, ModelResult& result,
                     std::string& message) const {
    const absl::StatusOr<CheckedModel> checked = OpenChecked(path, flags_, options_);
    if (!checked.ok()) return checked.status();
    const Model& model = checked->flat();
    const absl::StatusOr<AnnotateOptions> named =
        OptionsFor(model, path, options_, result.warnings);
    if (!named.ok()) return named.status();
    const AnnotateOptions& options = *named;
    const absl::StatusOr<Known> known = FindKnown(path, model, flags_, options);
    if (!known.ok()) return known.status();
    absl::StatusOr<CheckedTags> subject =
        FindSubject(path, *checked, flags_, options, known->written);
    if (!subject.ok()) return subject.status();
    if (absl::Status status = CheckFixOutput(model, flags_); !status.ok()) return status;
    for (std::string& warning : Unread(path, flags_, options, known->written, *subject)) {
      result.warnings.push_back(std::move(warning));
    }
    CheckReport report = Compare(path, model, flags_, options, *known, *subject);
    if (HasRequirements(options)) {
      absl::StatusOr<std::vector<BrokenRule>> broken =
          FindBrokenRules(path, model, flags_, options, known->written);
      if (!broken.ok()) return broken.status();
      report.broken_rules = *std::move(broken);
    }
    if (absl::Status status = KeepChosen(path, flags_, *known, report); !status.ok()) return status;
    if (!flags_.Has("quiet") || flags_.Has("json-lines")) {
      absl::Status status = WriteReport(flags_, report, sink);
      if (!status.ok()) return status;
    }
    size_t found = report.CountFound();
    if (report.contamination.has_value() && flags_.Has("fix")) {
      const size_t wrong = report.contamination->size();
      const absl::StatusOr<FixOutcome> fixed =
          Fix(model, flags_, options.module_map, *std::move(report.contamination), subject->tags);
      if (!fixed.ok()) return fixed.status();
      result.warnings.insert(result.warnings.end(), fixed->warnings.begin(), fixed->warnings.end());
      message = fixed->message;
      found = found - wrong + fixed->left;
    }
    if (found > most_) result.status = ResultStatus::kFound;
    return absl::OkStatus();
  }

  const ParsedFlags& flags_;
  const AnnotateOptions& options_;
  const uint32_t most_;
};

class CheckTags final : public ManyInputs {
 public:
  using ManyInputs::ManyInputs;

  absl::Status Setup() override {
    if (std::string wrong = CheckFlags(flags()); !wrong.empty()) return Misused(wrong);
    return ReadCount(flags(), "max", 0, most_);
  }

  absl::StatusOr<int> Run() override {
    absl::Status status = ReadList();
    if (status.ok()) status = ReadOptions();
    if (!status.ok()) return status;
    if (flags().Has("review")) return ReviewModel(inputs()[0], flags(), options());
    const Checking checking(flags(), options(), most_);
    return ForEach([&checking](const std::string& path) { return checking.Do(path); });
  }

 private:
  uint32_t most_ = 0;  // findings that are tolerated
};

}  // namespace

CommandEntry CheckCommand() {
  return {"check",
          "IN.onnx...",
          "find tags that name a wrong layer or module, and put them right",
          "Reads the tags that the nodes of a model carry, whoever wrote them, or those of a\n"
          "sidecar, and compares each with what does not depend on it: the node's name and the\n"
          "names of its outputs, the parameters it reads, its counterparts in the other layers,\n"
          "the order of the file, its neighbours. A less specific tag is not wrong. The exit code\n"
          "is 1 when something was found, or with --fix, when something is left.\n"
          "--fix keeps the old tag as an auxiliary one and changes no other node.",
          kFlags,
          kExamples,
          Make<CheckTags>};
}

}  // namespace onnx_hier::cli
