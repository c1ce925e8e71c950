// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/graph/data_type.h"
#include "tests/relate/checkpoint_pair.h"
#include "tests/relate/drawn_numbers.h"
#include "tests/support/raw_bytes.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Bytes;
using testing::FloatNumbers;
using testing::RandomFloats;
using testing::Transposed;
using Pair = testing::CheckpointPair;

FloatNumbers Positive(FloatNumbers numbers) {
  for (float& number : numbers) number = std::abs(number) + 0.5F;
  return numbers;
}

FloatNumbers Joined(const std::vector<FloatNumbers>& parts) {
  FloatNumbers made;
  for (const FloatNumbers& part : parts) made.insert(made.end(), part.begin(), part.end());
  return made;
}

// The upper halves of floats, which is what a bfloat16 holds.
std::string BfloatBytes(const FloatNumbers& numbers) {
  std::string bytes;
  for (const float number : numbers) bytes += Bytes<float>({number}).substr(2);
  return bytes;
}

FloatNumbers AsBfloats(const FloatNumbers& numbers) {
  FloatNumbers made = numbers;
  for (float& number : made) {
    const std::string bytes = std::string(2, '\0') + Bytes<float>({number}).substr(2);
    std::memcpy(&number, bytes.data(), sizeof(number));
  }
  return made;
}

TEST_CASE("equal numbers: as they are, transposed, reshaped, in another order") {
  const FloatNumbers fc = RandomFloats(24, 1);
  const FloatNumbers kernel = RandomFloats(36, 2);
  const FloatNumbers gates = RandomFloats(32, 3);
  const FloatNumbers table = RandomFloats(15, 4);
  Pair pair;
  pair.Tensor("fc.weight", {4, 6}, fc);
  pair.Tensor("conv.weight", {2, 2, 3, 3}, kernel);
  pair.Tensor("gates.weight", {8, 4}, gates);
  pair.Tensor("table.weight", {3, 5}, table);
  pair.Tensor("unused.weight", {3, 5}, RandomFloats(15, 5));
  pair.Weight("onnx::MatMul_1", {6, 4}, Transposed(fc, 4));
  pair.Weight("flat", {36}, kernel);
  FloatNumbers turned(gates.begin() + 16, gates.end());  // the two halves exchanged
  turned.insert(turned.end(), gates.begin(), gates.begin() + 16);
  pair.Weight("turned", {8, 4}, turned);
  pair.Weight("table.weight", {3, 5}, table);
  pair.Weight("new", {3, 5}, RandomFloats(15, 6));
  pair.Add(wire::Int64Initializer("shape", {3, 5}));
  pair.Linear("x", "onnx::MatMul_1", "a");
  pair.Add(wire::Node("Reshape", {"flat", "shape"}, {"k"}) + wire::Node("Conv", {"a", "k"}, {"b"}));
  pair.Linear("b", "turned", "c");
  pair.Linear("c", "table.weight", "d");
  pair.Linear("d", "new", "y");
  pair.Match();
  CHECK(pair.Of("onnx::MatMul_1") == "fc.weight by contents, transposed, 0.9999");
  CHECK(pair.Of("flat") == "conv.weight by contents, 0.9999");
  CHECK(pair.Of("turned") == "gates.weight by contents, rearranged, 0.9999");
  CHECK(pair.Of("table.weight") == "table.weight by contents, 0.9999");
  CHECK(pair.Of("new") == "nothing");
  CHECK(pair.Of("shape") == "no weight");
  CHECK(pair.Fate("fc.weight") == "found");
  CHECK(pair.Fate("unused.weight") == "missing");
  CHECK(pair.NameOf("onnx::MatMul_1") == "fc.weight");
  CHECK(pair.NameOf("table.weight").empty());
  CHECK(pair.matches().warnings.empty());
}

TEST_CASE("types that hold less, on either side") {
  const FloatNumbers fc = RandomFloats(24, 1);
  const FloatNumbers old = RandomFloats(30, 2);
  Pair pair;
  pair.Tensor("fc.weight", {4, 6}, fc);
  pair.Tensor("old.weight", {5, 6}, BfloatBytes(old), "BF16");
  pair.Add(wire::Initializer("cast", {4, 6}, BfloatBytes(AsBfloats(fc)), data_type::kBfloat16));
  pair.Weight("wide", {5, 6}, AsBfloats(old));
  pair.Linear("x", "cast", "a");
  pair.Linear("a", "wide", "y");
  pair.Match();
  // Truncated is mostly not rounded: alike, and too few numbers to say so.
  CHECK(pair.Of("cast") == "nothing");
  CHECK(pair.Of("wide") == "old.weight by contents, 0.9999");
  CHECK(pair.ErrorOf("wide") == 0);
}

TEST_CASE("a cast weight says how much it lost") {
  FloatNumbers fc = RandomFloats(24, 1);
  FloatNumbers rounded = fc;
  for (size_t i = 0; i < fc.size(); ++i) {
    // Halves of steps of a bfloat16 above 1 and one more bit, which is rounded away.
    rounded[i] = 1 + static_cast<float>(i + 1) / 128;
    fc[i] = rounded[i] + 1.0F / 1024;
  }
  Pair pair;
  pair.Tensor("fc.weight", {4, 6}, fc);
  pair.Add(
      wire::Initializer("cast", {6, 4}, BfloatBytes(Transposed(rounded, 4)), data_type::kBfloat16));
  pair.Linear("x", "cast", "y");
  pair.Match();
  CHECK(pair.Of("cast") == "fc.weight by contents, transposed, cast, 0.9999");
  CHECK(pair.ErrorOf("cast") == doctest::Approx(1.0 / 1024 / 1.1).epsilon(0.05));
}

TEST_CASE("several tensors in one, and one in several") {
  const FloatNumbers q = RandomFloats(16, 1);
  const FloatNumbers k = RandomFloats(16, 2);
  const FloatNumbers v = RandomFloats(16, 3);
  const FloatNumbers whole = RandomFloats(32, 4);
  Pair pair;
  pair.Tensor("attn.q.weight", {4, 4}, q);
  pair.Tensor("attn.k.weight", {4, 4}, k);
  pair.Tensor("attn.v.weight", {4, 4}, v);
  pair.Tensor("gate_up.weight", {8, 4}, whole);
  pair.Weight("qkv", {4, 12}, Transposed(Joined({q, k, v}), 12));
  pair.Weight("gate", {4, 4}, FloatNumbers(whole.begin(), whole.begin() + 16));
  pair.Weight("up", {4, 4}, FloatNumbers(whole.begin() + 16, whole.end()));
  pair.Linear("x", "qkv", "a");
  pair.Linear("a", "gate", "b");
  pair.Linear("a", "up", "c");
  pair.Match();
  CHECK(pair.Of("qkv") == "attn.q.weight+attn.k.weight+attn.v.weight by contents, 0.9999");
  CHECK(pair.NameOf("qkv") == "attn.q.weight__attn.k.weight__attn.v.weight");
  CHECK(pair.Of("gate") == "gate_up.weight by contents, part, 0.9999");
  CHECK(pair.Of("up") == "gate_up.weight by contents, part, 0.9999");
  CHECK(pair.Fate("attn.k.weight") == "found");
  CHECK(pair.Fate("gate_up.weight") == "found");
}

TEST_CASE("quantised for each row, clipped, and scaled as a whole") {
  const FloatNumbers fc = RandomFloats(96, 1);
  const FloatNumbers other = RandomFloats(96, 2);
  const FloatNumbers scaled = RandomFloats(80, 3);
  std::string quantised;
  FloatNumbers scales;
  for (size_t row = 0; row < 8; ++row) {
    scales.push_back(static_cast<float>(row + 1) / 127);
    for (size_t i = 0; i < 12; ++i) {
      quantised.push_back(static_cast<char>(std::lround(fc[row * 12 + i] * 100)));
    }
  }
  FloatNumbers doubled = scaled;
  for (float& number : doubled) number *= 2;
  Pair pair;
  pair.Tensor("other.weight", {8, 12}, other);
  pair.Tensor("fc.weight", {8, 12}, fc);
  pair.Tensor("scaled.weight", {8, 10}, scaled);
  pair.Add(wire::Initializer("q", {8, 12}, quantised, data_type::kInt8));
  pair.Weight("s", {8}, scales);
  pair.Weight("doubled", {8, 10}, doubled);
  pair.Add(wire::Node("DequantizeLinear", {"q", "s"}, {"w"}, "", wire::IntAttribute("axis", 0)));
  pair.Linear("x", "w", "a");
  pair.Linear("a", "doubled", "y");
  pair.Match();
  CHECK(pair.Of("q") == "fc.weight by likeness, quantised, scaled, 0.999");
  CHECK(pair.ErrorOf("q") < 0.02);
  CHECK(pair.ErrorOf("q") > 0);
  CHECK(pair.Of("s") == "no weight");
  CHECK(pair.Of("doubled") == "scaled.weight by likeness, scaled, 0.999");
  CHECK(pair.Fate("other.weight") == "missing");
}

TEST_CASE("a norm that was folded into the weight before it, and its bias") {
  const size_t channels = 8;
  const FloatNumbers kernel = RandomFloats(channels * 12, 1);
  const FloatNumbers gamma = Positive(RandomFloats(channels, 2));
  const FloatNumbers variance = Positive(RandomFloats(channels, 3));
  const FloatNumbers own_bias = RandomFloats(channels, 4);
  for (const bool has_bias : {false, true}) {
    CAPTURE(has_bias);
    Pair pair;
    pair.Tensor("conv.weight", {8, 3, 2, 2}, kernel);
    if (has_bias) pair.Tensor("conv.bias", {8}, own_bias);
    pair.Tensor("bn.weight", {8}, gamma);
    pair.Tensor("bn.bias", {8}, RandomFloats(channels, 5));
    pair.Tensor("bn.running_mean", {8}, RandomFloats(channels, 6));
    pair.Tensor("bn.running_var", {8}, variance);
    pair.Tensor("bn.num_batches_tracked", {}, Bytes<int64_t>({100}), "I64");
    pair.Tensor("other.weight", {8}, Positive(RandomFloats(channels, 7)));
    pair.Tensor("other.running_var", {8}, Positive(RandomFloats(channels, 8)));
    FloatNumbers folded = kernel;
    for (size_t i = 0; i < folded.size(); ++i) {
      folded[i] *= gamma[i / 12] / std::sqrt(variance[i / 12] + 1e-5F);
    }
    pair.Weight("w", {8, 3, 2, 2}, folded);
    pair.Weight("b", {8}, RandomFloats(channels, 9));
    pair.Add(wire::Node("Conv", {"x", "w", "b"}, {"y"}));
    pair.Match();
    const std::string norm = ", scaled, with bn.weight+bn.bias+bn.running_mean+bn.running_var, ";
    CHECK(pair.Of("w") == "conv.weight by likeness" + norm + "0.999");
    CHECK(pair.Of("b") == (has_bias ? "conv.bias" : "bn.bias") + (" by module" + norm) + "0.99");
    CHECK(pair.Fate("bn.running_var") == "folded");
    CHECK(pair.Fate("bn.num_batches_tracked") == "folded");
    CHECK(pair.Fate("bn.bias") == (has_bias ? "folded" : "found"));
    CHECK(pair.Fate("other.weight") == "missing");
  }
}

TEST_CASE("a scale that has no variance beside it is folded, too") {
  const FloatNumbers fc = RandomFloats(96, 1);
  const FloatNumbers gamma = Positive(RandomFloats(8, 2));
  FloatNumbers folded = fc;
  for (size_t i = 0; i < folded.size(); ++i) folded[i] *= gamma[i / 12];
  for (const bool has_variance : {false, true}) {
    CAPTURE(has_variance);
    Pair pair;
    pair.Tensor("fc.weight", {8, 12}, fc);
    pair.Tensor("norm.weight", {8}, gamma);
    if (has_variance) pair.Tensor("norm.running_var", {8}, Positive(RandomFloats(8, 3)));
    pair.Tensor("norm.scale", {8}, gamma);  // is called after no norm's factors
    pair.Weight("w", {12, 8}, Transposed(folded, 8));
    pair.Linear("x", "w", "y");
    pair.Match();
    CHECK(pair.Of("w") == absl::StrCat("fc.weight by likeness, transposed, scaled",
                                       has_variance ? "" : ", with norm.weight", ", 0.999"));
    CHECK(pair.Fate("norm.weight") == (has_variance ? "missing" : "folded"));
  }
}

TEST_CASE("equal tensors are told apart by what stands beside them, else they are ties") {
  const FloatNumbers zeros(8, 0);
  const FloatNumbers same = RandomFloats(8, 1);
  const FloatNumbers a = RandomFloats(64, 2);
  const FloatNumbers b = RandomFloats(64, 3);
  Pair pair;
  for (const auto& [module, weight] : {std::pair("a", &a), std::pair("b", &b)}) {
    pair.Tensor(absl::StrCat(module, ".weight"), {8, 8}, *weight);
    pair.Tensor(absl::StrCat(module, ".bias"), {8}, zeros);
  }
  for (const char* module : {"l", "m", "n"}) pair.Tensor(absl::StrCat(module, ".gain"), {8}, same);
  pair.Weight("of_b", {8, 8}, b);
  pair.Weight("zeros_1", {8}, zeros);
  pair.Weight("of_a", {8, 8}, a);
  pair.Weight("zeros_2", {8}, zeros);
  pair.Weight("m.gain", {8}, same);
  pair.Weight("gain_1", {8}, same);
  pair.Linear("x", "of_b", "c", "zeros_1");
  pair.Linear("c", "of_a", "d", "zeros_2");
  pair.Add(wire::Node("Mul", {"d", "m.gain"}, {"e"}) + wire::Node("Sin", {"e"}, {"f"}) +
           wire::Node("Sin", {"f"}, {"g"}) + wire::Node("Mul", {"g", "gain_1"}, {"h"}));
  pair.Match();
  CHECK(pair.Of("zeros_1") == "b.bias by module, 0.99");
  CHECK(pair.Of("zeros_2") == "a.bias by module, 0.99");
  CHECK(pair.Of("m.gain") == "m.gain by contents, 0.9999");
  CHECK(pair.Of("gain_1") == "l.gain by contents, tie, 0.5");
  CHECK(pair.NameOf("gain_1").empty());
  // The model holds what they do.
  CHECK(pair.Fate("n.gain") == "found");
}

TEST_CASE("of equal tensors the last one that is left is the one") {
  const FloatNumbers same = RandomFloats(8, 1);
  Pair pair;
  pair.Tensor("l.gain", {8}, same);
  pair.Tensor("m.gain", {8}, same);
  pair.Weight("l.gain", {8}, same);
  pair.Weight("other", {8}, same);
  pair.Add(wire::Node("Mul", {"x", "l.gain"}, {"e"}) + wire::Node("Mul", {"e", "other"}, {"f"}));
  pair.Match();
  CHECK(pair.Of("other") == "m.gain by contents, 0.99");
}

TEST_CASE("other numbers: by the name, by the weight beside it") {
  const FloatNumbers fc = RandomFloats(64, 1);
  Pair pair;
  pair.Tensor("fc.weight", {8, 8}, fc);
  pair.Tensor("fc.bias", {8}, RandomFloats(8, 2));
  pair.Tensor("trained.weight", {4, 8}, RandomFloats(32, 3));
  pair.Tensor("trained.bias", {9}, RandomFloats(9, 4));
  pair.Weight("w", {8, 8}, fc);
  pair.Weight("b", {8}, RandomFloats(8, 5));
  pair.Weight("trained.weight", {8, 4}, RandomFloats(32, 6));
  pair.Weight("trained.bias", {4}, RandomFloats(4, 7));
  pair.Linear("x", "w", "a", "b");
  pair.Linear("a", "trained.weight", "y", "trained.bias");
  pair.Match();
  CHECK(pair.Of("b") == "fc.bias by module, 0.89991");
  CHECK(pair.ErrorOf("b") == 1);
  CHECK(pair.Of("trained.weight") == "trained.weight by name, 0.9");
  CHECK(pair.ErrorOf("trained.weight") > 0.5);
  CHECK(pair.Of("trained.bias") == "nothing");
  CHECK(pair.Fate("trained.bias") == "missing");
}

TEST_CASE("what is alike in two tensors is neither") {
  const FloatNumbers one = RandomFloats(96, 1);
  const FloatNumbers noise = RandomFloats(96, 2);
  const auto near_one = [&](float off) {
    FloatNumbers made = one;
    for (size_t i = 0; i < made.size(); ++i) made[i] += off * noise[i];
    return made;
  };
  Pair pair;
  pair.Tensor("a.weight", {8, 12}, near_one(0.01F));
  pair.Tensor("b.weight", {8, 12}, near_one(-0.01F));
  pair.Tensor("c.weight", {8, 10}, FloatNumbers(one.begin(), one.begin() + 80));
  pair.Weight("w", {8, 12}, one);
  FloatNumbers far(one.begin(), one.begin() + 80);
  for (size_t i = 0; i < far.size(); ++i) far[i] += 0.3F * noise[i];
  pair.Weight("far", {8, 10}, far);
  pair.Linear("x", "w", "a");
  pair.Linear("a", "far", "y");
  pair.Match();
  CHECK(pair.Of("w") == "nothing");
  // Half as much noise as there is, and no other like it.
  CHECK(pair.Of("far") == "c.weight by likeness, 0.97");
}

TEST_CASE("a weight's name in the model, where modules are called otherwise at the front") {
  const FloatNumbers fc = RandomFloats(24, 1);
  const FloatNumbers out = RandomFloats(24, 2);
  Pair pair;
  pair.Tensor("bert.fc.weight", {4, 6}, fc);
  pair.Tensor("bert.out.weight", {4, 6}, out);
  pair.Weight("model.fc.weight", {4, 6}, fc);
  pair.Weight("onnx::MatMul_3", {6, 4}, Transposed(out, 4));
  pair.Linear("x", "model.fc.weight", "a");
  pair.Linear("a", "onnx::MatMul_3", "y");
  pair.Match();
  CHECK(pair.NameOf("onnx::MatMul_3") == "model.out.weight");
  CHECK(pair.NameOf("model.fc.weight").empty());
}

}  // namespace
}  // namespace onnx_hier
