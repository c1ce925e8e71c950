// Tags as JSON strings, each rendered once; with a dot for a separator, qualified names, each with
// a dot in front.
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
  explicit TagTexts(const ModulePaths& paths, char separator = '/')
      : paths_(paths), separator_(separator), texts_(paths.size()) {}

  const std::string& operator[](PathId path) {
    if (texts_[path].empty()) texts_[path] = Render(path);
    return texts_[path];
  }

 private:
  // What is around a module mostly has a text already. A number is joined to the list before it.
  std::string Render(PathId path) {
    std::string text = {'"', separator_};
    if (path == paths_.root()) return text += '"';
    const PathId parent = paths_.parent(path);
    if (parent != paths_.root()) {
      const std::string& around = (*this)[parent];
      text.reserve(around.size() + paths_.name(path).size() + 1);
      text.assign(around, 0, around.size() - 1);
      text += paths_.is_number(path) ? '.' : separator_;
    }
    AppendJsonContents(paths_.name(path), &text);
    text += '"';
    return text;
  }

  const ModulePaths& paths_;
  const char separator_;
  IdVector<PathId, std::string> texts_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_TAGS_TAG_TEXTS_H_
