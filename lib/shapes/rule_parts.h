// SPDX-License-Identifier: Apache-2.0

// What several rules of shapes have in common.
#ifndef ONNX_HIER_LIB_SHAPES_RULE_PARTS_H_
#define ONNX_HIER_LIB_SHAPES_RULE_PARTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/shapes/shaped_node.h"

namespace onnx_hier {

Dim CountOf(Expressions& all, absl::Span<const Dim> dims);

// Of dimensions that are all numbers, and no more than kMostElements in product.
std::optional<std::vector<size_t>> SmallSizes(absl::Span<const Dim> dims);

// An axis counted from the front; none: there is no such axis.
std::optional<size_t> AxisOf(double axis, size_t rank);

// Of shapes that are stretched to each other, as of numpy. None: they do not fit.
std::optional<DimList> Broadcast(absl::Span<const absl::Span<const Dim>> shapes);
// Likewise of the node's inputs from `first` on; none, too, where one is not known.
std::optional<DimList> BroadcastInputs(const ShapedNode& node, size_t first, size_t end);

// The numbers of an attribute, else of a small tensor that is read; none: they are not known.
std::optional<std::vector<double>> NumbersOf(const ShapedNode& node, absl::string_view attribute,
                                             size_t input);
// Likewise, of an input; symbols and all.
std::optional<Elements> ElementsOrNumbers(const ShapedNode& node, absl::string_view attribute,
                                          size_t input);

// How far apart elements are that are next to each other in a dimension.
std::vector<size_t> StridesOf(const std::vector<size_t>& sizes);

// Elements picked one by one: `offsets` has, for each dimension of the result, how far each of its
// places is from the first one in `from`.
Elements Picked(absl::Span<const Dim> from, absl::Span<const std::vector<size_t>> offsets);

// For Picked(): of each dimension of the first input, all its places in order. Empty where it is
// not small, or its elements are not known.
std::vector<std::vector<size_t>> AllPlaces(const ShapedNode& node);

// What an Einsum multiplies: the letters of each input and of the result, where "..." has become
// letters of its own, and how large these are. None: it cannot be told.
struct EinsumTerms {
  std::vector<std::string> inputs;
  std::string result;
  absl::flat_hash_map<char, Dim> sizes;
};
std::optional<EinsumTerms> EinsumTermsOf(const ShapedNode& node);

// The first output is as the first input, with the same elements.
void MakeSame(ShapedNode& node, DimList dims);

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_SHAPES_RULE_PARTS_H_
