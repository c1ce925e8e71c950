// SPDX-License-Identifier: Apache-2.0

// Tags that are instance names ("/encoder/layer.0"): compared with the scopes in names, then with
// the modules of parameters.
#ifndef ONNX_HIER_LIB_AUDIT_PATH_TAGS_H_
#define ONNX_HIER_LIB_AUDIT_PATH_TAGS_H_

#include "lib/audit/name_evidence.h"
#include "lib/audit/name_findings.h"
#include "lib/audit/tag_audit.h"

namespace onnx_hier {

// New paths may be added to `paths`.
void CheckPathTags(const TagAudit& audit, const IdVector<NodeId, NodeNameEvidence>& name_evidence,
                   ModulePaths& paths, NameFindings& result);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_PATH_TAGS_H_
