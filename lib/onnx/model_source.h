// SPDX-License-Identifier: Apache-2.0

// What a Model holds besides its path.
#ifndef ONNX_HIER_LIB_ONNX_MODEL_SOURCE_H_
#define ONNX_HIER_LIB_ONNX_MODEL_SOURCE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/files/file_image.h"
#include "lib/files/file_status.h"
#include "lib/graph/unfolded_calls.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

struct ModelSource {
  FileImage image;  // the views in `scanned` point into it
  ScannedModel scanned;
  // Where the image is one of a file that was made for it: of that which it was made from.
  std::optional<FileIdentity> made_from = std::nullopt;
  int threads = 0;  // on which work on it may be done; see large_graph.h
  // Of a model whose shared functions gave way to their bodies: what each call holds is in one
  // module. None: names tell.
  std::optional<FlatOrigins> origins = std::nullopt;

  // Of the input, as users know it.
  const FileIdentity& identity() const { return made_from ? *made_from : image.identity(); }
};

struct ModelAccess {
  static const ModelSource& Source(const Model& model) { return *model.source_; }
  static Model Make(std::string path, std::unique_ptr<ModelSource> source) {
    return Model(std::move(path), std::move(source));
  }
};

// Null: there are none.
inline const FlatOrigins* OriginsOf(const Model& model) {
  const std::optional<FlatOrigins>& origins = ModelAccess::Source(model).origins;
  return origins.has_value() ? &*origins : nullptr;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_ONNX_MODEL_SOURCE_H_
