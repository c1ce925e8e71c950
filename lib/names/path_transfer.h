// SPDX-License-Identifier: Apache-2.0

// The way from one module to another, carried over to where a third one is.
//
//   from /layer.1/attention, the way that leads from /layer.0/attention to /layer.0/output
//   leads to /layer.1/output
//
// It holds across layers, stacks and stages of any name: "one up, then down into `output`".
#ifndef ONNX_HIER_LIB_NAMES_PATH_TRANSFER_H_
#define ONNX_HIER_LIB_NAMES_PATH_TRANSFER_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/names/module_children.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class PathTransfer {
 public:
  // Ways may lead to modules that are not there: these are added to `added_to`, which is `paths`
  // itself, as long as there are not twice as many as there were, and `most_added`: a hostile file
  // must not make the tree grow without end. Without `added_to` such ways are not said. The
  // arguments must outlive this.
  PathTransfer(const ModulePaths& paths, const ModuleChildren& children, ModulePaths* added_to,
               size_t most_added);

  // Forgets deferred().
  void Start() { deferred_ = false; }
  // None: the way leads nowhere from there, or to a module that may not be added.
  PathId Carry(PathId from, PathId twin_from, PathId twin_to);
  // Whether anything was not said since Start() as it would have to be added.
  bool deferred() const { return deferred_; }

 private:
  struct Way {
    PathId from, twin_from, twin_to, to;
  };

  PathId CarryAnew(PathId from, PathId twin_from, PathId twin_to);
  PathId Child(PathId parent, absl::string_view name);

  const ModulePaths& paths_;
  const ModuleChildren& children_;
  ModulePaths* const added_to_;  // null: nothing may be added
  const size_t most_paths_;
  bool deferred_ = false;
  std::vector<Way> remembered_;  // the last ones, by hash
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_PATH_TRANSFER_H_
