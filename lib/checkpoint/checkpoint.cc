// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/hash.h"
#include "lib/base/status_macros.h"
#include "lib/checkpoint/checkpoint_values.h"
#include "lib/checkpoint/gguf.h"
#include "lib/checkpoint/safetensors.h"
#include "lib/checkpoint/tensor_layout.h"
#include "lib/files/file_place.h"
#include "lib/files/file_status.h"
#include "lib/files/posix_io.h"
#include "lib/graph/data_type.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/stored_tensor_values.h"
#include "lib/onnx/value_type.h"
#include "onnx_hier/model.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

// Of a JSON index: more than a thousand shards of a thousand tensors each.
constexpr uint64_t kLongestIndex = 100'000'000;
constexpr size_t kBeginning = 64;

// Formats of Python's pickle, and of the zip archives that torch puts it in.
bool LooksPickled(absl::string_view beginning) {
  return absl::StartsWith(beginning, "PK\x03\x04") || absl::StartsWith(beginning, "\x80\x02") ||
         absl::StartsWith(beginning, "\x80\x03") || absl::StartsWith(beginning, "\x80\x04");
}

absl::Status About(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(SafeForTerminal(path), ": ", status.message()));
}

}  // namespace

struct Checkpoint::State {
  // One of both.
  struct Source {
    UniqueFd fd;
    FileIdentity identity;
    std::optional<Model> model;
  };

  std::vector<CheckpointTensor> tensors;
  // Of each: of a file of tensors, its place there; of a model, its number.
  std::vector<TensorLayout> layouts;
  std::vector<TensorId> in_model;
  std::vector<File> files;
  std::vector<Source> sources;
};

namespace {

// Fills a checkpoint from files.
template <class State, class Source>
class Opener {
 public:
  explicit Opener(State& state) : state_(state) {}

  absl::Status Open(const std::string& path) {
    const absl::Status status = TryOpen(path, /*is_shard=*/false);
    return status.ok() || is_told_ ? status : About(path, status);
  }

  absl::Status CheckNames() const {
    absl::flat_hash_map<absl::string_view, const CheckpointTensor*> names;
    for (const CheckpointTensor& tensor : state_.tensors) {
      const auto [entry, is_new] = names.emplace(tensor.name, &tensor);
      if (is_new) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          SafeForTerminal(state_.files[tensor.file].path), " and ",
          SafeForTerminal(state_.files[entry->second->file].path), " both have a tensor ",
          QuotedName(tensor.name), ": name the files of one checkpoint"));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status TryOpen(const std::string& path, bool is_shard) {
    Source source;
    source.fd = OpenForReading(path);
    const std::optional<FileStatus> status =
        source.fd.valid() ? StatusOf(source.fd.get()) : std::nullopt;
    if (!status.has_value()) return ErrnoStatus(errno, "");
    if (!status->is_regular()) return absl::InvalidArgumentError("it is no file");
    source.identity = status->identity;
    const uint64_t size = status->identity.size;
    std::string beginning(std::min<uint64_t>(size, kBeginning), '\0');
    OH_RETURN_IF_ERROR(ReadFully(source.fd.get(), beginning.data(), beginning.size(), 0));
    if (LooksLikeGguf(beginning)) {
      OH_ASSIGN_OR_RETURN(TensorHeader header, ReadGguf(source.fd.get(), size));
      return Add(path, "gguf", std::move(source), std::move(header));
    }
    if (LooksLikeSafetensors(beginning, size)) {
      OH_ASSIGN_OR_RETURN(TensorHeader header, ReadSafetensors(source.fd.get(), size));
      return Add(path, "safetensors", std::move(source), std::move(header));
    }
    if (LooksPickled(beginning)) {
      return absl::InvalidArgumentError(
          "it is pickled, and reading it could run any program: save it as safetensors first "
          "(safetensors.torch.save_file(state_dict, 'model.safetensors'))");
    }
    const size_t first = beginning.find_first_not_of(" \t\r\n");
    if (!is_shard && first != std::string::npos && beginning[first] == '{') {
      return OpenIndex(path, source.fd.get(), size);
    }
    return OpenModel(path);
  }

  absl::Status Add(const std::string& path, absl::string_view format, Source source,
                   TensorHeader header) {
    const auto file = static_cast<uint32_t>(state_.files.size());
    state_.files.push_back({path, format, source.identity.size, header.hash});
    state_.sources.push_back(std::move(source));
    for (TensorLayout& layout : header.tensors) {
      state_.tensors.push_back({std::move(layout.name), std::string(layout.type->name),
                                std::move(layout.dims), layout.elements, file});
      state_.layouts.push_back(std::move(layout));
      state_.in_model.emplace_back();
    }
    if (state_.tensors.size() > kMostTensors) return absl::InvalidArgumentError("too many tensors");
    return absl::OkStatus();
  }

  absl::Status OpenIndex(const std::string& path, int fd, uint64_t size) {
    if (size > kLongestIndex) return absl::InvalidArgumentError("it is too long for an index");
    std::string text(size, '\0');
    OH_RETURN_IF_ERROR(ReadFully(fd, text.data(), size, 0));
    OH_ASSIGN_OR_RETURN(const auto places, ReadSafetensorsIndex(text));
    const size_t before = state_.tensors.size();
    absl::flat_hash_set<std::string> opened;
    const std::string folder = DirectoryOf(path);
    for (const auto& [tensor, shard] : places) {
      if (!opened.insert(shard).second) continue;
      if (shard.empty() || shard[0] == '.' || absl::StrContains(shard, '/')) {
        return absl::InvalidArgumentError(
            absl::StrCat("it names ", QuotedName(shard), ", which is no file beside it"));
      }
      const std::string shard_path = absl::StrCat(folder, "/", shard);
      const absl::Status status = TryOpen(shard_path, /*is_shard=*/true);
      if (status.ok()) continue;
      is_told_ = true;
      return About(shard_path, status);
    }
    absl::flat_hash_map<absl::string_view, std::string> found;
    for (size_t i = before; i < state_.tensors.size(); ++i) {
      const CheckpointTensor& tensor = state_.tensors[i];
      found.emplace(tensor.name, FileNameOf(state_.files[tensor.file].path));
    }
    for (const auto& [tensor, shard] : places) {
      const auto at = found.find(tensor);
      if (at != found.end() && at->second == shard) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(QuotedName(tensor), " is not in ", SafeForTerminal(shard, kLongestShownName),
                       ", where the index says: they are of two checkpoints"));
    }
    return absl::OkStatus();
  }

  absl::Status OpenModel(const std::string& path) {
    absl::StatusOr<Model> opened = Model::Open(path);
    if (!opened.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "it is no safetensors, no index of them, no GGUF and no ONNX model (",
          absl::StripPrefix(opened.status().message(), absl::StrCat(path, ": ")), ")"));
    }
    Source source;
    source.model = *std::move(opened);
    const Graph& graph = source.model->graph();
    const auto file = static_cast<uint32_t>(state_.files.size());
    uint64_t hash = 0;
    for (TensorId id : graph.tensor_ids()) {
      const Tensor& tensor = graph.tensor(id);
      if (tensor.name.empty() || tensor.owner.valid()) continue;
      CheckpointTensor& added = state_.tensors.emplace_back();
      added.name = std::string(tensor.name);
      added.type = TypeText(TensorType(tensor.data_type));
      for (int64_t dim : graph.dims(id)) added.dims.push_back(static_cast<uint64_t>(dim));
      added.elements = tensor.elements;
      added.file = file;
      state_.layouts.emplace_back();
      state_.in_model.push_back(id);
      hash = MixHash(HashBytes(tensor.name, hash), tensor.elements);
    }
    state_.files.push_back({path, "onnx", source.model->file_size(), hash});
    state_.sources.push_back(std::move(source));
    return absl::OkStatus();
  }

  State& state_;
  bool is_told_ = false;  // the message names a file already
};

}  // namespace

Checkpoint::Checkpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

absl::Span<const CheckpointTensor> Checkpoint::tensors() const { return state_->tensors; }
absl::Span<const Checkpoint::File> Checkpoint::files() const { return state_->files; }

absl::StatusOr<Checkpoint> Checkpoint::Open(const std::vector<std::string>& paths) {
  auto state = std::make_unique<State>();
  Opener<State, State::Source> opener(*state);
  for (const std::string& path : paths) OH_RETURN_IF_ERROR(opener.Open(path));
  OH_RETURN_IF_ERROR(opener.CheckNames());
  return Checkpoint(std::move(state));
}

CheckpointValues::CheckpointValues(const Checkpoint& checkpoint) : state_(*checkpoint.state_) {
  models_.resize(state_.sources.size());
  for (size_t i = 0; i < models_.size(); ++i) {
    const std::optional<Model>& model = state_.sources[i].model;
    if (!model.has_value()) continue;
    const ModelSource& source = ModelAccess::Source(*model);
    models_[i] = std::make_unique<StoredTensorValues>(source.image, source.scanned,
                                                      DirectoryOf(model->path()));
  }
}

CheckpointValues::~CheckpointValues() = default;

absl::StatusOr<bool> CheckpointValues::Begin(TensorId tensor) {
  const uint32_t file = state_.tensors[tensor.index()].file;
  model_ = models_[file].get();
  if (model_ != nullptr) return model_->Begin(state_.in_model[tensor.index()]);
  const auto& source = state_.sources[file];
  OH_ASSIGN_OR_RETURN(const FileStatus status, Inspect(source.fd.get()));
  if (!status.identity.IsSameVersion(source.identity)) {
    return About(state_.files[file].path, absl::AbortedError("it was changed while it was read"));
  }
  layout_ = &state_.layouts[tensor.index()];
  fd_ = source.fd.get();
  next_ = 0;
  return layout_->type->is_read();
}

absl::Status CheckpointValues::Read(absl::Span<double> values) {
  if (model_ != nullptr) return model_->Read(values);
  const uint64_t piece = (uint64_t{1} << 16) / layout_->type->bytes * layout_->type->block;
  while (!values.empty()) {
    // Up to where a block ends, if it is a long way.
    const uint64_t count = std::min<uint64_t>(values.size(), piece - next_ % layout_->type->block);
    OH_RETURN_IF_ERROR(ReadBlocks(values.subspan(0, count)));
    next_ += count;
    values.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status CheckpointValues::ReadBlocks(absl::Span<double> values) {
  const StoredType& type = *layout_->type;
  const uint64_t first = next_ / type.block;
  const uint64_t end = (next_ + values.size() + type.block - 1) / type.block;
  bytes_.resize((end - first) * type.bytes);
  OH_RETURN_IF_ERROR(
      ReadFully(fd_, bytes_.data(), bytes_.size(), layout_->begin + first * type.bytes));
  if (type.decode == nullptr) {
    ToNumbers(type.data_type, bytes_.data(), values);
    return absl::OkStatus();
  }
  block_.resize((end - first) * type.block);
  for (uint64_t i = 0; i < end - first; ++i) {
    type.decode(bytes_.data() + i * type.bytes,
                absl::MakeSpan(block_).subspan(i * type.block, type.block));
  }
  std::copy_n(block_.begin() + static_cast<ptrdiff_t>(next_ % type.block), values.size(),
              values.begin());
  return absl::OkStatus();
}

absl::Status CheckpointValues::Skip(uint64_t count) {
  if (model_ != nullptr) return model_->Skip(count);
  next_ += count;
  return absl::OkStatus();
}

}  // namespace onnx_hier
