// SPDX-License-Identifier: Apache-2.0

// What each witness says about where a node belongs, not yet weighed.
//
// All paths are module paths as named_modules() spells them: whatever a file's names leave out or
// print differently has been reconciled by lib/names.
#ifndef ONNX_HIER_LIB_OWNERS_EVIDENCE_H_
#define ONNX_HIER_LIB_OWNERS_EVIDENCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "lib/graph/graph_part.h"
#include "lib/names/mapped_modules.h"
#include "lib/names/name_sureness.h"
#include "lib/names/readable_graph.h"
#include "lib/owners/statements.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

struct ModelEvidence;

struct Evidence {
  std::string dialect;  // how the file's names are written
  NodeStatements nodes;
  std::vector<PathId> owners;
  IdVector<ValueId, PathId> value_owners;  // the module whose parameter a value is; or none
  IdSet<ValueId> merged;  // of these: kept for equal ones of other modules, see merged_parameters.h
  std::vector<std::pair<PathId, std::string>> classes;  // of modules, where the file names them

  // Of each of several models that were joined into the file, in ids of its own; empty: it is one.
  std::vector<ModelEvidence> models;

  // Modules that the file shows to be called, the root among them; of no size where its names
  // do not tell. A ModuleList, or a model that was only looked into, is never called.
  IdSet<PathId> called;

  bool MayBeCalled(PathId path) const { return called.size() == 0 || called.Contains(path); }

  // By a complete module map that fits the file: modules that can own nodes, and those that may be
  // taken to own some that nothing else says is theirs, the root among both; of no size where any
  // module may.
  IdSet<PathId> mapped_owners;
  IdSet<PathId> mapped_candidates;

  bool MayOwn(PathId path) const {
    return mapped_owners.size() == 0 || mapped_owners.Contains(path);
  }
  bool IsCandidate(PathId path) const {
    return mapped_candidates.size() == 0 || mapped_candidates.Contains(path);
  }
  // By path: itself where it can own nodes, else the nearest one around it that can.
  IdVector<PathId, PathId> NearestOwners(const ModulePaths& paths) const;

  // The distinct modules whose parameters the node reads, by the parameters' own names; also
  // through nodes that only reshape or dequantise a parameter. See FindOwnersOf.
  absl::Span<const PathId> owners_of(NodeId node) const {
    const Range range = nodes[node].owners;
    return absl::MakeConstSpan(owners).subspan(range.begin, range.size());
  }
};

struct ModelEvidence {
  const GraphPart* part;
  const Graph* graph;  // of the part, with readable names
  PathId top;          // the module that its prefix stands for, around all others
  NameSureness sureness;
  Evidence evidence;
};

// Every path that is found is added to `paths`. `mapped` are modules of the network that the caller
// knows of. A complete map is believed where most of what names say lies in it: names that begin
// otherwise, or another network's map, say nothing of who owns nodes. On up to `threads`
// threads; the result is the same. The second form is of a graph whose names are readable as they
// are. The readable graph must outlive the evidence.
Evidence CollectEvidence(const ReadableGraph& readable, const MappedModules& mapped,
                         ModulePaths& paths, size_t threads = 1);
Evidence CollectEvidence(const Graph& graph, const MappedModules& mapped, ModulePaths& paths,
                         size_t threads = 1);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_EVIDENCE_H_
