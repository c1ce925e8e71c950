// SPDX-License-Identifier: Apache-2.0

// Whether a module is printed like a scope.
//
//   module encoder.layers.0.conv1   scope /encoder/layers.0/conv1   the whole of it
//   module model.decoder.fc         scope /decoder/fc               with names left out
//   module layers.norm.scale        scope /layers.norm/scale        with some of them joined
//   module stem.1.0                 scope /stem/stem.0              not: it would be "stem.1.0"
#ifndef ONNX_HIER_LIB_NAMES_SPELLING_H_
#define ONNX_HIER_LIB_NAMES_SPELLING_H_

#include "absl/strings/string_view.h"
#include "lib/names/printed_scopes.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class Spelling {
 public:
  // The arguments must outlive this, and may grow.
  Spelling(const PrintedScopes& printed, const ModulePaths& paths)
      : printed_(printed), paths_(paths) {}

  // `module` without the atoms that the scope's last component is printed for; none if it does
  // not end with them. A module's own name may hold slashes: then several components go, and
  // `*outer` is the scope that is left.
  PathId WithoutComponent(PathId module, ScopeId scope, ScopeId* outer) const;

  // Whether `module` ends as the scope does, and would be printed with that very component.
  bool EndsAlike(PathId module, ScopeId scope) const;
  // Whether one of the two is the other with some names left out.
  bool IsCompatible(PathId module, ScopeId scope) const;
  // Both: whether the scope may be what is printed of the module.
  bool MayMean(PathId module, ScopeId scope) const {
    return EndsAlike(module, scope) && IsCompatible(module, scope);
  }

 private:
  PathId WithoutNames(PathId module, absl::string_view printed) const;
  PathId WithoutSlashedName(PathId module, ScopeId scope, ScopeId* outer) const;
  bool HasItsNumbers(PathId module, ScopeId scope) const;
  bool IsSame(PathId module, PathId printed) const;

  const PrintedScopes& printed_;
  const ModulePaths& paths_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_SPELLING_H_
