// SPDX-License-Identifier: Apache-2.0

// What a file's names say about where its nodes belong, told apart by who says it. Nothing here
// has been weighed, and nothing comes from the tags that are on trial.
#ifndef ONNX_HIER_LIB_AUDIT_NAME_EVIDENCE_H_
#define ONNX_HIER_LIB_AUDIT_NAME_EVIDENCE_H_

#include <string>

#include "lib/names/readable_graph.h"
#include "lib/owners/evidence.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"
#include "onnx_hier/tags.h"

namespace onnx_hier {

// A module as its classes: "/Net/Block.2.0". Tools differ in what they write for nested lists
// (all numbers, or only the last: "/Net/Block.0") and for classes of torch.nn (most leave them
// out).
struct KnownClasses {
  PathId path;
  PathId path_last_numbers;
  std::string library_class;  // the module's own, if it is one of torch.nn: "LayerNorm"
};

// Each is none where that witness says nothing.
struct NodeNameEvidence {
  PathId name;           // the scope in its own name, as printed
  PathId output;         // the scope in the name of its first output, as printed
  PathId module;         // the module that the names or the metadata mean: lib/owners
  PathId other_module;   // the module that the other of the two names means
  PathId owner;          // the one module whose parameters it reads
  KnownClasses classes;  // where the classes of modules are known
  bool fused = false;    // an optimiser made it of several; its name is that of one of them

  // The best that names and metadata have to say.
  PathId best() const { return name.valid() ? name : output.valid() ? output : module; }
};

struct NameEvidence {
  IdVector<NodeId, NodeNameEvidence> nodes;
  Evidence evidence;  // what they were taken from; in the same paths
};

// Paths are added to tags.paths(). A parameter that nodes with
// different tags read is shared or tied, and says nothing. `module_map` may be empty.
NameEvidence CollectNameEvidence(const ReadableGraph& readable, const ModuleMap& module_map,
                                 Tags& tags);

// Whether tags are class names ("/BertModel/BertEncoder/BertLayer.0") and not instance names.
bool TagsAreClasses(const Tags& tags, const IdVector<NodeId, NodeNameEvidence>& name_evidence);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_AUDIT_NAME_EVIDENCE_H_
