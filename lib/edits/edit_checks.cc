// SPDX-License-Identifier: Apache-2.0
#include "lib/edits/edit_checks.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/graph/domain.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

template <class... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("edits do not fit: ", parts...));
}

class EditChecker {
 public:
  EditChecker(const ScannedModel& model, const EditList& edits)
      : model_(model), graph_(model.graph), edits_(edits) {}

  absl::Status Check() {
    OH_RETURN_IF_ERROR(FindMoved());
    OH_RETURN_IF_ERROR(CheckWhatGoes());
    OH_RETURN_IF_ERROR(CheckDocs());
    if (edits_.only_docs()) return absl::OkStatus();
    OH_RETURN_IF_ERROR(CheckNames());
    OH_RETURN_IF_ERROR(CheckMetadata());
    OH_RETURN_IF_ERROR(CheckNewNodes());
    OH_RETURN_IF_ERROR(CheckMoves());
    OH_RETURN_IF_ERROR(CheckAttributes());
    OH_RETURN_IF_ERROR(CheckInitializers());
    OH_RETURN_IF_ERROR(CheckInterfaces());
    return CheckOpsets();
  }

 private:
  std::string Text(NodeId node) const {
    return absl::StrCat("node ", graph_.NodePath(node), " '",
                        SafeForTerminal(graph_.node(node).name), "'");
  }
  std::string Text(BlockId id) const {
    const Block& block = graph_.block(id);
    if (block.kind == BlockKind::kFunction) {
      return absl::StrCat("function '", SafeForTerminal(block.name), "'");
    }
    if (block.kind == BlockKind::kTraining) return "a training graph";
    if (block.kind == BlockKind::kMain) return "the main graph";
    return absl::StrCat("graph '", SafeForTerminal(block.attribute), "' of ", Text(block.owner));
  }

  absl::Status IsThere(NodeId node) const {
    if (node.valid() && node.index() < graph_.node_count()) return absl::OkStatus();
    return Wrong("there is no node number ", node.index());
  }
  absl::Status IsThere(BlockId block) const {
    if (block.valid() && block.index() < graph_.block_count()) return absl::OkStatus();
    return Wrong("there is no graph number ", block.index());
  }
  // That it is in the model, and will be.
  absl::Status Stays(NodeId node) const {
    OH_RETURN_IF_ERROR(IsThere(node));
    if (!left_out_.empty() && left_out_[node.index()]) {
      return Wrong(Text(node), " is left out and edited");
    }
    return IsMoved(node) ? absl::OkStatus() : Stays(graph_.node(node).block);
  }
  absl::Status Stays(BlockId block) const {
    OH_RETURN_IF_ERROR(IsThere(block));
    if (gone_.empty() || !gone_[block.index()]) return absl::OkStatus();
    return Wrong(Text(block), " is left out and edited");
  }

  bool IsMoved(NodeId node) const { return !moved_.empty() && moved_[node.index()]; }
  // That it may get a new one by its name.
  absl::Status IsInitializer(TensorId tensor) const {
    const bool is_there = tensor.valid() && tensor.index() < graph_.tensor_count() &&
                          graph_.tensor(tensor).block.valid();
    if (is_there) return absl::OkStatus();
    return Wrong("there is no initializer number ", tensor.index());
  }
  std::string Text(TensorId tensor) const {
    return absl::StrCat("the initializer '", SafeForTerminal(graph_.tensor(tensor).name), "'");
  }

  absl::Status FindMoved();
  absl::Status CheckWhatGoes();
  absl::Status LeaveOut(const NodeRun& run);
  bool FindGoneBlocks();
  absl::Status CheckDocs() const;
  absl::Status CheckNames() const;
  absl::Status CheckMetadata() const;
  absl::Status CheckNewNodes() const;
  absl::Status CheckMoves() const;
  absl::Status CheckAttributes() const;
  absl::Status CheckInitializers() const;
  absl::Status CheckInterfaces() const;
  absl::Status CheckOpsets() const;

  const ScannedModel& model_;
  const Graph& graph_;
  const EditList& edits_;
  std::vector<bool> left_out_;  // nodes, by themselves; empty: none goes
  std::vector<bool> gone_;      // blocks, also with what holds them
  std::vector<bool> moved_;     // nodes, by themselves; empty: none is
};

absl::Status EditChecker::FindMoved() {
  for (const MoveEdit& edit : edits_.moves) {
    if (edit.initializer.valid()) continue;
    OH_RETURN_IF_ERROR(IsThere(edit.node));
    moved_.resize(graph_.node_count(), false);
    if (moved_[edit.node.index()]) return Wrong(Text(edit.node), " is moved twice");
    moved_[edit.node.index()] = true;
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckWhatGoes() {
  if (edits_.left_out_nodes.empty() && edits_.left_out_functions.empty() &&
      !edits_.leaves_out_training) {
    return absl::OkStatus();
  }
  left_out_.assign(graph_.node_count(), false);
  gone_.assign(graph_.block_count(), false);
  for (BlockId function : edits_.left_out_functions) {
    OH_RETURN_IF_ERROR(IsThere(function));
    if (graph_.block(function).kind != BlockKind::kFunction) {
      return Wrong(Text(function), " is to be left out and is no function");
    }
    if (gone_[function.index()]) return Wrong(Text(function), " is left out twice");
    gone_[function.index()] = true;
  }
  for (BlockId block : graph_.block_ids()) {
    if (!edits_.leaves_out_training) break;
    if (graph_.block(block).kind == BlockKind::kTraining) gone_[block.index()] = true;
  }
  for (const NodeRun& run : edits_.left_out_nodes) OH_RETURN_IF_ERROR(LeaveOut(run));
  if (!FindGoneBlocks()) return absl::OkStatus();
  for (const NodeRun& run : edits_.left_out_nodes) {
    for (size_t i = 0; i < run.count; ++i) {
      OH_RETURN_IF_ERROR(Stays(graph_.node(NodeId(run.first.index() + i)).block));
    }
  }
  return absl::OkStatus();
}

absl::Status EditChecker::LeaveOut(const NodeRun& run) {
  OH_RETURN_IF_ERROR(IsThere(run.first));
  const size_t first = run.first.index();
  if (first + run.count > graph_.node_count()) return IsThere(NodeId(graph_.node_count()));
  const auto begin = left_out_.begin() + static_cast<ptrdiff_t>(first);
  const auto end = begin + static_cast<ptrdiff_t>(run.count);
  const auto twice = std::find(begin, end, true);
  if (twice != end) {
    const auto index = static_cast<size_t>(twice - left_out_.begin());
    return Wrong(Text(NodeId(index)), " is left out twice");
  }
  std::fill(begin, end, true);
  return absl::OkStatus();
}

// False: none goes. A node comes before the blocks that it holds, and these before their own nodes.
bool EditChecker::FindGoneBlocks() {
  bool any = false;
  for (BlockId id : graph_.block_ids()) {
    const NodeId owner = graph_.block(id).owner;
    if (owner.valid()) {
      const bool goes_along = !IsMoved(owner) && gone_[graph_.node(owner).block.index()];
      gone_[id.index()] = left_out_[owner.index()] || goes_along;
    }
    any |= gone_[id.index()];
  }
  return any;
}

// Mostly there is one for every node, in order.
absl::Status EditChecker::CheckDocs() const {
  const std::vector<DocEdit>& docs = edits_.docs;
  const bool in_order =
      std::adjacent_find(docs.begin(), docs.end(), [](const DocEdit& a, const DocEdit& b) {
        return !(a.node < b.node);
      }) == docs.end();
  if (in_order && left_out_.empty()) {
    return docs.empty() ? absl::OkStatus() : IsThere(docs.back().node);
  }
  std::vector<bool> seen(graph_.node_count(), false);
  for (const DocEdit& edit : edits_.docs) {
    OH_RETURN_IF_ERROR(Stays(edit.node));
    if (seen[edit.node.index()]) {
      return Wrong("the doc_string of ", Text(edit.node), " is set twice");
    }
    seen[edit.node.index()] = true;
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckNames() const {
  IdSet<NodeId> seen(edits_.names.empty() ? 0 : graph_.node_count());
  for (const NameEdit& edit : edits_.names) {
    OH_RETURN_IF_ERROR(Stays(edit.node));
    if (seen.Has(edit.node)) return Wrong("the name of ", Text(edit.node), " is set twice");
    seen.Add(edit.node);
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckMetadata() const {
  absl::flat_hash_set<std::tuple<bool, NodeId, absl::string_view>> seen;
  seen.reserve(edits_.metadata.size());
  for (const MetadataEdit& edit : edits_.metadata) {
    if (!edit.of_model) OH_RETURN_IF_ERROR(Stays(edit.node));
    if (!seen.emplace(edit.of_model, edit.node, edit.key).second) {
      return Wrong("the metadata '", SafeForTerminal(edit.key), "' of ",
                   edit.of_model ? "the model" : Text(edit.node), " is set twice");
    }
  }
  NodeId last;
  for (const FirstMetadata& edit : edits_.first_metadata) {
    OH_RETURN_IF_ERROR(Stays(edit.node));
    if (last.valid() && !(last < edit.node)) return Wrong(Text(edit.node), " gets metadata twice");
    last = edit.node;
    const Frame& frame = model_.frames[model_.node_frames[edit.node]];
    if (!graph_.metadata(edit.node).empty() || frame.has_fields_behind_metadata) {
      return Wrong("the metadata of ", Text(edit.node), " is not the first");
    }
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckNewNodes() const {
  for (const NewNode& edit : edits_.new_nodes) {
    if (edit.at_end) {
      OH_RETURN_IF_ERROR(Stays(edit.block));
    } else {
      OH_RETURN_IF_ERROR(IsThere(edit.before));
      OH_RETURN_IF_ERROR(Stays(graph_.node(edit.before).block));
    }
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckMoves() const {
  for (const MoveEdit& edit : edits_.moves) {
    if (edit.initializer.valid()) {
      OH_RETURN_IF_ERROR(IsInitializer(edit.initializer));
    } else {
      OH_RETURN_IF_ERROR(Stays(edit.node));
    }
    OH_RETURN_IF_ERROR(Stays(edit.to));
    BlockId block = edit.to;
    if (graph_.block(block).kind == BlockKind::kFunction) {
      return Wrong("something is moved to ", Text(block), ", which is no graph");
    }
    // Not out of one that is moved, nor into it.
    for (BlockId place : {edit.initializer.valid() ? block : graph_.node(edit.node).block, block}) {
      for (; graph_.block(place).kind == BlockKind::kSubgraph; place = graph_.block(place).parent) {
        if (!IsMoved(graph_.block(place).owner)) continue;
        return Wrong("something is moved out of ", Text(graph_.block(place).owner),
                     ", which is moved itself, or into it");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckAttributes() const {
  std::set<std::pair<NodeId, absl::string_view>> seen;
  for (const AttributeEdit& edit : edits_.attributes) {
    OH_RETURN_IF_ERROR(Stays(edit.node));
    if (!seen.emplace(edit.node, edit.name).second) {
      return Wrong("the attribute '", SafeForTerminal(edit.name), "' of ", Text(edit.node),
                   " is set twice");
    }
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckInitializers() const {
  IdSet<TensorId> seen(graph_.tensor_count());
  const auto is_first = [&seen](TensorId tensor) {
    if (seen.Has(tensor)) return false;
    seen.Add(tensor);
    return true;
  };
  for (TensorId tensor : edits_.left_out_initializers) {
    OH_RETURN_IF_ERROR(IsInitializer(tensor));
    OH_RETURN_IF_ERROR(Stays(graph_.tensor(tensor).block));
    if (!is_first(tensor)) return Wrong(Text(tensor), " is left out twice");
  }
  // One that is named anew is neither left out nor moved.
  for (const MoveEdit& edit : edits_.moves) {
    if (!edit.initializer.valid() || is_first(edit.initializer)) continue;
    return Wrong(Text(edit.initializer), " is moved, and moved or left out");
  }
  for (const InitializerName& edit : edits_.initializer_names) {
    OH_RETURN_IF_ERROR(IsInitializer(edit.initializer));
    OH_RETURN_IF_ERROR(Stays(graph_.tensor(edit.initializer).block));
    if (is_first(edit.initializer)) continue;
    return Wrong("the name of ", Text(edit.initializer),
                 " is set twice, or it is moved or left out");
  }
  for (const NewValueInfo& edit : edits_.new_value_infos) OH_RETURN_IF_ERROR(Stays(edit.block));
  for (const ValueInfoEdit& edit : edits_.left_out_value_infos) {
    OH_RETURN_IF_ERROR(Stays(edit.block));
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckInterfaces() const {
  std::set<std::tuple<BlockId, bool, size_t>> seen;
  for (const InterfaceEdit& edit : edits_.interface) {
    OH_RETURN_IF_ERROR(Stays(edit.block));
    if (edit.index == InterfaceEdit::kNew) continue;
    const std::string text =
        absl::StrCat(edit.is_output ? "output " : "input ", edit.index, " of ", Text(edit.block));
    const size_t count =
        edit.is_output ? graph_.outputs(edit.block).size() : graph_.inputs(edit.block).size();
    if (edit.index >= count) return Wrong("there is no ", text);
    if (!seen.emplace(edit.block, edit.is_output, edit.index).second) {
      return Wrong(text, " is edited twice");
    }
  }
  return absl::OkStatus();
}

absl::Status EditChecker::CheckOpsets() const {
  std::vector<OpsetImport> known = graph_.info().opset_imports;
  for (const OpsetEdit& edit : edits_.opsets) {
    for (const OpsetImport& opset : known) {
      if (edit.replaces) break;
      if (StandardDomain(opset.domain) != StandardDomain(edit.domain) ||
          opset.version == edit.version)
        continue;
      return Wrong("version ", edit.version, " of the operators '", SafeForTerminal(edit.domain),
                   "' is imported, and so is ", opset.version);
    }
    known.push_back({edit.domain, edit.version});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckEdits(const ScannedModel& model, const EditList& edits) {
  return EditChecker(model, edits).Check();
}

}  // namespace onnx_hier
