// A part of a model, as nodes and values of it: which modules it was asked for, what it holds.
#ifndef ONNX_HIER_PART_H_
#define ONNX_HIER_PART_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "onnx_hier/ids.h"

namespace onnx_hier {

enum class Reach {
  kModules,  // the modules; of several, what lies between them too
  kUpTo,     // and all that they need, from the model's inputs on
  kFrom,     // and all that needs them
};

struct PartRequest {
  std::vector<ModuleId> modules;
  // Of a module that runs more than once, the run that is meant; none: all of them.
  std::optional<uint32_t> call;
  Reach reach = Reach::kModules;
};

struct Part {
  PartRequest request;
  std::vector<NodeId> nodes;  // of the main graph, in graph order
  size_t copied = 0;          // of these: constants and shape arithmetic of other modules
  size_t between = 0;         // of these: what lies between the modules
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  // Nodes outside that need some output and that some input needs: values leave the part and come
  // back. It runs all the same, on values that are taken from the whole model.
  std::vector<NodeId> reentrant;
  uint64_t parameters = 0;  // tensors
  uint64_t parameter_bytes = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_PART_H_
