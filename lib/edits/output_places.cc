// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/output_places.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/model_source.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
bool IsInput(const Model& model, const FilePlace& place) {
  const FileIdentity& input = ModelAccess::Source(model).identity();
  return place.exists() && place.device == input.device && place.inode == input.inode;
}

bool IsMeantForInput(const Model& model, const FilePlace& place, const WriteOptions& options) {
  if (!options.in_place || model.path().empty()) return false;
  return IsInput(model, place) || place == PlaceOf(model.path());
}

DataPlaces::DataPlaces(const Model& model)
    : model_folder_(DirectoryOf(model.path())), locations_(model.external_locations()) {}

absl::Status DataPlaces::CheckIsNone(const FilePlace& place) {
  return CheckIsNone(model_folder_, place);
}

absl::Status DataPlaces::CheckIsNone(const std::string& folder, const FilePlace& place) {
  const auto [places, is_new] = places_.try_emplace(folder);
  if (is_new) {
    for (const std::string& location : locations_) {
      places->second.insert(PlaceOf(absl::StrCat(folder, "/", location)));
    }
  }
  if (!places->second.contains(place)) return absl::OkStatus();
  return absl::FailedPreconditionError("is a data file of the model; name another file");
}

absl::Status CheckModelPlace(const Model& model, const OutputPlace& output,
                             const WriteOptions& options, DataPlaces& data) {
  if (IsInput(model, output.place) && !options.in_place) {
    return absl::FailedPreconditionError(absl::StrCat(
        "is the input itself; ",
        options.offers_in_place ? "use --in-place to replace it" : "name another file"));
  }
  OH_RETURN_IF_ERROR(data.CheckIsNone(output.place));
  // Where --external-data copy would put them.
  return data.CheckIsNone(DirectoryOf(output.target), output.place);
}

absl::Status CheckDocumentPlace(const Model& model, const std::string& name, const FilePlace& place,
                                absl::Span<const OutputPlace* const> models, DataPlaces& data) {
  if (IsInput(model, place)) {
    return absl::InvalidArgumentError(
        absl::StrCat("is the input itself; name another file for the ", name));
  }
  OH_RETURN_IF_ERROR(data.CheckIsNone(place));
  for (const OutputPlace* output : models) {
    if (output->place == place) {
      return absl::InvalidArgumentError(
          absl::StrCat("is the tagged model's own file; name another file for the ", name));
    }
    OH_RETURN_IF_ERROR(data.CheckIsNone(DirectoryOf(output->target), place));
  }
  return absl::OkStatus();
}

ReadPlaces::ReadPlaces(const Model& model, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (FilePlace place = PlaceOf(path); !IsInput(model, place)) places_.insert(std::move(place));
  }
  if (places_.empty() || model.path().empty()) return;
  const std::string folder = DirectoryOf(model.path());
  for (const std::string& location : model.external_locations()) {
    places_.erase(PlaceOf(absl::StrCat(folder, "/", location)));
  }
}

absl::Status CheckDataPlaces(const Model& model, const std::string& to_folder,
                             const std::vector<std::string>& locations, const ReadPlaces& read) {
  const auto place_in = [](const std::string& folder, const std::string& location) {
    return PlaceOf(absl::StrCat(folder, "/", location));
  };
  const std::string from_folder = DirectoryOf(model.path());
  std::set<FilePlace> sources;
  for (const std::string& location : locations) sources.insert(place_in(from_folder, location));
  for (const std::string& location : locations) {
    const FilePlace place = place_in(to_folder, location);
    const bool is_itself = place == place_in(from_folder, location);
    if (read.Has(place)) {
      return absl::FailedPreconditionError(
          absl::StrCat("copied to ", to_folder, ", the data file ", SafeForTerminal(location, 200),
                       " would replace a file that this run reads; write to another folder"));
    }
    if (IsInput(model, place) || (sources.contains(place) && !is_itself)) {
      return absl::FailedPreconditionError(
          absl::StrCat("copied to ", to_folder, ", a data file of the model would replace ",
                       IsInput(model, place) ? "the model" : "another of its data files",
                       "; write to another folder"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCutPlace(const Model& model, const std::string& path, const ReadPlaces& read,
                           DataPlaces& data, std::set<FilePlace>& outputs) {
  const FilePlace place = PlaceOf(path);
  const char* const what = IsInput(model, place)           ? "the input"
                           : read.Has(place)               ? "a file that this run reads"
                           : !data.CheckIsNone(place).ok() ? "a data file of the model"
                           : !outputs.insert(place).second ? "the file of another output"
                                                           : nullptr;
  if (what == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("its data file would be ",
                                                    SafeForTerminal(FileNameOf(path), 200),
                                                    ", which is ", what, "; name another file"));
}

}  // namespace onnx_hier
