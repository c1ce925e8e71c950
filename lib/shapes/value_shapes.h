// SPDX-License-Identifier: Apache-2.0

// The shape of every value, worked out from those of the inputs by the operators' own rules.
//
//   Expressions all;
//   const auto shapes = ValueShapes::Find({image, scanned, folder, types}, inputs, all, visit);
//   shapes->dims(value)      // none: not known; a dimension by itself may not be, either
//
// Contents of small tensors are followed where they may become a shape. Branches of an If whose
// condition is known run as it says; both, where it is not. Nothing is as large as a model says:
// sizes are numbers here, and what is followed has bounds.
#ifndef ONNX_HIER_LIB_SHAPES_VALUE_SHAPES_H_
#define ONNX_HIER_LIB_SHAPES_VALUE_SHAPES_H_

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/onnx/scanner.h"
#include "lib/onnx/value_types.h"
#include "lib/shapes/expressions.h"
#include "lib/shapes/shaped_node.h"
#include "onnx_hier/graph.h"

namespace onnx_hier {

// What it is all read from; all of it must outlive the search.
struct ShapeSource {
  const FileImage& image;
  const ScannedModel& model;
  std::string folder;  // of data files; "": they are not read
  const ValueTypes& types;
};

// Of each input of the main graph, the first one first; none: its rank is not known.
using InputShapes = std::vector<std::optional<DimList>>;

// One time that a node runs, or several that are alike.
struct NodeVisit {
  NodeId node;
  const ShapedNode& at_hand;
  Dim times;  // not known: a loop goes round as often as it is told then
};

class ValueShapes {
 public:
  // `visit` is called for each node whenever it runs, once what it makes is known as far as it can
  // be.
  using Visit = absl::FunctionRef<void(const NodeVisit& run, const ValueShapes& shapes)>;
  static absl::StatusOr<ValueShapes> Find(const ShapeSource& source, const InputShapes& inputs,
                                          Expressions& all, Visit visit);
  // The same where nobody is told of what runs: a function that is given the same again runs once.
  static absl::StatusOr<ValueShapes> Find(const ShapeSource& source, const InputShapes& inputs,
                                          Expressions& all);

  // Of a value in a function or the body of a loop: as it was last.
  std::optional<absl::Span<const Dim>> dims(ValueId value) const {
    const Known& known = known_[value];
    if (!known.has_dims) return std::nullopt;
    return known.dims;
  }

  // Whether it is a parameter or a constant, of the file or passed to a function.
  bool is_constant(ValueId value) const { return known_[value].is_constant; }

  // The first node whose inputs, whose shapes are known, do not fit together; none: all do.
  NodeId misfit() const { return misfit_; }
  // Whether both branches of an If count, since nothing tells which one runs; whether functions
  // call each other more often than is followed.
  bool has_open_branches() const { return has_open_branches_; }
  bool is_cut_short() const { return is_cut_short_; }

 private:
  friend class ShapeFinder;

  static absl::StatusOr<ValueShapes> Find(const ShapeSource& source, const InputShapes& inputs,
                                          Expressions& all, Visit visit, bool is_silent);

  // In pool_, where they stay.
  struct Known {
    absl::Span<const Dim> dims;
    absl::Span<const Dim> elements;
    bool has_dims = false;
    bool has_elements = false;
    bool is_constant = false;
  };

  std::optional<absl::Span<const Dim>> elements(ValueId value) const {
    const Known& known = known_[value];
    if (!known.has_elements) return std::nullopt;
    return known.elements;
  }

  IdVector<ValueId, Known> known_;
  std::deque<std::vector<Dim>> pool_;  // none of which grows beyond what it has room for
  NodeId misfit_;
  bool has_open_branches_ = false;
  bool is_cut_short_ = false;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHAPES_VALUE_SHAPES_H_
