// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/json_scanner.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/file_order.h"
#include "lib/onnx/message_fields.h"
#include "lib/onnx/model_layout.h"
#include "lib/onnx/model_source.h"
#include "lib/onnx/node_messages.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"
#include "onnx_hier/edits.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/weights.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// Of the model's metadata: a JSON object of the names that weights have, with those that they had.
constexpr absl::string_view kNamesKey = "onnx_hier.weight_names";
constexpr double kRenamedFrom = 0.95;

using NewNames = absl::flat_hash_map<absl::string_view, std::string>;

std::string WithNewNames(absl::string_view message, uint32_t field, const NewNames& names) {
  std::string renamed;
  for (MessageFields fields(message); fields.Next();) {
    const auto found = fields.number() == field ? names.find(fields.bytes()) : names.end();
    if (found != names.end()) {
      AppendField(field, found->second, &renamed);
    } else {
      renamed.append(fields.whole().data(), fields.whole().size());
    }
  }
  return renamed;
}

class WeightRenamer {
 public:
  explicit WeightRenamer(const Model& model)
      : source_(ModelAccess::Source(model)), graph_(model.graph()) {
    for (ValueId id : graph_.value_ids()) taken_.emplace(graph_.value(id).name);
  }

  // False: it stays as it is.
  bool Add(ValueId value, absl::string_view name) {
    const Value& about = graph_.value(value);
    const bool is_initializer = about.kind == ValueKind::kInitializer && about.tensor.valid() &&
                                about.block == graph_.main_block();
    if (!is_initializer || name.empty() || !taken_.insert(std::string(name)).second) return false;
    names_[about.name] = std::string(name);
    values_.push_back(value);
    return true;
  }

  absl::StatusOr<WeightRenaming> Rename() {
    WeightRenaming renaming;
    OH_ASSIGN_OR_RETURN(const ModelLayout layout,
                        ModelLayout::Read(source_.image, source_.scanned,
                                          std::vector<bool>(graph_.node_count(), false)));
    LeaveSpokenOf(layout, renaming);
    std::vector<NodeId> readers;
    for (const ValueId value : values_) {
      for (const Use& use : graph_.uses(value)) readers.push_back(use.node);
    }
    SortInFileOrder(source_.scanned, readers);
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    OH_ASSIGN_OR_RETURN(const NodeMessages messages,
                        NodeMessages::Read(source_.image, source_.scanned, readers));
    LeaveUnread(messages, renaming);
    for (const NodeId node : readers) {
      const std::string renamed = WithNewNames(messages[node], schema::node::kInput, names_);
      if (renamed == messages[node]) continue;
      renaming.edits.PutInBefore(node, renamed);
      renaming.edits.LeaveOut(node);
    }
    for (const ValueId value : values_) {
      const auto found = names_.find(graph_.value(value).name);
      if (found == names_.end()) continue;
      renaming.edits.SetName(graph_.value(value).tensor, found->second);
      renaming.renamed.push_back({std::string(graph_.value(value).name), found->second});
    }
    RenamePorts(layout, renaming);
    return renaming;
  }

 private:
  // Of which the file says more than a reader would look for.
  void LeaveSpokenOf(const ModelLayout& layout, WeightRenaming& renaming) {
    for (const FieldSpan& field : layout.fields(graph_.main_block())) {
      if (!field.Is(schema::graph::kValueInfo) && !field.Is(schema::graph::kQuantizationAnnotation))
        continue;
      Leave(layout.KeyOf(field), renaming);
    }
  }

  // Read by nodes that are too large to be written anew, or hold graphs.
  void LeaveUnread(const NodeMessages& messages, WeightRenaming& renaming) {
    for (const ValueId value : values_) {
      for (const Use& use : graph_.uses(value)) {
        if (messages[use.node].empty() || !graph_.blocks(use.node).empty()) {
          Leave(graph_.value(value).name, renaming);
        }
      }
    }
  }

  void Leave(absl::string_view name, WeightRenaming& renaming) {
    if (names_.erase(name) > 0) renaming.left.emplace_back(name);
  }

  // Weights that are inputs, too, as files before IR 4 have them, and those that are given out.
  void RenamePorts(const ModelLayout& layout, WeightRenaming& renaming) {
    const BlockId main = graph_.main_block();
    size_t inputs = 0;
    size_t outputs = 0;
    for (const FieldSpan& field : layout.fields(main)) {
      const bool is_input = field.Is(schema::graph::kInput);
      if (!is_input && !field.Is(schema::graph::kOutput)) continue;
      const size_t index = is_input ? inputs++ : outputs++;
      if (!names_.contains(layout.KeyOf(field))) continue;
      const std::string renamed =
          WithNewNames(layout.ContentsOf(field), schema::value_info::kName, names_);
      if (is_input) {
        renaming.edits.SetInput(main, index, renamed);
      } else {
        renaming.edits.SetOutput(main, index, renamed);
      }
    }
  }

  const ModelSource& source_;
  const Graph& graph_;
  absl::flat_hash_set<std::string> taken_;
  NewNames names_;
  std::vector<ValueId> values_;
};

const StringPair* NamesEntry(const Graph& graph) {
  for (const StringPair& entry : graph.info().metadata) {
    if (entry.key == kNamesKey) return &entry;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<WeightRenaming> RenameWeights(const Model& model, const Checkpoint& checkpoint,
                                             const WeightMatches& matches) {
  if (NamesEntry(model.graph()) != nullptr) {
    return absl::FailedPreconditionError(
        "its weights were renamed before: 'weights --restore' gives their names back first");
  }
  WeightRenamer renamer(model);
  absl::flat_hash_set<uint32_t> given;
  std::vector<std::string> left;
  for (const WeightMatch& match : matches.matches) {
    const absl::string_view old_name = model.graph().value(match.value).name;
    const bool is_one = match.tensors.size() == 1 && !match.is_part && !match.is_tie;
    const std::string& name = checkpoint.tensors()[match.tensors[0]].name;
    if (is_one && name == old_name) {
      given.insert(match.tensors[0]);
    } else if (!is_one || match.probability < kRenamedFrom ||
               !given.insert(match.tensors[0]).second || !renamer.Add(match.value, name)) {
      left.emplace_back(old_name);
    }
  }
  OH_ASSIGN_OR_RETURN(WeightRenaming renaming, renamer.Rename());
  renaming.left.insert(renaming.left.end(), left.begin(), left.end());
  if (renaming.renamed.empty()) return renaming;
  std::string text;
  JsonText json(&text);
  json.BeginObject();
  for (const auto& [old_name, name] : renaming.renamed) json.Key(name).ExactString(old_name);
  json.EndObject();
  renaming.edits.SetMetadata(kNamesKey, text);
  return renaming;
}

absl::StatusOr<WeightRenaming> RestoreWeightNames(const Model& model) {
  const Graph& graph = model.graph();
  const StringPair* const entry = NamesEntry(graph);
  if (entry == nullptr) return WeightRenaming();
  absl::flat_hash_map<std::string, std::string> old_names;
  JsonScanner json(entry->value);
  if (json.Next() && json.event() == JsonEvent::kObject) {
    while (json.NextKey()) {
      std::string name(json.text());
      if (!json.Next() || !json.IsString()) break;
      old_names[std::move(name)] = std::string(json.text());
    }
  }
  if (!json.Finish()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its metadata '", kNamesKey, "' is damaged: names cannot be given back"));
  }
  WeightRenamer renamer(model);
  std::vector<std::string> left;
  for (ValueId id : graph.value_ids()) {
    const auto found = old_names.find(graph.value(id).name);
    if (found != old_names.end() && !renamer.Add(id, found->second)) left.push_back(found->first);
  }
  OH_ASSIGN_OR_RETURN(WeightRenaming renaming, renamer.Rename());
  renaming.left.insert(renaming.left.end(), left.begin(), left.end());
  renaming.edits.RemoveMetadata(kNamesKey);
  return renaming;
}

}  // namespace onnx_hier
