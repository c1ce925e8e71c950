// The module of an open node by the plain ideas, without weights: what decides where nothing was
// fitted, and what fitted weights are measured against.
#ifndef ONNX_HIER_LIB_RESOLVE_RULES_H_
#define ONNX_HIER_LIB_RESOLVE_RULES_H_

#include "lib/resolve/context.h"
#include "lib/resolve/residual.h"
#include "lib/resolve/twins.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// What each idea says of a node on its own; none: nothing.
struct Opinions {
  PathId twins;       // where more than half of its twins put it
  PathId parameters;  // whose parameters it reads
  PathId residual;    // of a join over a skip connection: see ResidualRule
  PathId order;       // what contains the known nodes before and behind it in the file
  PathId readers;     // of a constant: what contains all known nodes that read it
  Place twin = kNowhere;

  // By the first that has an opinion, in the order above but readers before order.
  PathId Best() const;
};

class Rules {
 public:
  // All arguments must outlive this.
  Rules(const Context& context, Twins& twins)
      : context_(context), twins_(twins), residual_owners_(context) {}

  Opinions On(Place place);

 private:
  const Context& context_;
  Twins& twins_;
  ResidualOwners residual_owners_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_RULES_H_
