// Tensors whose contents lie in other files beside the model.
#ifndef ONNX_HIER_LIB_ONNX_EXTERNAL_DATA_H_
#define ONNX_HIER_LIB_ONNX_EXTERNAL_DATA_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/onnx/file_copier.h"
#include "lib/onnx/output_file.h"
#include "lib/onnx/scanner.h"

namespace onnx_hier {

// The distinct locations that the model names, in file order, as written.
std::vector<std::string> ExternalLocations(const ScannedModel& model);

// Copies the files at `locations` from one folder to another, sub-folders included. A location
// that could lead out of the model's folder (absolute, "..", a backslash, a symbolic link on the
// way) is refused before anything is copied, as the ONNX standard asks (docs/ExternalData.md).
// A file that is there already with the same contents is left alone; one with others is an error
// unless `output.replace`. `output.mode` plays no part: copies have their originals'.
absl::Status CopyExternalData(const std::string& from_folder, const std::string& to_folder,
                              const std::vector<std::string>& locations,
                              const OutputFile::Options& output, const CopyOptions& options);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_EXTERNAL_DATA_H_
