#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "onnx_hier/explain.h"
#include "onnx_hier/onnx_hier.h"
#include "onnx_hier/reports.h"
#include "onnx_hier/selection.h"
#include "tools/onnx-hier/commands.h"
#include "tools/onnx-hier/output_names.h"
#include "tools/onnx-hier/patterns.h"
#include "tools/onnx-hier/write_flags.h"

namespace onnx_hier::cli {
namespace {

constexpr Flag kFlags[] = {
    {"module", 0, "PATTERN", "the nodes of these modules; may be given several times",
     /*repeatable=*/true},
    {"json", 0, nullptr, "print the explanations as JSON"},
    kHelpFlag,
};

constexpr Example kExamples[] = {
    {"onnx-hier explain bert.onnx 12", "why the node with index 12 has its module"},
    {"onnx-hier explain bert.onnx /encoder/Add_3", "the same by name"},
    {"onnx-hier explain bert.onnx --module bert.encoder.layer.1.attention.self.query",
     "all nodes of a module"},
    {"onnx-hier explain bert.onnx 1045/then_branch/0 --json", "in a nested graph, for machines"},
};

// Nodes by their ids or names, in the order of the words; a name may be that of several.
absl::StatusOr<std::vector<NodeId>> FindNodes(const Graph& graph,
                                              absl::Span<const std::string> words) {
  struct Found {
    std::vector<NodeId> by_id;
    std::vector<NodeId> by_name;
  };
  absl::flat_hash_map<absl::string_view, Found> found;
  for (const std::string& word : words) found[word];
  for (NodeId id : graph.node_ids()) {
    const auto named = found.find(graph.node(id).name);
    if (named != found.end()) named->second.by_name.push_back(id);
    const auto placed = found.find(graph.NodePath(id));
    if (placed != found.end()) placed->second.by_id.push_back(id);
  }
  std::vector<NodeId> nodes;
  for (const std::string& word : words) {
    const auto told = found.find(word);
    if (told == found.end()) continue;  // named twice
    const Found& of_word = told->second;
    if (of_word.by_id.empty() && of_word.by_name.empty()) {
      return absl::NotFoundError(absl::StrCat("there is no node with the id or name '", word,
                                              "'; the sidecar of 'onnx-hier tag' lists them"));
    }
    const std::vector<NodeId>& meant = of_word.by_id.empty() ? of_word.by_name : of_word.by_id;
    nodes.insert(nodes.end(), meant.begin(), meant.end());
    found.erase(told);
  }
  return nodes;
}

// In graph order, but for those that are listed already.
absl::Status AddNodesOfModules(const Model& model, absl::Span<const std::string> patterns,
                               std::vector<NodeId>& nodes) {
  const Annotation annotation = Annotate(model);
  const Hierarchy hierarchy(model.graph(), annotation);
  const absl::StatusOr<std::vector<ModuleId>> modules = FindModules(hierarchy, patterns);
  if (!modules.ok()) return modules.status();
  const absl::flat_hash_set<NodeId> listed(nodes.begin(), nodes.end());
  SelectOptions options;
  options.patterns.assign(patterns.begin(), patterns.end());
  const absl::StatusOr<Selection> selection = Select(hierarchy, options);
  if (!selection.ok()) return selection.status();
  for (NodeId node : selection->nodes) {
    if (!listed.contains(node)) nodes.push_back(node);
  }
  return absl::OkStatus();
}

int Run(const ParsedFlags& flags) {
  const std::vector<std::string>& arguments = flags.arguments();
  if (arguments.empty() || (arguments.size() < 2 && !flags.Has("module"))) {
    return UsageError("explain", "name one model and at least one node");
  }
  const std::string& path = arguments[0];
  const std::string shown = InputName(path);
  const absl::StatusOr<Model> model = OpenFlatModel(path, Weights::kZeros);
  if (!model.ok()) return Fail(model.status().message());
  absl::StatusOr<std::vector<NodeId>> nodes =
      FindNodes(model->graph(), absl::MakeConstSpan(arguments).subspan(1));
  if (!nodes.ok()) return Fail(absl::StrCat(shown, ": ", nodes.status().message()));
  if (flags.Has("module")) {
    const absl::Status added = AddNodesOfModules(*model, flags.Values("module"), *nodes);
    if (!added.ok()) return Fail(absl::StrCat(shown, ": ", added.message()));
  }
  const Explanations explanations = Explain(*model, *nodes);
  return PrintOrFail(flags.Has("json")
                         ? ExplainJson(model->graph(), explanations, FileName(model->path()))
                         : ExplainText(model->graph(), explanations));
}

}  // namespace

Command ExplainCommand() {
  return {
      "explain",
      "IN.onnx NODE...",
      "say why nodes have their modules",
      "Shows for each node its module, how sure that is, and what decided: the names, parameters\n"
      "or calls that say so, or else what was weighed for the most likely module and against it,\n"
      "as shares of all that speaks for it rather than for the next one. Then what each witness\n"
      "says on its own, and the candidates. A node is named by its id, as in the sidecar, or by\n"
      "its name. '-' is standard input.",
      kFlags,
      kExamples,
      Run};
}

}  // namespace onnx_hier::cli
