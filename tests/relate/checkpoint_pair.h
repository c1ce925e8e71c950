// SPDX-License-Identifier: Apache-2.0

// A model and the checkpoint that it was made from:
//
//   CheckpointPair pair;
//   pair.Tensor("fc.weight", {4, 6}, RandomFloats(24, 1));
//   pair.Weight("onnx::MatMul_1", {4, 6}, RandomFloats(24, 1));
//   pair.Linear("x", "onnx::MatMul_1", "y");
//   pair.Match();
//   CHECK(pair.Of("onnx::MatMul_1") == "fc.weight by contents, 0.9999");
#ifndef ONNX_HIER_TESTS_RELATE_CHECKPOINT_PAIR_H_
#define ONNX_HIER_TESTS_RELATE_CHECKPOINT_PAIR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "onnx_hier/checkpoint.h"
#include "onnx_hier/model.h"
#include "onnx_hier/weights.h"
#include "tests/checkpoint/saved_tensors.h"
#include "tests/relate/drawn_numbers.h"
#include "tests/support/raw_bytes.h"
#include "tests/support/status.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier::testing {

using Dims = std::vector<int64_t>;
using FloatNumbers = std::vector<float>;

inline FloatNumbers RandomFloats(size_t count, uint64_t seed) {
  return DrawnNumbers<float>(count, seed);
}

class CheckpointPair {
 public:
  void Tensor(absl::string_view name, const Dims& dims, absl::string_view bytes,
              absl::string_view type = "F32") {
    absl::StrAppend(&header_, header_.empty() ? "{" : ",", "\"", name, "\":{\"dtype\":\"", type,
                    "\",\"shape\":[", absl::StrJoin(dims, ","), "],\"data_offsets\":[",
                    data_.size(), ",", data_.size() + bytes.size(), "]}");
    absl::StrAppend(&data_, bytes);
  }
  void Tensor(absl::string_view name, const Dims& dims, const FloatNumbers& numbers) {
    Tensor(name, dims, Bytes(numbers));
  }
  void Weight(absl::string_view name, const Dims& dims, const FloatNumbers& numbers) {
    graph_ += wire::Initializer(name, dims, Bytes(numbers));
  }
  void Add(const std::string& graph_fields) { graph_ += graph_fields; }
  // y of x by a weight; with a bias, that is added.
  void Linear(const std::string& x, const std::string& weight, const std::string& y,
              const std::string& bias = "") {
    if (bias.empty()) return Add(wire::Node("MatMul", {x, weight}, {y}));
    Add(wire::Node("MatMul", {x, weight}, {y + "_product"}) +
        wire::Node("Add", {bias, y + "_product"}, {y}));
  }

  void Match() {
    const TempFolder folder;
    const std::string path = folder.Write("a.safetensors", Safetensors(header_ + "}", data_));
    checkpoint_.emplace(Value(Checkpoint::Open({path})));
    bytes_ = wire::Model(wire::Graph(graph_));
    model_.emplace(Value(Model::FromBytes(bytes_)));
    matches_ = Value(MatchWeights(*model_, *checkpoint_));
    names_ = NamesOf(*model_, *checkpoint_, matches_);
  }

  // What is known of a weight, in words: "fc.weight by contents, transposed, .9999".
  std::string Of(absl::string_view name) const {
    for (const ValueId value : matches_.unexplained) {
      if (model_->graph().value(value).name == name) return "nothing";
    }
    for (const WeightMatch& match : matches_.matches) {
      if (model_->graph().value(match.value).name == name) return Said(match);
    }
    return "no weight";
  }
  // What became of a tensor.
  std::string Fate(absl::string_view name) const {
    for (size_t i = 0; i < checkpoint_->tensors().size(); ++i) {
      if (checkpoint_->tensors()[i].name != name) continue;
      return matches_.fates[i] == TensorFate::kFound    ? "found"
             : matches_.fates[i] == TensorFate::kFolded ? "folded"
                                                        : "missing";
    }
    return "no tensor";
  }
  double ErrorOf(absl::string_view name) const {
    for (const WeightMatch& match : matches_.matches) {
      if (model_->graph().value(match.value).name == name) return match.error;
    }
    return -1;
  }
  // The name that it gets; none: it keeps its own.
  std::string NameOf(absl::string_view name) const {
    const auto found = names_.of.find(name);
    return found == names_.of.end() ? "" : found->second.name;
  }
  const std::string& bytes() const { return bytes_; }  // of the model
  const Model& model() const { return *model_; }
  const Checkpoint& checkpoint() const { return *checkpoint_; }
  const WeightMatches& matches() const { return matches_; }

 private:
  std::string TensorNames(const std::vector<uint32_t>& tensors) const {
    return absl::StrJoin(tensors, "+", [&](std::string* text, uint32_t tensor) {
      absl::StrAppend(text, checkpoint_->tensors()[tensor].name);
    });
  }

  std::string Said(const WeightMatch& match) const {
    const char* const clues[] = {"contents", "likeness", "module", "name"};
    std::string text =
        absl::StrCat(TensorNames(match.tensors), " by ", clues[static_cast<size_t>(match.by)]);
    const char* const layouts[] = {"", ", transposed", ", rearranged"};
    text += layouts[static_cast<size_t>(match.layout)];
    if (match.is_part) text += ", part";
    if (match.is_cast) text += ", cast";
    if (match.is_quantised) text += ", quantised";
    if (match.is_scaled) text += ", scaled";
    if (match.is_tie) text += ", tie";
    if (!match.folded.empty()) absl::StrAppend(&text, ", with ", TensorNames(match.folded));
    return absl::StrCat(text, ", ", match.probability);
  }

  std::string header_;
  std::string data_;
  std::string graph_;
  std::string bytes_;
  std::optional<Checkpoint> checkpoint_;
  std::optional<Model> model_;
  WeightMatches matches_;
  ParameterNames names_;
};

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_RELATE_CHECKPOINT_PAIR_H_
