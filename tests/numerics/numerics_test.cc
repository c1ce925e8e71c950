// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/numerics.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/apply.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/parts.h"
#include "tests/numerics/saved_values.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wire.h"

namespace onnx_hier {
namespace {

using testing::Entry;
using testing::Floats;
using testing::TempFolder;
using testing::Zip;

// Values by name, an array each.
using Values = std::vector<std::pair<std::string, std::vector<float>>>;

std::string Save(const TempFolder& folder, const std::string& name, const Values& values) {
  std::vector<Entry> entries;
  for (const auto& [value, numbers] : values) entries.push_back({value + ".npy", Floats(numbers)});
  return folder.Write(name, Zip(entries));
}

// x -> /a/MatMul -> /act/Relu -> /b/MatMul -> y; or with the Relu in one operator with /a/MatMul.
std::string Chain(bool is_fused) {
  namespace w = wire;
  const std::string product =
      is_fused ? w::Node("FusedMatMulActivation", {"x", "a.weight"}, {"/act/Relu_output_0"},
                         "/a/MatMul", w::Domain("com.microsoft"))
               : w::Node("MatMul", {"x", "a.weight"}, {"/a/MatMul_output_0"}, "/a/MatMul") +
                     w::Node("Relu", {"/a/MatMul_output_0"}, {"/act/Relu_output_0"}, "/act/Relu");
  const std::string weight(64, '\1');
  return w::Model(
      w::Graph(product + w::Node("MatMul", {"/act/Relu_output_0", "b.weight"}, {"y"}, "/b/MatMul") +
               w::Initializer("a.weight", {4, 4}, weight) +
               w::Initializer("b.weight", {4, 4}, weight) + w::Input("x") + w::Output("y")));
}

// x -> /a/MatMul -> /b/MatMul, both -> /Add -> /norm -> y; or without the Add.
std::string Sum(bool is_dropped) {
  namespace w = wire;
  const std::string weight(64, '\1');
  return w::Model(w::Graph(
      w::Node("MatMul", {"x", "a.weight"}, {"/a/MatMul_output_0"}, "/a/MatMul") +
      w::Node("MatMul", {"/a/MatMul_output_0", "b.weight"}, {"/b/MatMul_output_0"}, "/b/MatMul") +
      (is_dropped ? ""
                  : w::Node("Add", {"/a/MatMul_output_0", "/b/MatMul_output_0"}, {"/Add_output_0"},
                            "/Add")) +
      w::Node("LayerNormalization",
              {is_dropped ? "/b/MatMul_output_0" : "/Add_output_0", "norm.weight"}, {"y"},
              "/norm/LayerNormalization") +
      w::Initializer("a.weight", {4, 4}, weight) + w::Initializer("b.weight", {4, 4}, weight) +
      w::Initializer("norm.weight", {4}, weight.substr(0, 16)) + w::Input("x") + w::Output("y")));
}

// A model and another one that was made from it.
struct Pair {
  explicit Pair(bool is_fused) : Pair(Chain(false), Chain(is_fused)) {}
  Pair(const std::string& from, const std::string& to)
      : original(*Model::FromBytes(from)),
        other(*Model::FromBytes(to)),
        annotation(Annotate(original)),
        hierarchy(original.graph(), annotation),
        pairs(*PairValues(original, other)) {}

  absl::StatusOr<Numerics> Compare(const Values& a, const Values& b,
                                   const Values& isolated = {}) const {
    const TempFolder folder;
    const absl::StatusOr<ValueFiles> a_files = ValueFiles::Open(Save(folder, "a.npz", a));
    const absl::StatusOr<ValueFiles> b_files = ValueFiles::Open(Save(folder, "b.npz", b));
    absl::StatusOr<ValueFiles> isolated_files = absl::NotFoundError("");
    if (!isolated.empty()) isolated_files = ValueFiles::Open(Save(folder, "i.npz", isolated));
    const absl::StatusOr<Cutter> cutter = Cutter::For(original, hierarchy);
    return CompareNumerics(*cutter, {hierarchy, pairs, other.graph()}, *a_files, *b_files,
                           isolated_files.ok() ? &*isolated_files : nullptr);
  }

  std::string Lost(const Numerics& numerics, size_t rank) const {
    return annotation.Tag(numerics.losses[rank].module);
  }

  const Model original;
  const Model other;
  const Annotation annotation;
  const Hierarchy hierarchy;
  const ValuePairs pairs;
};

constexpr char kA[] = "/a/MatMul_output_0";
constexpr char kAct[] = "/act/Relu_output_0";

TEST_CASE("what is lost is what an error grew by") {
  const Pair pair(false);
  const Values a = {{kA, {3, 4}}, {kAct, {3, 4}}, {"y", {6, 8}}};
  const absl::StatusOr<Numerics> numerics =
      pair.Compare(a, {{kA, {3, 4.5f}}, {kAct, {3, 4.5f}}, {"y", {6, 9}}});
  REQUIRE(numerics.ok());
  CHECK(numerics->values.size() == 3);
  CHECK(numerics->by_name == 3);
  CHECK(pair.Lost(*numerics, 0) == "/a");
  CHECK(numerics->values[0].lost == doctest::Approx(0.1));
  CHECK_FALSE(numerics->values[0].worst_input.has_value());
  CHECK(numerics->values[1].lost == 0);
  CHECK(numerics->values[2].lost < 1e-6);
  CHECK(*numerics->values[2].worst_input == 1);
  REQUIRE(numerics->shares.size() >= 1);
  CHECK(pair.annotation.Tag(numerics->shares[0].first) == "/a");
  const std::vector<ModuleId> kept = ModulesToKeep(*numerics, 40);
  REQUIRE(kept.size() == 1);
  CHECK(pair.annotation.Tag(kept[0]) == "/a");
  CHECK(ModulesToKeep(*numerics, 10).empty());
}

TEST_CASE("what bends values loses nothing where there is no more noise than before") {
  const Pair pair(false);
  // The negative half is gone, and with it most of the signal.
  const absl::StatusOr<Numerics> numerics =
      pair.Compare({{kA, {-10, 1}}, {kAct, {0, 1}}, {"y", {1, 1}}},
                   {{kA, {-10, 1.2f}}, {kAct, {0, 1.2f}}, {"y", {1.2f, 1.2f}}});
  REQUIRE(numerics.ok());
  CHECK(numerics->values[1].error.relative() > 0.1);
  CHECK(numerics->values[1].lost < 1e-6);
}

TEST_CASE("the first value that is broken") {
  const Pair pair(false);
  const float inf = std::numeric_limits<float>::infinity();
  const absl::StatusOr<Numerics> numerics =
      pair.Compare({{kA, {3, 4}}, {kAct, {3, 4}}, {"y", {6, 8}}},
                   {{kA, {3, 4}}, {kAct, {3, inf}}, {"y", {inf, inf}}});
  REQUIRE(numerics.ok());
  CHECK(numerics->first_broken == 1);
  CHECK(pair.Lost(*numerics, 0) == "/act");
  CHECK(ModulesToKeep(*numerics, 20).size() == 1);
}

TEST_CASE("modules that were fused are told of together, the one with weights first") {
  const Pair pair(true);
  const Values a = {{kA, {3, 4}}, {kAct, {3, 4}}, {"y", {6, 8}}};
  const absl::StatusOr<Numerics> numerics = pair.Compare(a, {{kAct, {3, 4.5f}}, {"y", {6, 9}}});
  REQUIRE(numerics.ok());
  CHECK(numerics->values.size() == 2);
  CHECK(numerics->missing.size() == 1);
  CHECK(pair.Lost(*numerics, 0) == "/a");
  CHECK(pair.Lost(*numerics, 1) == "/act");
  CHECK(numerics->losses[0].is_shared);
}

TEST_CASE("what reads a value that the other model does not comes first") {
  const Values a = {
      {kA, {3, 4}}, {"/b/MatMul_output_0", {3, 4}}, {"/Add_output_0", {6, 8}}, {"y", {6, 8}}};
  const Values b = {{kA, {3, 4}}, {"/b/MatMul_output_0", {3, 4}}, {"y", {6, 1}}};
  const Pair dropped(Sum(false), Sum(true));
  const absl::StatusOr<Numerics> numerics = dropped.Compare(a, b);
  REQUIRE(numerics.ok());
  CHECK(dropped.Lost(*numerics, 0) == "/");
  CHECK(dropped.Lost(*numerics, 1) == "/norm");
  // With the sum in it, the norm is as likely as it is.
  const Pair same(Sum(false), Sum(false));
  const absl::StatusOr<Numerics> others = same.Compare(a, b);
  REQUIRE(others.ok());
  CHECK(same.Lost(*others, 0) == "/norm");
}

TEST_CASE("what was made of the original's values tells exactly what was lost") {
  const Pair pair(false);
  const Values a = {{kA, {3, 4}}, {kAct, {3, 4}}, {"y", {6, 8}}};
  const Values b = {{kA, {3, 4.5f}}, {kAct, {3, 4.5f}}, {"y", {6, 9}}};
  const absl::StatusOr<Numerics> numerics = pair.Compare(
      a, b, {{absl::StrCat(kA, kMadeEnding), {3, 4}}, {absl::StrCat("y", kMadeEnding), {6, 9}}});
  REQUIRE(numerics.ok());
  CHECK(pair.Lost(*numerics, 0) == "/b");
  CHECK(numerics->values[0].is_isolated);
  CHECK(numerics->values[0].lost == 0);
  CHECK_FALSE(numerics->values[1].is_isolated);
  CHECK_FALSE(pair.Compare(a, b, {{"z", {1}}}).ok());
}

TEST_CASE("what cannot be compared") {
  const Pair pair(false);
  const Values a = {{kA, {3, 4}}, {kAct, {3, 4}}};
  CHECK_FALSE(pair.Compare(a, {{"z", {1}}}).ok());
  const absl::StatusOr<Numerics> numerics = pair.Compare(a, {{kA, {3}}, {kAct, {3, 4}}});
  REQUIRE(numerics.ok());
  CHECK(numerics->misfits.size() == 1);
  CHECK(numerics->missing.size() == 1);
}

}  // namespace
}  // namespace onnx_hier
