// SPDX-License-Identifier: Apache-2.0

// Evidence of models that were joined into one file, put together and taken apart.
#ifndef ONNX_HIER_LIB_OWNERS_JOINED_EVIDENCE_H_
#define ONNX_HIER_LIB_OWNERS_JOINED_EVIDENCE_H_

#include <vector>

#include "lib/owners/evidence.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// In the ids of the file's own graph, `whole`; each node is in one of the models.
Evidence JoinEvidence(const Graph& whole, const ModulePaths& paths,
                      std::vector<ModelEvidence> models);

// What is known of a model by now: where its nodes are said to be in `joined`.
Evidence EvidenceOf(const ModelEvidence& model, const Evidence& joined);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_JOINED_EVIDENCE_H_
