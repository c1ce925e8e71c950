// SPDX-License-Identifier: Apache-2.0

// Exports with known owners: NAME.onnx beside NAME.truth.json, whose nodes have "path" (as in a
// sidecar's id, but as a list), "module" (qualified name, null where nobody knows) and perhaps
// "accept" (others that are right, too, as of a node that was fused from several), and whose
// "aliases" list names of one shared module.
#ifndef ONNX_HIER_TOOLS_FIT_WEIGHTS_CORPUS_H_
#define ONNX_HIER_TOOLS_FIT_WEIGHTS_CORPUS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/graph/graph_analysis.h"
#include "lib/names/readable_graph.h"
#include "lib/owners/evidence.h"
#include "lib/owners/known_modules.h"
#include "onnx_hier/model.h"
#include "onnx_hier/module_paths.h"
#include "tools/fit-weights/masked_graph.h"

namespace onnx_hier::fit {

struct KnownExport {
  std::string name;
  std::string family;  // see FamilyOf()
  Model model;
  // By node: the names of its module; empty where nobody knows.
  std::vector<std::vector<std::string>> owners;
};

// Of a file's name, what models that are alike have in common: "bert" of "bert_tiny_op14".
std::string FamilyOf(const std::string& stem);

// NAME of all files NAME.onnx of a folder with NAME + `ending` beside them, in order.
std::vector<std::string> StemsIn(const std::string& folder, const std::string& ending);

// All exports of a folder, in order of their names.
absl::StatusOr<std::vector<KnownExport>> ReadExports(const std::string& folder);

// An export with some names gone, as inference sees it.
struct Scene {
  const KnownExport* source = nullptr;
  std::string setting;  // "30", "60 in runs", ...
  std::vector<bool> masked;
  std::unique_ptr<MaskedGraph> graph;
  std::unique_ptr<ReadableGraph> readable;
  ModulePaths paths;
  Evidence evidence;
  std::unique_ptr<GraphAnalysis> analysis;
  std::vector<std::vector<PathId>> owners;  // by node, as paths

  const Flow& flow() const { return analysis->flow(); }
  KnownModules Known() const { return CollectKnown(flow(), evidence, paths); }
};

// Which names are gone: see RandomMask().
struct Setting {
  uint32_t percent;
  uint32_t run;
};
Scene MakeScene(const KnownExport& source, const Setting& setting, uint64_t seed);

enum class Verdict { kExact, kAncestor, kDeeper, kWrong };
// `cross`: set when they part at two numbers, as of layers.
Verdict Compare(PathId path, const std::vector<PathId>& owners, const ModulePaths& paths,
                bool* cross);

}  // namespace onnx_hier::fit

#endif  // ONNX_HIER_TOOLS_FIT_WEIGHTS_CORPUS_H_
