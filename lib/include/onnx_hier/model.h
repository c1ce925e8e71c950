// An ONNX file, opened. Its weights are never read.
#ifndef ONNX_HIER_MODEL_H_
#define ONNX_HIER_MODEL_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct OpenOptions {
  int threads = 2;  // used on large graphs; the result does not depend on it
  // Of a stream: when true, kCancelled.
  const std::atomic<bool>* cancel = nullptr;
};

class Model {
 public:
  // Errors name what is wrong and where: kNotFound, kPermissionDenied, kInvalidArgument (no
  // model), kDataLoss (damaged, with the byte offset), kAborted (changed while it was read).
  static absl::StatusOr<Model> Open(const std::string& path, const OpenOptions& options = {});
  // Reads a stream (such as standard input) to its end.
  static absl::StatusOr<Model> FromStream(int fd, const OpenOptions& options = {});

  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const Graph& graph() const;
  // As given to Open(); "" for a stream.
  const std::string& path() const { return path_; }
  uint64_t file_size() const;
  // Files that hold tensor contents, as the model names them; not to be trusted as paths.
  std::vector<std::string> external_locations() const;

  // For the writers in this library.
  struct Source;
  const Source& source() const { return *source_; }

 private:
  Model(std::string path, std::unique_ptr<Source> source);

  std::string path_;
  std::unique_ptr<Source> source_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_MODEL_H_
