// SPDX-License-Identifier: Apache-2.0

// Modules as models of their own.
//
//   const Hierarchy hierarchy(model.graph(), annotation);
//   const absl::StatusOr<Cutter> cutter = Cutter::For(model, hierarchy);
//   const absl::StatusOr<Part> part = cutter->Cut({.modules =
//   *hierarchy.Match("encoder.layer.3")}); absl::Status status = Write(model,
//   *cutter->EditsOf(*part), Destination::File("layer3.onnx"));
//
// A part holds the modules' nodes under their own names, the parameters that these read (their
// bytes are copied, never parsed), copies of the constants and shape arithmetic that they need from
// elsewhere, and all else that they read as its inputs: run on the values that the whole model
// computes, it computes the same. Of modules in a local function's body, or in the body of an If or
// a Loop, that body becomes the graph: weights that a call gives the function are parameters under
// the name that they have in there, and the call's attributes stand where the body refers to them.
// It carries its tags and, in the model's metadata under "onnx_hier.part", where it comes from.
#ifndef ONNX_HIER_PARTS_H_
#define ONNX_HIER_PARTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/measures.h"
#include "onnx_hier/model.h"
#include "onnx_hier/part.h"
#include "onnx_hier/value_pairs.h"

namespace onnx_hier {

// What goes into a run of a module and comes out of it; parameters, constants and arithmetic with
// shapes left out.
struct Boundary {
  ModuleId module;
  uint32_t call = 0;
  std::vector<ValueId> inputs;   // in order of first reading
  std::vector<ValueId> outputs;  // in order of their makers
};

// Behind the name of a value in the original: what an isolated model makes in its place.
constexpr absl::string_view kMadeEnding = "/made";

// A model whose pieces run for themselves.
struct Isolated {
  struct Value {
    ValuePair pair;
    std::string made;  // what was made in its place: the output's name
  };

  Edits edits;
  std::vector<Value> values;  // in the order of their makers
  // Those of which types cannot be told, or are of another kind, of whose names
  // one is taken, or whose makers are too large to be written anew: they are as they were.
  std::vector<ValuePair> left;
};

class Cutter {
 public:
  // Works out, once for all parts, what reads what and the types of all values. Both arguments must
  // outlive it. kDataLoss, kAborted: the file was changed since it was opened.
  static absl::StatusOr<Cutter> For(const Model& model, const Hierarchy& hierarchy);
  Cutter(Cutter&&) noexcept;
  Cutter& operator=(Cutter&&) noexcept;
  ~Cutter();

  // How often a module runs, as far as its nodes can be told apart by that; or in how many graphs
  // it is, as in both branches of an If; or how often the function is called that it lies in.
  uint32_t CallsOf(ModuleId module) const;
  // Graphs that hold all that is asked for, or a run of it each, in order: the main graph alone, or
  // branches of an If.
  std::vector<BlockId> GraphsOf(const PartRequest& request) const;

  // Of modules in a function's body, works out the types in this call. kInvalidArgument: there is
  // no such call. kFailedPrecondition: the modules hold no node, or none of one graph.
  absl::StatusOr<Part> Cut(const PartRequest& request);

  // kFailedPrecondition: the modules do not run one after the other, a node has parameters of more
  // than a part may hold, the model gives out nothing that a part could, there would be more than
  // 1,000 parts, or these would hold more than 64 times what the model does, and 16 KiB each.
  absl::StatusOr<SplitPlan> Split(const SplitRequest& request);
  // The members of the list that holds most nodes of a graph, in the tree's order; none: there is
  // no list. No graph: of the main one.
  std::vector<ModuleId> MainList(BlockId graph = {});

  // Whether all types that the part must state are known. kFailedPrecondition: one is not.
  absl::Status CheckTypes(const Part& part) const;
  // What makes the model the part. kFailedPrecondition: the type of an input cannot be told.
  absl::StatusOr<Edits> EditsOf(const Part& part) const;
  // What makes the part's inputs and outputs outputs of the whole model. kFailedPrecondition: they
  // are not in its main graph.
  absl::StatusOr<Edits> ProbeEditsOf(const Part& part) const;

  // Of an input or output of the part: "float32", "seq(int64)"; "unknown".
  std::string TypeOf(const Part& part, ValueId value) const;
  // Of an element of a value of the main graph; 0: not known, or no tensor.
  uint32_t BitsOf(ValueId value) const;

  // What goes into modules of the main graph and comes out of them, run by run: by module, in the
  // order that they have here. Runs without nodes there have none.
  std::vector<Boundary> BoundariesOf(absl::Span<const ModuleId> modules, Inside inside) const;
  // What makes values of the main graph, in their order, outputs of the whole model; but for its
  // inputs, and what it gives out anyway. What is packed is unpacked, and given out under its name
  // in the original. `original`: of that model, or this.
  Edits ProbeEdits(const Cutter& original, absl::Span<const ValuePair> pairs) const;
  // What makes each of these values of the main graph an input, under the name, with the type and
  // the shape that it has in the original (NAME/given, where only these differ), and what was made
  // in its place an output, NAME/made: all that read it read the input. `original`: of that model,
  // or this. kDataLoss, kAborted: the file was changed since it was opened.
  absl::StatusOr<Isolated> IsolatedEdits(const Cutter& original,
                                         absl::Span<const ValuePair> pairs) const;

 private:
  struct Place;
  struct State;
  explicit Cutter(std::unique_ptr<State> state);
  // Of an image's value; none: nothing tells.
  std::optional<int64_t> ChannelsOf(ValueId value) const;

  std::unique_ptr<State> state_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_PARTS_H_
