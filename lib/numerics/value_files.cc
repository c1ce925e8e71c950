// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/value_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/files/file_status.h"
#include "lib/files/posix_io.h"
#include "lib/numerics/byte_input.h"
#include "lib/numerics/npy.h"
#include "lib/numerics/run_results.h"
#include "lib/numerics/tensor_file.h"
#include "lib/numerics/zip_file.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

absl::Status In(const std::string& path, const absl::Status& status) {
  const bool ends_early = status.code() == absl::StatusCode::kOutOfRange;
  return absl::Status(ends_early ? absl::StatusCode::kInvalidArgument : status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

// As onnxruntime makes names of files out of those of values.
std::string Plain(absl::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  plain.erase(0, std::min(plain.find_first_not_of('_'), plain.size()));
  return plain;
}

// In an order that does not depend on the file system.
absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  if (error) return ErrnoStatus(error.value(), folder);
  std::sort(names.begin(), names.end());
  return names;
}

bool IsTensorFile(absl::string_view name) {
  return absl::EndsWith(name, ".pb") || absl::EndsWith(name, ".tensorproto");
}

}  // namespace

struct ValueFiles::State {
  enum class Layout : uint8_t { kZip, kNpy, kTensor, kJson };

  struct File {
    std::string path;
    Layout layout = Layout::kNpy;
    UniqueFd fd;  // of archives and JSON, which hold many
  };

  struct Place {
    uint32_t file = 0;
    ZipEntry entry;      // of an archive
    uint64_t begin = 0;  // of a text in JSON
    uint64_t end = 0;
  };

  struct Sample {
    std::vector<SavedValue> values;
    absl::flat_hash_map<std::string, size_t> by_name;
    absl::flat_hash_map<std::string, size_t> by_plain_name;  // of files in folders
  };

  void Add(Sample& sample, std::string name, Place place) {
    sample.by_name.try_emplace(name, sample.values.size());
    sample.values.push_back({std::move(name), static_cast<uint32_t>(places.size())});
    places.push_back(std::move(place));
  }

  absl::StatusOr<uint32_t> OpenFile(const std::string& path, Layout layout) {
    File& file = files.emplace_back(File{path, layout, OpenForReading(path)});
    if (!file.fd.valid()) return ErrnoStatus(errno, path);
    return static_cast<uint32_t>(files.size() - 1);
  }

  static absl::StatusOr<uint64_t> SizeOf(const File& file) {
    const std::optional<FileStatus> status = StatusOf(file.fd.get());
    if (!status.has_value()) return ErrnoStatus(errno, file.path);
    if (!status->is_regular()) {
      return absl::InvalidArgumentError(absl::StrCat(file.path, ": not a file, nor a folder"));
    }
    return status->identity.size;
  }

  absl::Status AddZip(const std::string& path) {
    OH_ASSIGN_OR_RETURN(const uint32_t index, OpenFile(path, Layout::kZip));
    OH_ASSIGN_OR_RETURN(const uint64_t size, SizeOf(files[index]));
    absl::StatusOr<std::vector<ZipEntry>> entries = ReadZip(files[index].fd.get(), size);
    if (!entries.ok()) return In(path, entries.status());
    Sample& sample = samples.emplace_back();
    for (ZipEntry& entry : *entries) {
      if (!absl::EndsWith(entry.name, ".npy")) continue;
      std::string name(absl::StripSuffix(entry.name, ".npy"));
      Add(sample, std::move(name), {index, std::move(entry)});
    }
    return absl::OkStatus();
  }

  absl::Status AddJson(const std::string& path, absl::string_view runner) {
    OH_ASSIGN_OR_RETURN(const uint32_t index, OpenFile(path, Layout::kJson));
    OH_ASSIGN_OR_RETURN(const uint64_t size, SizeOf(files[index]));
    absl::StatusOr<std::vector<EncodedArray>> arrays =
        FindEncodedArrays(files[index].fd.get(), size);
    if (!arrays.ok()) return In(path, arrays.status());
    const auto first = std::find_if(arrays->begin(), arrays->end(), [&](const EncodedArray& one) {
      return absl::StartsWith(one.runner, runner);
    });
    if (first == arrays->end()) {
      return absl::InvalidArgumentError(
          runner.empty()
              ? absl::StrCat(path, ": holds no values as Polygraphy saves them (--save-outputs)")
              : absl::StrCat(path, ": holds no values of a runner '", runner, "'"));
    }
    const std::string chosen = first->runner;
    for (EncodedArray& array : *arrays) {
      if (array.runner != chosen) continue;
      if (array.run >= kMostSamples) return absl::InvalidArgumentError(TooMany(path));
      if (samples.size() <= array.run) samples.resize(array.run + 1);
      Add(samples[array.run], std::move(array.name), {index, {}, array.begin, array.end});
    }
    return absl::OkStatus();
  }

  static std::string TooMany(const std::string& path) {
    return absl::StrCat(path, ": holds more than ", kMostSamples, " runs");
  }

  // Files of one run; what lies in folders inside has their names before its own.
  absl::Status AddFiles(const std::string& folder, const std::string& prefix, int depth,
                        Sample& sample) {
    OH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
    for (const std::string& name : names) {
      const std::string path = absl::StrCat(folder, "/", name);
      const std::optional<FileStatus> status = StatusOf(path);
      if (!status.has_value()) continue;
      if (status->kind == FileStatus::Kind::kFolder && depth < kDeepest) {
        OH_RETURN_IF_ERROR(AddFiles(path, absl::StrCat(prefix, name, "/"), depth + 1, sample));
      }
      if (!status->is_regular()) continue;
      const bool is_tensor = IsTensorFile(name);
      if (!is_tensor && !absl::EndsWith(name, ".npy")) continue;
      std::string value = absl::StrCat(prefix, name.substr(0, name.rfind('.')));
      sample.by_plain_name.try_emplace(Plain(value), sample.values.size());
      if (is_tensor) {
        const absl::StatusOr<std::string> own = NameInTensorFile(path);
        if (!own.ok()) return In(path, own.status());
        if (!own->empty()) value = *own;
      }
      files.push_back({path, is_tensor ? Layout::kTensor : Layout::kNpy, UniqueFd()});
      Add(sample, std::move(value), {static_cast<uint32_t>(files.size() - 1)});
    }
    return absl::OkStatus();
  }

  // A run, or several: archives, or folders and nothing else.
  absl::Status AddFolder(const std::string& folder) {
    OH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
    std::vector<std::string> archives;
    std::vector<std::string> folders;
    bool has_files = false;
    for (const std::string& name : names) {
      const std::string path = absl::StrCat(folder, "/", name);
      const std::optional<FileStatus> status = StatusOf(path);
      if (status.has_value() && status->kind == FileStatus::Kind::kFolder) folders.push_back(path);
      if (absl::EndsWith(name, ".npz")) archives.push_back(path);
      has_files = has_files || absl::EndsWith(name, ".npy") || IsTensorFile(name);
    }
    if (archives.size() + folders.size() > kMostSamples) {
      return absl::InvalidArgumentError(TooMany(folder));
    }
    for (const std::string& archive : archives) OH_RETURN_IF_ERROR(AddZip(archive));
    if (!archives.empty()) return absl::OkStatus();
    const bool are_runs =
        !has_files && !folders.empty() &&
        std::all_of(folders.begin(), folders.end(), [&](const std::string& path) {
          const absl::string_view name = absl::string_view(path).substr(folder.size() + 1);
          return std::any_of(name.begin(), name.end(),
                             [](unsigned char c) { return absl::ascii_isdigit(c); });
        });
    if (!are_runs) return AddFiles(folder, "", 0, samples.emplace_back());
    for (const std::string& path : folders) {
      OH_RETURN_IF_ERROR(AddFiles(path, "", 0, samples.emplace_back()));
    }
    return absl::OkStatus();
  }

  absl::Status AddAny(const std::string& path) {
    const size_t mark = path.rfind('#');
    const bool has_runner =
        mark != std::string::npos && absl::EndsWith(path.substr(0, mark), ".json");
    const std::string file = has_runner ? path.substr(0, mark) : path;
    const std::optional<FileStatus> status = StatusOf(file);
    if (!status.has_value()) return ErrnoStatus(errno, file);
    if (status->kind == FileStatus::Kind::kFolder) return AddFolder(file);
    if (absl::EndsWith(file, ".json")) {
      return AddJson(file, has_runner ? path.substr(mark + 1) : "");
    }
    if (absl::EndsWith(file, ".npy") || IsTensorFile(file)) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": holds one value: name the folder that it is in"));
    }
    return AddZip(file);
  }

  // What else the same runs gave.
  void Merge(State other) {
    const auto first_file = static_cast<uint32_t>(files.size());
    for (File& file : other.files) files.push_back(std::move(file));
    if (samples.size() < other.samples.size()) samples.resize(other.samples.size());
    for (size_t i = 0; i < other.samples.size(); ++i) {
      const size_t first_value = samples[i].values.size();
      for (auto& [name, value] : other.samples[i].by_plain_name) {
        samples[i].by_plain_name.try_emplace(name, first_value + value);
      }
      for (SavedValue& value : other.samples[i].values) {
        Place place = std::move(other.places[value.place]);
        place.file += first_file;
        Add(samples[i], std::move(value.name), std::move(place));
      }
    }
  }

  static constexpr size_t kMostSamples = 4096;
  static constexpr int kDeepest = 8;

  std::vector<File> files;
  std::vector<Place> places;
  std::vector<Sample> samples;
};

ValueFiles::ValueFiles(std::unique_ptr<State> state) : state_(std::move(state)) {}
ValueFiles::ValueFiles(ValueFiles&&) noexcept = default;
ValueFiles& ValueFiles::operator=(ValueFiles&&) noexcept = default;
ValueFiles::~ValueFiles() = default;

absl::StatusOr<ValueFiles> ValueFiles::Open(const std::string& path) {
  auto state = std::make_unique<State>();
  // Names may have commas themselves.
  const std::vector<std::string> paths =
      StatusOf(path).has_value() ? std::vector<std::string>{path} : absl::StrSplit(path, ',');
  for (const std::string& one : paths) {
    State part;
    OH_RETURN_IF_ERROR(part.AddAny(one));
    state->Merge(std::move(part));
  }
  const bool has_values =
      std::any_of(state->samples.begin(), state->samples.end(),
                  [](const State::Sample& sample) { return !sample.values.empty(); });
  if (!has_values) return absl::InvalidArgumentError(absl::StrCat(path, ": holds no values"));
  return ValueFiles(std::move(state));
}

size_t ValueFiles::samples() const { return state_->samples.size(); }

absl::Span<const SavedValue> ValueFiles::values(size_t sample) const {
  return state_->samples[sample].values;
}

const SavedValue* ValueFiles::Find(size_t sample, absl::string_view name) const {
  const State::Sample& in = state_->samples[sample];
  const auto found = in.by_name.find(name);
  if (found != in.by_name.end()) return &in.values[found->second];
  if (in.by_plain_name.empty()) return nullptr;
  const auto plain = in.by_plain_name.find(Plain(name));
  return plain == in.by_plain_name.end() ? nullptr : &in.values[plain->second];
}

std::string ValueFiles::Describe(const SavedValue& value) const {
  const State::File& file = state_->files[state_->places[value.place].file];
  if (file.layout == State::Layout::kNpy || file.layout == State::Layout::kTensor) return file.path;
  return absl::StrCat(file.path, ": ", SafeForTerminal(value.name, kLongestShownName));
}

absl::StatusOr<ValueNumbers> ValueFiles::Read(const SavedValue& value) const {
  const State::Place& place = state_->places[value.place];
  const State::File& file = state_->files[place.file];
  const auto read = [&]() -> absl::StatusOr<ValueNumbers> {
    switch (file.layout) {
      case State::Layout::kZip:
        return ReadNpy(onnx_hier::Open(file.fd.get(), place.entry));
      case State::Layout::kJson:
        return ReadNpy(
            FromBase64(BytesOfFile(file.fd.get(), place.begin, place.end - place.begin)));
      case State::Layout::kTensor: {
        OH_ASSIGN_OR_RETURN(TensorFile tensor, ReadTensorFile(file.path));
        return std::move(tensor.numbers);
      }
      case State::Layout::kNpy:
        break;
    }
    OH_ASSIGN_OR_RETURN(std::unique_ptr<ByteInput> bytes, BytesOfFile(file.path));
    return ReadNpy(std::move(bytes));
  };
  absl::StatusOr<ValueNumbers> numbers = read();
  return numbers.ok() ? std::move(numbers) : In(Describe(value), numbers.status());
}

}  // namespace onnx_hier
