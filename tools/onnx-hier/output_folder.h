// The folder that a command writes several files into.
#ifndef ONNX_HIER_TOOLS_OUTPUT_FOLDER_H_
#define ONNX_HIER_TOOLS_OUTPUT_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace onnx_hier::cli {

// Made if it is missing, its last level only; and goes again, with the object, unless Keep() is
// called or something is in it by then.
class OutputFolder {
 public:
  static absl::StatusOr<OutputFolder> Prepare(const std::string& path);
  OutputFolder(OutputFolder&& other) noexcept : made_(std::exchange(other.made_, "")) {}
  OutputFolder& operator=(OutputFolder&& other) noexcept {
    std::swap(made_, other.made_);
    return *this;
  }
  ~OutputFolder();

  void Keep() { made_.clear(); }

 private:
  explicit OutputFolder(std::string made) : made_(std::move(made)) {}

  std::string made_;  // its path; "" if it was there before
};

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_OUTPUT_FOLDER_H_
