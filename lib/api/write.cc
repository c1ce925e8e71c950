#include "onnx_hier/write.h"

#include <sys/stat.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/api/large_graph.h"
#include "lib/api/model_source.h"
#include "lib/api/output_places.h"
#include "lib/base/side_task.h"
#include "lib/base/status_macros.h"
#include "lib/edits/edit_changes.h"
#include "lib/edits/model_copier.h"
#include "lib/edits/weight_sharing.h"
#include "lib/files/file_place.h"
#include "lib/files/output_file.h"
#include "lib/files/posix_io.h"
#include "lib/onnx/external_data.h"
#include "onnx_hier/byte_sink.h"

namespace onnx_hier {
namespace {

// The largest message that protobuf parsers accept.
constexpr uint64_t kProtobufLimit = 0x7FFFFFFF;

CopyOptions ToCopyOptions(const WriteOptions& options) {
  return {.threads = options.threads, .cancel = options.cancel, .progress = options.progress};
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
  struct stat first;
  struct stat second;
  return stat(DirectoryOf(a).c_str(), &first) == 0 && stat(DirectoryOf(b).c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Of a part: of its initializers, and of what lies in nodes and functions, but Constants that are
// left out.
std::vector<std::string> LocationsOf(const ScannedModel& scanned, const KeptOnly& kept) {
  const Graph& graph = scanned.graph;
  std::vector<std::string> locations;
  absl::flat_hash_set<absl::string_view> seen;
  const auto add = [&](const ExternalTensor& tensor) {
    if (seen.insert(tensor.place.location).second) locations.emplace_back(tensor.place.location);
  };
  const absl::flat_hash_set<NodeId> nodes(kept.nodes.begin(), kept.nodes.end());
  const absl::flat_hash_set<TensorId> initializers(kept.initializers.begin(),
                                                   kept.initializers.end());
  for (const ExternalTensor& tensor : scanned.external_tensors) {
    const Tensor& known = graph.tensor(tensor.tensor);
    if (known.block == graph.main_block() && !initializers.contains(tensor.tensor)) continue;
    const bool is_constant =
        known.owner.valid() && graph.node(known.owner).block == graph.main_block();
    if (!is_constant || nodes.contains(known.owner)) add(tensor);
  }
  return locations;
}

// Locations of data that the model refers to once it is edited.
std::vector<std::string> LocationsOf(const Model& model, const Edits& edits) {
  const ScannedModel& scanned = ModelAccess::Source(model).scanned;
  if (scanned.external_tensors.empty()) return {};
  const EditList& list = EditsAccess::List(edits);
  if (list.kept.has_value()) return LocationsOf(scanned, *list.kept);
  absl::flat_hash_set<TensorId> left_out(list.left_out_initializers.begin(),
                                         list.left_out_initializers.end());
  absl::flat_hash_set<NodeId> nodes;
  for (const NodeRun& run : list.left_out_nodes) {
    for (size_t i = 0; i < run.count; ++i) nodes.insert(NodeId(run.first.index() + i));
  }
  for (const ExternalTensor& tensor : scanned.external_tensors) {
    if (nodes.contains(scanned.graph.tensor(tensor.tensor).owner)) left_out.insert(tensor.tensor);
  }
  return ExternalLocations(scanned, left_out);
}

absl::Status NeedsData(size_t locations) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the model keeps tensors in ", locations, " other file", locations > 1 ? "s" : "",
      ", which the output would look for in its own folder; write to the input's folder, or use "
      "--external-data copy (copies them along) or keep (leaves them where they are)"));
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

// An output file that is complete but has no name yet.
struct Filled {
  std::optional<OutputFile> file;  // none: the output is the input and nothing changes, or a stream
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
        changes_(ModelAccess::Source(model).image, ModelAccess::Source(model).scanned),
        filled_(outputs.size()) {}

  absl::Status Run() {
    const absl::Status status = WriteAll();
    return status.ok() ? status : TakeBackData(status);
  }

 private:
  absl::Status WriteAll() {
    OH_RETURN_IF_ERROR(CheckPlaces());
    OH_RETURN_IF_ERROR(CheckNew());
    OH_RETURN_IF_ERROR(ForEach(&IsModelFile, &Writing::CheckModel));
    OH_RETURN_IF_ERROR(FillFiles());
    OH_RETURN_IF_ERROR(ForEach(&IsStream, &Writing::Stream));
    return Commit();
  }

  static bool IsStream(const Output& output) { return output.to.is_stream(); }
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

  // Each output has a file of its own, and documents are nowhere else where they do harm.
  absl::Status CheckPlaces() {
    OH_RETURN_IF_ERROR(ForEach(&IsDocumentFile, &Writing::CheckDocument));
    std::map<FilePlace, size_t> places;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (IsStream(outputs_[i])) continue;
      const FilePlace place = PlaceOf(outputs_[i].to.path());
      if (read_.Has(place)) {
        return absl::InvalidArgumentError(
            absl::StrCat(i == 0 ? "" : absl::StrCat(Name(i), ": "),
                         "is a file that this run reads; name another file"));
      }
      if (!places.emplace(place, i).second) {
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
      struct stat status;
      const std::string& path = outputs_[i].to.path();
      if (IsStream(outputs_[i]) || IsMeantForInput(model_, path, options_)) continue;
      if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) old.push_back(i);
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
    return CheckDocumentPlace(model_, outputs_[index], outputs_, data_places_);
  }
  absl::Status CheckModel(size_t index) {
    return CheckModelPlace(model_, outputs_[index].to.path(), options_, data_places_);
  }

  // Writing the sidecar of a large graph takes as long as writing the model: do both at once.
  absl::Status FillFiles() {
    absl::Status documents_status;
    const auto fill_documents = [&] {
      documents_status = ForEach(&IsDocumentFile, &Writing::FillDocument);
    };
    const bool parallel = outputs_.size() > 1 && IsWorthAThread(model_.graph(), options_.threads);
    SideTask documents(parallel, fill_documents);
    if (documents.done()) OH_RETURN_IF_ERROR(documents_status);
    const absl::Status models_status = ForEach(&IsModelFile, &Writing::FillModel);
    documents.Finish();
    OH_RETURN_IF_ERROR(models_status);
    return documents_status;
  }

  absl::StatusOr<Splices> SplicesOf(const Edits& edits) {
    const EditList& list = EditsAccess::List(edits);
    OH_ASSIGN_OR_RETURN(ChangeList changes, changes_.Of(list));
    return Splices(ModelAccess::Source(model_).scanned, list.docs, std::move(changes));
  }

  absl::Status BringExternalData(const std::string& target);
  absl::StatusOr<std::vector<std::string>> LocationsIn(const std::string& folder) const;
  absl::Status FillModel(size_t index);
  absl::Status FillDocument(size_t index);
  absl::Status Stream(size_t index);
  absl::Status Commit();
  absl::Status TakeBackData(const absl::Status& why);

  const Model& model_;
  const absl::Span<const Output> outputs_;
  const WriteOptions& options_;
  const ReadPlaces read_;
  DataPlaces data_places_;
  EditChanges changes_;
  std::vector<Filled> filled_;  // by output
  // Copied, by folder; null: nothing needs to be.
  std::map<std::string, std::unique_ptr<DataFiles>> data_;
};

// Relative locations of external data are looked up in the model's own folder. What the outputs of
// one folder refer to is copied once, before the first of them is written.
absl::Status Writing::BringExternalData(const std::string& target) {
  if (model_.path().empty() || model_.external_locations().empty() ||
      options_.external_data == ExternalData::kKeep) {
    return absl::OkStatus();
  }
  const std::string folder = DirectoryOf(target);
  const auto [place, is_new] = data_.try_emplace(folder);
  if (!is_new || SameFolder(model_.path(), target)) return absl::OkStatus();
  OH_ASSIGN_OR_RETURN(const std::vector<std::string> locations, LocationsIn(folder));
  if (locations.empty()) return absl::OkStatus();
  if (options_.external_data != ExternalData::kCopy) return NeedsData(locations.size());
  OH_RETURN_IF_ERROR(CheckDataPlaces(model_, folder, locations, read_));
  CopyOptions copy = ToCopyOptions(options_);
  copy.progress = nullptr;  // counts the model's own bytes
  std::unique_ptr<DataFiles>& data = place->second;
  data = std::make_unique<DataFiles>(
      DirectoryOf(model_.path()), folder,
      OutputFile::Options{.replace = options_.replace, .sync = options_.sync}, copy);
  return data->Copy(locations);
}

// Of all outputs that go there.
absl::StatusOr<std::vector<std::string>> Writing::LocationsIn(const std::string& folder) const {
  std::vector<std::string> locations;
  absl::flat_hash_set<std::string> seen;
  for (const Output& output : outputs_) {
    if (!IsModelFile(output)) continue;
    OH_ASSIGN_OR_RETURN(const std::string target, ResolveOutputPath(output.to.path()));
    if (DirectoryOf(target) != folder) continue;
    OH_ASSIGN_OR_RETURN(const EditsOfOutput edits, EditsOfOutput::For(output));
    for (std::string& location : LocationsOf(model_, *edits)) {
      if (seen.insert(location).second) locations.push_back(std::move(location));
    }
  }
  return locations;
}

absl::Status Writing::FillModel(size_t index) {
  const std::string& path = outputs_[index].to.path();
  Filled& filled = filled_[index];
  const FileImage& image = ModelAccess::Source(model_).image;
  OH_ASSIGN_OR_RETURN(const std::string target, ResolveOutputPath(path));
  const bool in_place = IsMeantForInput(model_, path, options_);
  OH_ASSIGN_OR_RETURN(const EditsOfOutput edits, EditsOfOutput::For(outputs_[index]));
  OH_ASSIGN_OR_RETURN(const Splices splices, SplicesOf(*edits));
  if (in_place && splices.empty()) return absl::OkStatus();
  const uint64_t size = image.size() + static_cast<uint64_t>(splices.growth());
  OH_RETURN_IF_ERROR(CheckSize(model_, *edits, size, options_));
  OutputFile::Options output = {
      .replace = options_.replace, .sync = options_.sync, .mode = image.mode()};
  if (in_place) output.instead_of = ModelAccess::Source(model_).identity();
  OH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(target, output));
  OH_RETURN_IF_ERROR(BringExternalData(target));
  // A full disk is an error here, before anything is written.
  const std::vector<SharedSpan> shared = ShareSpans(image.fd(), image.size(), splices, out.fd());
  OH_RETURN_IF_ERROR(out.Reserve(size, shared));
  OH_RETURN_IF_ERROR(CopyToFile(image, splices, shared, out.fd(), ToCopyOptions(options_)));
  filled.file = std::move(out);
  return absl::OkStatus();
}

// Who may not read the model may not read what it is made of either.
absl::Status Writing::FillDocument(size_t index) {
  const Output& output = outputs_[index];
  OH_ASSIGN_OR_RETURN(
      OutputFile out,
      OutputFile::Create(output.to.path(), {.replace = options_.replace,
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
  OH_ASSIGN_OR_RETURN(const Splices splices, SplicesOf(*edits));
  const uint64_t size = model_.file_size() + static_cast<uint64_t>(splices.growth());
  OH_RETURN_IF_ERROR(CheckSize(model_, *edits, size, options_));
  const FileImage& image = ModelAccess::Source(model_).image;
  const CopyOptions copy = ToCopyOptions(options_);
  return output.to.sink() != nullptr ? CopyToSink(image, splices, *output.to.sink(), copy)
                                     : CopyToStream(image, splices, output.to.fd(), copy);
}

absl::Status Writing::Commit() {
  std::vector<OutputFile*> files;
  for (Filled& filled : filled_) {
    if (filled.file.has_value()) files.push_back(&*filled.file);
  }
  for (const auto& [folder, data] : data_) {
    if (data != nullptr) OH_RETURN_IF_ERROR(data->Settle());
  }
  OH_RETURN_IF_ERROR(OutputFile::CommitAll(files));
  for (const auto& [folder, data] : data_) {
    if (data != nullptr) data->Keep();
  }
  if (options_.warnings == nullptr) return absl::OkStatus();
  for (const auto& [folder, data] : data_) {
    if (data == nullptr) continue;
    options_.warnings->insert(options_.warnings->end(), data->losses().begin(),
                              data->losses().end());
  }
  for (const OutputFile* file : files) {
    for (const std::string& loss : file->losses()) {
      options_.warnings->push_back(absl::StrCat(file->path(), ": ", loss));
    }
  }
  return absl::OkStatus();
}

absl::Status Writing::TakeBackData(const absl::Status& why) {
  std::string message(why.message());
  for (const auto& [folder, data] : data_) {
    if (data == nullptr) continue;
    for (const std::string& left : data->TakeBack()) {
      absl::StrAppend(&message, "; and ", left, " could not be removed again");
    }
  }
  return {why.code(), message};
}

}  // namespace

Document::Document(std::string name, std::string text)
    : Document(std::move(name),
               [text = std::move(text)](ByteSink& sink) { return sink.Append(text); }) {}

absl::Status Write(const Model& model, absl::Span<const Output> outputs,
                   const WriteOptions& options) {
  return Writing(model, outputs, options).Run();
}

absl::Status Write(const Model& model, const Edits& edits, const Destination& to,
                   const WriteOptions& options) {
  return Write(model, {{edits, to}}, options);
}

}  // namespace onnx_hier
