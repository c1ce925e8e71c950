// SPDX-License-Identifier: Apache-2.0

// Which nodes an exporter wrote for one call of an operator of Python.
//
// A graph of torch.export has a node for each such call. Of the ONNX nodes that come of it the last
// one's value is called as the call is, and those before it are numbered:
//
//   MatMul 'val_2', Add 'linear'                          one call of linear
//   Reshape 'val_6', InstanceNormalization 'val_13', Reshape 'val_15', Mul 'val_23',
//   Add 'group_norm_4'                                    one call of group_norm
//
// A call runs in one module, so all of its nodes are there. Names of values outlive the metadata
// that says so by itself: most tools that change a model keep the ones and drop the others.
#ifndef ONNX_HIER_LIB_OWNERS_OPERATOR_CALLS_H_
#define ONNX_HIER_LIB_OWNERS_OPERATOR_CALLS_H_

#include "lib/graph/flow.h"
#include "lib/names/module_children.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

class OperatorCalls {
 public:
  // Linear in nodes and edges. `flow` must outlive this.
  explicit OperatorCalls(const Flow& flow);

  // Whether neither values nor nodes are called so.
  bool empty() const { return ends_.empty(); }
  // The last node of the call that a node belongs to; none: it is a constant, or several calls read
  // it.
  Rank end(Rank rank) const { return empty() ? Rank() : ends_[rank]; }
  // What is known of a call.
  struct Place {
    Rank witness;  // a node whose module is known; none: there is none, or they are in several
  };
  // By the last nodes of calls; of no size: the file has none.
  using Places = IdVector<Rank, Place>;
  Places PlacesOf(const KnownModules& known) const;

 private:
  const Flow& flow_;
  IdVector<Rank, Rank> ends_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_OPERATOR_CALLS_H_
