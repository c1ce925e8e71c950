// SPDX-License-Identifier: Apache-2.0
#include "lib/api/function_choice.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/api/model_source.h"
#include "lib/base/status_macros.h"
#include "lib/graph/callees.h"
#include "lib/graph/domain.h"
#include "lib/graph/top_blocks.h"
#include "lib/onnx/node_attributes.h"
#include "lib/onnx/schema.h"
#include "lib/parts/fold_table.h"

namespace onnx_hier {
namespace {

class Chooser {
 public:
  explicit Chooser(const Model& model)
      : source_(ModelAccess::Source(model)), graph_(model.graph()), tops_(FindTopBlocks(graph_)) {
    for (const OpsetImport& opset : graph_.info().opset_imports) {
      imported_.emplace(StandardDomain(opset.domain), opset.version);
    }
  }

  absl::StatusOr<FunctionChoice> Choose(const UnfoldRequest& request) && {
    FunctionChoice choice = {UnfoldPlan(graph_), IdSet<BlockId>(graph_.block_count()), {}, 0, {}};
    if (request.all) OH_RETURN_IF_ERROR(ReadLayout(choice));
    for (BlockId id : graph_.block_ids()) {
      const Block& block = graph_.block(id);
      if (block.kind != BlockKind::kFunction) continue;
      if (block.domain == kFoldDomain) {
        choice.plan.functions.Add(id);
      } else if (request.all) {
        AddOther(id, choice);
      }
    }
    FindThoseThatStay(choice);
    if (request.all) OH_RETURN_IF_ERROR(FindReferring(choice));
    return choice;
  }

 private:
  absl::Status ReadLayout(FunctionChoice& choice) const {
    OH_ASSIGN_OR_RETURN(choice.layout,
                        ModelLayout::Read(source_.image, source_.scanned,
                                          std::vector<bool>(graph_.node_count(), false)));
    return absl::OkStatus();
  }

  void AddOther(BlockId id, FunctionChoice& choice) {
    const std::vector<OpsetImport> opsets = FunctionOpsets(*choice.layout, id);
    for (const OpsetImport& opset : opsets) {
      const auto known = imported_.find(std::string(StandardDomain(opset.domain)));
      if (known != imported_.end() && known->second != opset.version) {
        ++choice.other_opsets;
        return;
      }
    }
    for (const OpsetImport& opset : opsets) {
      const std::string domain(StandardDomain(opset.domain));
      if (imported_.emplace(domain, opset.version).second) choice.opsets[domain] = opset.version;
    }
    choice.plan.functions.Add(id);
    for (const FieldSpan& field : choice.layout->fields(id)) {
      if (field.Is(schema::function::kAttributeProto)) {
        choice.plan.defaults[id].try_emplace(choice.layout->KeyOf(field),
                                             choice.layout->ContentsOf(field));
      }
    }
  }

  // With those that they call.
  void FindThoseThatStay(FunctionChoice& choice) const {
    const IdVector<OpId, BlockId> callees = FindCallees(graph_);
    if (callees.empty()) return;
    std::vector<BlockId> open;
    const auto call = [&](NodeId node) {
      const BlockId callee = callees[graph_.node(node).op];
      if (!callee.valid() || choice.stay.Has(callee)) return;
      choice.stay.Add(callee);
      open.push_back(callee);
    };
    for (NodeId node : graph_.node_ids()) {
      const BlockId block = graph_.node(node).block;
      const BlockId top = tops_[block];
      const bool is_in_other = top != graph_.main_block() && !choice.plan.functions.Has(top);
      if (block != top || is_in_other) call(node);
    }
    while (!open.empty()) {
      const BlockId function = open.back();
      open.pop_back();
      for (NodeId node : graph_.nodes(function)) call(node);
    }
  }

  absl::Status FindReferring(FunctionChoice& choice) const {
    std::vector<NodeId> nodes;
    for (NodeId node : graph_.node_ids()) {
      if (choice.plan.functions.Has(tops_[graph_.node(node).block])) nodes.push_back(node);
    }
    OH_ASSIGN_OR_RETURN(FileImage image, source_.image.Again());
    OH_ASSIGN_OR_RETURN(const std::vector<NodeAttribute> attributes,
                        ReadAttributes(image, source_.scanned, nodes));
    for (const NodeAttribute& attribute : attributes) {
      if (attribute.reference.empty()) continue;
      NodeId outermost = attribute.node;
      while (graph_.block(graph_.node(outermost).block).owner.valid()) {
        outermost = graph_.block(graph_.node(outermost).block).owner;
      }
      choice.plan.referring.Add(outermost);
    }
    return absl::OkStatus();
  }

  const ModelSource& source_;
  const Graph& graph_;
  IdVector<BlockId, BlockId> tops_;
  std::map<std::string, int64_t> imported_;  // by the model, and by bodies that it will have
};

}  // namespace

absl::StatusOr<FunctionChoice> ChooseFunctions(const Model& model, const UnfoldRequest& request) {
  return Chooser(model).Choose(request);
}

}  // namespace onnx_hier
