// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/files_read.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

// More are no use to any graph.
constexpr uint32_t kMostThreads = 256;

absl::StatusOr<UserRules> ReadRules(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<UserRules> rules = ReadUserRules(*text, FileName(path));
  if (!rules.ok()) return Named(InputName(path), rules.status());
  return rules;
}

// "" if the map has a module in common with the model.
std::string MapWarning(const ParsedFlags& flags, const AnnotateOptions& options,
                       const Annotation& annotation) {
  if (!flags.Has("module-map")) return "";
  absl::flat_hash_set<std::string> names;
  for (ModuleId id : annotation.modules.ids()) {
    names.insert(annotation.paths.QualifiedName(annotation.modules.module(id).path));
  }
  for (const MappedModule& module : options.module_map) {
    // Every network has a root, so that says nothing.
    if (!module.qualified_name.empty() && names.contains(module.qualified_name)) return "";
  }
  return absl::StrCat(flags.Value("module-map"),
                      ": names no module of this model; is it the map of another network?");
}

}  // namespace

absl::StatusOr<AnnotateOptions> ReadAnnotateOptions(const ParsedFlags& flags,
                                                    size_t models_at_a_time) {
  AnnotateOptions options;
  if (models_at_a_time > 1) options.threads = 1;
  if (flags.Has(kThreadsFlag.name)) {
    const absl::StatusOr<uint32_t> threads = ParseCount(flags, kThreadsFlag.name, 0);
    if (!threads.ok()) return threads.status();
    options.threads = static_cast<int>(std::min(*threads, kMostThreads));
  }
  if (flags.Has(kMinConfidenceFlag.name)) {
    const absl::StatusOr<float> least = ParseProbability(flags, kMinConfidenceFlag.name);
    if (!least.ok()) return least.status();
    options.least_containment = *least;
  }
  if (flags.Has(kRulesFlag.name)) {
    absl::StatusOr<UserRules> rules = ReadRules(flags.Value(kRulesFlag.name));
    if (!rules.ok()) return rules.status();
    options.rules = std::make_shared<const UserRules>(*std::move(rules));
  }
  if (flags.Has(kCheckpointFlag.name)) {
    absl::StatusOr<Checkpoint> checkpoint = OpenCheckpoint(flags);
    if (!checkpoint.ok()) return checkpoint.status();
    options.checkpoint = std::make_shared<const Checkpoint>(*std::move(checkpoint));
  }
  if (!flags.Has("module-map")) return options;
  const std::string path = flags.Value("module-map");
  NoteRead(path);
  absl::StatusOr<ModuleMap> map = ReadModuleMap(path);
  if (!map.ok()) {
    return Named(path, map.status());
  }
  options.module_map = *std::move(map);
  return options;
}

absl::StatusOr<Checkpoint> OpenCheckpoint(const ParsedFlags& flags) {
  const std::vector<std::string>& paths = flags.Values(kCheckpointFlag.name);
  for (const std::string& path : paths) NoteRead(path);
  absl::StatusOr<Checkpoint> checkpoint = Checkpoint::Open(paths);
  if (!checkpoint.ok()) return checkpoint;
  // Those that an index names, too.
  for (const Checkpoint::File& file : checkpoint->files()) NoteRead(file.path);
  return checkpoint;
}

absl::StatusOr<AnnotateOptions> OptionsFor(const Model& model, const std::string& path,
                                           AnnotateOptions options,
                                           std::vector<std::string>& warnings) {
  const absl::Status status = NameParameters(model, options, warnings);
  if (!status.ok()) return Named(InputName(path), status);
  return options;
}

std::vector<std::string> WarningsOf(const ParsedFlags& flags, const AnnotateOptions& options,
                                    const Annotation& annotation) {
  std::vector<std::string> warnings;
  if (annotation.rules != nullptr) warnings = annotation.rules->warnings;
  std::string map = MapWarning(flags, options, annotation);
  if (!map.empty()) warnings.push_back(std::move(map));
  return warnings;
}

}  // namespace onnx_hier::cli
