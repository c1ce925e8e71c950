// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/check_fix.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/check.h"
#include "tools/cli/terminal.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

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

}  // namespace

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

absl::Status CheckFixOutput(const Model& model, const ParsedFlags& flags) {
  if (!flags.Has("fix")) return absl::OkStatus();
  const TextFile texts[] = {{"the sidecar", flags.Value("tags")},
                            {"the module map", flags.Value("module-map")}};
  return CheckOutput(model, flags.arguments()[0], OutputPath(flags), flags, texts);
}

absl::StatusOr<FixOutcome> Fix(const Model& model, const ParsedFlags& flags, const ModuleMap& map,
                               std::vector<Finding> findings, Tags& tags) {
  const std::string& input = flags.arguments()[0];
  const std::string output = OutputPath(flags);
  const Repairs repairs = Repair(model.graph(), map, std::move(findings), tags);
  std::deque<std::string> spelled;
  const std::vector<GivenTag> given = TagsToWrite(model.graph(), tags, repairs.done, spelled);
  Progress progress(InputName(input), model.file_size(), flags.Has("quiet"));
  FixOutcome outcome;
  WriteOptions options = WriteOptionsOf(flags);
  options.progress = progress.counter();
  options.warnings = &outcome.warnings;
  const absl::Status status = Write(model, GivenTagEdits(model, given, map), To(output), options);
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat(OutputName(output), ": ", status.message()));
  }
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

}  // namespace onnx_hier::cli
