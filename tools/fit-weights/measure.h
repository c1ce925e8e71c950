// SPDX-License-Identifier: Apache-2.0

// How well tables decide, setting by setting.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_MEASURE_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_MEASURE_H_

#include <map>
#include <string>
#include <vector>

#include "lib/owners/scorer.h"
#include "tools/fit-weights/corpus.h"

namespace onnx_hier::fit {

struct Figures {
  size_t nodes = 0, exact = 0, ancestor = 0, deeper = 0, wrong = 0, cross = 0;
  size_t reachable = 0;  // whose owner, or the deepest module that anything names, could be said
  double gap = 0;        // expected calibration error
};

// A decision with its scores, and whether it was exactly right, and held the node at least.
struct Outcome {
  Basis basis = Basis::kReaders;
  float score = 0;
  float inside = 0;
  float confidence = 0;
  bool exact = false;
  bool contained = false;
  float weight = 1;  // so that all outcomes of one file and setting weigh alike in the end
};

struct Measurement {
  std::map<std::string, Figures> by_setting;
  std::map<std::string, std::vector<Outcome>> outcomes;  // by setting
  void Add(const Measurement& other);
  // Makes all outcomes weigh so much more.
  void Weigh(float factor);
};

// Decides the scenes of one export; masks are others than those that samples are made from.
Measurement Measure(const KnownExport& source, const WeightTables& tables);

// A line for each setting.
std::string FiguresText(Measurement measurement);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_MEASURE_H_
