// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/output_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace onnx_hier::cli {

absl::StatusOr<OutputFolder> OutputFolder::Prepare(const std::string& path) {
  OutputFolder folder(path);
  if (absl::Status status = folder.Make(path); !status.ok()) return status;
  return folder;
}

absl::Status OutputFolder::MakeFolderOf(const std::string& file) {
  const std::string inner = absl::StrCat(path_, "/");
  if (!absl::StartsWith(file, inner)) return absl::OkStatus();
  const std::lock_guard<std::mutex> lock(made_->mutex);
  for (size_t slash = inner.size(); (slash = file.find('/', slash)) != std::string::npos; ++slash) {
    if (absl::Status status = Make(file.substr(0, slash)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status OutputFolder::Make(const std::string& path) {
  if (made_->there.contains(path)) return absl::OkStatus();
  const bool is_made = mkdir(path.c_str(), 0777) == 0;
  const int error = errno;
  struct stat status;
  if (is_made || (error == EEXIST && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))) {
    if (is_made) made_->paths.push_back(path);
    made_->there.insert(path);
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("cannot make the folder ", path, ": ", std::strerror(error)));
}

OutputFolder::~OutputFolder() {
  if (made_ == nullptr) return;
  for (auto path = made_->paths.rbegin(); path != made_->paths.rend(); ++path) {
    rmdir(path->c_str());
  }
}

}  // namespace onnx_hier::cli
