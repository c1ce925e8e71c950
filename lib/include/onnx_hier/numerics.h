// SPDX-License-Identifier: Apache-2.0

// Which module of a model loses the accuracy: values that it gave, compared with those of the model
// that it was made from.
//
//   NumericsInput input = {.hierarchy = hierarchy, .pairs = pairs, .other = made.graph()};
//   const absl::StatusOr<Numerics> numerics = CompareNumerics(cutter, input, *fp32, *int8);
//   for (const ModuleLoss& loss : numerics->losses) ...   // what is lost most first
//
// An error is relative: the root of the squares of all differences, over that of all values. What
// goes into a module with one error and comes out with a larger one lost the difference there, as
// errors that know nothing of each other add up: sqrt(out^2 - in^2). Of values that were made of
// the original's own (a model of IsolatedEdits) the error of what comes out was all made here.
#ifndef ONNX_HIER_NUMERICS_H_
#define ONNX_HIER_NUMERICS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/parts.h"
#include "onnx_hier/value_files.h"
#include "onnx_hier/value_pairs.h"

namespace onnx_hier {

// How far the numbers of one value are from those of its counterpart. Of several runs, together.
struct ValueError {
  uint64_t count = 0;        // numbers that were compared
  double signal = 0;         // sum of squares of the original's
  double noise = 0;          // ... of differences
  double product = 0;        // sum of products
  double others = 0;         // sum of squares of the other's
  double most = 0;           // the largest difference
  double largest = 0;        // of the original's, without its sign
  uint64_t broken = 0;       // numbers that are infinite or none, where the original's are finite
  uint64_t beyond_half = 0;  // of the original's finite ones: beyond what float16 holds
  uint64_t subnormal = 0;    // ... below what float16 holds with all its bits, but not 0

  // 0: equal; infinite: some are broken.
  double relative() const;
  double cosine() const;  // of the angle between both; 1: the same direction
  double sqnr() const;    // signal to noise, in dB; infinite: equal
  void Add(const ValueError& other);
};

// Of numbers that masks are made of, which are as far from 0 as can be, only the sign counts.
class ErrorSum {
 public:
  void Add(absl::Span<const double> original, absl::Span<const double> other);
  const ValueError& error() const { return error_; }

 private:
  ValueError error_;
};

// A value that stands between modules, compared.
struct ComparedValue {
  // A module that made it, or whose nodes lie between it and what was compared before.
  struct Maker {
    ModuleId module;
    uint32_t call = 0;
    bool has_weights = false;
    std::vector<ValueId> reads;  // by its nodes, of what was compared; the first ones
    // What the other model makes in the value's place is not made of all of these.
    bool lacks_input = false;
  };

  ValueId value;     // of the original
  ValueError error;  // of all runs together
  // Of what it is made of, as far as that was compared, the one with the largest error; none: all
  // of it is exact, or is given to the model.
  std::optional<size_t> worst_input;
  double lost = 0;            // what its making added: over all runs, the root of the mean square
  double worst_lost = 0;      // ... in the worst run
  bool is_isolated = false;   // known from what was made of the original's values
  std::vector<Maker> makers;  // that of its own node first
};

// A run of a module, and the value at whose making most was lost.
struct ModuleLoss {
  ModuleId module;
  uint32_t call = 0;
  size_t compared = 0;     // in Numerics::values
  bool is_shared = false;  // others lie between it and what was compared before, too
};

struct Numerics {
  static constexpr size_t kNone = static_cast<size_t>(-1);

  std::vector<ComparedValue> values;  // in the order of their makers
  // By what was lost, the most first. Noise grows by itself on its way through a module: what comes
  // out with less than twice the error that goes in counts a third of it, unless it is isolated.
  std::vector<ModuleLoss> losses;
  std::vector<ValueId> missing;  // that stand between modules, and are not in both files
  std::vector<ValueId> misfits;  // whose counterparts are of other shapes
  size_t samples = 0;
  size_t by_name = 0;           // of values: whose counterparts have the same names
  size_t by_place = 0;          // ... others
  size_t first_broken = kNone;  // of values: the first one that is broken in the other model
  // Of values: what the original gives out with the least signal to noise; else the last one.
  size_t worst_output = kNone;
  // What modules have of the square of its error, the most first: what was lost at a value goes on
  // with what is made of that, as far as other noise leaves it.
  std::vector<std::pair<ModuleId, double>> shares;
};

struct NumericsInput {
  const Hierarchy& hierarchy;  // of the original
  const ValuePairs& pairs;
  const Graph& other;
};

// `cutter` is of the original. `isolated`: what the other model gave as IsolatedEdits() made it, on
// the original's values; or null. Errors of reading values; kFailedPrecondition: none is in both.
absl::StatusOr<Numerics> CompareNumerics(const Cutter& cutter, const NumericsInput& input,
                                         const ValueFiles& original, const ValueFiles& other,
                                         const ValueFiles* isolated = nullptr);

// Modules to keep in higher precision: those with the largest shares of the worst output's error,
// so many that without them it has `least_sqnr` dB.
std::vector<ModuleId> ModulesToKeep(const Numerics& numerics, double least_sqnr);

}  // namespace onnx_hier

#endif  // ONNX_HIER_NUMERICS_H_
