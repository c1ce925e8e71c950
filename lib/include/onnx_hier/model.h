// SPDX-License-Identifier: Apache-2.0

// An ONNX file, opened. Its weights are read by nothing but comparisons with another model.
//
//   absl::StatusOr<Model> model = Model::Open("bert.onnx");
//   if (!model.ok()) return model.status();            // "bert.onnx: byte 5120: ..."
//   model->graph().node_count();
#ifndef ONNX_HIER_MODEL_H_
#define ONNX_HIER_MODEL_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/bytes.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

struct OpenOptions {
  int threads = 0;  // see AnnotateOptions; for what is made of the model later, too
  // Of a stream: when true, kCancelled.
  const std::atomic<bool>* cancel = nullptr;
};

struct ModelSource;

class Model {
 public:
  // Errors name the file, what is wrong and where: kNotFound, kPermissionDenied, kInvalidArgument
  // (no model), kDataLoss (damaged, with the byte offset), kAborted (changed while it was read).
  // Those of the other ways in have no file to name.
  static absl::StatusOr<Model> Open(const std::string& path, const OpenOptions& options = {});
  // Reads a stream (such as standard input) to its end.
  static absl::StatusOr<Model> FromStream(int fd, const OpenOptions& options = {});
  // A model that is in memory already. It touches no file.
  static absl::StatusOr<Model> FromBytes(std::string bytes, const OpenOptions& options = {});
  // One that is read as it is needed. Reads go on while the model, or what is made from it, is
  // used.
  static absl::StatusOr<Model> FromSource(std::shared_ptr<ByteSource> source,
                                          const OpenOptions& options = {});
  // A model that is in memory, of bytes that are the caller's, and must outlive the model and what
  // is made from it.
  static absl::StatusOr<Model> FromMemory(absl::string_view bytes, const OpenOptions& options = {});

  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const Graph& graph() const;
  // As given to Open(); "" for a stream and for bytes.
  const std::string& path() const { return path_; }
  uint64_t file_size() const;
  // Files that hold tensor contents, as the model names them; not to be trusted as paths.
  std::vector<std::string> external_locations() const;

 private:
  friend struct ModelAccess;  // for the writers in this library
  Model(std::string path, std::unique_ptr<ModelSource> source);

  std::string path_;
  std::unique_ptr<ModelSource> source_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_MODEL_H_
