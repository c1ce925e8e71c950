// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/metadata_tags.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/utf8.h"
#include "lib/edits/edit_list.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"
#include "onnx_hier/tag_edits.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

constexpr absl::string_view kTorchScopes = "pkg.torch.onnx.name_scopes";
constexpr absl::string_view kTorchClasses = "pkg.torch.onnx.class_hierarchy";

// A key that stands there several times has no one value that could be put back.
bool MayReplace(absl::Span<const StringPair> metadata, absl::string_view key) {
  return std::count_if(metadata.begin(), metadata.end(),
                       [key](const StringPair& pair) { return pair.key == key; }) <= 1;
}

// As Python writes a text.
std::string PythonText(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// The modules around a node from the root on, its own last: their names or their classes, and
// behind them what the node is.
std::string TorchList(const Annotation& annotation, PathId module, bool classes,
                      absl::string_view operator_type) {
  std::vector<std::string> items = {PythonText(operator_type)};
  for (PathId path = module; path.valid(); path = annotation.paths.parent(path)) {
    const ModuleId id = annotation.modules.Find(path);
    if (!id.valid()) continue;  // a list, which is never called
    items.push_back(PythonText(classes ? annotation.modules.module(id).class_name
                                       : annotation.paths.QualifiedName(path)));
  }
  std::reverse(items.begin(), items.end());
  return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

// The path by classes where they are known, by which winml-cli finds modules.
std::string WinmlTag(const Annotation& annotation, PathId module) {
  const ModuleId id = annotation.modules.Find(module);
  std::string tag = annotation.paths.Tag(module);
  const bool has_classes = id.valid() && !annotation.modules.module(id).class_path.empty();
  return has_classes ? annotation.modules.module(id).class_path : tag;
}

// Its rules mean what begins so: "/layer.1/", not "/layer.10/". What its grammar reserves is
// written otherwise.
std::string OrtLabel(absl::string_view tag) {
  const std::string label =
      absl::StrReplaceAll(tag, {{",", "_"}, {";", "_"}, {"(", "_"}, {")", "_"}, {"=", "_"}});
  return label == "/" ? label : absl::StrCat(label, "/");
}

std::string ValueOf(const FormKey& key, const Annotation& annotation, PathId module,
                    absl::string_view operator_type) {
  const std::string tag = annotation.paths.Tag(module);
  if (key.key == kNamespaceKey) return tag.substr(1);
  if (key.key == kTorchScopes) return TorchList(annotation, module, false, operator_type);
  if (key.key == kTorchClasses) return TorchList(annotation, module, true, operator_type);
  if (key.form == "ort") return OrtLabel(tag);
  std::string path = WinmlTag(annotation, module);
  if (key.key == "winml.hierarchy.tag") return path;
  const std::vector<absl::string_view> parts = absl::StrSplit(path, '/', absl::SkipEmpty());
  return absl::StrCat(parts.size());
}

// `message` is room to put it together in.
void AppendEntryField(absl::string_view key, absl::string_view value, std::string* message,
                      std::string* out) {
  message->clear();
  AppendField(schema::string_entry::kKey, key, message);
  AppendField(schema::string_entry::kValue, value, message);
  AppendField(schema::node::kMetadataProps, *message, out);
}

}  // namespace

std::vector<std::string> MetadataForms() {
  std::vector<std::string> forms;
  for (const FormKey& key : kFormKeys) {
    if (forms.empty() || forms.back() != key.form) forms.emplace_back(key.form);
  }
  return forms;
}

std::vector<std::string> FormsInMetadata(const Graph& graph) {
  if (!graph.has_metadata()) return {};
  for (NodeId node : graph.node_ids()) {
    const absl::Span<const StringPair> metadata = graph.metadata(node);
    if (HasOwnMetadata(metadata)) return absl::StrSplit(OwnForms(metadata), ' ');
  }
  return {};
}

MetadataTagWriter::MetadataTagWriter(const ScannedModel& model, const Annotation& annotation,
                                     const std::vector<std::string>& forms, Edits& edits)
    : model_(model), annotation_(annotation), edits_(edits) {
  std::vector<absl::string_view> written;
  for (const FormKey& key : kFormKeys) {
    if (std::find(forms.begin(), forms.end(), key.form) == forms.end()) continue;
    keys_.push_back(&key);
    if (written.empty() || written.back() != key.form) written.push_back(key.form);
    by_operator_ = by_operator_ || key.form == "torch";
  }
  forms_ = absl::StrJoin(written, " ");
  if (forms_ == kFormKeys[0].form) forms_.clear();
}

void MetadataTagWriter::Put(NodeId node) {
  const Frame& frame = model_.frames[model_.node_frames[node]];
  if (model_.graph.metadata(node).empty() && !frame.has_fields_behind_metadata) {
    PutFirst(node);
  } else {
    PutBesideOthers(node);
  }
}

MetadataTagWriter::Entries MetadataTagWriter::EntriesOf(NodeId node) const {
  const Assignment& assignment = annotation_.assignments[node];
  const absl::string_view type = model_.graph.op(node).type;
  Entries entries;
  for (const FormKey* key : keys_) {
    entries.emplace_back(key->key,
                         ReplaceNonUtf8(ValueOf(*key, annotation_, assignment.primary, type)));
  }
  entries.emplace_back(kOwnPathKey, ReplaceNonUtf8(annotation_.paths.Tag(assignment.primary)));
  entries.emplace_back(kOwnMethodKey, MethodName(assignment.method));
  entries.emplace_back(kOwnConfidenceKey, "");
  AppendProbability(assignment.confidence, &entries.back().second);
  if (!forms_.empty()) entries.emplace_back(kOwnFormsKey, forms_);
  return entries;
}

bool MetadataTagWriter::HasSameEntries(NodeId a, NodeId b) const {
  const Assignment& one = annotation_.assignments[a];
  const Assignment& other = annotation_.assignments[b];
  return one.primary == other.primary && one.method == other.method &&
         one.confidence == other.confidence &&
         (!by_operator_ || model_.graph.node(a).op == model_.graph.node(b).op);
}

// Neighbours mostly have the same.
void MetadataTagWriter::PutFirst(NodeId node) {
  EditList& list = EditsAccess::List(edits_);
  if (!last_.valid() || !HasSameEntries(last_, node)) {
    fields_.clear();
    for (const auto& [key, value] : EntriesOf(node)) {
      AppendEntryField(key, value, &message_, &fields_);
    }
    last_fields_ = list.texts.Add(fields_);
  }
  last_ = node;
  list.first_metadata.push_back({node, last_fields_});
}

void MetadataTagWriter::PutBesideOthers(NodeId node) {
  const absl::Span<const StringPair> metadata = model_.graph.metadata(node);
  for (const auto& [key, value] : EntriesOf(node)) {
    if (!MayReplace(metadata, key)) continue;
    edits_.SetMetadata(node, key, value);
    const auto own = std::find_if(keys_.begin(), keys_.end(),
                                  [name = key](const auto* one) { return one->key == name; });
    const StringPair* const before = FindMetadata(metadata, key);
    if (own != keys_.end() && before != nullptr && FindFormKey(metadata, key) == nullptr) {
      edits_.SetMetadata(node, (*own)->before, before->value);
    }
  }
}

void TakeOutMetadataTag(const Graph& graph, NodeId node, Edits& edits) {
  const absl::Span<const StringPair> metadata = graph.metadata(node);
  const bool is_placed = FindMetadata(metadata, kDeviceKey) != nullptr;
  if (is_placed) {
    edits.RemoveMetadata(node, kLayerKey);
    edits.RemoveMetadata(node, kDeviceKey);
  }
  if (!HasOwnMetadata(metadata)) return;
  for (const FormKey& own : kFormKeys) {
    if (FindFormKey(metadata, own.key) == nullptr) continue;
    // What was there before is a label of a device.
    const bool is_gone = is_placed && own.key == kLayerKey;
    if (!is_gone && MayReplace(metadata, own.key)) {
      if (const StringPair* before = FindMetadata(metadata, own.before)) {
        edits.SetMetadata(node, own.key, before->value);
      } else {
        edits.RemoveMetadata(node, own.key);
      }
    }
    edits.RemoveMetadata(node, own.before);
  }
  for (absl::string_view key : {kOwnPathKey, kOwnMethodKey, kOwnConfidenceKey, kOwnFormsKey}) {
    edits.RemoveMetadata(node, key);
  }
}

}  // namespace onnx_hier
