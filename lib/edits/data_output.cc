// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/data_output.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/base/utf8.h"
#include "lib/files/file_place.h"
#include "lib/files/file_status.h"
#include "lib/files/inner_folder.h"
#include "lib/onnx/model_source.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {

absl::StatusOr<DataPlace> DataPlaceOf(const std::string& target, bool replace) {
  const std::string usual = absl::StrCat(absl::StripSuffix(target, ".onnx"), ".data");
  const std::string other = absl::StrCat(usual, ".1");
  if (!replace || (IsFree(usual) && IsFree(other))) {
    return DataPlace{usual, ""};
  }
  const absl::StatusOr<Model> old = Model::Open(target);
  const absl::Status& status = old.status();
  // What is no model reads nothing.
  if (absl::IsNotFound(status) || absl::IsInvalidArgument(status) || absl::IsDataLoss(status)) {
    return DataPlace{usual, ""};
  }
  if (!old.ok()) {
    return absl::Status(status.code(), absl::StrCat("what is to be replaced: ", status.message()));
  }
  const std::vector<std::string> locations = old->external_locations();
  const auto reads = [&](const std::string& path) {
    return std::find(locations.begin(), locations.end(), FileNameOf(path)) != locations.end();
  };
  if (reads(usual)) return DataPlace{other, usual};
  return DataPlace{usual, reads(other) ? other : ""};
}

DataOutput::DataOutput(const std::string& folder, DataPlace place, uint32_t mode)
    : place_(std::move(place)), cut_(folder, FileNameOf(place_.path)), mode_(mode) {}

absl::StatusOr<std::unique_ptr<DataOutput>> DataOutput::Lay(
    const Model& model, DataPlace place, const std::vector<const ExternalTensor*>& tensors) {
  std::unique_ptr<DataOutput> data(new DataOutput(DirectoryOf(model.path()), std::move(place),
                                                  ModelAccess::Source(model).image.mode()));
  // The model names it, and others read that name.
  if (!IsUtf8(data->name()) || !StaysInside(data->name())) {
    return absl::InvalidArgumentError(
        absl::StrCat("no model can name its data file ", SafeForTerminal(data->name(), 200),
                     ": name the output in UTF-8 and without a backslash"));
  }
  if (IsHidden(data->name())) {
    return absl::InvalidArgumentError(
        absl::StrCat("its data file would be ", SafeForTerminal(data->name(), 200),
                     ", a hidden file, which is not read beside a model: name the output without a "
                     "dot in front, or use --external-data keep"));
  }
  for (const ExternalTensor* tensor : tensors) {
    data->cut_.Add(tensor->place);
    data->tensors_.push_back(tensor->tensor);
  }
  OH_RETURN_IF_ERROR(data->cut_.Lay());
  return data;
}

absl::Status DataOutput::Fill(const WriteOptions& options) {
  const auto about = [this](const absl::Status& status) {
    return absl::Status(status.code(),
                        absl::StrCat("its data file ", place_.path, ": ", status.message()));
  };
  absl::StatusOr<OutputFile> out = OutputFile::Create(
      place_.path, {.replace = options.replace, .sync = options.sync, .mode = cut_.mode() & mode_});
  if (!out.ok()) return about(out.status());
  const absl::Status status =
      cut_.CopyTo(*out, {.threads = options.threads, .cancel = options.cancel});
  if (!status.ok()) return absl::IsCancelled(status) ? status : about(status);
  file_ = std::make_unique<OutputFile>(*std::move(out));
  return absl::OkStatus();
}

}  // namespace onnx_hier
