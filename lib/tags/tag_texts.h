// Tags as JSON strings, each rendered once.
#ifndef ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_
#define ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_

#include <string>

#include "lib/base/json_text.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class TagTexts {
 public:
  // `paths` must outlive this, and not grow.
  explicit TagTexts(const ModulePaths& paths) : paths_(paths), texts_(paths.size()) {}

  const std::string& operator[](PathId path) {
    std::string& text = texts_[path];
    if (text.empty()) AppendJsonString(paths_.Tag(path), &text);
    return text;
  }

 private:
  const ModulePaths& paths_;
  IdVector<PathId, std::string> texts_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_
