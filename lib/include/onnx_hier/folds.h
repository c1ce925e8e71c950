// SPDX-License-Identifier: Apache-2.0

// Modules as local functions of the model, and back.
//
//   const Hierarchy hierarchy(model.graph(), annotation);
//   const absl::StatusOr<Folding> folding = Fold(model, hierarchy, {});
//   absl::Status status = Write(model, folding->edits, Destination::File("folded.onnx"));
//
//   const absl::StatusOr<Unfolding> unfolding = Unfold(folded_model, {});
//   status = Write(folded_model, unfolding->edits, Destination::File("flat.onnx"));
//
// Each run of a module becomes one node, which calls a function of the domain "onnx_hier.modules";
// modules that are built alike share one. Names in a function's body are relative to the call's.
// Weights stay where they are, as initializers that are handed in. What does not follow from the
// functions is kept in the model's metadata ("onnx_hier.fold"), so that unfolding gives back the
// model as it was, byte for byte.
#ifndef ONNX_HIER_FOLDS_H_
#define ONNX_HIER_FOLDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"
#include "onnx_hier/tags.h"

namespace onnx_hier {

struct FoldRequest {
  // These modules, not those inside of them; none: all.
  std::optional<std::vector<ModuleId>> only;
  // Only runs that share a function with another one, where that makes the file smaller.
  bool repeated = false;
  uint32_t min_nodes = 3;  // of a run, with those inside of it
  // Modules that are at most so many modules below the root.
  std::optional<uint32_t> depth;
};

// A function that a folded model has.
struct FoldedFunction {
  std::string name;
  ModuleId module;  // of its first call
  uint32_t calls = 0;
  uint32_t nodes = 0;  // in its body; a call counts as one
};

// A run of a module that was not folded although it was meant.
struct NotFolded {
  ModuleId module;
  uint32_t call = 0;
  std::string why;  // "values leave it and come back through /decoder/embed_tokens"
};

struct Folding {
  Edits edits;
  std::vector<FoldedFunction> functions;  // in order of first calls, inner ones first
  std::vector<NotFolded> left;            // the first 1,000
  size_t left_count = 0;                  // of all
  size_t calls = 0;                       // of functions; each run of a module is one
  size_t nodes_before = 0;                // in the main graph
  size_t nodes_after = 0;                 // in the main graph
  size_t function_nodes = 0;              // in functions
  size_t table_bytes = 0;                 // of what unfolding needs besides them
  int64_t raised_ir_version = 0;          // 0: it was high enough
};

// kFailedPrecondition: the graph is no order of nodes with one maker for each value that is read,
// it is folded already, or it would have more functions than runtimes take.
absl::StatusOr<Folding> Fold(const Model& model, const Hierarchy& hierarchy,
                             const FoldRequest& request);

struct UnfoldRequest {
  // All local functions, not only those that Fold() made.
  bool all = false;
};

struct Unfolding {
  Edits edits;
  bool exact = false;         // this is the model that was folded, byte for byte
  bool scattered = false;     // its nodes are, but they stood between other fields of the file
  bool was_folded = false;    // it has functions that Fold() made
  size_t functions = 0;       // that are gone
  size_t functions_left = 0;  // called from within graphs inside of nodes, too: these calls stay
  size_t other_opsets = 0;    // left as they are, since their opsets are not those of the model
  size_t nodes_before = 0;    // in the main graph
  size_t nodes_after = 0;
};

// Of functions that others made, attributes that nodes take from a call are put in, and opsets are
// imported that the model lacks. kInvalidArgument: functions call themselves, or not as they are
// declared, or hold nodes of weights. kFailedPrecondition: what Fold() made does not come to what
// was folded, and not `all` functions are asked for. kResourceExhausted: there would be nodes
// beyond measure.
absl::StatusOr<Unfolding> Unfold(const Model& model, const UnfoldRequest& request);

// Whether it has functions that Fold() made.
bool IsFolded(const Model& model);
enum class Weights {
  kCopied,
  kZeros,  // those that are long: they take no room, for questions about the graph
};
struct UnfoldedModel {
  Model model;
  // By node of `model`: the node of the folded one that it is or is made of; none: it is new.
  IdVector<NodeId, NodeId> origins;
};
// Whether tags may be written into it and taken out again: not those of a folded model that were
// there before it was folded (kFailedPrecondition), for names come back by them.
absl::Status CheckTagsMayChange(const Model& model);
// The model with those functions put in that stand for several modules, in an unnamed temporary
// file: what Fold() made, and others' whose calls each hand in the parameters of another module.
// For questions that are easier to ask of a flat model; its path is that of the given one. None:
// there are no such functions, or they are others' and cannot be put in. Errors as of Unfold(); of
// a model that is not folded only those of the system, and kResourceExhausted: then a body is asked
// about once, not in each call.
absl::StatusOr<std::optional<UnfoldedModel>> OpenUnfolded(const Model& model, Weights weights,
                                                          const OpenOptions& options = {});
// Tags of a folded model's nodes as those of the flat one's. Of tags that a node in a body has for
// several calls, each node takes the one that `owners` has for it, if it is among them.
Tags UnfoldTags(const Tags& tags, const UnfoldedModel& unfolded, const Annotation& owners);

}  // namespace onnx_hier

#endif  // ONNX_HIER_FOLDS_H_
