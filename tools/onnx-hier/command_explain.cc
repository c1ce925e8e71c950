// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/tasks.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/meant_nodes.h"
#include "tools/onnx-hier/one_input.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"module", 0, "PATTERN", "the nodes of these modules; may be given several times",
     /*repeatable=*/true},
    {"op", 0, "TYPE,...", "the nodes of these operators, in these modules or in all"},
    {"below", 0, "P", "the nodes whose module is less than P sure (0 to 1), likewise"},
    kModuleMapFlag,
    kCheckpointFlag,
    kRulesFlag,
    {"json", 0, nullptr, "print the explanations as JSON"},
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier explain bert.onnx 12", "why the node with index 12 has its module"},
    {"onnx-hier explain bert.onnx /encoder/Add_3", "the same by name"},
    {"onnx-hier explain bert.onnx /bert/encoder/layer.1/attention/self/query",
     "all nodes of a module"},
    {"onnx-hier explain bert.onnx 'bert.encoder.layer.*' --op MatMul",
     "those of an operator in some modules"},
    {"onnx-hier explain bert.onnx --below 0.5", "why nodes are where they are that are guesses"},
    {"onnx-hier explain bert.onnx 1045/then_branch/0 --json", "in a nested graph, for machines"},
};

class ExplainNodes final : public OneInput {
 public:
  using OneInput::OneInput;

  absl::Status Setup() override {
    const bool chooses = flags().Has("module") || flags().Has("op") || flags().Has("below");
    if (flags().arguments().empty() || (flags().arguments().size() < 2 && !chooses)) {
      return Misused("name one model and at least one node or module");
    }
    chosen_.patterns = flags().Values("module");
    return ReadOpAndBelow(flags(), chosen_);
  }

  absl::StatusOr<int> Run() override {
    if (absl::Status status = OpenFlat(Weights::kZeros); !status.ok()) return status;
    if (absl::Status status = NameWeights(); !status.ok()) return status;
    const absl::Span<const std::string> words = flags().arguments();
    const absl::StatusOr<std::vector<NodeId>> nodes =
        FindNodes(model(), options(), words.subspan(1), chosen_);
    if (!nodes.ok()) return About(nodes.status());
    const bool as_json = flags().Has("json");
    if (nodes->empty()) {
      Warn(absl::StrCat(InputName(path()), ": no node is meant"));
      if (!as_json) return kFound;
    }
    const Explanations explanations = Explain(model(), *nodes, options());
    for (const std::string& warning : WarningsOf(flags(), options(), explanations.annotation)) {
      Warn(warning);
    }
    const Graph& graph = model().graph();
    const int printed =
        PrintOrFail(as_json ? ExplainJson(graph, explanations, FileName(model().path()))
                            : ExplainText(graph, explanations));
    return printed == kDone && nodes->empty() ? kFound : printed;
  }

 private:
  SelectOptions chosen_;
};

}  // namespace

CommandEntry ExplainCommand() {
  return {
      "explain",
      "IN.onnx NODE|PATTERN...",
      "say why nodes have their modules",
      "Shows for each node its module, how sure that is, and what decided: the names, parameters\n"
      "or calls that say so, or else what was weighed for the most likely module and against it,\n"
      "as shares of all that speaks for it rather than for the next one. Then what each witness\n"
      "says on its own, and the candidates. NODE is the id of a node, as in the sidecar, its\n"
      "name, or a value that it makes. PATTERN is one of modules, whose nodes are meant, as\n"
      "'onnx-hier select' takes it, or likewise one of nodes' names ('**/query/*'). '-' is\n"
      "standard input.",
      kFlags,
      kExamples,
      Make<ExplainNodes>};
}

}  // namespace onnx_hier::cli
