// SPDX-License-Identifier: Apache-2.0

// Two models, module by module: which are the same, and what changed in the others.
//
//   const absl::StatusOr<ModelDiff> diff = Compare(a, hierarchy_of_a, b, hierarchy_of_b);
//   if (!diff.ok()) return diff.status();                // weights could not be read
//   for (const ModuleDiff& module : diff->changed) ...   // empty: nothing changed
//
// A module is the same when its own nodes do the same to the same values (of the module, of the
// same places of the same other modules, of the same inputs of the model), the same outputs of the
// model come from it, and its own parameters hold the same. Names of nodes and values play no part,
// nor does the order in which the file has them. Constants count as what they hold, not as nodes. A
// model that was renamed as a whole (/bert/encoder and /encoder) is compared below the name; a
// module that has another name now is recognised by its nodes. Members of lists are recognised by
// what they are, so that one that is inserted does not make all behind it others.
#ifndef ONNX_HIER_DIFF_H_
#define ONNX_HIER_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
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

// How far weights are from those that they are compared with, one by one.
struct WeightDifference {
  uint64_t compared = 0;  // elements
  double largest = 0;     // of the absolute differences
  // Norm of the differences (L2) by that of A's weights; infinite if these are all 0.
  double relative = 0;
  uint64_t not_finite = 0;  // elements that differ and are not finite; the others leave them out
};

// An attribute of an operator that says something else, in so many nodes of a module.
struct AttributeDiff {
  std::string op;    // "MatMul", "com.microsoft:Attention"
  std::string name;  // "epsilon"
  // "1e-05", "[1,1,2,...] of 300", "'same'", "float32[64]"; "": it is not there. The same in both:
  // what they hold differs all the same.
  std::string a;
  std::string b;
  uint64_t nodes = 0;
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
  // Of operators that both have as many nodes of, where operators or wiring are not the same.
  std::vector<AttributeDiff> attributes;
  // Of parameters of the same shapes, where their numbers can be compared: of one type, or both of
  // a floating one. None: some of them cannot, or they need not be.
  std::optional<WeightDifference> difference;
  // Of a module that is only in one: which of ModelDiff::only it is in.
  size_t outermost = 0;
};

// What modules add up to.
struct ModuleFigures {
  uint64_t modules = 0;
  uint64_t nodes = 0;
  uint64_t parameters = 0;  // elements
  uint64_t bytes = 0;       // of parameters
};

// A module, or a list, of which nothing is in the other model, with all inside it.
struct OnlyInOne {
  PathId a;                // none: it is only in B
  PathId b;                // none: ... only in A
  bool is_member = false;  // of a list that both have: it was removed, or inserted
  PathId copy_of;          // inserted: one of A that holds the same; or none
  ModuleFigures figures;
};

// A member of a list that has another number now.
struct Renumbered {
  PathId a;
  PathId b;
  bool moved = false;  // past others; else these were inserted or removed before it
  bool same = true;    // nothing else changed in it
};

// A list of layers with all inside them, or a module in which there is none: as of 'git --stat'.
struct UnitDiff {
  std::string name;  // as a tag of A: "/encoder/layer"
  uint64_t members_removed = 0;
  uint64_t members_added = 0;
  uint64_t members_renumbered = 0;  // moved ones included
  uint64_t members_moved = 0;       // past others
  uint64_t changed = 0;             // modules, with those that only one of the two has
  ModuleFigures a;
  ModuleFigures b;
};

// An input of the model that callers must give otherwise, or an output that they get otherwise.
struct PortDiff {
  std::string name;
  // "float32[batch,128]", with "optional" in front of an input that has a default, and its place
  // ("place 2, float32[64]") where those of both are others; "": none.
  std::string a;
  std::string b;
};

struct ModelDiff {
  PathId root_a;  // what was compared with what
  PathId root_b;
  uint64_t same = 0;                   // modules
  std::vector<ModuleDiff> changed;     // in A's order, then those only in B in B's
  std::vector<OnlyInOne> only;         // likewise: what holds all of these that only one has
  std::vector<Renumbered> renumbered;  // by list
  std::vector<UnitDiff> units;         // in A's order, then those only in B
  std::vector<PortDiff> inputs;        // that are not the same, in A's order, then those only in B
  std::vector<PortDiff> outputs;       // whose names changed places, in A's order
  ModuleFigures a;                     // all in all
  ModuleFigures b;
  uint64_t unread = 0;  // parameters whose contents were not compared: they could not be read
  std::vector<std::string> warnings;  // which data files beside the models could not be read, why

  bool IsEmpty() const {
    return changed.empty() && renumbered.empty() && inputs.empty() && outputs.empty();
  }
};

struct DiffOptions {
  bool structure = true;  // operators, wiring and attributes, types and shapes of parameters
  bool weights = true;    // contents of parameters
  // Levels of modules below the root; deeper ones count for the one around them.
  uint32_t depth = 0xFFFFFFFFu;
};

// Weights are read once, those that differ twice, and no more of them than needed; also those in
// data files beside the models (of a model with a path). Errors of reading them, but that a data
// file is missing is none.
absl::StatusOr<ModelDiff> Compare(const Model& a, const Hierarchy& modules_a, const Model& b,
                                  const Hierarchy& modules_b, const DiffOptions& options = {});

}  // namespace onnx_hier

#endif  // ONNX_HIER_DIFF_H_
