// SPDX-License-Identifier: Apache-2.0

// Tags that are class names, of nodes in modules whose classes are known.
#ifndef ONNX_HIER_LIB_AUDIT_KNOWN_CLASSES_H_
#define ONNX_HIER_LIB_AUDIT_KNOWN_CLASSES_H_

#include "lib/audit/name_evidence.h"
#include "lib/audit/name_findings.h"
#include "lib/audit/tag_audit.h"

namespace onnx_hier {

// New paths may be added to `paths`.
void CheckKnownClasses(const TagAudit& audit,
                       const IdVector<NodeId, NodeNameEvidence>& name_evidence, ModulePaths& paths,
                       NameFindings& result);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_KNOWN_CLASSES_H_
