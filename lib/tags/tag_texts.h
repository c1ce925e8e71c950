// SPDX-License-Identifier: Apache-2.0

// Tags as JSON strings; with a dot for a separator, qualified names, each with a dot in front.
#ifndef ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_
#define ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/pen.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {

class TagTexts {
 public:
  explicit TagTexts(const ModulePaths& paths, char separator = '/') : texts_(paths.size()) {
    std::string name;
    // Parents are made before their children.
    for (PathId path : paths.ids()) texts_[path] = Render(paths, path, separator, name);
  }

  // Lives as long as this.
  absl::string_view operator[](PathId path) const { return texts_[path]; }

 private:
  // `name_in_json` is kept for its memory.
  std::string Render(const ModulePaths& paths, PathId path, char separator,
                     std::string& name_in_json) const {
    const bool is_root = path == paths.root();
    const bool is_outermost = is_root || paths.parent(path) == paths.root();
    const absl::string_view around = is_outermost ? "\"" : (*this)[paths.parent(path)];
    const absl::string_view name = is_root ? "" : InJson(paths.name(path), &name_in_json);
    // Without the quote at the end of what is around.
    const absl::string_view begin = is_outermost ? around : around.substr(0, around.size() - 1);
    const size_t size = begin.size() + 1 + name.size() + 1;
    std::string text(size, '\0');
    Pen(text.data()).Put(begin).Put(paths.is_joined(path) ? '.' : separator).Put(name).Put('"');
    return text;
  }

  IdVector<PathId, std::string> texts_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_
