// SPDX-License-Identifier: Apache-2.0

// Reading a model with protobuf's own parser.
//
//   absl::StatusOr<ModelFile> file = ReadModelFile("in.onnx");
//   file->model().graph().node_size();
//
// The error names the file: "in.onnx: is larger than 2 GiB, which protobuf cannot hold".
#ifndef ONNX_HIER_TOOLS_VERIFY_MODEL_FILE_H_
#define ONNX_HIER_TOOLS_VERIFY_MODEL_FILE_H_

#include <google/protobuf/arena.h>
#include <onnx/onnx_pb.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace onnx_hier::verify {

class ModelFile {
 public:
  explicit ModelFile(std::string path)
      : path_(std::move(path)),
        arena_(std::make_unique<google::protobuf::Arena>()),
        model_(google::protobuf::Arena::CreateMessage<onnx::ModelProto>(arena_.get())) {}

  const std::string& path() const { return path_; }
  const onnx::ModelProto& model() const { return *model_; }

 private:
  friend absl::StatusOr<ModelFile> ReadModelFile(const std::string& path);

  std::string path_;
  std::unique_ptr<google::protobuf::Arena> arena_;
  onnx::ModelProto* model_;  // in the arena
};

absl::StatusOr<ModelFile> ReadModelFile(const std::string& path);

}  // namespace onnx_hier::verify

#endif  // ONNX_HIER_TOOLS_VERIFY_MODEL_FILE_H_
