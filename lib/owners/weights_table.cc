// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/scorer.h"

namespace onnx_hier {
namespace {

#include "lib/owners/calibration_tables.inc"
#include "lib/owners/walk_weights.inc"
#include "lib/owners/walk_weights_among_names.inc"
#include "lib/owners/weights_table.inc"

}  // namespace

const WeightTables& FittedTables() {
  static constexpr auto kWalk = BytesOf(kWalkWeights);
  static constexpr auto kWalkAmongNames = BytesOf(kWalkWeightsAmongNames);
  static constexpr WeightTables kTables = {
      kNamedWeights, WalkWeights(kWalk), WalkWeights(kWalkAmongNames), kCalibration, kContainment};
  return kTables;
}

}  // namespace onnx_hier
