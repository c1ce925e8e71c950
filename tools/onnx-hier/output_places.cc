// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/output_places.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/input_list.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

namespace fs = std::filesystem;

// Without links followed: a link in a hub stands for its name there, not for where it leads.
fs::path Spelled(const std::string& path) { return fs::absolute(path).lexically_normal(); }

std::optional<fs::file_time_type> TimeOf(const std::string& path) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  return error ? std::nullopt : std::optional(time);
}

}  // namespace

std::string CheckOutputPlaces(const ParsedFlags& flags) {
  const bool in_place = flags.Has("in-place");
  const bool to_folder = flags.Has("output-dir");
  if (flags.Has("output") + in_place + to_folder > 1) {
    return "--output, --output-dir and --in-place exclude each other";
  }
  if (IsForSeveral(flags) && !in_place && !to_folder)
    return "several models need --output-dir or --in-place";
  if (flags.Has("mirror") && !to_folder) return "--mirror goes with --output-dir";
  if (!flags.Has("skip-existing")) return "";
  if (in_place) return "--in-place has no outputs of its own, which --skip-existing could look for";
  if (IsStream(flags.Value("output"))) return "--skip-existing goes with outputs that are files";
  return "";
}

absl::StatusOr<std::string> FolderFor(const std::string& input, const ParsedFlags& flags) {
  const std::string folder = flags.Value("output-dir");
  if (!flags.Has("mirror")) return folder;
  const std::string outer = flags.Value("mirror");
  fs::path base = Spelled(outer);
  if (!base.has_filename()) base = base.parent_path();  // "hub/"
  const fs::path inner = Spelled(input).parent_path().lexically_relative(base);
  if (input == "-" || inner.empty() || *inner.begin() == "..") {
    return absl::InvalidArgumentError(
        absl::StrCat(input, " is not below --mirror's folder, ", outer));
  }
  return inner == "." ? folder : (fs::path(folder) / inner).string();
}

absl::Status CheckOutputsApart(absl::Span<JobFiles> jobs, absl::Span<const TextFile> texts,
                               const ParsedFlags& flags) {
  absl::Status status = CheckJobFiles(jobs, texts);
  if (status.ok() || !flags.Has("output-dir") || flags.Has("mirror")) return status;
  std::set<std::string> names;
  for (const JobFiles& job : jobs) {
    if (names.insert(FileName(job.input)).second) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        status.message(), "; --mirror DIR keeps the folders that the models have below DIR"));
  }
  return status;
}

bool AreUpToDate(absl::Span<const std::string> outputs, absl::Span<const std::string> sources) {
  std::optional<fs::file_time_type> newest;
  for (const std::string& source : sources) {
    if (source.empty()) continue;
    const std::optional<fs::file_time_type> time = TimeOf(source);
    if (!time.has_value()) return false;
    newest = std::max(newest, time);
  }
  return std::all_of(outputs.begin(), outputs.end(), [&newest](const std::string& output) {
    if (output.empty()) return true;
    const std::optional<fs::file_time_type> time = TimeOf(output);
    return time.has_value() && time >= newest;
  });
}

}  // namespace onnx_hier::cli
