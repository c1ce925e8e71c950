// SPDX-License-Identifier: Apache-2.0

// From scores to probabilities: how often decisions of a score were exactly right.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_CALIBRATION_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_CALIBRATION_H_

#include <vector>

#include "lib/owners/scorer.h"
#include "tools/fit-weights/measure.h"

namespace onnx_hier::fit {

// A rising curve for each basis, by pooling neighbours that fall (isotonic regression).
std::vector<CalibrationPoint> FitCalibration(const std::vector<Outcome>& outcomes);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_CALIBRATION_H_
