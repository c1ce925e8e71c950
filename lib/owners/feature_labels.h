// SPDX-License-Identifier: Apache-2.0

// What the values of the features' digits are called, parted by spaces, in the order of the values.
//
// Who fills a digit asserts that it has as many labels as values:
//
//   static_assert(CountLabels(kRelationLabels) == kRelationCount);
#ifndef ONNX_HIER_LIB_OWNERS_FEATURE_LABELS_H_
#define ONNX_HIER_LIB_OWNERS_FEATURE_LABELS_H_

#include <cstddef>
#include <cstdint>

namespace onnx_hier {

inline constexpr char kRelationLabels[] =
    "equal parent grandparent ancestor child deeper number sibling uncle other";
inline constexpr char kConstnessLabels[] = "node constant";
inline constexpr char kDistanceLabels[] = "1 2 3-5 6+";
inline constexpr char kLikenessLabels[] = "tight6 loose6 tight3 loose3 loose2 loose1 loose0";
inline constexpr char kStandLabels[] = "equal parent other";
inline constexpr char kShareLabels[] = "unheard never some most always";
inline constexpr char kKindByLabels[] = "path names";
inline constexpr char kRoomLabels[] =
    "made-up unheard unlikely never full full-most vacant vacant-most alone alone-not";

// How many labels there are. None at all count as one.
constexpr size_t CountLabels(const char* labels) {
  size_t count = 1;
  for (; *labels != 0; ++labels) count += *labels == ' ' ? 1 : 0;
  return count;
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_FEATURE_LABELS_H_
