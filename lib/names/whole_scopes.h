// SPDX-License-Identifier: Apache-2.0

// The modules that are printed with all that is around them: what is inside of one is printed so,
// too, and no scope that leaves it out means that.
//
//   scopes /attn/norm, /attn/blocks.0, /attn/blocks.0/attn
//   attn.blocks.0.attn.norm is /attn/blocks.0/attn/norm: /attn/norm is another module
#ifndef ONNX_HIER_LIB_NAMES_WHOLE_SCOPES_H_
#define ONNX_HIER_LIB_NAMES_WHOLE_SCOPES_H_

#include "lib/names/printed_scopes.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class WholeScopes {
 public:
  // Of the modules that `paths` has by now. Both arguments must outlive this.
  WholeScopes(const PrintedScopes& printed, const ModulePaths& paths);

  // Whether the scope leaves out one of the modules around `module` that is printed.
  bool LeavesOut(ScopeId scope, PathId module) const;

 private:
  const PrintedScopes& printed_;
  const ModulePaths& paths_;
  IdVector<PathId, ScopeId> scope_of_;  // none: it is not printed so
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_NAMES_WHOLE_SCOPES_H_
