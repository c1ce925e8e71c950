#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/check.h"
#include "onnx_hier/folds.h"
#include "onnx_hier/given_tags.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/reports.h"
#include "onnx_hier/tags.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/checked_tags.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/profile_files.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"contamination", 0, nullptr, "look for tags that name a wrong layer or module (the default)"},
    {"coverage", 0, nullptr, "look for missing tags, unknown modules, a sidecar out of step"},
    {"tags", 't', "FILE", "check the tags of a sidecar instead of those in the model"},
    {"fresh", 0, nullptr, "check what 'tag' would write instead of what the model has"},
    {"module-map", 0, "FILE", "classes of modules (JSON), to compare class tags with"},
    kOriginalFlag,
    {"max", 0, "N", "succeed with up to N findings"},
    {"fix", 0, nullptr, "write a model with the wrong tags put right"},
    {"output", 'o', "OUT.onnx", "with --fix: write it here ('-': standard output)"},
    {"in-place", 0, nullptr, "with --fix: replace the input, atomically"},
    kExternalDataFlag,
    kNoSyncFlag,
    kForceFlag,
    {"json", 0, nullptr, "print the findings as JSON"},
    {"lines", 0, nullptr, "print one line for each finding"},
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
    {"onnx-hier check bert.onnx --fresh", "checks the tags that 'tag' would write"},
};

// Where --fix writes to; "" without it.
std::string OutputPath(const ParsedFlags& flags) {
  return flags.Has("in-place") ? flags.arguments()[0] : flags.Value("output");
}

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
    if (!flags.Has("quiet")) {
      return "standard output cannot take the model and the findings: add --quiet";
    }
  }
  return CheckWriteFlags(flags, OutputPath(flags));
}

std::string CheckFlags(const ParsedFlags& flags) {
  if (flags.arguments().size() != 1) return "name one model";
  if (flags.Has("tags") && flags.Has("fresh")) return "--tags and --fresh exclude each other";
  if (flags.Has("json") && flags.Has("lines")) return "--json and --lines exclude each other";
  const std::string wrong = CheckStreams(flags, {"tags", "original"});
  return wrong.empty() ? CheckFixFlags(flags) : wrong;
}

// The model that is checked, which is flat: of a folded one it is what that was before.
struct CheckedModel {
  Model given;
  std::optional<UnfoldedModel> unfolded;

  const Model& flat() const { return unfolded.has_value() ? unfolded->model : given; }
};

absl::StatusOr<CheckedModel> OpenChecked(const ParsedFlags& flags) {
  const std::string& path = flags.arguments()[0];
  absl::StatusOr<Model> model = OpenModel(path);
  if (!model.ok()) return model.status();
  CheckedModel checked = {*std::move(model), std::nullopt};
  if (!IsFolded(checked.given)) return checked;
  if (flags.Has("fix")) {
    return absl::FailedPreconditionError(
        absl::StrCat(InputName(path), ": is folded: unfold it first, then --fix it"));
  }
  absl::StatusOr<UnfoldedModel> unfolded = UnfoldModel(checked.given, path, Weights::kZeros);
  if (!unfolded.ok()) return unfolded.status();
  checked.unfolded = *std::move(unfolded);
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

absl::StatusOr<CheckedTags> FindSubject(const CheckedModel& checked, const ParsedFlags& flags,
                                        const AnnotateOptions& options, const Annotation& written) {
  const Model& model = checked.flat();
  const std::string& path = flags.arguments()[0];
  absl::StatusOr<CheckedTags> found = flags.Has("fresh") ? CheckedTags{TagsOf(written), {}, {}}
                                                         : ReadCheckedTags(checked, flags, options);
  if (!found.ok()) return found;
  CheckedTags& subject = *found;
  const bool nothing_to_tag = model.graph().node_count() == 0;
  if (subject.tags.CountTagged() > 0 || nothing_to_tag || flags.Has("coverage")) return found;
  if (!subject.malformed.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(InputName(path), ": none of its ",
                                                      subject.malformed.size(),
                                                      " tags can be read; --coverage lists them"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(InputName(path),
                   ": has no tags to check; tag it first, give them with --tags FILE, or "
                   "check with --fresh what 'tag' would write"));
}

// What a check for wrong tags says nothing of, but should not pass over in silence.
void WarnOfUnread(const ParsedFlags& flags, const AnnotateOptions& options,
                  const Annotation& written, const CheckedTags& subject) {
  if (flags.Has("quiet")) return;
  if (!subject.malformed.empty() && !flags.Has("coverage")) {
    const size_t count = subject.malformed.size();
    Warn(absl::StrCat(InputName(flags.arguments()[0]), ": ", count, count == 1 ? " tag" : " tags",
                      " cannot be read; --coverage lists them"));
  }
  if (!flags.Has("module-map")) return;
  const std::string warning = ModuleMapWarning(flags, options, written);
  if (!warning.empty()) Warn(warning);
}

int PrintReport(const ParsedFlags& flags, const CheckReport& report) {
  if (flags.Has("quiet")) return kDone;
  return PrintOrFail([&](ByteSink& sink) {
    return flags.Has("json")    ? WriteCheckReportJson(report, sink)
           : flags.Has("lines") ? WriteCheckReportLines(report, sink)
                                : WriteCheckReportText(report, sink);
  });
}

// The repaired tags; all tags, if they were not in doc_strings.
std::vector<GivenTag> TagsToWrite(const Graph& graph, const Tags& tags,
                                  const std::vector<Finding>& repairs) {
  std::vector<GivenTag> given;
  size_t next = 0;
  for (NodeId node : graph.node_ids()) {
    const bool repaired = next < repairs.size() && repairs[next].node == node;
    if (!repaired && (tags.source == TagSource::kDocStrings || !tags.has_tag(node))) continue;
    GivenTag tag;
    tag.node = node;
    tag.tags.emplace_back(tags.Text(node));
    for (PathId path : tags.auxiliary_of(node)) tag.tags.push_back(tags.Spell(path));
    tag.method = repaired                              ? Method::kRepaired
                 : tags.source == TagSource::kMetadata ? Method::kMetadata
                                                       : Method::kSidecar;
    tag.confidence = repaired ? repairs[next].confidence : kSidecarConfidence;
    given.push_back(std::move(tag));
    if (repaired) ++next;
  }
  return given;
}

// Returns how many findings are left, or an error.
absl::StatusOr<size_t> Fix(const Model& model, const ParsedFlags& flags, const ModuleMap& map,
                           std::vector<Finding> findings, Tags& tags) {
  const std::string& input = flags.arguments()[0];
  const std::string output = OutputPath(flags);
  const Repairs repairs = Repair(model.graph(), map, std::move(findings), tags);
  const std::vector<GivenTag> given = TagsToWrite(model.graph(), tags, repairs.done);
  Progress progress(InputName(input), model.file_size(), flags.Has("quiet"));
  std::vector<std::string> warnings;
  WriteOptions options = WriteOptionsOf(flags);
  options.progress = progress.counter();
  options.warnings = &warnings;
  const absl::Status status = Write(model, GivenTagEdits(model, given, map), To(output), options);
  if (absl::IsCancelled(status)) return status;
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat(OutputName(output), ": ", status.message()));
  }
  WarnOf(warnings, flags);
  if (!flags.Has("quiet")) {
    const size_t proven = repairs.done.size() - repairs.layer_only;
    SayLine(absl::StrCat(output, ": ", proven, " tags put right, ",
                         repairs.left.size() + repairs.layer_only, " left",
                         repairs.layer_only == 0
                             ? ""
                             : absl::StrCat(" (", repairs.layer_only,
                                            " in the right layer now, their module unproven: "
                                            "--module-map FILE would tell)")));
  }
  return repairs.left.size() + repairs.layer_only;
}

// Whether the output of --fix, if there is one, may be written.
absl::Status CheckFixOutput(const Model& model, const ParsedFlags& flags) {
  if (!flags.Has("fix")) return absl::OkStatus();
  const TextFile texts[] = {{"the sidecar", flags.Value("tags")},
                            {"the module map", flags.Value("module-map")}};
  return CheckOutput(model, flags.arguments()[0], OutputPath(flags), flags, texts);
}

// What is known of the model that is checked, besides its tags.
struct Known {
  Annotation written;  // what `tag` would write, where anything is compared with that
  std::optional<Annotation> carried;  // with --original: what that makes of it
};

absl::StatusOr<Known> FindKnown(const Model& model, const ParsedFlags& flags,
                                const AnnotateOptions& options) {
  Known known;
  if (flags.Has("fresh") || flags.Has("coverage") || flags.Has("module-map")) {
    known.written = Annotate(model, options);
  }
  if (!flags.Has("original")) return known;
  absl::StatusOr<Annotation> carried =
      AnnotateByOriginal(model, flags.arguments()[0], flags, options);
  if (!carried.ok()) return carried.status();
  known.carried = *std::move(carried);
  return known;
}

// What is wrong with the subject's tags, as far as the flags ask.
CheckReport Compare(const Model& model, const ParsedFlags& flags, const ModuleMap& map,
                    const Known& known, CheckedTags& subject) {
  CheckReport report = {InputName(FileName(flags.arguments()[0])),
                        model.graph(),
                        subject.tags,
                        subject.malformed.size(),
                        {},
                        {}};
  if (flags.Has("contamination") || !flags.Has("coverage")) {
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

// Reports, and fixes if that is wanted. `most` findings are tolerated.
int Check(const CheckedModel& checked, const ParsedFlags& flags, const AnnotateOptions& options,
          uint32_t most) {
  const Model& model = checked.flat();
  const absl::StatusOr<Known> known = FindKnown(model, flags, options);
  if (!known.ok()) return Fail(known.status().message());
  absl::StatusOr<CheckedTags> subject = FindSubject(checked, flags, options, known->written);
  if (!subject.ok()) return Fail(subject.status().message());
  if (const absl::Status status = CheckFixOutput(model, flags); !status.ok()) {
    return Fail(status.message());
  }
  WarnOfUnread(flags, options, known->written, *subject);
  CheckReport report = Compare(model, flags, options.module_map, *known, *subject);
  if (PrintReport(flags, report) != kDone) return kFailed;
  size_t found = report.CountFound();
  if (report.contamination.has_value() && flags.Has("fix")) {
    const size_t wrong = report.contamination->size();
    const absl::StatusOr<size_t> left =
        Fix(model, flags, options.module_map, *std::move(report.contamination), subject->tags);
    if (absl::IsCancelled(left.status())) return CatchInterrupts()->load() ? kFailed : kDone;
    if (!left.ok()) return Fail(left.status().message());
    found = found - wrong + *left;
  }
  return found > most ? kFound : kDone;
}

int Run(const ParsedFlags& flags) {
  if (const std::string wrong = CheckFlags(flags); !wrong.empty()) {
    return UsageError("check", wrong);
  }
  uint32_t most = 0;
  if (flags.Has("max")) {
    const absl::StatusOr<uint32_t> count = ParseCount(flags, "max", 0);
    if (!count.ok()) return UsageError("check", count.status().message());
    most = *count;
  }
  const absl::StatusOr<AnnotateOptions> options = ReadAnnotateOptions(flags);
  if (!options.ok()) return Fail(options.status().message());
  const absl::StatusOr<CheckedModel> model = OpenChecked(flags);
  if (!model.ok()) return Fail(model.status().message());
  return Check(*model, flags, *options, most);
}

}  // namespace

Command CheckCommand() {
  return {"check",
          "IN.onnx",
          "find tags that name a wrong layer or module, and put them right",
          "Reads the tags that the nodes of a model carry, whoever wrote them, or those of a\n"
          "sidecar, and compares each with what does not depend on it: the node's name and the\n"
          "names of its outputs, the parameters it reads, its counterparts in the other layers,\n"
          "the order of the file, its neighbours. A less specific tag is not wrong. The exit code\n"
          "is 1 when something was found, or with --fix, when something is left.\n"
          "--fix keeps the old tag as an auxiliary one and changes no other node.",
          kFlags,
          kExamples,
          Run};
}

}  // namespace onnx_hier::cli
