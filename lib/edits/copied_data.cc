// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/copied_data.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_place.h"

namespace onnx_hier {
namespace {

absl::Status NeedsData(size_t locations) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the model keeps tensors in ", locations, " other file", locations > 1 ? "s" : "",
      ", which the output would look for in its own folder; write to the input's folder, or use "
      "--external-data copy (copies them along) or keep (leaves them where they are)"));
}

}  // namespace

absl::Status CopiedData::Bring(
    const std::string& folder,
    absl::FunctionRef<absl::StatusOr<std::vector<std::string>>()> locations_of) {
  const auto [place, is_new] = files_.try_emplace(folder);
  if (!is_new) return absl::OkStatus();
  OH_ASSIGN_OR_RETURN(const std::vector<std::string> locations, locations_of());
  if (locations.empty()) return absl::OkStatus();
  if (options_.external_data != ExternalData::kCopy) return NeedsData(locations.size());
  OH_RETURN_IF_ERROR(CheckDataPlaces(model_, folder, locations, read_));
  // The progress counts the model's own bytes.
  place->second = std::make_unique<DataFiles>(
      DirectoryOf(model_.path()), folder,
      OutputFile::Options{.replace = options_.replace, .sync = options_.sync},
      CopyOptions{.threads = options_.threads, .cancel = options_.cancel});
  return place->second->Copy(locations);
}

absl::Status CopiedData::Settle() {
  for (const auto& [folder, files] : files_) {
    if (files != nullptr) OH_RETURN_IF_ERROR(files->Settle());
  }
  return absl::OkStatus();
}

void CopiedData::Keep() {
  for (const auto& [folder, files] : files_) {
    if (files != nullptr) files->Keep();
  }
}

std::vector<std::string> CopiedData::losses() const {
  std::vector<std::string> losses;
  for (const auto& [folder, files] : files_) {
    if (files == nullptr) continue;
    losses.insert(losses.end(), files->losses().begin(), files->losses().end());
  }
  return losses;
}

absl::Status CopiedData::TakeBack(const absl::Status& why) {
  std::string message(why.message());
  for (const auto& [folder, files] : files_) {
    if (files == nullptr) continue;
    for (const std::string& left : files->TakeBack()) {
      absl::StrAppend(&message, "; and ", left, " could not be removed again");
    }
  }
  return {why.code(), message};
}

}  // namespace onnx_hier
