#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "lib/api/model_source.h"
#include "lib/base/status_macros.h"
#include "lib/folds/fold_table.h"
#include "lib/folds/node_places.h"
#include "lib/folds/unfolder.h"
#include "lib/onnx/node_messages.h"
#include "onnx_hier/folds.h"

namespace onnx_hier {
namespace {

std::optional<FoldTable> FindTable(const Model& model) {
  for (const StringPair& entry : model.graph().info().metadata) {
    if (entry.key == kFoldKey) return ReadFoldTable(entry.value);
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Unfolding> Unfold(const Model& model, const UnfoldRequest& request) {
  const ModelSource& source = ModelAccess::Source(model);
  const Graph& graph = model.graph();
  Unfolding unfolding;
  IdSet<BlockId> functions(graph.block_count());
  std::vector<NodeId> nodes(graph.nodes(graph.main_block()).begin(),
                            graph.nodes(graph.main_block()).end());
  for (BlockId id : graph.block_ids()) {
    const Block& block = graph.block(id);
    if (block.kind != BlockKind::kFunction) continue;
    const bool is_ours = block.domain == kFoldDomain;
    unfolding.was_folded = unfolding.was_folded || is_ours;
    if (!is_ours && !request.all) continue;
    functions.Add(id);
    ++unfolding.functions;
    nodes.insert(nodes.end(), graph.nodes(id).begin(), graph.nodes(id).end());
    unfolding.edits.LeaveOut(id);
  }
  std::sort(nodes.begin(), nodes.end());
  OH_ASSIGN_OR_RETURN(const NodeMessages messages,
                      NodeMessages::Read(source.image, source.scanned, nodes));
  const std::optional<FoldTable> table = FindTable(model);
  OH_ASSIGN_OR_RETURN(Unfolded unfolded, Unfold(graph, messages, functions, table));
  unfolding.exact = unfolded.exact;
  unfolding.nodes_before = graph.nodes(graph.main_block()).size();
  unfolding.nodes_after = unfolded.nodes.size();
  PlaceNodes(graph, unfolded.nodes, unfolding.edits);
  if (unfolding.was_folded) unfolding.edits.LeaveOutOpset(kFoldDomain);
  if (table.has_value()) {
    unfolding.edits.RemoveMetadata(kFoldKey);
    if (table->ir_version > 0) unfolding.edits.SetIrVersion(table->ir_version);
  }
  return unfolding;
}

}  // namespace onnx_hier
