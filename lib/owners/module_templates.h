// SPDX-License-Identifier: Apache-2.0

// What stands around the parameters of all modules of one kind.
//
// A layer norm computes a mean and a variance before it multiplies by its weight, a layer may turn
// its input around first. What stands at the same place around the parameters of all modules of one
// kind is theirs, the template of each, if one value comes into it (apart from what others read as
// well) and one goes out. What only some of them have beside them is in none.
//
//   fc.bias -> Add -> ReduceMean -> Sub -> ... -> Div -> Mul (norm1.weight)
//   up.bias -> Add -> ReduceMean -> Sub -> ... -> Div -> Mul (norm2.weight)
//                     |------------------------| of norm1 and norm2
//
// Modules are of one kind when they read parameters of the same last names, by the same operators,
// in the same order. Where all of them stand behind the same thing, nothing tells on which side of
// it the border is: that is no template. Only a weight that nobody owns, before the bias of a
// module that has nothing else, needs no other of its kind.
#ifndef ONNX_HIER_LIB_OWNERS_MODULE_TEMPLATES_H_
#define ONNX_HIER_LIB_OWNERS_MODULE_TEMPLATES_H_

#include "absl/container/inlined_vector.h"
#include "lib/graph/flow.h"
#include "lib/owners/context.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct TemplatePlace {
  PathId inside;  // the innermost module in whose template the node is; none: in none
  // The node at the same place around another module of that kind; of the first of these, one that
  // reads its parameters; or none.
  Rank twin;
  bool joins = false;  // it joins what comes out of that module with what went past it
  // Modules beside which it stands where not all others of their kind have such a node.
  absl::InlinedVector<PathId, 2> not_in;
};

// For each open node that computes. Nothing is taken into modules without others that are `whole`.
// Linear in nodes and edges: a bounded number of modules around a parameter, and of nodes around a
// module, is looked at, by up to so many threads.
IdVector<Rank, TemplatePlace> FindTemplatePlaces(const Context& context, const IdSet<PathId>& whole,
                                                 size_t threads);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_MODULE_TEMPLATES_H_
