// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier_program/job_files.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_place.h"
#include "lib/files/inner_folder.h"
#include "lib/files/open_folders.h"

namespace onnx_hier {
namespace {

bool IsFile(const std::string& name) { return !name.empty() && name != "-"; }

// The files that a model's external data are in, looked up in the folder of `model`. Locations that
// could lead out of it are neither read nor written.
std::vector<std::string> DataPaths(const std::string& model, const JobFiles& job) {
  std::vector<std::string> paths;
  if (!IsFile(model)) return paths;
  for (const std::string& location : job.data) {
    if (StaysInside(location)) paths.push_back(absl::StrCat(DirectoryOf(model), "/", location));
  }
  return paths;
}

class FilePlan {
 public:
  void ReadText(const TextFile& text) {
    if (IsFile(text.path)) texts_.emplace(PlaceOf(text.path), &text);
  }

  void Read(const JobFiles& job) {
    if (!IsFile(job.input)) return;
    inputs_[PlaceOf(job.input)].push_back(&job);
    for (const std::string& path : DataPaths(job.input, job)) {
      data_[PlaceOf(path)].push_back(&job);
    }
  }

  // After all was said that is read.
  absl::Status Write(JobFiles& job) {
    for (const std::string& path : {job.model, job.sidecar}) {
      if (!IsFile(path)) continue;
      OH_ASSIGN_OR_RETURN(const OutputPlace output, folders_.Find(path));
      job.replaces = job.replaces || output.place.exists();
      OH_RETURN_IF_ERROR(Add(path, output.place, {&job, FilePlace(), false}));
    }
    if (!job.copies_data || !IsFile(job.input)) return absl::OkStatus();
    const std::vector<std::string> from = DataPaths(job.input, job);
    const std::vector<std::string> to = DataPaths(job.model, job);
    for (size_t i = 0; i < to.size(); ++i) {
      const FilePlace source = PlaceOf(from[i]);
      // Beside the input they stay where they are.
      const FilePlace place = PlaceOf(to[i]);
      if (place != source) OH_RETURN_IF_ERROR(Add(to[i], place, {&job, source, true}));
    }
    return absl::OkStatus();
  }

 private:
  struct Output {
    const JobFiles* job;
    FilePlace source;  // of a data file: what it is a copy of
    bool is_data;

    std::string Name() const {
      return absl::StrCat(is_data ? "a data file of " : "the output of ", job->input);
    }
  };
  using Readers = std::map<FilePlace, std::vector<const JobFiles*>>;

  // Another job that reads the file at `place`, or null.
  static const JobFiles* OtherReader(const Readers& readers, const FilePlace& place,
                                     const JobFiles* job) {
    const auto found = readers.find(place);
    if (found == readers.end()) return nullptr;
    const auto other = std::find_if(found->second.begin(), found->second.end(),
                                    [job](const JobFiles* reader) { return reader != job; });
    return other == found->second.end() ? nullptr : *other;
  }

  absl::Status Add(const std::string& path, const FilePlace& place, const Output& output) {
    const auto error = [](auto... parts) {
      return absl::InvalidArgumentError(absl::StrCat(parts...));
    };
    if (const auto text = texts_.find(place); text != texts_.end()) {
      return error(output.Name(), " would replace ", text->second->what, " ", text->second->path);
    }
    if (const auto [there, is_first] = outputs_.emplace(place, output); !is_first) {
      const Output& first = there->second;
      const bool is_same_copy = output.is_data && first.is_data && first.source == output.source;
      if (first.job != output.job && !is_same_copy) return Clash(first, output, path);
    }
    if (const JobFiles* reader = OtherReader(inputs_, place, output.job)) {
      return error(output.Name(), " would replace the input ", reader->input);
    }
    if (const JobFiles* reader = OtherReader(data_, place, output.job)) {
      return error(output.Name(), " would replace ", path, ", a data file of ", reader->input);
    }
    return absl::OkStatus();
  }

  static absl::Status Clash(const Output& first, const Output& second, const std::string& path) {
    const std::string both =
        first.is_data || second.is_data
            ? absl::StrCat(first.Name(), " and ", second.Name())
            : absl::StrCat("the outputs of ", first.job->input, " and ", second.job->input);
    return absl::InvalidArgumentError(absl::StrCat(both, " would be one file, ", path));
  }

  OpenFolders folders_;
  std::map<FilePlace, const TextFile*> texts_;
  Readers inputs_;
  Readers data_;
  std::map<FilePlace, Output> outputs_;
};

}  // namespace

absl::Status CheckJobFiles(absl::Span<JobFiles> jobs, absl::Span<const TextFile> texts) {
  FilePlan plan;
  for (const TextFile& text : texts) plan.ReadText(text);
  for (const JobFiles& job : jobs) plan.Read(job);
  for (JobFiles& job : jobs) OH_RETURN_IF_ERROR(plan.Write(job));
  return absl::OkStatus();
}

}  // namespace onnx_hier
