#include "lib/api/data_output.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/base/utf8.h"
#include "lib/files/file_place.h"
#include "lib/files/inner_folder.h"
#include "onnx_hier/safe_text.h"

namespace onnx_hier {

std::string DataPathOf(const std::string& target) {
  return absl::StrCat(absl::StripSuffix(target, ".onnx"), ".data");
}

DataOutput::DataOutput(const std::string& folder, std::string path)
    : path_(std::move(path)), cut_(folder, FileNameOf(path_)) {}

absl::StatusOr<std::unique_ptr<DataOutput>> DataOutput::Lay(
    const Model& model, const std::string& target,
    const std::vector<const ExternalTensor*>& tensors) {
  std::unique_ptr<DataOutput> data(new DataOutput(DirectoryOf(model.path()), DataPathOf(target)));
  // The model names it, and others read that name.
  if (!IsUtf8(data->name()) || !StaysInside(data->name())) {
    return absl::InvalidArgumentError(
        absl::StrCat("no model can name its data file ", SafeForTerminal(data->name(), 200),
                     ": name the output in UTF-8 and without a backslash"));
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
                        absl::StrCat("its data file ", path_, ": ", status.message()));
  };
  absl::StatusOr<OutputFile> out = OutputFile::Create(
      path_, {.replace = options.replace, .sync = options.sync, .mode = cut_.mode()});
  if (!out.ok()) return about(out.status());
  const absl::Status status =
      cut_.CopyTo(*out, {.threads = options.threads, .cancel = options.cancel});
  if (!status.ok()) return absl::IsCancelled(status) ? status : about(status);
  file_ = std::make_unique<OutputFile>(*std::move(out));
  return absl::OkStatus();
}

}  // namespace onnx_hier
