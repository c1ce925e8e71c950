// SPDX-License-Identifier: Apache-2.0

// Which weight of a model is which tensor of the checkpoint it was exported from, by what they
// hold.
//
//   const absl::StatusOr<WeightMatches> matches = MatchWeights(model, *checkpoint);
//   for (const WeightMatch& match : matches->matches) ...   // onnx::MatMul_12 is fc.weight
#ifndef ONNX_HIER_WEIGHTS_H_
#define ONNX_HIER_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx_hier/checkpoint.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/model.h"
#include "onnx_hier/parameter_names.h"

namespace onnx_hier {

// How it is known.
enum class WeightClue : uint8_t {
  kContents,  // equal numbers
  kLikeness,  // numbers that are alike
  kModule,    // what else the operators around it read
  kName,      // nothing but its name: the numbers are others
};

enum class WeightLayout : uint8_t {
  kAsStored,
  kTransposed,  // axes in another order
  kRearranged,  // numbers in another order: gates, blocks of channels
};

struct WeightMatch {
  ValueId value;
  std::vector<uint32_t> tensors;  // in Checkpoint::tensors(); several: they were put together
  std::vector<uint32_t> folded;   // those that were multiplied into it: a norm's
  WeightClue by = WeightClue::kContents;
  WeightLayout layout = WeightLayout::kAsStored;
  bool is_part = false;  // a piece of its tensor
  bool is_cast = false;  // to a type that holds less
  bool is_quantised = false;
  bool is_scaled = false;  // by a number, or one for each channel
  bool is_tie = false;     // others hold the same, and nothing tells them apart
  // The root of the squares of all differences over that of all numbers, as far as scales do not
  // explain them; 0: none.
  double error = 0;
  double probability = 0;  // that it is this tensor
};

enum class TensorFate : uint8_t {
  kFound,
  kFolded,   // into another one
  kMissing,  // nothing in the model is like it
};

struct WeightMatches {
  std::vector<WeightMatch> matches;   // in order of their values
  std::vector<ValueId> unexplained;   // weights that no tensor explains, likewise
  std::vector<TensorFate> fates;      // of the checkpoint's tensors
  std::vector<std::string> warnings;  // what could not be read
};

// Errors of reading either.
absl::StatusOr<WeightMatches> MatchWeights(const Model& model, const Checkpoint& checkpoint);

// What the tensors would be called in the model. It and the checkpoint may name modules differently
// at the front: of "bert.encoder.fc.weight", "encoder.fc.weight".
std::vector<std::string> TensorNamesIn(const Model& model, const Checkpoint& checkpoint,
                                       const WeightMatches& matches);
// So called, weights that have no name of a module of their own; and the modules of all tensors.
ParameterNames NamesOf(const Model& model, const Checkpoint& checkpoint,
                       const WeightMatches& matches);

// Initializers under other names, and all that reads them.
struct WeightRenaming {
  Edits edits;
  std::vector<std::pair<std::string, std::string>> renamed;  // from, to
  std::vector<std::string> left;                             // those that keep their names
};

// Those of which one tensor is surely theirs alone get its name. The model's metadata keep their
// old ones. kFailedPrecondition: they were renamed before.
absl::StatusOr<WeightRenaming> RenameWeights(const Model& model, const Checkpoint& checkpoint,
                                             const WeightMatches& matches);
// Takes that back, byte for byte. Nothing is renamed of a model that was not.
absl::StatusOr<WeightRenaming> RestoreWeightNames(const Model& model);

}  // namespace onnx_hier

#endif  // ONNX_HIER_WEIGHTS_H_
