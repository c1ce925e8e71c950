#include "lib/resolve/scorer.h"

namespace onnx_hier {
namespace {

#include "lib/resolve/weights_table.inc"

}  // namespace

const WeightTables& FittedTables() {
  static constexpr WeightTables kTables = {kDenseWeights, kSparseWeights, kCalibration};
  return kTables;
}

}  // namespace onnx_hier
