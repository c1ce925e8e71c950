// SPDX-License-Identifier: Apache-2.0

// Which files the jobs of one call read and write: none that is read, and no output, may be
// replaced by another output. Known before anything is written.
#ifndef ONNX_HIER_PROGRAM_JOB_FILES_H_
#define ONNX_HIER_PROGRAM_JOB_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace onnx_hier {

// Files of one model. Of names, "" is none and "-" a standard stream.
struct JobFiles {
  std::string input;
  std::string model;              // what it becomes
  std::string sidecar;            // likewise
  std::vector<std::string> data;  // locations of its external data, as the model names them
  bool copies_data = false;       // to the folder of `model`
  bool replaces = false;          // something has the name of an output; told by CheckJobFiles()
};

// A file that is read beside the models.
struct TextFile {
  const char* what;  // "the module map"
  std::string path;
};

// kInvalidArgument if an output of a job would replace an input, a data file or an output of
// another job, or one of `texts`, under whatever name. What a job does to its own files is the
// library's to check. One data file may be copied for several models.
absl::Status CheckJobFiles(absl::Span<JobFiles> jobs, absl::Span<const TextFile> texts);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_JOB_FILES_H_
