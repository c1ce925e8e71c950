// SPDX-License-Identifier: Apache-2.0

// The commands, each in a file of its own name.
#ifndef ONNX_HIER_TOOLS_COMMANDS_H_
#define ONNX_HIER_TOOLS_COMMANDS_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "onnx_hier/onnx_hier.h"
#include "tools/onnx-hier/cli.h"

namespace onnx_hier::cli {

inline constexpr Flag kModuleMapFlag = {
    "module-map", 0, "FILE", "JSON with the classes of the network's modules, by qualified name"};
inline constexpr Flag kRulesFlag = {
    "rules", 0, "FILE", "what you know better: owner, boundary, rename, major, least (see tag)"};
inline constexpr Flag kCheckpointFlag = {"checkpoint", 0, "FILE",
                                         "safetensors (or their index), GGUF or ONNX that the "
                                         "weights come from: they are called as there; "
                                         "may be given several times",
                                         /*repeatable=*/true};
inline constexpr Flag kMinConfidenceFlag = {
    "min-confidence", 0, "P", "give each node a module that holds it with probability P (0 to 1)"};

inline constexpr Flag kThreadsFlag = {
    "threads", 0, "N",
    "use up to N threads for a large model (0, the default: a thread a processor, up to 16)"};

// What --module-map, --checkpoint, --rules, --min-confidence and --threads say. The error names the
// file. Where several models are worked on at a time, each has one thread if nothing else is said.
absl::StatusOr<AnnotateOptions> ReadAnnotateOptions(const ParsedFlags& flags,
                                                    size_t models_at_a_time = 1);

absl::StatusOr<Checkpoint> OpenCheckpoint(const ParsedFlags& flags);

// The same for one model: with its weights called as in --checkpoint. The error names the model.
absl::StatusOr<AnnotateOptions> OptionsFor(const Model& model, const std::string& path,
                                           AnnotateOptions options,
                                           std::vector<std::string>& warnings);

// For people: that the map has no module in common with the model, which of nothing but the root
// it has not either, and which rules mean nothing.
std::vector<std::string> WarningsOf(const ParsedFlags& flags, const AnnotateOptions& options,
                                    const Annotation& annotation);

CommandEntry TagCommand();
CommandEntry TreeCommand();
CommandEntry StripCommand();
CommandEntry CheckCommand();
CommandEntry ExplainCommand();
CommandEntry ApplyCommand();
CommandEntry DiffCommand();
CommandEntry SelectCommand();
CommandEntry ExtractCommand();
CommandEntry SplitCommand();
CommandEntry FoldCommand();
CommandEntry PlaceCommand();
CommandEntry ProbeCommand();
CommandEntry NumericsCommand();
CommandEntry WeightsCommand();
CommandEntry UnfoldCommand();
CommandEntry ProfileCommand();
CommandEntry CostCommand();
CommandEntry ReportCommand();
CommandEntry ExportCommand();

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_COMMANDS_H_
