// SPDX-License-Identifier: Apache-2.0

// Which files this run has read: nothing that it writes takes their place (WriteOptions).
#ifndef ONNX_HIER_TOOLS_FILES_READ_H_
#define ONNX_HIER_TOOLS_FILES_READ_H_

#include <string>
#include <vector>

#include "onnx_hier/model.h"

namespace onnx_hier::cli {

// Whatever opens a file calls it; "" and "-" are none.
void NoteRead(const std::string& path);
// With the files that its external data are in.
void NoteRead(const Model& model);

std::vector<std::string> FilesRead();
// Where one process runs several commands, each begins with none.
void ForgetFilesRead();

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_FILES_READ_H_
