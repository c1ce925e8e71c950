// What a Model holds besides its path.
#ifndef ONNX_HIER_LIB_API_MODEL_SOURCE_H_
#define ONNX_HIER_LIB_API_MODEL_SOURCE_H_

#include "lib/files/file_image.h"
#include "lib/onnx/scanner.h"
#include "onnx_hier/model.h"

namespace onnx_hier {

struct ModelSource {
  FileImage image;  // the views in `scanned` point into it
  ScannedModel scanned;
};

struct ModelAccess {
  static const ModelSource& Source(const Model& model) { return *model.source_; }
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_API_MODEL_SOURCE_H_
