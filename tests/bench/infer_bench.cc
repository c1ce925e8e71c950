// SPDX-License-Identifier: Apache-2.0

// Time of each step of inference, and of what follows it.
//
//   infer_bench MODEL.onnx [PERCENT]
//
// As if PERCENT of the nodes (all: 100) said nothing of where they are.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <utility>

#include "lib/owners/infer.h"
#include "lib/owners/named_features.h"
#include "lib/tree/auxiliary.h"
#include "lib/tree/calls.h"
#include "onnx_hier/model.h"

namespace onnx_hier {
namespace {

double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Processor time, so that what else runs on the machine does not count.
void Time(const char* step, size_t nodes, const std::function<void()>& run) {
  const double begin = CpuSeconds();
  run();
  const double seconds = CpuSeconds() - begin;
  std::printf("%-14s %9.2f ms %8.1f ns/node\n", step, seconds * 1e3,
              seconds * 1e9 / static_cast<double>(nodes));
}

int Run(const char* path, uint32_t percent) {
  const absl::StatusOr<Model> model = Model::Open(path);
  if (!model.ok()) {
    std::fprintf(stderr, "%s\n", std::string(model.status().message()).c_str());
    return 2;
  }
  const Graph& graph = model->graph();
  const size_t nodes = graph.node_count();
  ModulePaths paths;
  Evidence evidence = CollectEvidence(graph, {}, paths);
  uint32_t random = 1;
  for (NodeId node : graph.node_ids()) {
    random = random * 1664525 + 1013904223;  // any fixed sequence will do
    if ((random >> 16) % 100 < percent) evidence.nodes.Say(node, {});
  }
  std::unique_ptr<GraphAnalysis> analysis;
  std::unique_ptr<KnownModules> known;
  NodeOwners owners(nodes);
  std::printf("%zu nodes, %u %% without a name\n", nodes, percent);
  Time("names", nodes, [&] { PlaceByNames(evidence, owners); });
  Time("flow, branches", nodes, [&] { analysis = std::make_unique<GraphAnalysis>(graph); });
  Time("fingerprints", nodes, [&] { analysis->fingerprints(); });
  const Flow& flow = analysis->flow();
  Time("known", nodes,
       [&] { known = std::make_unique<KnownModules>(CollectKnown(flow, evidence, paths)); });
  Time("decisions", nodes,
       [&] { PlaceByDecisions(*analysis, evidence, *known, {}, paths, owners); });
  Assignments assignments = std::move(owners).Take();
  Time("calls", nodes, [&] { NumberCalls(flow, evidence, *known, paths, assignments); });
  Time("auxiliary", nodes, [&] { FindAuxiliary(*analysis, evidence, paths, assignments); });
  std::printf("parts of the decisions, each by itself\n");
  std::unique_ptr<Context> context;
  Time("surroundings", nodes,
       [&] { context = std::make_unique<Context>(*analysis, evidence, *known, paths); });
  std::unique_ptr<NamedIndex> index;
  Time("index", nodes, [&] { index = std::make_unique<NamedIndex>(*context, /*parallel=*/false); });
  Time("twins", nodes, [&] {
    Twins twins(*context, index->twin_groups(), index->siblings(), &paths);
    for (Rank i : flow.ranks()) {
      if (known->is_open(i)) twins.VotesOn(i);
    }
  });
  return 0;
}

}  // namespace
}  // namespace onnx_hier

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: infer_bench MODEL.onnx [PERCENT]\n");
    return 2;
  }
  return onnx_hier::Run(argv[1], argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 0);
}
