// SPDX-License-Identifier: Apache-2.0

// Why a node has its tag: who says what of it, what was weighed, what decided.
//
//   const Explanations why = Explain(model, {NodeId(12)});
//   why.nodes[0].opinions;     // {kParameters, /encoder/layer.0}, {kOrder, /encoder}, ...
//   why.nodes[0].candidates;   // {/encoder/layer.0, 0.98}, {/encoder, 0.02}, ...
//   why.nodes[0].grounds;      // {kRepetition, "all look-alike nodes agree on this module", 3.1}
//
// Names, metadata, function calls: a node that says itself where it is was not weighed, and has
// opinions only.
#ifndef ONNX_HIER_EXPLAIN_H_
#define ONNX_HIER_EXPLAIN_H_

#include <string>
#include <vector>

#include "onnx_hier/annotation.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct Opinion {
  Method method = Method::kNone;  // the idea, or the witness, that says so
  PathId path;
  NodeId node;       // the other node that it goes by; none where there is none
  std::string name;  // what says so: of a parameter, a value, a key of the metadata; or ""
};

// What one kind of feature did for the most likely candidate against the next.
struct Ground {
  Method method = Method::kNone;  // the idea it belongs to; kNone: what holds of most nodes
  std::string feature;            // of its features the one that counted most, by its own name
  std::string text;               // what that one says, in English
  // Weight times difference in value, summed over the kind: the logarithm of a factor on the odds.
  float contribution = 0;
  NodeId node;  // that it points at; none where there is none
};

struct NodeExplanation {
  NodeId node;
  // The module of another node whose work this one does, too, since an optimiser fused the two.
  PathId fused_with;              // none: it was not fused, or nothing tells with what
  std::vector<Opinion> opinions;  // each on its own, whether it was followed or not
  struct Candidate {
    PathId path;
    float probability = 0;  // before it was calibrated
  };
  std::vector<Candidate> candidates;  // the most likely first; empty: nothing was weighed
  // By idea, then by contribution, the largest first: so the first one decided, and has the
  // assignment's method and witness. Empty: something else decided than the weighing.
  std::vector<Ground> grounds;
};

struct Explanations {
  Annotation annotation;  // of the whole model
  std::vector<NodeExplanation> nodes;
};

// One sentence: why the node has its module, where its own name did not say. "" where it did.
std::string ReasonText(const Graph& graph, const Annotation& annotation, NodeId node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_EXPLAIN_H_
