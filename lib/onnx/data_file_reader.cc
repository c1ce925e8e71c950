// SPDX-License-Identifier: Apache-2.0
#include "lib/onnx/data_file_reader.h"

#include <cerrno>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_place.h"
#include "lib/files/inner_folder.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

absl::Status DataFileReader::Open(absl::string_view location) {
  if (file_.valid() && location == location_) return absl::OkStatus();
  const auto known = fault_of_.find(location);
  if (known != fault_of_.end() && faults_[known->second].is_closed) {
    return faults_[known->second].status;
  }
  file_.Reset();
  absl::Status status = TryOpen(location);
  if (!status.ok()) Note(location, status, /*is_closed=*/true);
  return status;
}

void DataFileReader::Note(absl::string_view location, const absl::Status& what, bool is_closed) {
  if (fault_of_.emplace(location, faults_.size()).second) {
    faults_.push_back({location, what, is_closed});
  }
}

absl::Status DataFileReader::TryOpen(absl::string_view location) {
  if (folder_.empty()) {
    return absl::NotFoundError("the model came through a pipe, so that nothing is beside it");
  }
  if (!StaysInside(location)) {
    return absl::PermissionDeniedError("it may lie outside the model's folder: refused");
  }
  if (IsHidden(location)) return absl::PermissionDeniedError("it is a hidden file: refused");
  if (!top_.valid()) {
    OH_ASSIGN_OR_RETURN(top_, OpenTopFolder(folder_));
  }
  const std::string path(location);
  OH_ASSIGN_OR_RETURN(const UniqueFd folder, OpenInnerFolder(top_.get(), path));
  OH_ASSIGN_OR_RETURN(file_, OpenFileIn(folder.get(), FileNameOf(path)));
  const std::optional<FileStatus> status = StatusOf(file_.get());
  if (!status.has_value()) {
    const int error_number = errno;
    file_.Reset();
    return ErrnoStatus(error_number, "");
  }
  identity_ = status->identity;
  mode_ = status->mode;
  location_ = location;
  return absl::OkStatus();
}

absl::Status DataFileReader::Read(char* out, uint64_t size, uint64_t offset) {
  return ReadFully(file_.get(), out, size, offset);
}

bool DataFileReader::MaySpend(uint64_t bytes) {
  uint64_t& spent = spent_[location_];
  if (bytes > size() || spent > size() - bytes) return false;
  spent += bytes;
  return true;
}

absl::Status DataFileReader::VerifyUnchanged() const {
  const std::optional<FileStatus> now = StatusOf(file_.get());
  if (!now.has_value()) return ErrnoStatus(errno, "cannot inspect external data");
  if (identity_.IsSameVersion(now->identity)) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("external data '",
                                         SafeForTerminal(location_.substr(0, 200)),
                                         "': was changed by another program while it was read"));
}

}  // namespace onnx_hier
