// Two models, module by module: which are the same, and what changed in the others.
//
//   const absl::StatusOr<ModelDiff> diff = Compare(a, hierarchy_of_a, b, hierarchy_of_b);
//   if (!diff.ok()) return diff.status();                // weights could not be read
//   for (const ModuleDiff& module : diff->changed) ...   // empty: nothing changed
//
// A module is the same when its own nodes do the same to the same kinds of values, and its own
// parameters hold the same. Names of nodes and values play no part, nor does where the file has
// them. A model that was renamed as a whole (/bert/encoder and /encoder) is compared below the
// name; a module that has another name now is recognised by its nodes.
#ifndef ONNX_HIER_DIFF_H_
#define ONNX_HIER_DIFF_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

class Model;

// So many of a kind: nodes of an operator, parameters of a type and shape ("float32[32,64]").
struct KindCount {
  std::string kind;
  uint64_t count = 0;
};

struct ModuleDiff {
  PathId a;                 // none: the module is only in B
  PathId b;                 // none: ... only in A
  bool moved = false;       // it has another name, or is in another module
  bool operators = false;   // other nodes
  bool wiring = false;      // the same operators with other attributes, or that read other values
  bool parameters = false;  // parameters of other types or shapes
  bool weights = false;     // the same ones with other contents
  // What only one of the two has, by name.
  std::vector<KindCount> operators_removed;
  std::vector<KindCount> operators_added;
  std::vector<KindCount> parameters_removed;
  std::vector<KindCount> parameters_added;
};

struct ModelDiff {
  PathId root_a;  // what was compared with what
  PathId root_b;
  uint64_t same = 0;                // modules
  std::vector<ModuleDiff> changed;  // in A's order, then those only in B in B's
  uint64_t unread = 0;  // parameters whose contents were not compared: they could not be read
  std::vector<std::string> warnings;  // which data files beside the models could not be read, why
};

struct DiffOptions {
  bool structure = true;  // operators, wiring and attributes, types and shapes of parameters
  bool weights = true;    // contents of parameters
  // Levels of modules below the root; deeper ones count for the one around them.
  uint32_t depth = 0xFFFFFFFFu;
};

// Weights are read once, and no more of them than needed; also those in data files beside the
// models (of a model with a path). Errors of reading them, but that a data file is missing is none.
absl::StatusOr<ModelDiff> Compare(const Model& a, const Hierarchy& modules_a, const Model& b,
                                  const Hierarchy& modules_b, const DiffOptions& options = {});

}  // namespace onnx_hier

#endif  // ONNX_HIER_DIFF_H_
