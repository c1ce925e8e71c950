// SPDX-License-Identifier: Apache-2.0

// What probes make of models, as libonnx's reader sees it: all modules of all of testdata.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/hash.h"
#include "onnx_hier/parts.h"
#include "onnx_hier_program/probes.h"
#include "tests/parts/checked_parts.h"
#include "tests/support/digest.h"
#include "tests/support/model_files.h"
#include "tests/support/status.h"

namespace onnx_hier {
namespace {

using testing::Digest;
using testing::NameSet;
using testing::NamesOf;
using testing::ParseModel;
using testing::Value;
using testing::Whole;
using testing::WithoutDocs;

// Names of values that nodes of the graph make.
NameSet MadeIn(const onnx::GraphProto& graph) {
  NameSet names;
  for (const auto& node : graph.node()) {
    for (const std::string& output : node.output()) names.insert(output);
  }
  return names;
}

void AddBoundaries(const Whole& whole, const Probes& probes, Digest& digest) {
  const auto hash_of = [&](const std::vector<ValueId>& values) {
    uint64_t hash = 0;
    for (ValueId value : values)
      hash = MixHash(hash, HashBytes(whole.model.graph().value(value).name));
    return hash;
  };
  for (const Boundary& boundary : probes.boundaries) {
    digest.Add(MixHash(boundary.module.index(), boundary.call),
               MixHash(hash_of(boundary.inputs), hash_of(boundary.outputs)));
  }
}

// The model as it was, and these values among its outputs.
void CheckProbed(const Whole& whole, const Probes& probes) {
  const onnx::ModelProto found =
      ParseModel(WithoutDocs(whole.Written(whole.cutter.ProbeEdits(whole.cutter, probes.pairs))));
  NameSet outputs = NamesOf(whole.proto.graph().output());
  const Graph& graph = whole.model.graph();
  for (const ValuePair& pair : probes.pairs) {
    CHECK(pair.original == pair.value);
    outputs.emplace(graph.value(pair.value).name);
  }
  CHECK(NamesOf(found.graph().output()) == outputs);
  CHECK(static_cast<size_t>(found.graph().output_size()) == outputs.size());
  CHECK(NamesOf(found.graph().input()) == NamesOf(whole.proto.graph().input()));
  REQUIRE(found.graph().node_size() == whole.proto.graph().node_size());
  for (int i = 0; i < found.graph().node_size(); ++i) {
    CHECK(found.graph().node(i).SerializeAsString() ==
          whole.proto.graph().node(i).SerializeAsString());
  }
}

// Each value is read from an input, and what was made in its place is given out.
void CheckIsolated(const Whole& whole, const Probes& probes, Digest& digest) {
  const Isolated isolated = Value(whole.cutter.IsolatedEdits(whole.cutter, probes.pairs));
  CHECK(isolated.values.size() + isolated.left.size() == probes.pairs.size());
  const onnx::ModelProto found = ParseModel(WithoutDocs(whole.Written(isolated.edits)));
  const NameSet inputs = NamesOf(found.graph().input());
  const NameSet outputs = NamesOf(found.graph().output());
  const NameSet made = MadeIn(found.graph());
  NameSet isolated_names;
  for (const Isolated::Value& value : isolated.values) {
    const std::string name(whole.model.graph().value(value.pair.value).name);
    CAPTURE(name);
    isolated_names.insert(name);
    CHECK(value.made == name + std::string(kMadeEnding));
    CHECK(outputs.count(value.made) == 1);
    CHECK(made.count(value.made) == 1);
    CHECK(outputs.count(name) == 0);
    // Nothing makes what is given, but what gives it another form.
    const bool has_other_form = inputs.count(name + "/given") == 1;
    CHECK(inputs.count(name) == (has_other_form ? 0 : 1));
    CHECK(made.count(name) == (has_other_form ? 1 : 0));
    digest.Add(1, HashBytes(absl::StrCat(name, " ", value.made)));
  }
  for (const ValuePair& pair : isolated.left) {
    const std::string name(whole.model.graph().value(pair.value).name);
    CHECK(isolated_names.count(name) == 0);
    digest.Add(2, HashBytes(name));
  }
  for (const auto& input : found.graph().input()) {
    const std::string name(absl::StripSuffix(input.name(), "/given"));
    if (isolated_names.count(name) == 0) continue;
    CHECK(input.type().value_case() != onnx::TypeProto::VALUE_NOT_SET);
    digest.Add(3, HashBytes(input.SerializeAsString()));
  }
  CHECK(found.graph().node_size() >= whole.proto.graph().node_size());
}

// As few files as hold so much, each value in one of them.
void CheckDivided(const Whole& whole, const Probes& probes, uint64_t most_bytes, Digest& digest) {
  CostOptions options;
  options.symbolic = true;
  const absl::StatusOr<ProbeFiles> divided =
      DivideProbes(whole.model, whole.hierarchy, whole.cutter, probes.pairs, most_bytes, options);
  if (!divided.ok()) return digest.Add(4, HashBytes(divided.status().message()));
  const std::set<ValueId> large(divided->large.begin(), divided->large.end());
  size_t values = 0;
  for (size_t i = 0; i < divided->files.size(); ++i) {
    const ProbeFile& file = divided->files[i];
    REQUIRE_FALSE(file.values.empty());
    const bool is_large = file.values.size() == 1 && large.count(file.values[0].value) == 1;
    CHECK((file.bytes > most_bytes) == is_large);
    for (const ValuePair& pair : file.values) {
      CHECK(pair.value == probes.pairs[values++].value);
    }
    digest.Add(5 + i, file.bytes);
  }
  CHECK(values == probes.pairs.size());
}

TEST_CASE("probes of all modules") {
  Digest boundaries;
  Digest isolated;
  Digest divided;
  for (const std::string& path : testing::ModelFiles()) {
    CAPTURE(path);
    const Whole whole(path);
    std::vector<ModuleId> modules;
    for (ModuleId module : whole.annotation.modules.ids()) modules.push_back(module);
    const Probes probes =
        FindProbes(whole.cutter, whole.hierarchy, modules, whole.model.graph(), nullptr);
    CHECK(probes.unpaired.empty());
    AddBoundaries(whole, probes, boundaries);
    CheckProbed(whole, probes);
    CheckIsolated(whole, probes, isolated);
    for (uint64_t most : {1'000, 20'000, 1'000'000'000}) CheckDivided(whole, probes, most, divided);
  }
  // What else is as it was: see tests/support/digest.h.
  CHECK(boundaries.Text() == "574 of 18021823132275109070");
  CHECK(isolated.Text() == "1060 of 5961206993556256121");
  CHECK(divided.Text() == "205 of 12345264739469108114");
}

}  // namespace
}  // namespace onnx_hier
