// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/stages.h"

#include <algorithm>
#include <utility>

namespace onnx_hier {
namespace {

constexpr uint32_t kFree = 0xFFFFFFFFu;

class Staging {
 public:
  Staging(const Units& units, const Repeatable& repeatable,
          const std::vector<std::vector<Unit>>& anchors)
      : units_(units), repeatable_(repeatable), wanted_(units.size(), kFree) {
    uint32_t stage = 0;
    for (const std::vector<Unit>& anchor : anchors) {
      ++stage;
      for (Unit unit : anchor) wanted_[unit] = stage;
    }
    stages_.count = stage + 2;
    stages_.of.assign(units.size(), 0);
  }

  Stages Stage() && {
    const uint32_t last = stages_.count - 2;
    for (Unit unit : units_.ids()) {
      if (repeatable_.Has(unit)) continue;
      uint32_t stage = 0;
      repeatable_.ForEachNeeded(unit,
                                [&](Unit maker) { stage = std::max(stage, stages_.of[maker]); });
      const uint32_t wanted = wanted_[unit];
      if (wanted == kFree) {
        // Whatever needs the last one comes after it.
        if (stage == last && last > 0) stage = last + 1;
      } else {
        if (stage > wanted) stages_.misplaced.push_back(unit);
        stage = std::max(stage, wanted);
      }
      stages_.of[unit] = stage;
    }
    return std::move(stages_);
  }

 private:
  const Units& units_;
  const Repeatable& repeatable_;
  IdVector<Unit, uint32_t> wanted_;
  Stages stages_;
};

}  // namespace

Stages StagesByAnchors(const Units& units, const Repeatable& repeatable,
                       const std::vector<std::vector<Unit>>& anchors) {
  return Staging(units, repeatable, anchors).Stage();
}

}  // namespace onnx_hier
