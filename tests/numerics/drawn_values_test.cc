// SPDX-License-Identifier: Apache-2.0

// Values drawn for models, and others with noise, numbers that are none, gaps and other shapes:
// what is lost where, as a number.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/numerics.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "tests/numerics/saved_values.h"
#include "tests/support/digest.h"
#include "tests/support/model_files.h"
#include "tests/support/random.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"

namespace onnx_hier {
namespace {

using testing::Digest;
using testing::Entry;
using testing::Random;
using testing::TempFolder;

class DrawnValues {
 public:
  DrawnValues(const Graph& graph, uint64_t seed) : graph_(graph), random_(seed) {}

  // All that nodes of the main graph make.
  ValueFiles Original(const TempFolder& folder) {
    entries_.clear();
    for (ValueId value : graph_.value_ids()) {
      if (graph_.value(value).kind != ValueKind::kNodeOutput ||
          graph_.value(value).block != graph_.main_block()) {
        continue;
      }
      std::vector<float> numbers(4 + random_.Below(5));
      for (float& number : numbers) number = static_cast<float>(random_.Below(2000)) / 1000 - 1;
      numbers_.push_back({std::string(graph_.value(value).name), numbers});
      Keep(numbers_.back());
    }
    return Save(folder, "a.npz");
  }
  // The same, as of another model: `odd` of a hundred are something else altogether.
  ValueFiles Other(const TempFolder& folder, const std::string& name, uint64_t odd,
                   absl::string_view ending = "") {
    entries_.clear();
    for (auto [value, numbers] : numbers_) {
      const float noise = static_cast<float>(random_.Below(20)) / 1000;
      for (float& number : numbers) {
        number *= 1 + noise * (static_cast<float>(random_.Below(2000)) / 1000 - 1);
      }
      if (random_.Below(100) < odd) {
        const uint64_t kind = random_.Below(4);
        if (kind == 0) continue;
        if (kind == 1) numbers.push_back(1);
        if (kind == 2) numbers[0] = std::numeric_limits<float>::infinity();
        if (kind == 3) std::fill(numbers.begin(), numbers.end(), 0.0F);
      }
      Keep({absl::StrCat(value, ending), numbers});
    }
    return Save(folder, name);
  }

 private:
  void Keep(const std::pair<std::string, std::vector<float>>& value) {
    entries_.push_back({value.first + ".npy", testing::Floats(value.second)});
  }
  ValueFiles Save(const TempFolder& folder, const std::string& name) const {
    return testing::Value(ValueFiles::Open(folder.Write(name, testing::Zip(entries_))));
  }

  const Graph& graph_;
  Random random_;
  std::vector<std::pair<std::string, std::vector<float>>> numbers_;
  std::vector<Entry> entries_;
};

uint64_t Rounded(double number) {
  return std::isfinite(number) ? static_cast<uint64_t>(std::llround(1e5 * number)) : 1;
}

void AddNumerics(const Numerics& numerics, Digest& digest) {
  for (size_t i = 0; i < numerics.values.size(); ++i) {
    const ComparedValue& value = numerics.values[i];
    uint64_t all = MixHash(value.value.index(), Rounded(value.lost));
    all = MixHash(all, value.worst_input.value_or(1'000'000));
    for (const ComparedValue::Maker& maker : value.makers) all = MixHash(all, maker.module.index());
    digest.Add(i, MixHash(all, value.is_isolated ? 1 : 0));
  }
  for (size_t i = 0; i < numerics.losses.size(); ++i) {
    const ModuleLoss& loss = numerics.losses[i];
    digest.Add(i, MixHash(MixHash(loss.module.index(), loss.call),
                          MixHash(loss.compared, loss.is_shared ? 1 : 0)));
  }
  for (const auto& [module, share] : numerics.shares) {
    digest.Add(module.index(), Rounded(share));
  }
  for (size_t count : {numerics.missing.size(), numerics.misfits.size(), numerics.by_name,
                       numerics.by_place, numerics.first_broken, numerics.worst_output}) {
    digest.Add(1, count);
  }
  for (double least : {10.0, 30.0, 60.0}) {
    for (ModuleId module : ModulesToKeep(numerics, least)) digest.Add(2, module.index());
  }
}

TEST_CASE("what is lost where in drawn values is what it was") {
  Digest all;
  size_t compared = 0;
  for (const std::string& path : testing::ModelFiles()) {
    CAPTURE(path);
    const Model model = testing::Value(Model::Open(path));
    // Of some all values are in functions.
    if (model.graph().nodes(model.graph().main_block()).size() < 8) continue;
    const Annotation annotation = Annotate(model);
    const Hierarchy hierarchy(model.graph(), annotation);
    const ValuePairs pairs = testing::Value(PairValues(model, model));
    const Cutter cutter = testing::Value(Cutter::For(model, hierarchy));
    for (uint64_t odd : {0, 3, 20}) {
      const TempFolder folder;
      DrawnValues drawn(model.graph(), odd + 1);
      const ValueFiles original = drawn.Original(folder);
      const ValueFiles other = drawn.Other(folder, "b.npz", odd);
      const ValueFiles isolated = drawn.Other(folder, "i.npz", 50, kMadeEnding);
      for (const ValueFiles* given : {static_cast<const ValueFiles*>(nullptr), &isolated}) {
        const auto numerics =
            CompareNumerics(cutter, {hierarchy, pairs, model.graph()}, original, other, given);
        if (!numerics.ok()) {
          all.Add(3, HashBytes(numerics.status().message()));
          continue;
        }
        ++compared;
        AddNumerics(*numerics, all);
      }
    }
  }
  CHECK(compared == 114);
  CHECK(all.Text() == "8512 of 15673284222433354648");
}

}  // namespace
}  // namespace onnx_hier
