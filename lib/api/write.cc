#include <sys/stat.h>

#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/api/doc_edits.h"
#include "lib/api/given_annotation.h"
#include "lib/api/large_graph.h"
#include "lib/api/model_source.h"
#include "lib/base/side_task.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_place.h"
#include "lib/files/output_file.h"
#include "lib/files/posix_io.h"
#include "lib/onnx/doc_splice.h"
#include "lib/onnx/external_data.h"
#include "lib/onnx/model_copier.h"
#include "lib/onnx/weight_sharing.h"
#include "lib/tags/doc_string.h"
#include "lib/tags/sidecar.h"
#include "onnx_hier/given_tags.h"
#include "onnx_hier/onnx_hier.h"

namespace onnx_hier {
namespace {

// The largest message that protobuf parsers accept.
constexpr uint64_t kProtobufLimit = 0x7FFFFFFF;

CopyOptions ToCopyOptions(const WriteOptions& options) {
  return {.threads = options.threads, .cancel = options.cancel, .progress = options.progress};
}

absl::Status CheckSize(const Model& model, uint64_t new_size, const WriteOptions& options) {
  if (options.allow_over_2gib || new_size <= kProtobufLimit || model.file_size() > kProtobufLimit) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("with its tags the model would be ", new_size,
                   " bytes, past the 2 GiB at which most ONNX "
                   "parsers stop; write the sidecar only, or use --force"));
}

bool SameFolder(const std::string& a, const std::string& b) {
  struct stat first;
  struct stat second;
  return stat(DirectoryOf(a).c_str(), &first) == 0 && stat(DirectoryOf(b).c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool IsInput(const Model& model, const FilePlace& place) {
  const FileIdentity& input = model.source().image.identity();
  return place.exists() && place.device == input.device && place.inode == input.inode;
}

// Refuses to copy a data file over the model or over another of its data files.
absl::Status CheckDataPlaces(const Model& model, const std::string& to_folder,
                             const std::vector<std::string>& locations) {
  const auto place_in = [](const std::string& folder, const std::string& location) {
    return PlaceOf(absl::StrCat(folder, "/", location));
  };
  const std::string from_folder = DirectoryOf(model.path());
  std::set<FilePlace> sources;
  for (const std::string& location : locations) sources.insert(place_in(from_folder, location));
  for (const std::string& location : locations) {
    const FilePlace place = place_in(to_folder, location);
    const bool is_itself = place == place_in(from_folder, location);
    if (IsInput(model, place) || (sources.contains(place) && !is_itself)) {
      return absl::FailedPreconditionError(
          absl::StrCat("copied to ", to_folder, ", a data file of the model would replace ",
                       IsInput(model, place) ? "the model" : "another of its data files",
                       "; write to another folder"));
    }
  }
  return absl::OkStatus();
}

// Relative locations of external data are looked up in the model's own folder.
absl::Status BringExternalData(const Model& model, const std::string& path,
                               const WriteOptions& options, std::unique_ptr<DataFiles>& data) {
  if (model.path().empty() || options.external_data == ExternalData::kKeep) {
    return absl::OkStatus();
  }
  const std::vector<std::string> locations = model.external_locations();
  if (locations.empty() || SameFolder(model.path(), path)) return absl::OkStatus();
  if (options.external_data == ExternalData::kCopy) {
    OH_RETURN_IF_ERROR(CheckDataPlaces(model, DirectoryOf(path), locations));
    CopyOptions copy = ToCopyOptions(options);
    copy.progress = nullptr;  // counts the model's own bytes
    data = std::make_unique<DataFiles>(
        DirectoryOf(model.path()), DirectoryOf(path),
        OutputFile::Options{.replace = options.replace, .sync = options.sync}, copy);
    return data->Copy(locations);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "the model keeps tensors in ", locations.size(), " other file",
      locations.size() > 1 ? "s" : "",
      ", which the output would look for in its own folder; write to the input's folder, or use "
      "--external-data copy (copies them along) or keep (leaves them where they are)"));
}

// An error if one of the model's data files, looked up in `folder`, is at `place`.
absl::Status CheckHoldsNoTensors(const Model& model, const std::string& folder,
                                 const FilePlace& place) {
  for (const std::string& location : model.external_locations()) {
    if (PlaceOf(absl::StrCat(folder, "/", location)) == place) {
      return absl::FailedPreconditionError("is a data file of the model; name another file");
    }
  }
  return absl::OkStatus();
}

// Refuses to write where the input or what belongs to it lies, whatever the options: a model that
// its own sidecar has replaced is lost.
absl::Status CheckModelPlace(const Model& model, const std::string& path,
                             const WriteOptions& options) {
  const FilePlace place = PlaceOf(path);
  if (IsInput(model, place) && !options.in_place) {
    return absl::FailedPreconditionError("is the input itself; use --in-place to replace it");
  }
  OH_RETURN_IF_ERROR(CheckHoldsNoTensors(model, DirectoryOf(model.path()), place));
  OH_ASSIGN_OR_RETURN(const std::string target, ResolveOutputPath(path));
  // Where --external-data copy would put them.
  return CheckHoldsNoTensors(model, DirectoryOf(target), place);
}

absl::Status CheckSidecarPlace(const Model& model, const std::string& path,
                               const std::string& model_path) {
  const FilePlace place = PlaceOf(path);
  if (IsInput(model, place)) {
    return absl::InvalidArgumentError("is the input itself; name another file for the sidecar");
  }
  OH_RETURN_IF_ERROR(CheckHoldsNoTensors(model, DirectoryOf(model.path()), place));
  if (model_path.empty()) return absl::OkStatus();
  if (PlaceOf(model_path) == place) {
    return absl::InvalidArgumentError(
        "is the tagged model's own file; name another file for the sidecar");
  }
  OH_ASSIGN_OR_RETURN(const std::string target, ResolveOutputPath(model_path));
  return CheckHoldsNoTensors(model, DirectoryOf(target), place);
}

// Output files that were filled but have no name yet.
struct Filled {
  std::unique_ptr<DataFiles> data;  // null: none were copied
  std::optional<OutputFile> model;  // none: the output is the input, and nothing changes
  std::optional<OutputFile> sidecar;
};

// Whether `path` is to become what was read from it, also if another program has put another file
// there since.
bool IsMeantForInput(const Model& model, const std::string& path, const WriteOptions& options) {
  if (!options.in_place || model.path().empty()) return false;
  const FilePlace place = PlaceOf(path);
  return IsInput(model, place) || place == PlaceOf(model.path());
}

absl::Status FillModel(const Model& model, const std::vector<DocEdit>& edits,
                       const std::string& path, const WriteOptions& options, Filled& filled) {
  OH_RETURN_IF_ERROR(CheckModelPlace(model, path, options));
  const FileImage& image = model.source().image;
  OH_ASSIGN_OR_RETURN(const std::string target, ResolveOutputPath(path));
  const bool in_place = IsMeantForInput(model, path, options);
  const DocSplices splices(model.source().scanned, edits);
  if (in_place && splices.empty()) return absl::OkStatus();
  const uint64_t size = image.size() + static_cast<uint64_t>(splices.growth());
  OH_RETURN_IF_ERROR(CheckSize(model, size, options));
  OutputFile::Options output = {
      .replace = options.replace, .sync = options.sync, .mode = image.mode()};
  if (in_place) output.instead_of = image.identity();
  OH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(target, output));
  OH_RETURN_IF_ERROR(BringExternalData(model, target, options, filled.data));
  // A full disk is an error here, before anything is written.
  const std::vector<SharedSpan> shared = ShareSpans(image.fd(), image.size(), splices, out.fd());
  OH_RETURN_IF_ERROR(out.Reserve(size, shared));
  OH_RETURN_IF_ERROR(CopyToFile(image, splices, shared, out.fd(), ToCopyOptions(options)));
  filled.model = std::move(out);
  return absl::OkStatus();
}

// Who may not read the model may not read what it is made of either.
absl::Status FillSidecar(const Model& model, const Annotation& annotation, const std::string& path,
                         const WriteOptions& options, Filled& filled) {
  OH_ASSIGN_OR_RETURN(OutputFile out,
                      OutputFile::Create(path, {.replace = options.replace,
                                                .sync = options.sync,
                                                .mode = model.source().image.mode()}));
  OH_RETURN_IF_ERROR(WriteSidecarJson(model.graph(), annotation, FileNameOf(model.path()), out));
  filled.sidecar = std::move(out);
  return absl::OkStatus();
}

absl::Status Commit(Filled& filled, const WriteOptions& options) {
  std::vector<OutputFile*> files;
  if (filled.model.has_value()) files.push_back(&*filled.model);
  if (filled.sidecar.has_value()) files.push_back(&*filled.sidecar);
  if (filled.data != nullptr) OH_RETURN_IF_ERROR(filled.data->Settle());
  OH_RETURN_IF_ERROR(OutputFile::CommitAll(files));
  if (filled.data != nullptr) filled.data->Keep();
  if (options.warnings == nullptr) return absl::OkStatus();
  for (const OutputFile* file : files) {
    for (const std::string& loss : file->losses()) {
      options.warnings->push_back(absl::StrCat(file->path(), ": ", loss));
    }
  }
  return absl::OkStatus();
}

// An error of the sidecar names it: the caller knows the model's path only.
absl::Status AboutSidecar(const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("sidecar ", path, ": ", status.message()));
}

absl::Status StreamEdited(const Model& model, const std::vector<DocEdit>& edits, int fd,
                          const WriteOptions& options) {
  const DocSplices splices(model.source().scanned, edits);
  const uint64_t size = model.file_size() + static_cast<uint64_t>(splices.growth());
  OH_RETURN_IF_ERROR(CheckSize(model, size, options));
  return CopyToStream(model.source().image, splices, fd, ToCopyOptions(options));
}

}  // namespace

absl::Status WriteTagged(const Model& model, const Annotation& annotation, const std::string& path,
                         const WriteOptions& options) {
  if (!options.sidecar.empty()) {
    OH_RETURN_IF_ERROR(
        AboutSidecar(options.sidecar, CheckSidecarPlace(model, options.sidecar, path)));
  }
  Filled filled;
  const auto fill_model = [&]() -> absl::Status {
    DocStringWriter writer(annotation);
    return FillModel(model, TagEdits(model, writer).docs, path, options, filled);
  };
  if (options.sidecar.empty()) {
    OH_RETURN_IF_ERROR(fill_model());
    return Commit(filled, options);
  }
  absl::Status sidecar_status;
  const auto fill_sidecar = [&] {
    sidecar_status = AboutSidecar(options.sidecar,
                                  FillSidecar(model, annotation, options.sidecar, options, filled));
  };
  // Writing the sidecar of a large graph takes as long as writing the model: do both at once.
  SideTask sidecar_task(IsWorthAThread(model.graph(), options.threads), fill_sidecar);
  if (sidecar_task.done()) OH_RETURN_IF_ERROR(sidecar_status);
  const absl::Status model_status = fill_model();
  sidecar_task.Finish();
  OH_RETURN_IF_ERROR(model_status);
  OH_RETURN_IF_ERROR(sidecar_status);
  return Commit(filled, options);
}

absl::Status WriteTaggedToStream(const Model& model, const Annotation& annotation, int fd,
                                 const WriteOptions& options) {
  DocStringWriter writer(annotation);
  return StreamEdited(model, TagEdits(model, writer).docs, fd, options);
}

absl::Status WriteGivenTags(const Model& model, const std::vector<GivenTag>& tags,
                            const ModuleMap& classes, const std::string& path,
                            const WriteOptions& options) {
  const Annotation annotation = AnnotationOf(model.graph(), tags, classes);
  DocStringWriter writer(annotation);
  Filled filled;
  OH_RETURN_IF_ERROR(
      FillModel(model, GivenTagEdits(model, tags, writer).docs, path, options, filled));
  return Commit(filled, options);
}

absl::Status WriteGivenTagsToStream(const Model& model, const std::vector<GivenTag>& tags,
                                    const ModuleMap& classes, int fd, const WriteOptions& options) {
  const Annotation annotation = AnnotationOf(model.graph(), tags, classes);
  DocStringWriter writer(annotation);
  return StreamEdited(model, GivenTagEdits(model, tags, writer).docs, fd, options);
}

absl::Status WriteStripped(const Model& model, const std::string& path,
                           const WriteOptions& options) {
  Filled filled;
  OH_RETURN_IF_ERROR(FillModel(model, StripEdits(model.graph()).docs, path, options, filled));
  return Commit(filled, options);
}

absl::Status WriteStrippedToStream(const Model& model, int fd, const WriteOptions& options) {
  return StreamEdited(model, StripEdits(model.graph()).docs, fd, options);
}

uint64_t CountTagged(const Model& model) {
  uint64_t count = 0;
  for (NodeId id : model.graph().node_ids()) {
    if (ReadOriginalDoc(model.graph().node(id).doc_string).written_by_us) ++count;
  }
  return count;
}

absl::Status WriteSidecar(const Model& model, const Annotation& annotation, const std::string& path,
                          const WriteOptions& options) {
  OH_RETURN_IF_ERROR(CheckSidecarPlace(model, path, ""));
  Filled filled;
  OH_RETURN_IF_ERROR(FillSidecar(model, annotation, path, options, filled));
  return Commit(filled, options);
}

absl::Status WriteSidecarToStream(const Model& model, const Annotation& annotation, int fd) {
  StreamSink sink(fd);
  return WriteSidecarJson(model.graph(), annotation, FileNameOf(model.path()), sink);
}

}  // namespace onnx_hier
