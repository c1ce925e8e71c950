// SPDX-License-Identifier: Apache-2.0

// What the values of the features' digits are called, parted by spaces, in the order of the values.
//
// Who fills a digit asserts that it has as many labels as values, or counts from a label:
//
//   static_assert(CountLabels(kRelationLabels) == kRelationCount);
//   constexpr uint32_t kCut = ValueOf("cut-000", kTraitLabels);
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
inline constexpr char kWithinLabels[] = "none some all";
inline constexpr char kPairLabels[] = "is deepest below";

#define ONNX_HIER_WAYS                                          \
  "common common-both common-before common-after before after " \
  "above-before far-above-before above-after far-above-after above-both off"
inline constexpr char kWayLabels[] = ONNX_HIER_WAYS;
inline constexpr char kAnyWayLabels[] = "any " ONNX_HIER_WAYS;
#undef ONNX_HIER_WAYS

inline constexpr char kTraitLabels[] =
    "live-out-0 live-out-1 live-out-2 live-out-3 live-in-0 live-in-1 live-in-2 live-in-3 "
    "live-in-none cut-000 cut-001 cut-010 cut-011 cut-100 cut-101 cut-110 cut-111 join-0 join-1 "
    "join-skip ends-here read-beyond reads-near reads-far operands-0 operands-1 operands-2 "
    "operands-3 weightless weight back-none back-few back-all back-most back-some back-rare "
    "ahead-none ahead-few ahead-all ahead-most ahead-some ahead-rare before-1 before-2 "
    "before-3-5 before-6+ before-none after-1 after-2 after-3-5 after-6+ after-none "
    "depths-00 depths-01 depths-02 depths-03 depths-10 depths-11 depths-12 depths-13 depths-20 "
    "depths-21 depths-22 depths-23 depths-30 depths-31 depths-32 depths-33 same-list-no "
    "same-list gap-4 gap-16 gap-64 gap-256 gap-long holds-0 holds-1 holds-2 holds-3 list member";

// Of each cut, the matches behind.
inline constexpr char kShapeLabels[] =
    "cut-000-none cut-000-few cut-000-all cut-000-most cut-000-some cut-000-rare "
    "cut-001-none cut-001-few cut-001-all cut-001-most cut-001-some cut-001-rare "
    "cut-010-none cut-010-few cut-010-all cut-010-most cut-010-some cut-010-rare "
    "cut-011-none cut-011-few cut-011-all cut-011-most cut-011-some cut-011-rare "
    "cut-100-none cut-100-few cut-100-all cut-100-most cut-100-some cut-100-rare "
    "cut-101-none cut-101-few cut-101-all cut-101-most cut-101-some cut-101-rare "
    "cut-110-none cut-110-few cut-110-all cut-110-most cut-110-some cut-110-rare "
    "cut-111-none cut-111-few cut-111-all cut-111-most cut-111-some cut-111-rare";

// How many labels there are. None at all count as one.
constexpr size_t CountLabels(const char* labels) {
  size_t count = 1;
  for (; *labels != 0; ++labels) count += *labels == ' ' ? 1 : 0;
  return count;
}

// The value that a label is of; one that is not among them does not compile.
consteval uint32_t ValueOf(const char* label, const char* labels) {
  size_t begin = 0;
  for (uint32_t value = 0;; ++value) {
    size_t length = 0;
    while (label[length] != 0 && label[length] == labels[begin + length]) ++length;
    size_t end = begin + length;
    if (label[length] == 0 && (labels[end] == ' ' || labels[end] == 0)) return value;
    while (labels[end] != ' ' && labels[end] != 0) ++end;
    if (labels[end] == 0) throw "no such label";
    begin = end + 1;
  }
}

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_FEATURE_LABELS_H_
