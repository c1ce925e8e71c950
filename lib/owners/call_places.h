// SPDX-License-Identifier: Apache-2.0

// Where the nodes of calls are that gave way to their function's body: in the module that each call
// is, and in the same one inside of it in all of them.
//
//   call 0 reads layers.0.attn.q.weight, layers.0.mlp.up.weight: it is /layers.0
//   call 1 reads layers.1.attn.q.weight, layers.1.mlp.up.weight: it is /layers.1
//   a node of the body whose metadata says layers.0.mlp is in /layers.0/mlp and /layers.1/mlp
#ifndef ONNX_HIER_LIB_OWNERS_CALL_PLACES_H_
#define ONNX_HIER_LIB_OWNERS_CALL_PLACES_H_

#include <cstdint>
#include <vector>

#include "lib/graph/unfolded_calls.h"
#include "lib/owners/evidence.h"
#include "lib/owners/node_owners.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class CallPlaces {
 public:
  // Moves what names and metadata say of nodes into the modules of their calls. `graph` is made by
  // putting in bodies, and `origins` are its; both must outlive this.
  CallPlaces(const Graph& graph, const FlatOrigins& origins, ModulePaths& paths,
             Evidence& evidence);

  bool IsInCall(NodeId node) const { return call_of_[node] != kNoCall; }

  // Gives a node of a body the same module in each call, inside of the call's: the one that speaks
  // for most of them. `owners` are decided.
  void Keep(ModulePaths& paths, NodeOwners& owners) const;

 private:
  // Of a call.
  struct Place {
    PathId module;              // none: nothing says which
    PathId named;               // what holds all places that the names of its nodes say
    bool has_metadata = false;  // that is among these
    uint32_t raised = 0;        // modules from what it reads out to what it is
  };
  // Of what a call reads that not all calls do.
  struct Read {
    PathId all;                // holds all of it, calls in the call included
    PathId last;               // the last one
    bool has_several = false;  // nodes of its own read parameters of different modules
  };

  void FindNodes();
  std::vector<Read> FindReads(const ModulePaths& paths, const Evidence& evidence) const;
  void FindModules(ModulePaths& paths, const Evidence& evidence);
  void Move(ModulePaths& paths, Evidence& evidence) const;
  PathId InCall(PathId path, uint32_t call, ModulePaths& paths) const;
  // The nearest call around, itself included, of which the module is known.
  PathId ModuleAround(uint32_t call) const;

  const Graph& graph_;
  const FlatOrigins& origins_;
  IdVector<NodeId, uint32_t> call_of_;
  IdVector<NodeId, uint32_t> role_of_;  // nodes of different calls that are one node of a body
  uint32_t roles_ = 0;
  std::vector<Place> places_;          // by call
  std::vector<uint32_t> first_calls_;  // by call: the first one of its function
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_CALL_PLACES_H_
