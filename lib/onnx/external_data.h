// SPDX-License-Identifier: Apache-2.0

// Tensors whose contents lie in other files beside the model.
#ifndef ONNX_HIER_LIB_ONNX_EXTERNAL_DATA_H_
#define ONNX_HIER_LIB_ONNX_EXTERNAL_DATA_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "lib/files/file_copier.h"
#include "lib/files/file_status.h"
#include "lib/files/output_file.h"
#include "lib/files/posix_io.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// The distinct locations of tensors, in their order, as written: that of a model's is file order.
std::vector<std::string> LocationsOf(absl::Span<const ExternalTensor> tensors);
std::vector<std::string> LocationsOf(absl::Span<const ExternalTensor* const> tensors);

// Whether a data file may be copied or read for another: a location that could lead out of the
// model's folder (absolute, "..", a backslash) is refused, as the ONNX standard asks
// (docs/ExternalData.md), and so is one with a hidden file or folder (".profile").
absl::Status CheckLocation(const std::string& location);
// The status with the data file that it is about.
absl::Status AboutData(const std::string& location, const absl::Status& status);

// Copies data files from the model's folder to another, sub-folders included. A model chooses its
// locations, so nothing outside these two folders is read or written: CheckLocation() holds, and a
// symbolic link on the way is refused.
//
//   DataFiles data("models", "out", {.replace = false}, {});
//   data.Copy({"w.bin", "data/v.bin"});
//   ...                                  // write the model
//   data.Keep();
//
// Without Keep() the files and folders that it made go with it.
class DataFiles {
 public:
  // A file that is there already with the same contents is left alone; one with others is an error
  // unless `output.replace`. `output.mode` plays no part: copies have their originals'.
  DataFiles(const std::string& from_folder, const std::string& to_folder,
            const OutputFile::Options& output, const CopyOptions& options)
      : from_folder_(from_folder), to_folder_(to_folder), output_(output), options_(options) {}
  DataFiles(const DataFiles&) = delete;
  DataFiles& operator=(const DataFiles&) = delete;
  ~DataFiles() { TakeBack(); }

  // Each file is complete or not there. Nothing is copied if any location is refused.
  absl::Status Copy(const std::vector<std::string>& locations);
  // Copies again what was there already when Copy() came to it, and is gone: made by a run that
  // has failed since.
  absl::Status Settle();
  void Keep();
  // Removes what it made. Paths of files that could not be removed.
  std::vector<std::string> TakeBack();
  // What could not be kept of files that were replaced, or be removed beside them: lines that begin
  // with the file.
  const std::vector<std::string>& losses() const { return losses_; }

 private:
  struct Made {
    std::string location;
    FileIdentity identity;
  };

  absl::Status OpenFolders();
  absl::Status CopyOne(const std::string& location);
  absl::Status Bring(const std::string& location);
  absl::Status Write(const UniqueFd& from, const std::string& location, bool replace);

  const std::string from_folder_;
  const std::string to_folder_;
  const OutputFile::Options output_;
  const CopyOptions options_;
  UniqueFd from_;
  UniqueFd to_;
  std::vector<std::string> made_folders_;  // locations, outer ones first
  std::vector<Made> made_files_;
  std::vector<std::string> losses_;
  std::vector<std::string> found_;  // locations of files that were there already
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_EXTERNAL_DATA_H_
