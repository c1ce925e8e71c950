// SPDX-License-Identifier: Apache-2.0

// Tags that a file carries already when it is tagged again: the last witness of all.
//
// A tool between may have dropped names and kept doc_strings: what was known when the names were
// there is known still. Such tags are heard where neither names nor parameters place a node, and
// only if they are right where these do (where nothing does, they are all that is known, another
// tool's in metadata among them), and if no comparison with other nodes speaks against them:
// for nodes that were placed with little confidence, and, of tags that were carried over from the
// model's original, for others too.
// Nothing of a tag is believed more than the tag itself claims, so that tagging twice gives the
// same file.
#ifndef ONNX_HIER_LIB_AUDIT_EARLIER_TAGS_H_
#define ONNX_HIER_LIB_AUDIT_EARLIER_TAGS_H_

#include "lib/graph/flow.h"
#include "lib/owners/evidence.h"
#include "lib/owners/least.h"
#include "lib/owners/node_owners.h"

namespace onnx_hier {

// Gives such nodes the tags of their doc_strings, where these claim more. Returns whether any was.
bool RecallEarlierTags(const Flow& flow, const Evidence& evidence, ModulePaths& paths,
                       const Least& least, NodeOwners& owners);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_EARLIER_TAGS_H_
