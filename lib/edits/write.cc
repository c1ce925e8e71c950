// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/write.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/edits/copied_data.h"
#include "lib/edits/data_output.h"
#include "lib/edits/edit_changes.h"
#include "lib/edits/external_use.h"
#include "lib/edits/model_copier.h"
#include "lib/edits/output_places.h"
#include "lib/edits/weight_sharing.h"
#include "lib/files/file_place.h"
#include "lib/files/file_status.h"
#include "lib/files/open_folders.h"
#include "lib/files/output_file.h"
#include "lib/files/posix_io.h"
#include "lib/onnx/external_data.h"
#include "lib/onnx/large_graph.h"
#include "lib/onnx/model_source.h"
#include "onnx_hier/bytes.h"

namespace onnx_hier {

struct OutputFoldersAccess {
  static OpenFolders& Of(const OutputFolders& folders) { return *folders.folders_; }
};

namespace {

// The largest message that protobuf parsers accept.
constexpr uint64_t kProtobufLimit = 0x7FFFFFFF;

CopyOptions ToCopyOptions(const Model& model, const WriteOptions& options) {
  return {.threads = options.threads,
          .parts = ThreadsFor(model.graph(), options.threads),
          .cancel = options.cancel,
          .progress = options.progress};
}

absl::Status CheckSize(const Model& model, const Edits& edits, uint64_t new_size,
                       const WriteOptions& options) {
  if (options.allow_over_2gib || new_size <= kProtobufLimit || model.file_size() > kProtobufLimit) {
    return absl::OkStatus();
  }
  const bool tagged = EditsAccess::List(edits).only_docs();
  return absl::FailedPreconditionError(
      absl::StrCat("with its ", tagged ? "tags" : "edits", " the model would be ", new_size,
                   " bytes, past the 2 GiB at which most ONNX parsers stop; ",
                   tagged ? "write the sidecar only, or " : "", "use --force"));
}

bool SameFolder(const std::string& a, const std::string& b) {
  const std::optional<FileStatus> first = StatusOf(DirectoryOf(a));
  const std::optional<FileStatus> second = StatusOf(DirectoryOf(b));
  return first.has_value() && second.has_value() && first->identity.IsSameFile(second->identity);
}

// The edits of an output that is a model; made for this where they are made when they are needed.
class EditsOfOutput {
 public:
  static absl::StatusOr<EditsOfOutput> For(const Output& output) {
    EditsOfOutput edits(output);
    if (output.edits == nullptr) {
      OH_ASSIGN_OR_RETURN(edits.made_, output.make_edits());
    }
    return edits;
  }
  const Edits& operator*() const { return made_.has_value() ? *made_ : *output_->edits; }

 private:
  explicit EditsOfOutput(const Output& output) : output_(&output) {}

  const Output* output_;
  std::optional<Edits> made_;
};

// Output files that are complete but have no name yet.
struct Filled {
  std::optional<OutputFile> file;  // none: the output is the input and nothing changes, or a stream
  DataPlace place;  // where its data goes, if it has any; an empty path: it is not cut
  std::unique_ptr<DataOutput> data;  // null: it has no data file of its own
};

// Writes outputs, in three steps: fill files, fill streams, let files appear.
class Writing {
 public:
  Writing(const Model& model, absl::Span<const Output> outputs, const WriteOptions& options)
      : model_(model),
        outputs_(outputs),
        options_(options),
        read_(model, options.also_read),
        data_places_(model),
        where_(outputs.size()),
        external_(ModelAccess::Source(model).scanned),
        changes_(ModelAccess::Source(model).image, ModelAccess::Source(model).scanned),
        filled_(outputs.size()),
        copied_(model, read_, options) {
    if (options.written != nullptr) options.written->assign(outputs.size(), Written());
  }

  absl::Status Run() {
    const absl::Status status = WriteAll();
    return status.ok() ? status : copied_.TakeBack(status);
  }

 private:
  absl::Status WriteAll() {
    OH_RETURN_IF_ERROR(ForEach(&IsFile, &Writing::FindPlace));
    OH_RETURN_IF_ERROR(CheckPlaces());
    OH_RETURN_IF_ERROR(CheckNew());
    OH_RETURN_IF_ERROR(ForEach(&IsModelFile, &Writing::CheckModel));
    OH_RETURN_IF_ERROR(FillFiles());
    OH_RETURN_IF_ERROR(ForEach(&IsStream, &Writing::Stream));
    return Commit();
  }

  static bool IsStream(const Output& output) { return output.to.is_stream(); }
  static bool IsFile(const Output& output) { return !IsStream(output); }
  static bool IsModelFile(const Output& output) {
    return !output.to.is_stream() && output.document == nullptr;
  }
  static bool IsDocumentFile(const Output& output) {
    return !output.to.is_stream() && output.document != nullptr;
  }

  // Calls `work` for some of the outputs, in order. The caller knows where the first one goes: an
  // error of another one names it.
  absl::Status ForEach(bool (*is_meant)(const Output&), absl::Status (Writing::*work)(size_t)) {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!is_meant(outputs_[i])) continue;
      const absl::Status status = (this->*work)(i);
      if (status.ok()) continue;
      return i == 0 ? status
                    : absl::Status(status.code(), absl::StrCat(Name(i), ": ", status.message()));
    }
    return absl::OkStatus();
  }

  std::string Name(size_t index) const {
    const Output& output = outputs_[index];
    const std::string place = output.to.is_stream() ? "to a stream" : output.to.path();
    return output.document == nullptr ? place : absl::StrCat(output.document->name(), " ", place);
  }

  // Before anything is written.
  absl::Status FindPlace(size_t index) {
    OpenFolders& folders =
        options_.folders != nullptr ? OutputFoldersAccess::Of(*options_.folders) : own_folders_;
    OH_ASSIGN_OR_RETURN(where_[index], folders.Find(outputs_[index].to.path()));
    return absl::OkStatus();
  }

  // Each output has a file of its own, and documents are nowhere else where they do harm.
  absl::Status CheckPlaces() {
    OH_RETURN_IF_ERROR(ForEach(&IsDocumentFile, &Writing::CheckDocument));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (IsStream(outputs_[i])) continue;
      const FilePlace& place = where_[i].place;
      if (read_.Has(place)) {
        return absl::InvalidArgumentError(
            absl::StrCat(i == 0 ? "" : absl::StrCat(Name(i), ": "),
                         "is a file that this run reads; name another file"));
      }
      if (!places_.insert(place).second) {
        return absl::InvalidArgumentError(absl::StrCat(Name(i), ": is the file of another output"));
      }
    }
    return absl::OkStatus();
  }
  // Files that are there already are told of together, where there are several.
  absl::Status CheckNew() {
    if (options_.replace) return absl::OkStatus();
    std::vector<size_t> old;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const OutputPlace& where = where_[i];
      if (IsStream(outputs_[i]) || IsMeantForInput(model_, where.place, options_)) continue;
      if (where.there.has_value() && where.there->is_regular()) old.push_back(i);
    }
    if (old.size() < 2) return absl::OkStatus();
    const std::string others = old.size() == 2
                                   ? absl::StrCat("does ", outputs_[old[1]].to.path())
                                   : absl::StrCat("do ", old.size() - 1, " other outputs");
    return absl::AlreadyExistsError(
        absl::StrCat(old[0] == 0 ? "" : absl::StrCat(Name(old[0]), ": "), "exists already, and so ",
                     others, "; use --force to replace them"));
  }
  absl::Status CheckDocument(size_t index) {
    std::vector<const OutputPlace*> models;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (IsModelFile(outputs_[i])) models.push_back(&where_[i]);
    }
    return CheckDocumentPlace(model_, outputs_[index].document->name(), where_[index].place, models,
                              data_places_);
  }
  absl::Status CheckModel(size_t index) {
    OH_RETURN_IF_ERROR(CheckModelPlace(model_, where_[index], options_, data_places_));
    const std::string& target = where_[index].target;
    if (!IsCut(target)) return absl::OkStatus();
    OH_ASSIGN_OR_RETURN(filled_[index].place, DataPlaceOf(target, options_.replace));
    const std::string& data = filled_[index].place.path;
    OH_RETURN_IF_ERROR(CheckCutPlace(model_, data, read_, data_places_, places_));
    if (options_.replace || where_[index].there.has_value() || !StatusOf(data).has_value()) {
      return absl::OkStatus();
    }
    // Now, and not when all parts before it are copied.
    OH_ASSIGN_OR_RETURN(const EditsOfOutput edits, EditsOfOutput::For(outputs_[index]));
    if (external_.In(EditsAccess::List(*edits)).empty()) return absl::OkStatus();
    return absl::AlreadyExistsError(
        absl::StrCat("its data file ", data, ": exists already; use --force to replace it"));
  }

  absl::Status FillFiles() {
    // Documents may say what became of the models.
    const bool models_first = options_.written != nullptr;
    if (models_first) OH_RETURN_IF_ERROR(ForEach(&IsModelFile, &Writing::FillModel));
    OH_RETURN_IF_ERROR(ForEach(&IsDocumentFile, &Writing::FillDocument));
    return models_first ? absl::OkStatus() : ForEach(&IsModelFile, &Writing::FillModel);
  }

  absl::StatusOr<Splices> SplicesOf(const Edits& edits, const DataMove& data = {}) {
    const EditList& list = EditsAccess::List(edits);
    OH_ASSIGN_OR_RETURN(ChangeList changes, changes_.Of(list, data));
    return Splices(ModelAccess::Source(model_).scanned, list.docs, std::move(changes));
  }

  // Whether the model has data files, and a folder in which they are.
  bool HasData() const {
    return !model_.path().empty() && !ModelAccess::Source(model_).scanned.external_tensors.empty();
  }
  // Whether what the output in this place reads of data files becomes a file of its own.
  bool IsCut(const std::string& target) const {
    if (!HasData()) return false;
    return options_.external_data == ExternalData::kCut ||
           (options_.external_data == ExternalData::kCutElsewhere &&
            !SameFolder(model_.path(), target));
  }
  absl::Status BringData(const std::string& target);
  absl::StatusOr<std::vector<std::string>> LocationsIn(const std::string& folder) const;
  absl::Status FillModel(size_t index);
  void Note(size_t index, uint64_t size, const std::string& target,
            const std::vector<const ExternalTensor*>& external);
  absl::Status FillDocument(size_t index);
  absl::Status Stream(size_t index);
  void RemoveOldData(const std::string& path);
  absl::Status Commit();

  const Model& model_;
  const absl::Span<const Output> outputs_;
  const WriteOptions& options_;
  const ReadPlaces read_;
  DataPlaces data_places_;
  OpenFolders own_folders_;         // where the caller has none
  std::vector<OutputPlace> where_;  // by output; nothing for streams
  std::set<FilePlace> places_;      // of outputs
  const ExternalUse external_;
  EditChanges changes_;
  std::vector<Filled> filled_;  // by output
  CopiedData copied_;
};

// What the output in this place looks for in its folder comes there, where it is to.
absl::Status Writing::BringData(const std::string& target) {
  const bool is_brought = options_.external_data == ExternalData::kRefuse ||
                          options_.external_data == ExternalData::kCopy;
  if (!is_brought || !HasData() || SameFolder(model_.path(), target)) return absl::OkStatus();
  const std::string folder = DirectoryOf(target);
  return copied_.Bring(folder, [&] { return LocationsIn(folder); });
}

// Of all outputs that go there.
absl::StatusOr<std::vector<std::string>> Writing::LocationsIn(const std::string& folder) const {
  std::vector<std::string> locations;
  absl::flat_hash_set<std::string> seen;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!IsModelFile(outputs_[i]) || DirectoryOf(where_[i].target) != folder) continue;
    OH_ASSIGN_OR_RETURN(const EditsOfOutput edits, EditsOfOutput::For(outputs_[i]));
    for (std::string& location : LocationsOf(external_.In(EditsAccess::List(*edits)))) {
      if (seen.insert(location).second) locations.push_back(std::move(location));
    }
  }
  return locations;
}

absl::Status Writing::FillModel(size_t index) {
  const std::string& target = where_[index].target;
  Filled& filled = filled_[index];
  const FileImage& image = ModelAccess::Source(model_).image;
  const bool in_place = IsMeantForInput(model_, where_[index].place, options_);
  OH_ASSIGN_OR_RETURN(const EditsOfOutput edits, EditsOfOutput::For(outputs_[index]));
  const std::vector<const ExternalTensor*> external = external_.In(EditsAccess::List(*edits));
  if (!filled.place.path.empty() && !external.empty()) {
    OH_ASSIGN_OR_RETURN(filled.data, DataOutput::Lay(model_, filled.place, external));
  }
  OH_ASSIGN_OR_RETURN(const Splices splices,
                      SplicesOf(*edits, filled.data == nullptr ? DataMove() : filled.data->move()));
  if (in_place && splices.empty()) return absl::OkStatus();
  const uint64_t size = image.size() + static_cast<uint64_t>(splices.growth());
  OH_RETURN_IF_ERROR(CheckSize(model_, *edits, size, options_));
  OutputFile::Options output = {
      .replace = options_.replace, .sync = options_.sync, .mode = image.mode()};
  if (in_place) output.instead_of = ModelAccess::Source(model_).identity();
  OH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(where_[index], output));
  OH_RETURN_IF_ERROR(BringData(target));
  if (filled.data != nullptr) OH_RETURN_IF_ERROR(filled.data->Fill(options_));
  // A full disk is an error here, before anything is written.
  const std::vector<SharedSpan> shared = ShareSpans(image.fd(), image.size(), splices, out.fd());
  OH_RETURN_IF_ERROR(out.Reserve(size, shared));
  OH_RETURN_IF_ERROR(CopyToFile(image, splices, shared, out.fd(), ToCopyOptions(model_, options_)));
  filled.file = std::move(out);
  Note(index, size, target, external);
  return absl::OkStatus();
}

// What became of an output in this place.
void Writing::Note(size_t index, uint64_t size, const std::string& target,
                   const std::vector<const ExternalTensor*>& external) {
  if (options_.written == nullptr) return;
  Written& written = (*options_.written)[index];
  written.bytes = size;
  if (filled_[index].data != nullptr) {
    written.data = filled_[index].data->name();
    written.data_bytes = filled_[index].data->size();
    return;
  }
  for (std::string& location : LocationsOf(external)) {
    const std::string path = absl::StrCat(DirectoryOf(target), "/", location);
    if (!StatusOf(path).has_value()) written.missing.push_back(std::move(location));
  }
}

// Who may not read the model may not read what it is made of either.
absl::Status Writing::FillDocument(size_t index) {
  const Output& output = outputs_[index];
  OH_ASSIGN_OR_RETURN(
      OutputFile out,
      OutputFile::Create(where_[index], {.replace = options_.replace,
                                         .sync = options_.sync,
                                         .mode = ModelAccess::Source(model_).image.mode()}));
  OH_RETURN_IF_ERROR(output.document->WriteTo(out));
  filled_[index].file = std::move(out);
  return absl::OkStatus();
}

absl::Status Writing::Stream(size_t index) {
  const Output& output = outputs_[index];
  if (output.document != nullptr) {
    if (output.to.sink() != nullptr) return output.document->WriteTo(*output.to.sink());
    StreamSink sink(output.to.fd());
    return output.document->WriteTo(sink);
  }
  OH_ASSIGN_OR_RETURN(const EditsOfOutput edits, EditsOfOutput::For(output));
  if (options_.external_data == ExternalData::kCut &&
      !external_.In(EditsAccess::List(*edits)).empty()) {
    return absl::FailedPreconditionError(
        "there is no place for a data file beside a stream; write to a file, or use "
        "--external-data keep");
  }
  OH_ASSIGN_OR_RETURN(const Splices splices, SplicesOf(*edits));
  const uint64_t size = model_.file_size() + static_cast<uint64_t>(splices.growth());
  OH_RETURN_IF_ERROR(CheckSize(model_, *edits, size, options_));
  const FileImage& image = ModelAccess::Source(model_).image;
  const CopyOptions copy = ToCopyOptions(model_, options_);
  return output.to.sink() != nullptr ? CopyToSink(image, splices, *output.to.sink(), copy)
                                     : CopyToStream(image, splices, output.to.fd(), copy);
}

// The data of a model that was replaced, unless others need it.
void Writing::RemoveOldData(const std::string& path) {
  if (path.empty()) return;
  const FilePlace place = PlaceOf(path);
  if (read_.Has(place) || places_.contains(place) || !data_places_.CheckIsNone(place).ok()) return;
  if (unlink(path.c_str()) == 0 || errno == ENOENT || options_.warnings == nullptr) return;
  options_.warnings->push_back(
      absl::StrCat(path, ": nothing reads it any more, and it could not be removed"));
}

absl::Status Writing::Commit() {
  std::vector<OutputFile*> files;  // data before the models that read them
  for (Filled& filled : filled_) {
    if (filled.data == nullptr || !filled.file.has_value()) continue;
    filled.data->file().SetReader(*filled.file);
    files.push_back(&filled.data->file());
  }
  for (Filled& filled : filled_) {
    if (filled.file.has_value()) files.push_back(&*filled.file);
  }
  OH_RETURN_IF_ERROR(copied_.Settle());
  OH_RETURN_IF_ERROR(OutputFile::CommitAll(files));
  copied_.Keep();
  for (const Filled& filled : filled_) {
    if (filled.data != nullptr) RemoveOldData(filled.data->old());
  }
  if (options_.warnings == nullptr) return absl::OkStatus();
  for (std::string& loss : copied_.losses()) options_.warnings->push_back(std::move(loss));
  for (const OutputFile* file : files) {
    for (const std::string& loss : file->losses()) {
      options_.warnings->push_back(absl::StrCat(file->path(), ": ", loss));
    }
  }
  return absl::OkStatus();
}

}  // namespace

OutputFolders::OutputFolders() : folders_(std::make_unique<OpenFolders>()) {}
OutputFolders::~OutputFolders() = default;

absl::Status Write(const Model& model, absl::Span<const Output> outputs,
                   const WriteOptions& options) {
  return Writing(model, outputs, options).Run();
}

absl::Status Write(const Model& model, const Edits& edits, const Destination& to,
                   const WriteOptions& options) {
  return Write(model, {{edits, to}}, options);
}

}  // namespace onnx_hier
