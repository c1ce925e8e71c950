// SPDX-License-Identifier: Apache-2.0

// Profiles drawn for models, with the names that runtimes give to what they fused, put in or made
// up: where all kernels are, as a number.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/hash.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/profile.h"
#include "tests/support/digest.h"
#include "tests/support/model_files.h"
#include "tests/support/random.h"
#include "tests/support/status.h"

namespace onnx_hier {
namespace {

using testing::Digest;
using testing::Random;

constexpr const char* kPutIn[] = {"Cast",         "ReorderInput",   "ReorderOutput",
                                  "MemcpyToHost", "QuantizeLinear", "DequantizeLinear",
                                  "Transpose",    "Reshape"};

class DrawnProfile {
 public:
  DrawnProfile(const Graph& graph, ProfileKind kind, uint64_t seed) : graph_(graph), random_(seed) {
    profile_.kind = kind;
    for (NodeId node : graph.nodes(graph.main_block())) {
      if (random_.OneIn(8)) PutIn(node);
      if (!random_.OneIn(7)) AddNode(node);
      if (random_.OneIn(20)) Add("a name of its own", "");
    }
    if (random_.OneIn(2)) Exchange();
    for (uint32_t i = 0; i < profile_.kernels.size(); ++i) {
      const uint64_t begin = profile_.last_run.size() * 10;
      profile_.last_run.push_back({i, 0, begin, 1 + random_.Below(9)});
    }
  }

  const Profile& profile() const { return profile_; }

 private:
  Kernel& Add(std::string name, std::string op_type) {
    Kernel& kernel = profile_.kernels.emplace_back();
    kernel.name = std::move(name);
    kernel.op_type = std::move(op_type);
    kernel.amount = Amount(1 + random_.Below(1000));
    kernel.calls = 1 + random_.Below(3);
    if (profile_.kind == ProfileKind::kTable && random_.OneIn(2)) kernel.word = "CPU";
    return kernel;
  }

  std::string OutputOf(NodeId node) const {
    const absl::Span<const ValueId> outputs = graph_.outputs(node);
    return outputs.empty() || !outputs[0].valid() ? "" : std::string(graph_.value(outputs[0]).name);
  }

  void AddNode(NodeId node) {
    const std::string name(graph_.node(node).name);
    const std::string op(graph_.op(node).type);
    const std::string output = OutputOf(node);
    switch (random_.Below(12)) {
      case 0:
        Add(output, op);
        return;
      case 1:
        Add(name + "/MatMulScaleFusion/", "FusedMatMul").nodes = {name};
        return;
      case 2:
        Add("fused " + name, "FusedConv");
        return;
      case 3:
        Add(output + "_nchwc", op).parameter_bytes = 16 * random_.Below(300);
        return;
      case 4:
        Add("", op).index = static_cast<uint32_t>(graph_.node(node).index);
        return;
      case 5:
        Add("made up", op).index =
            static_cast<uint32_t>(graph_.node(node).index + random_.Below(3));
        return;
      case 6:
        if (!profile_.kernels.empty())
          Add(absl::StrCat(profile_.kernels.back().name, " + ", name), "");
        return;
      case 7:
        Add(absl::StrCat("PWN(", name, ")"), "");
        return;
      case 8:
        Add(absl::StrCat("{ForeignNode[", name, "...", output, "]}"), "");
        return;
      case 9:
        Add(absl::StrCat(name, "_token_", random_.Below(20)), op);
        return;
      default:
        Add(name, op).index = static_cast<uint32_t>(graph_.node(node).index);
        return;
    }
  }

  void PutIn(NodeId node) {
    const std::string op = kPutIn[random_.Below(std::size(kPutIn))];
    const char* const forms[] = {"", "reorder", "InsertedPrecisionFreeCast_", "Memcpy_token_"};
    const std::string form = forms[random_.Below(std::size(forms))];
    Add(random_.OneIn(2) ? absl::StrCat(form, OutputOf(node)) : absl::StrCat(op, "_", form), op);
  }

  // Runtimes run what they like first.
  void Exchange() {
    for (size_t i = 1; i < profile_.kernels.size(); i += 1 + random_.Below(4)) {
      std::swap(profile_.kernels[i - 1], profile_.kernels[i]);
    }
  }

  const Graph& graph_;
  Random random_;
  Profile profile_;
};

void AddPlaces(const Annotation& annotation, const PlacedProfile& placed, Digest& digest) {
  const auto number = [](auto id) { return id.valid() ? id.index() + 1 : 0; };
  for (size_t i = 0; i < placed.places.size(); ++i) {
    const KernelPlace& place = placed.places[i];
    uint64_t all = MixHash(static_cast<uint64_t>(place.by), number(place.module));
    for (NodeId node : {place.node, place.first}) all = MixHash(all, number(node));
    digest.Add(i, all);
  }
  for (ModuleId module : annotation.modules.ids()) {
    const auto& figure = placed.amounts.figure(module);
    digest.Add(module.index(), MixHash(figure.own.whole(), figure.total.whole()));
    digest.Add(module.index(), placed.calls.figure(module).total.whole());
  }
}

TEST_CASE("kernels of drawn profiles are where they were") {
  Digest times;
  Digest tables;
  for (const std::string& path : testing::AllModelFiles()) {
    const Model model = testing::Value(Model::Open(path));
    const Annotation annotation = Annotate(model);
    const Hierarchy hierarchy(model.graph(), annotation);
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      for (ProfileKind kind : {ProfileKind::kTimes, ProfileKind::kTable}) {
        const DrawnProfile drawn(model.graph(), kind, seed);
        const PlacedProfile placed = PlaceProfile(hierarchy, drawn.profile());
        // Nothing is lost.
        Amount all;
        for (const Kernel& kernel : drawn.profile().kernels) all += kernel.amount;
        CHECK(placed.amounts.whole() == all);
        AddPlaces(annotation, placed, kind == ProfileKind::kTimes ? times : tables);
      }
    }
  }
  CHECK(times.Text() == "34546 of 1786883792488201104");
  CHECK(tables.Text() == "35411 of 7251325522986518003");
}

}  // namespace
}  // namespace onnx_hier
