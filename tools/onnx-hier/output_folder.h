// SPDX-License-Identifier: Apache-2.0

// The folder that a command writes several files into.
#ifndef ONNX_HIER_TOOLS_OUTPUT_FOLDER_H_
#define ONNX_HIER_TOOLS_OUTPUT_FOLDER_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnx_hier::cli {

// Made if it is missing, its last level only; and goes again, with the object, unless something is
// in it by then. So do folders that were made in it.
class OutputFolder {
 public:
  static absl::StatusOr<OutputFolder> Prepare(const std::string& path);
  OutputFolder(OutputFolder&&) noexcept = default;
  OutputFolder& operator=(OutputFolder&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(made_, other.made_);
    return *this;
  }
  ~OutputFolder();

  // Makes the folder of a file below this one, with those on the way. From any thread.
  absl::Status MakeFolderOf(const std::string& file);

 private:
  struct Made {
    std::mutex mutex;
    std::vector<std::string> paths;  // outer ones first
    std::set<std::string> there;     // these, and others that were there
  };

  explicit OutputFolder(std::string path) : path_(std::move(path)) {}
  absl::Status Make(const std::string& path);

  std::string path_;
  std::unique_ptr<Made> made_ = std::make_unique<Made>();
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_OUTPUT_FOLDER_H_
