// SPDX-License-Identifier: Apache-2.0

// What the data files beside a model hold: opened one at a time, for reading only.
//
//   DataFileReader files("models");      // the model's folder
//   files.Open("w.bin");                 // ok, or why it cannot be read
//   files.Read(buffer, 4096, offset);
//
// A model chooses its locations: what could lead out of its folder, a symbolic link and a hidden
// file are never opened, as when data files are copied (external_data.h).
#ifndef ONNX_HIER_LIB_ONNX_DATA_FILE_READER_H_
#define ONNX_HIER_LIB_ONNX_DATA_FILE_READER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/files/file_status.h"
#include "lib/files/posix_io.h"

namespace onnx_hier {

class DataFileReader {
 public:
  // "": of a model that came through a pipe, beside which there is nothing.
  explicit DataFileReader(std::string folder) : folder_(std::move(folder)) {}

  // `location` must outlive this. What could not be opened once is not tried again.
  absl::Status Open(absl::string_view location);
  // Of the open file.
  uint64_t size() const { return identity_.size; }
  const FileIdentity& identity() const { return identity_; }
  uint32_t mode() const { return mode_; }
  int fd() const { return file_.get(); }
  absl::Status Read(char* out, uint64_t size, uint64_t offset);
  // Whether so much more of the open file may be read whole. Tensors that share what they hold
  // apart, a file is read once; a model whose tensors overlap could ask for it again and again.
  bool MaySpend(uint64_t bytes);
  // An error if the open file was changed since it was opened.
  absl::Status VerifyUnchanged() const;
  // Some of what the model looks for in a file is not there.
  void Note(absl::string_view location, const absl::Status& what) { Note(location, what, false); }

  struct Fault {
    absl::string_view location;
    absl::Status status;
    bool is_closed = false;  // the file could not be opened
  };
  // The first of each file, in the order in which they were met.
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  absl::Status TryOpen(absl::string_view location);
  void Note(absl::string_view location, const absl::Status& what, bool is_closed);

  const std::string folder_;
  UniqueFd top_;
  UniqueFd file_;
  absl::string_view location_;  // of the open file
  FileIdentity identity_;
  uint32_t mode_ = 0;
  absl::flat_hash_map<absl::string_view, uint64_t> spent_;  // by location: bytes read whole
  absl::flat_hash_map<absl::string_view, size_t> fault_of_;
  std::vector<Fault> faults_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_DATA_FILE_READER_H_
