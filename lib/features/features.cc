#include "lib/features/features.h"

#include <array>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace onnx_hier {
namespace {

constexpr size_t kMostDigits = 3;

// A family of features, numbered by up to three digits of which the last runs fastest.
struct Family {
  const char* name;
  Idea idea;
  std::array<const char*, kMostDigits> digits;  // the values' labels, parted by spaces
};

#define OH_RELATIONS "equal parent grandparent ancestor child deeper number sibling uncle other"
#define OH_CONSTNESS "node constant"
#define OH_DISTANCES "1 2 3-5 6+"
#define OH_WAYS                                                 \
  "common common-both common-before common-after before after " \
  "above-before far-above-before above-after far-above-after above-both off"
#define OH_TRAITS                                                                               \
  "live-out-0 live-out-1 live-out-2 live-out-3 live-in-0 live-in-1 live-in-2 live-in-3 "        \
  "live-in-none cut-000 cut-001 cut-010 cut-011 cut-100 cut-101 cut-110 cut-111 join-0 join-1 " \
  "join-skip ends-here read-beyond reads-near reads-far operands-0 operands-1 operands-2 "      \
  "operands-3 weightless weight back-none back-few back-all back-most back-some back-rare "     \
  "ahead-none ahead-few ahead-all ahead-most ahead-some ahead-rare before-1 before-2 "          \
  "before-3-5 before-6+ before-none after-1 after-2 after-3-5 after-6+ after-none "             \
  "depths-00 depths-01 depths-02 depths-03 depths-10 depths-11 depths-12 depths-13 depths-20 "  \
  "depths-21 depths-22 depths-23 depths-30 depths-31 depths-32 depths-33 same-list-no "         \
  "same-list gap-4 gap-16 gap-64 gap-256 gap-long holds-0 holds-1 holds-2 holds-3 list member"
#define OH_WITHIN "none some all"

constexpr Family kFamilies[] = {
    {"before", Idea::kOrder, {OH_CONSTNESS, OH_DISTANCES, OH_RELATIONS}},
    {"after", Idea::kOrder, {OH_CONSTNESS, OH_DISTANCES, OH_RELATIONS}},
    {"both_sides", Idea::kOrder, {OH_RELATIONS}},
    {"order_ancestor", Idea::kOrder, {OH_RELATIONS}},
    {"inside", Idea::kOrder, {"no yes"}},
    {"up_near", Idea::kFlow, {OH_CONSTNESS, OH_RELATIONS}},
    {"up_near_all", Idea::kFlow, {OH_CONSTNESS}},
    {"up_far", Idea::kFlow, {OH_CONSTNESS, OH_RELATIONS}},
    {"down_near", Idea::kFlow, {OH_CONSTNESS, OH_RELATIONS}},
    {"down_near_all", Idea::kFlow, {OH_CONSTNESS}},
    {"down_far", Idea::kFlow, {OH_CONSTNESS, OH_RELATIONS}},
    {"up_ancestor", Idea::kFlow, {OH_CONSTNESS}},
    {"down_ancestor", Idea::kFlow, {OH_CONSTNESS}},
    {"flow_ancestor", Idea::kFlow, {OH_CONSTNESS, OH_RELATIONS}},
    {"twin", Idea::kTwins, {"first second", "tight6 loose6 tight3 loose3 loose2 loose1 loose0"}},
    {"twins_agree",
     Idea::kTwins,
     {"first second", "tight6 loose6 tight3 loose3 loose2 loose1 loose0", "1 2 3+"}},
    {"anchor", Idea::kParameters, {"leaf holder", OH_RELATIONS}},
    {"anchor_habit", Idea::kParameters, {"equal parent other", "unheard never some most always"}},
    {"room",
     Idea::kTwins,
     {OH_CONSTNESS, "path names",
      "made-up unheard unlikely never full full-most vacant vacant-most alone alone-not"}},
    {"has_nodes", Idea::kPrior, {"no yes"}},
    {"root", Idea::kPrior, {}},
    {"way", Idea::kOrder, {OH_WAYS}},
    {"way_trait", Idea::kStructure, {OH_WAYS, OH_TRAITS}},
    {"way_shape",
     Idea::kStructure,
     {OH_WAYS, "plain join skip-join",
      "cut-000-none cut-000-few cut-000-all cut-000-most cut-000-some cut-000-rare "
      "cut-001-none cut-001-few cut-001-all cut-001-most cut-001-some cut-001-rare "
      "cut-010-none cut-010-few cut-010-all cut-010-most cut-010-some cut-010-rare "
      "cut-011-none cut-011-few cut-011-all cut-011-most cut-011-some cut-011-rare "
      "cut-100-none cut-100-few cut-100-all cut-100-most cut-100-some cut-100-rare "
      "cut-101-none cut-101-few cut-101-all cut-101-most cut-101-some cut-101-rare "
      "cut-110-none cut-110-few cut-110-all cut-110-most cut-110-some cut-110-rare "
      "cut-111-none cut-111-few cut-111-all cut-111-most cut-111-some cut-111-rare"}},
    {"residual", Idea::kStructure, {"join skip-join", "any " OH_WAYS, OH_RELATIONS}},
    {"up_pair", Idea::kFlow, {OH_CONSTNESS, "is deepest below"}},
    {"down_pair", Idea::kFlow, {OH_CONSTNESS, "is deepest below"}},
    {"through_pair", Idea::kFlow, {OH_CONSTNESS, "is deepest below"}},
    {"up_within", Idea::kFlow, {OH_CONSTNESS, OH_WITHIN}},
    {"down_within", Idea::kFlow, {OH_CONSTNESS, OH_WITHIN}},
    {"through_within", Idea::kFlow, {OH_CONSTNESS, OH_WITHIN, OH_WITHIN}},
};

constexpr uint32_t CountLabels(const char* labels) {
  if (labels == nullptr) return 1;
  uint32_t count = 1;
  for (; *labels != 0; ++labels) count += *labels == ' ';
  return count;
}

struct Numbering {
  std::array<std::array<uint32_t, kMostDigits>, std::size(kFamilies)> radix{};
  std::array<uint32_t, std::size(kFamilies) + 1> begin{};
};

constexpr Numbering NumberFamilies() {
  Numbering numbering;
  for (size_t i = 0; i < std::size(kFamilies); ++i) {
    uint32_t size = 1;
    for (size_t digit = 0; digit < kMostDigits; ++digit) {
      numbering.radix[i][digit] = CountLabels(kFamilies[i].digits[digit]);
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

std::string FeatureName(FeatureId id) {
  const FeatureParts parts = PartsOf(id);
  const Family& family = kFamilies[static_cast<size_t>(parts.kind)];
  std::string name = family.name;
  for (size_t digit = 0; digit < kMostDigits; ++digit) {
    if (family.digits[digit] == nullptr) continue;
    const std::vector<absl::string_view> values = absl::StrSplit(family.digits[digit], ' ');
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

Idea IdeaOf(FeatureKind kind) { return kFamilies[static_cast<size_t>(kind)].idea; }

}  // namespace onnx_hier
