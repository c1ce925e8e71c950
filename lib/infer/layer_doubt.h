// Which layer owns what one layer seems to make and only another one reads?
#ifndef ONNX_HIER_LIB_INFER_LAYER_DOUBT_H_
#define ONNX_HIER_LIB_INFER_LAYER_DOUBT_H_

#include "lib/features/context.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// The list of layers that stands for both of them; none where there is no doubt that a node which
// stands in `module` belongs there.
//
//   layers.0:  Div   Concat   MatMul   Add      the Concat may be layers.1's own: exporters move
//   layers.1:                    Shape(Concat)  what can be worked out early, and merge it
//
// A layer hands on what its last nodes make, or a join over its skip connection, and what it hands
// on may be read anywhere. A node in the middle of the layer that nothing there reads, and that
// only one module of another layer reads, may as well be part of that one.
PathId DoubtBetweenLayers(Rank rank, PathId module, const Context& context);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_INFER_LAYER_DOUBT_H_
