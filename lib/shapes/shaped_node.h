// SPDX-License-Identifier: Apache-2.0

// What a rule is asked: a node whose inputs have shapes, and where it puts those of its outputs.
#ifndef ONNX_HIER_LIB_SHAPES_SHAPED_NODE_H_
#define ONNX_HIER_LIB_SHAPES_SHAPED_NODE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/shapes/expressions.h"

namespace onnx_hier {

using DimList = absl::InlinedVector<Dim, 6>;
using Elements = std::vector<Dim>;  // of a tensor, the last dimension first

// Tensors of more elements are known by their shapes alone.
constexpr size_t kMostElements = 4096;

class ShapedNode {
 public:
  ShapedNode(absl::string_view op_type, absl::string_view domain, int64_t opset, Expressions& all)
      : op_type_(op_type), domain_(domain), opset_(opset), all_(all) {}
  virtual ~ShapedNode() = default;

  absl::string_view op_type() const { return op_type_; }
  absl::string_view domain() const { return domain_; }
  int64_t opset() const { return opset_; }
  Expressions& all() const { return all_; }

  virtual size_t inputs() const = 0;
  virtual size_t outputs() const = 0;
  // Whether the input is given; one may be left out.
  virtual bool Has(size_t input) const = 0;
  // None: not even the number of its dimensions is known.
  virtual std::optional<absl::Span<const Dim>> DimsOf(size_t input) const = 0;
  // Of a small tensor; none: they are not known. Some of them may not be.
  virtual std::optional<absl::Span<const Dim>> ElementsOf(size_t input) const = 0;
  virtual bool IsInteger(size_t input) const = 0;

  virtual bool HasAttribute(absl::string_view name) const = 0;
  // Empty: there is none, or it has none.
  virtual absl::Span<const double> Numbers(absl::string_view name) const = 0;
  virtual absl::string_view Text(absl::string_view name) const = 0;

  double Number(absl::string_view name, double otherwise) const {
    const absl::Span<const double> numbers = Numbers(name);
    return numbers.empty() ? otherwise : numbers[0];
  }

  // What is made at `output`; nothing where there is no such output. What was made says the same
  // of shapes, of which `elements` are the contents.
  virtual void Make(size_t output, DimList dims) = 0;
  virtual void Make(size_t output, DimList dims, Elements elements) = 0;

 private:
  absl::string_view op_type_;
  absl::string_view domain_;
  int64_t opset_;
  Expressions& all_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHAPES_SHAPED_NODE_H_
