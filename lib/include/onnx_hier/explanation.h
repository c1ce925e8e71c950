// What is said and weighed about the module of a node.
#ifndef ONNX_HIER_EXPLANATION_H_
#define ONNX_HIER_EXPLANATION_H_

#include <vector>

#include "onnx_hier/annotation.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

struct Opinion {
  Method method = Method::kNone;  // the idea or witness; kNone: a name that was overruled
  PathId path;
  NodeId node;  // the other node that it goes by; none where there is none
};

struct NodeExplanation {
  struct Candidate {
    PathId path;
    float probability = 0;  // before it was calibrated
  };

  NodeId node;
  std::vector<Opinion> opinions;      // each idea on its own, whether it was followed or not
  std::vector<Candidate> candidates;  // the most likely first; empty: nothing was weighed
};

struct Explanations {
  Annotation annotation;  // of the whole model
  std::vector<NodeExplanation> nodes;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_EXPLANATION_H_
