// SPDX-License-Identifier: Apache-2.0

// Where outputs may not go, whatever the options: a model that its own sidecar has replaced is
// lost. Errors do not name the output.
#ifndef ONNX_HIER_LIB_EDITS_OUTPUT_PLACES_H_
#define ONNX_HIER_LIB_EDITS_OUTPUT_PLACES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lib/files/file_place.h"
#include "lib/files/open_folders.h"
#include "onnx_hier/write.h"

namespace onnx_hier {

// Whether the model was read from there.
bool IsInput(const Model& model, const FilePlace& place);
// Whether what is there is to become what was read from it, also if another program has put another
// file there since.
bool IsMeantForInput(const Model& model, const FilePlace& place, const WriteOptions& options);

// Where the data files of a model are, or would be, in some folder: each folder is looked at once
// for all outputs, before any of them is there.
class DataPlaces {
 public:
  explicit DataPlaces(const Model& model);

  // Of the model's own folder.
  absl::Status CheckIsNone(const FilePlace& place);
  // An error if one of them, looked up in `folder`, is at `place`.
  absl::Status CheckIsNone(const std::string& folder, const FilePlace& place);

 private:
  const std::string model_folder_;
  const std::vector<std::string> locations_;
  std::map<std::string, std::set<FilePlace>> places_;  // by folder
};

absl::Status CheckModelPlace(const Model& model, const OutputPlace& output,
                             const WriteOptions& options, DataPlaces& data);
// Of a document of that name, beside those models.
absl::Status CheckDocumentPlace(const Model& model, const std::string& name, const FilePlace& place,
                                absl::Span<const OutputPlace* const> models, DataPlaces& data);
// Files that were read beside a model, but for those that are its own: what may become of these is
// asked above.
class ReadPlaces {
 public:
  ReadPlaces(const Model& model, const std::vector<std::string>& paths);
  bool Has(const FilePlace& place) const { return places_.contains(place); }

 private:
  std::set<FilePlace> places_;
};

// Refuses to copy a data file over the model, over another of its data files, or over `read`.
absl::Status CheckDataPlaces(const Model& model, const std::string& to_folder,
                             const std::vector<std::string>& locations, const ReadPlaces& read);

// Where the data file of an output would be: nothing of the run is there, neither what it reads nor
// an output. It joins these.
absl::Status CheckCutPlace(const Model& model, const std::string& path, const ReadPlaces& read,
                           DataPlaces& data, std::set<FilePlace>& outputs);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_EDITS_OUTPUT_PLACES_H_
