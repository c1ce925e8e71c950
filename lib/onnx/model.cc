// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/model.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/external_data.h"
#include "lib/onnx/large_graph.h"
#include "lib/onnx/model_source.h"

namespace onnx_hier {
namespace {

absl::StatusOr<std::unique_ptr<ModelSource>> Scan(absl::StatusOr<FileImage> image,
                                                  const OpenOptions& options) {
  if (!image.ok()) return std::move(image).status();
  auto source = std::make_unique<ModelSource>(
      ModelSource{*std::move(image), {}, std::nullopt, options.threads});
  OH_ASSIGN_OR_RETURN(source->scanned,
                      ScanModel(source->image, {.threads = MostThreads(options.threads)}));
  OH_RETURN_IF_ERROR(source->image.VerifyUnchanged());
  return source;
}

}  // namespace

absl::StatusOr<Model> Model::Open(const std::string& path, const OpenOptions& options) {
  absl::StatusOr<std::unique_ptr<ModelSource>> source = Scan(FileImage::Open(path), options);
  if (!source.ok()) {
    const absl::Status& status = source.status();
    return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  }
  return Model(path, *std::move(source));
}

absl::StatusOr<Model> Model::FromStream(int fd, const OpenOptions& options) {
  OH_ASSIGN_OR_RETURN(auto source, Scan(FileImage::FromStream(fd, options.cancel), options));
  return Model("", std::move(source));
}

absl::StatusOr<Model> Model::FromBytes(std::string bytes, const OpenOptions& options) {
  OH_ASSIGN_OR_RETURN(auto source, Scan(FileImage::FromBytes(std::move(bytes)), options));
  return Model("", std::move(source));
}

absl::StatusOr<Model> Model::FromSource(std::shared_ptr<ByteSource> source,
                                        const OpenOptions& options) {
  OH_ASSIGN_OR_RETURN(auto scanned, Scan(FileImage::FromSource(std::move(source)), options));
  return Model("", std::move(scanned));
}

absl::StatusOr<Model> Model::FromMemory(absl::string_view bytes, const OpenOptions& options) {
  OH_ASSIGN_OR_RETURN(auto source, Scan(FileImage::FromMemory(bytes), options));
  return Model("", std::move(source));
}

Model::Model(std::string path, std::unique_ptr<ModelSource> source)
    : path_(std::move(path)), source_(std::move(source)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const Graph& Model::graph() const { return source_->scanned.graph; }
uint64_t Model::file_size() const { return source_->image.size(); }
std::vector<std::string> Model::external_locations() const {
  return LocationsOf(source_->scanned.external_tensors);
}

}  // namespace onnx_hier
