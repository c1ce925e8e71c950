// SPDX-License-Identifier: Apache-2.0

// How surely a module must hold its nodes: those that it holds less surely get what is around it.
#ifndef ONNX_HIER_LIB_OWNERS_LEAST_H_
#define ONNX_HIER_LIB_OWNERS_LEAST_H_

#include <algorithm>
#include <optional>
#include <utility>

#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class Least {
 public:
  Least() = default;
  explicit Least(float everywhere) : everywhere_(everywhere) {}
  // `of`: of some modules, which hold for what is inside of them; none: nothing but `everywhere`.
  // `paths` must outlive this.
  Least(float everywhere, IdVector<PathId, std::optional<float>> of, const ModulePaths& paths)
      : everywhere_(everywhere), of_(std::move(of)), paths_(&paths) {}

  bool is_anything() const { return everywhere_ == 0 && of_.empty(); }
  // A containment, from 0 to 1.
  float At(PathId path) const {
    if (of_.empty()) return everywhere_;
    // Paths that came later are in no rule themselves.
    for (; path.valid(); path = paths_->parent(path)) {
      if (!of_.contains(path)) continue;
      const std::optional<float>& own = of_[path];
      if (own.has_value()) return std::max(everywhere_, *own);
    }
    return everywhere_;
  }

 private:
  float everywhere_ = 0;
  IdVector<PathId, std::optional<float>> of_;
  const ModulePaths* paths_ = nullptr;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_LEAST_H_
