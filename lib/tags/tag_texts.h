// SPDX-License-Identifier: Apache-2.0

// Tags as JSON strings, each rendered once; with a dot for a separator, qualified names, each with
// a dot in front.
#ifndef ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_
#define ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_

#include <string>

#include "absl/base/attributes.h"
#include "absl/strings/string_view.h"
#include "lib/base/pen.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {

class TagTexts {
 public:
  // `paths` must outlive this, and not grow.
  explicit TagTexts(const ModulePaths& paths, char separator = '/')
      : paths_(paths), separator_(separator), texts_(paths.size()) {}

  // From now on several threads may ask.
  void RenderAll() {
    for (PathId path : paths_.ids()) (*this)[path];
  }

  // Lives as long as this.
  ABSL_ATTRIBUTE_ALWAYS_INLINE absl::string_view operator[](PathId path) const {
    std::string& text = texts_[path];
    if (text.empty()) text = Render(path);
    return text;
  }

 private:
  // What is around a module mostly has a text already.
  std::string Render(PathId path) const {
    const bool is_root = path == paths_.root();
    const bool is_outermost = is_root || paths_.parent(path) == paths_.root();
    const absl::string_view around = is_outermost ? "\"" : (*this)[paths_.parent(path)];
    const absl::string_view name = is_root ? "" : InJson(paths_.name(path), &name_);
    // Without the quote at the end of what is around.
    const absl::string_view begin = is_outermost ? around : around.substr(0, around.size() - 1);
    const size_t size = begin.size() + 1 + name.size() + 1;
    std::string text(size, '\0');
    Pen(text.data()).Put(begin).Put(paths_.is_joined(path) ? '.' : separator_).Put(name).Put('"');
    return text;
  }

  const ModulePaths& paths_;
  const char separator_;
  mutable IdVector<PathId, std::string> texts_;
  mutable std::string name_;  // kept for its memory
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_
