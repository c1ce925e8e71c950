// SPDX-License-Identifier: Apache-2.0

// Which nodes are in one module by construction, whatever else is said of them: what an exporter
// wrote for one call of an operator of Python, and the constants that it put before a node.
//
// A graph of torch.export has a node for each call. Of the ONNX nodes that come of it the last
// one's value is called as the call is, and those before it are numbered:
//
//   MatMul 'val_2', Add 'linear'                          one call of linear
//   Reshape 'val_6', InstanceNormalization 'val_13', Reshape 'val_15', Mul 'val_23',
//   Add 'group_norm_4'                                    one call of group_norm
//
// Names of values outlive the metadata that says so by itself: most tools that change a model keep
// the ones and drop the others.
//
// Exporters put a constant right before the node that they come to:
//
//   Mul '/norm/Mul', Constant '', Constant '', Clip '/act/Clip'    both are the Clip's, if it and
//                                                                  nothing else reads them
//
// Of the 4,107 such constants of 37 exports with known owners all are. Of the 297 others with a
// single reader, moved by whoever worked them out early or merged equal ones, 26 are elsewhere.
#ifndef ONNX_HIER_LIB_OWNERS_BOUND_NODES_H_
#define ONNX_HIER_LIB_OWNERS_BOUND_NODES_H_

#include "absl/types/span.h"
#include "lib/graph/flow.h"
#include "lib/owners/known_modules.h"
#include "lib/owners/open_decision.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class BoundNodes {
 public:
  // Linear in nodes and edges. `flow` must outlive this.
  explicit BoundNodes(const Flow& flow);

  // Whether no node is bound to another.
  bool empty() const { return ends_.empty(); }
  // The last node of the group that a node belongs to; none: it is bound to none.
  Rank end(Rank rank) const { return empty() ? Rank() : ends_[rank]; }

  // Settles those of the `open` nodes in `known` that are bound to one of which it is known where
  // it is, and decides on them, by `basis`.
  void Settle(absl::Span<const Rank> open, Basis basis, const InferOptions& options,
              KnownModules& known, IdVector<Rank, OpenDecision>& decisions) const;
  // Of bound nodes that were `weighed` the surest speaks for all.
  void Agree(absl::Span<const Rank> weighed, const InferOptions& options,
             IdVector<Rank, OpenDecision>& decisions) const;

 private:
  void FindCalls();
  void BindConstants();
  // A node that tells where a group is: one that is settled, or else one that is presumed
  // somewhere; none where nothing is known or such nodes are in several modules. By the last nodes
  // of groups.
  IdVector<Rank, Rank> WitnessesAmong(const KnownModules& known) const;
  Method MethodIn(Rank rank) const;

  const Flow& flow_;
  IdVector<Rank, Rank> ends_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_BOUND_NODES_H_
