// SPDX-License-Identifier: Apache-2.0

// How many modules each module holds, and whether they are the members of a list.
#ifndef ONNX_HIER_LIB_NAMES_MODULE_CHILDREN_H_
#define ONNX_HIER_LIB_NAMES_MODULE_CHILDREN_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class ModuleChildren {
 public:
  ModuleChildren() = default;  // of no modules
  // Of all modules there are.
  explicit ModuleChildren(const ModulePaths& paths) : counts_(paths.size()) {
    for (PathId path : paths.ids()) {
      if (path != paths.root()) Count(path, paths);
    }
  }
  // Of some modules, and all around them.
  ModuleChildren(const ModulePaths& paths, absl::Span<const PathId> modules)
      : counts_(paths.size()) {
    IdSet<PathId> all(paths.size());
    for (PathId path : modules) paths.AddWithAround(path, all);
    for (PathId path : paths.ids()) {
      if (path != paths.root() && all.Has(path)) Count(path, paths);
    }
  }

  uint32_t count(PathId path) const {
    return counts_.contains(path) ? counts_[path].names + counts_[path].numbers : 0;
  }
  // A list of layers (ModuleList, Sequential): it is not called, or has no nodes of its own.
  bool is_list(PathId path) const {
    return counts_.contains(path) && counts_[path].numbers > 0 && counts_[path].names == 0;
  }
  // One of which all members are known. Where some are missing these have no parameters: the
  // members of a Sequential run one after the other.
  bool is_whole_list(PathId path) const { return is_list(path) && has_all_numbers(path); }
  // Whether no member is missing; there may be others beside the numbered ones.
  bool has_all_numbers(PathId path) const {
    return counts_.contains(path) && counts_[path].largest < counts_[path].numbers;
  }

 private:
  struct Counts {
    uint32_t names = 0;
    uint32_t numbers = 0;
    uint64_t largest = 0;  // of the numbers
  };

  void Count(PathId path, const ModulePaths& paths) {
    Counts& counts = counts_[paths.parent(path)];
    ++(paths.is_number(path) ? counts.numbers : counts.names);
    if (paths.is_number(path)) counts.largest = std::max(counts.largest, paths.number(path));
  }

  IdVector<PathId, Counts> counts_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_MODULE_CHILDREN_H_
