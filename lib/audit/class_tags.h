// SPDX-License-Identifier: Apache-2.0

// Tags that are class names ("/BertModel/BertEncoder/BertLayer.0"): which number in a name stands
// for which number in a tag (class_numbers.h), and which tag goes with which name, is learned from
// the file itself; then each node is held to both. Before that, nodes in modules whose classes are
// known.
#ifndef ONNX_HIER_LIB_AUDIT_CLASS_TAGS_H_
#define ONNX_HIER_LIB_AUDIT_CLASS_TAGS_H_

#include "lib/audit/name_evidence.h"
#include "lib/audit/name_findings.h"
#include "lib/audit/tag_audit.h"

namespace onnx_hier {

// New paths may be added to `paths`.
void CheckClassTags(const TagAudit& audit, const IdVector<NodeId, NodeNameEvidence>& name_evidence,
                    ModulePaths& paths, NameFindings& result);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_CLASS_TAGS_H_
