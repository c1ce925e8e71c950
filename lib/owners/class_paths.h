// SPDX-License-Identifier: Apache-2.0

// The classes of modules, and paths made of them as hierarchy tools write them:
// "/BertModel/BertEncoder/BertLayer.1/BertAttention".
#ifndef ONNX_HIER_LIB_OWNERS_CLASS_PATHS_H_
#define ONNX_HIER_LIB_OWNERS_CLASS_PATHS_H_

#include <string>
#include <vector>

#include "lib/owners/evidence.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class ClassPaths {
 public:
  // Classes from the map, and those that the file itself names where the map has none.
  ClassPaths(const ModulePaths& paths, const Evidence& evidence, const ModuleMap& map);

  // The whole class name with its Python module; "" if it is not known.
  const std::string& class_name(PathId path) const { return classes_[path]; }

  // The modules of the map that are paths.
  const std::vector<PathId>& mapped() const { return mapped_; }

  // The classes around and of a module, without those of torch.nn (containers and leaves) and
  // those of modules that were never called; a member of a list keeps its number. "" if the
  // class of the root is not known.
  std::string ClassPath(PathId path) const;

 private:
  const ModulePaths& paths_;
  IdVector<PathId, std::string> classes_;
  IdVector<PathId, std::string> own_;  // as it stands in class paths; "": it does not
  std::vector<PathId> mapped_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_CLASS_PATHS_H_
