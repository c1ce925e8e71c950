// SPDX-License-Identifier: Apache-2.0
#include "tools/onnx-hier/files_read.h"

#include <mutex>

#include "absl/strings/str_cat.h"

namespace onnx_hier::cli {
namespace {

struct Noted {
  std::mutex mutex;  // models are opened by several threads
  std::vector<std::string> paths;
};

Noted& Files() {
  static Noted files;
  return files;
}

}  // namespace

void NoteRead(const std::string& path) {
  if (path.empty() || path == "-") return;
  Noted& files = Files();
  const std::lock_guard<std::mutex> lock(files.mutex);
  files.paths.push_back(path);
}

void NoteRead(const Model& model) {
  NoteRead(model.path());
  if (model.path().empty()) return;
  const std::string folder = model.path().substr(0, model.path().rfind('/') + 1);
  for (const std::string& location : model.external_locations()) {
    NoteRead(absl::StrCat(folder, location));
  }
}

std::vector<std::string> FilesRead() {
  Noted& files = Files();
  const std::lock_guard<std::mutex> lock(files.mutex);
  return files.paths;
}

void ForgetFilesRead() {
  Noted& files = Files();
  const std::lock_guard<std::mutex> lock(files.mutex);
  files.paths.clear();
}

}  // namespace onnx_hier::cli
