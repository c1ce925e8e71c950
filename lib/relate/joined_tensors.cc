// SPDX-License-Identifier: Apache-2.0
#include "lib/relate/joined_tensors.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/hash.h"
#include "lib/base/without_numbers.h"
#include "lib/graph/parameter_parts.h"

namespace onnx_hier {
namespace {

// Of families of as many, all choices are tried; of larger ones neighbours.
constexpr size_t kLargestFamily = 8;
constexpr size_t kMostNeighbours = 4;
// Of yet larger ones, none but all of them together.
constexpr size_t kLargestWithNeighbours = 4096;

std::string OnlyDigits(absl::string_view name) {
  std::string digits;
  for (const char c : name) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(c))) digits.push_back(c);
  }
  return digits;
}

class Joiner {
 public:
  Joiner(const std::vector<ContentPrints>& prints, RoundedTo rounding)
      : prints_(prints), rounding_(rounding) {}

  void AddFamily(const std::vector<uint32_t>& family) {
    if (family.size() < 2) return;
    if (family.size() <= kLargestFamily) return AddChoices(family);
    const size_t tried = family.size() > kLargestWithNeighbours ? 0 : family.size();
    for (size_t first = 0; first < tried; ++first) {
      std::vector<uint32_t> parts = {family[first]};
      for (size_t i = first + 1; i < family.size() && parts.size() < kMostNeighbours; ++i) {
        parts.push_back(family[i]);
        Add(parts);
      }
    }
    Add(family);
  }

  absl::flat_hash_map<ContentPrint, std::vector<uint32_t>> Take() && { return std::move(sums_); }

 private:
  void AddChoices(const std::vector<uint32_t>& family) {
    for (uint32_t chosen = 1; chosen < 1U << family.size(); ++chosen) {
      std::vector<uint32_t> parts;
      for (size_t i = 0; i < family.size(); ++i) {
        if ((chosen >> i & 1) != 0) parts.push_back(family[i]);
      }
      if (parts.size() > 1) Add(parts);
    }
  }

  void Add(const std::vector<uint32_t>& parts) {
    ContentPrint sum;
    for (const uint32_t part : parts) sum += prints_[part].of[static_cast<size_t>(rounding_)];
    sums_.try_emplace(sum, parts);
  }

  const std::vector<ContentPrints>& prints_;
  const RoundedTo rounding_;
  absl::flat_hash_map<ContentPrint, std::vector<uint32_t>> sums_;
};

}  // namespace

absl::flat_hash_map<ContentPrint, std::vector<uint32_t>> JoinedTensors(
    const Checkpoint& checkpoint, absl::Span<const uint32_t> tensors,
    const std::vector<ContentPrints>& prints, RoundedTo rounding) {
  // In the order of their first members, so that nothing depends on hashes. By those of their
  // names: two that had the same by chance would be tried together.
  absl::flat_hash_map<uint64_t, size_t> family_of;
  std::vector<std::vector<uint32_t>> families;
  for (const uint32_t tensor : tensors) {
    const std::string& name = checkpoint.tensors()[tensor].name;
    const absl::string_view module = ModuleOfParameterName(name);
    const absl::string_view leaf = LeafOfParameterName(name);
    for (const std::string& family :
         {absl::StrCat("module ", module), absl::StrCat("layer ", module, " ", OnlyDigits(leaf)),
          absl::StrCat("beside ", ModuleOfParameterName(module), " ", leaf),
          absl::StrCat("list ", WithoutNumbers(name))}) {
      const auto [entry, is_new] = family_of.try_emplace(HashBytes(family), families.size());
      if (is_new) families.emplace_back();
      families[entry->second].push_back(tensor);
    }
  }
  Joiner joiner(prints, rounding);
  for (const std::vector<uint32_t>& family : families) joiner.AddFamily(family);
  return std::move(joiner).Take();
}

}  // namespace onnx_hier
