// SPDX-License-Identifier: Apache-2.0

// A part of a model, as nodes and values of it: which modules it was asked for, what it holds.
#ifndef ONNX_HIER_PART_H_
#define ONNX_HIER_PART_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

enum class Reach {
  kModules,  // the modules; of several, what lies between them too
  kUpTo,     // and all that they need, from the model's inputs on
  kFrom,     // and all that needs them
  kValues,   // what makes some values of others
  kSplit,    // the modules, and what a split put beside them
};

// As reports and the metadata of parts call it.
constexpr absl::string_view ReachName(Reach reach) {
  switch (reach) {
    case Reach::kModules:
      return "modules";
    case Reach::kUpTo:
      return "up_to";
    case Reach::kFrom:
      return "from";
    case Reach::kValues:
      return "values";
    case Reach::kSplit:
      return "split";
  }
  return "";
}

// Modules and nodes, or else values; all of one graph.
struct PartRequest {
  std::vector<ModuleId> modules;
  std::vector<NodeId> nodes = {};
  // Values that the part is given: what makes them is not in it. With kFrom, it is all that needs
  // them.
  std::vector<ValueId> inputs = {};
  // What it gives out; none, with kValues: what of the model's outputs needs `inputs`.
  std::vector<ValueId> outputs = {};
  // Of a module that runs more than once, the run that is meant; none: all of them, of a module in
  // a function's body, or in several branches, the first one.
  std::optional<uint32_t> call;
  // Of Cutter::GraphsOf(), the one that is meant; none: `call` tells, or it is the first one.
  BlockId graph = {};
  Reach reach = Reach::kModules;
};

struct Part {
  PartRequest request;
  BlockId graph;  // that it is cut out of: the main graph, one inside it, a function's body
  // Of what lies in a function: the nodes that call it, from the main graph inwards.
  std::vector<NodeId> callers;
  std::vector<NodeId> nodes;  // of `graph`, in graph order
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

// How a model is cut into parts that run one after the other.
struct SplitRequest {
  enum class Rule {
    kModules,   // at each of `modules` and `nodes`, run by run; what comes before and after is a
                // part, too. Or behind each of `values`: all that it needs, and what is left
    kParts,     // into `parts` of which the one with most of `measure` has as little as can be,
                // cut between modules
    kMaxBytes,  // into as few as hold parameters of at most `max_bytes` each
  };
  // kAmounts: what `amounts` say of nodes.
  enum class Measure { kBytes, kNodes, kParameters, kAmounts };

  Rule rule = Rule::kModules;
  BlockId graph = {};  // that is cut: the body of a branch or a loop; none: the main graph
  std::vector<ModuleId> modules;
  std::vector<NodeId> nodes = {};
  std::vector<ValueId> values = {};
  uint32_t parts = 2;
  Measure measure = Measure::kBytes;
  std::vector<std::pair<NodeId, uint64_t>> amounts;  // such as nanoseconds; others have none
  uint64_t max_bytes = 0;
};

struct SplitPart {
  Part part;  // its request: the outermost modules that are in it as a whole
  // "head" and "tail" of a split at modules, "layer.3" or "layer.3_call_1" for what is at one; ""
  // for a part of a balanced split.
  std::string label;
};

struct SplitPlan {
  std::vector<SplitPart> parts;  // in the order in which they run
  // Modules of the request that are no place to cut at: of the main graph, they hold constants and
  // shape arithmetic at most.
  std::vector<ModuleId> passed_over;
  // Of fewer parts than were wanted, since there are no more places between modules: the module
  // that holds what is the largest between two of them.
  ModuleId largest;
  // Parameters that several parts have, and bytes that this costs.
  std::vector<ValueId> shared;
  uint64_t shared_bytes = 0;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_PART_H_
