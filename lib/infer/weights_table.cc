#include "lib/infer/scorer.h"

namespace onnx_hier {
namespace {

#include "lib/infer/containment_table.inc"
#include "lib/infer/weights_table.inc"

}  // namespace

const WeightTables& FittedTables() {
  static constexpr WeightTables kTables = {kNamedWeights, kNamelessWeights, kCalibration,
                                           kContainment};
  return kTables;
}

}  // namespace onnx_hier
