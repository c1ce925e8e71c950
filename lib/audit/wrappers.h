// SPDX-License-Identifier: Apache-2.0

// Modules around the network that tags leave out: a parameter "model.decoder.fc.bias" belongs to
// the module "/model/decoder/fc", which is tagged "/decoder/fc" where the model was called from
// inside its wrapper.
#ifndef ONNX_HIER_LIB_AUDIT_WRAPPERS_H_
#define ONNX_HIER_LIB_AUDIT_WRAPPERS_H_

#include <cstdint>

#include "lib/audit/tag_audit.h"

namespace onnx_hier {

// How many modules at the front of `places` most tags leave out. Nodes may have no place.
uint32_t CountWrappers(const TagAudit& audit, const IdVector<NodeId, PathId>& places,
                       ModulePaths& paths);

// `path` without its first `count` atoms.
PathId WithoutWrappers(PathId path, uint32_t count, ModulePaths& paths);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_WRAPPERS_H_
