// Why a node has its tag: what every witness says, what was weighed, what was decided.
//
//   const Explanations why = Explain(model, {NodeId(12)});
//   why.nodes[0].opinions;     // {kParameters, /encoder/layer.0}, {kOrder, /encoder}, ...
//   why.nodes[0].candidates;   // {/encoder/layer.0, 0.98}, ...
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
  NodeId node;  // the other node that it goes by; none where there is none
};

struct NodeExplanation {
  NodeId node;
  std::vector<Opinion> opinions;  // each idea on its own, whether it was followed or not
  struct Candidate {
    PathId path;
    float probability = 0;  // before it was calibrated
  };
  std::vector<Candidate> candidates;  // the most likely first; empty: nothing was weighed
};

struct Explanations {
  Annotation annotation;  // of the whole model
  std::vector<NodeExplanation> nodes;
};

// One sentence: why the node has its module, where its own name did not say. "" where it did.
std::string ReasonText(const Graph& graph, const Annotation& annotation, NodeId node);

}  // namespace onnx_hier

#endif  // ONNX_HIER_EXPLAIN_H_
