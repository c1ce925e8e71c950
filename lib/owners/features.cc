// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/features.h"

#include <array>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/graph/fingerprints.h"
#include "lib/owners/anchor_habits.h"
#include "lib/owners/feature_labels.h"
#include "lib/owners/inventory.h"

namespace onnx_hier {
namespace {

constexpr size_t kMostDigits = 3;

// A family of features, numbered by up to three digits of which the last runs fastest.
struct Family {
  const char* name;
  Method method;
  // The labels of each digit's values; "": there is no such digit.
  const char* first = "";
  const char* second = "";
  const char* third = "";

  constexpr const char* digit(size_t i) const { return i == 0 ? first : i == 1 ? second : third; }
};

constexpr Family kFamilies[] = {
    {"before", Method::kOrder, kConstnessLabels, kDistanceLabels, kRelationLabels},
    {"after", Method::kOrder, kConstnessLabels, kDistanceLabels, kRelationLabels},
    {"both_sides", Method::kOrder, kRelationLabels},
    {"order_ancestor", Method::kOrder, kRelationLabels},
    {"inside", Method::kOrder, "no yes"},
    {"up_near", Method::kLocality, kConstnessLabels, kRelationLabels},
    {"up_near_all", Method::kLocality, kConstnessLabels},
    {"up_far", Method::kLocality, kConstnessLabels, kRelationLabels},
    {"down_near", Method::kLocality, kConstnessLabels, kRelationLabels},
    {"down_near_all", Method::kLocality, kConstnessLabels},
    {"down_far", Method::kLocality, kConstnessLabels, kRelationLabels},
    {"up_ancestor", Method::kLocality, kConstnessLabels},
    {"down_ancestor", Method::kLocality, kConstnessLabels},
    {"flow_ancestor", Method::kLocality, kConstnessLabels, kRelationLabels},
    {"twin", Method::kRepetition, "first second", kLikenessLabels},
    {"twins_agree", Method::kRepetition, "first second", kLikenessLabels, "1 2 3+"},
    {"anchor", Method::kParameters, "leaf holder", kRelationLabels},
    {"anchor_habit", Method::kParameters, kStandLabels, kShareLabels},
    {"room", Method::kRepetition, kConstnessLabels, kKindByLabels, kRoomLabels},
    {"has_nodes", Method::kNone, "no yes"},
    {"root", Method::kNone},
    {"residual", Method::kStructure, kRelationLabels},
};

static_assert(CountLabels(kRelationLabels) == kRelationCount);
static_assert(CountLabels(kLikenessLabels) == kLikenessCount);
static_assert(CountLabels(kStandLabels) == AnchorHabits::kStands);
static_assert(CountLabels(kShareLabels) == AnchorHabits::kShares);
static_assert(CountLabels(kKindByLabels) == Inventory::kKindByCount);
static_assert(CountLabels(kRoomLabels) == Inventory::kRooms);

struct Numbering {
  std::array<std::array<uint32_t, kMostDigits>, std::size(kFamilies)> radix{};
  std::array<uint32_t, std::size(kFamilies) + 1> begin{};
};

constexpr Numbering NumberFamilies() {
  Numbering numbering;
  for (size_t i = 0; i < std::size(kFamilies); ++i) {
    uint32_t size = 1;
    for (size_t digit = 0; digit < kMostDigits; ++digit) {
      numbering.radix[i][digit] = static_cast<uint32_t>(CountLabels(kFamilies[i].digit(digit)));
      size *= numbering.radix[i][digit];
    }
    numbering.begin[i + 1] = numbering.begin[i] + size;
  }
  return numbering;
}

constexpr Numbering kNumbering = NumberFamilies();
static_assert(kNumbering.begin[std::size(kFamilies)] < 0xFFFF);
static_assert(std::size(kFamilies) == kFeatureKindCount);

constexpr size_t kFeatureCount = kNumbering.begin[std::size(kFamilies)];

// By feature: asked for each of the features of each candidate.
constexpr std::array<uint8_t, kFeatureCount> ListFamilies() {
  std::array<uint8_t, kFeatureCount> families{};
  for (size_t family = 0; family < std::size(kFamilies); ++family) {
    for (size_t id = kNumbering.begin[family]; id < kNumbering.begin[family + 1]; ++id) {
      families[id] = static_cast<uint8_t>(family);
    }
  }
  return families;
}

constexpr std::array<uint8_t, kFeatureCount> kFamilyOf = ListFamilies();

}  // namespace

FeatureId FeatureNumber(FeatureKind kind, uint32_t a, uint32_t b, uint32_t c) {
  const auto family = static_cast<size_t>(kind);
  const auto& radix = kNumbering.radix[family];
  return static_cast<FeatureId>(kNumbering.begin[family] + (a * radix[1] + b) * radix[2] + c);
}

size_t FeatureCount() { return kFeatureCount; }

const char* FeatureFamilyName(FeatureKind kind) {
  return kFamilies[static_cast<size_t>(kind)].name;
}

std::string FeatureName(FeatureId id) {
  const FeatureParts parts = PartsOf(id);
  const Family& family = kFamilies[static_cast<size_t>(parts.kind)];
  std::string name = family.name;
  for (size_t digit = 0; digit < kMostDigits; ++digit) {
    if (*family.digit(digit) == 0) continue;
    const std::vector<absl::string_view> values = absl::StrSplit(family.digit(digit), ' ');
    absl::StrAppend(&name, ".", values[parts.digits[digit]]);
  }
  return name;
}

FeatureParts PartsOf(FeatureId id) {
  const size_t family = kFamilyOf[id];
  FeatureParts parts = {static_cast<FeatureKind>(family), {}};
  uint32_t rest = id - kNumbering.begin[family];
  for (size_t digit = kMostDigits; digit-- > 0;) {
    const uint32_t radix = kNumbering.radix[family][digit];
    parts.digits[digit] = rest % radix;
    rest /= radix;
  }
  return parts;
}

FeatureKind KindOf(FeatureId id) { return static_cast<FeatureKind>(kFamilyOf[id]); }

Method MethodOf(FeatureKind kind) { return kFamilies[static_cast<size_t>(kind)].method; }

}  // namespace onnx_hier
