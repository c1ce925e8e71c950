// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/metadata_tags.h"

#include <algorithm>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/utf8.h"
#include "lib/edits/edit_list.h"
#include "lib/names/own_metadata.h"
#include "lib/onnx/schema.h"
#include "lib/onnx/wire_writer.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// A key that stands there several times has no one value that could be put back.
bool MayReplaceNamespace(absl::Span<const StringPair> metadata) {
  return std::count_if(metadata.begin(), metadata.end(),
                       [](const StringPair& pair) { return pair.key == kNamespaceKey; }) <= 1;
}

// What a node gets.
class Entries {
 public:
  Entries(const Annotation& annotation, const Assignment& assignment)
      : tag_(ReplaceNonUtf8(annotation.paths.Tag(assignment.primary))) {
    AppendProbability(assignment.confidence, &confidence_);
    name_space = {kNamespaceKey, absl::string_view(tag_).substr(1)};
    path = {kOwnPathKey, tag_};
    method = {kOwnMethodKey, MethodName(assignment.method)};
    confidence = {kOwnConfidenceKey, confidence_};
  }
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;

  StringPair name_space, path, method, confidence;

 private:
  std::string tag_;
  std::string confidence_;
};

bool HaveSameEntries(const Assignment& a, const Assignment& b) {
  return a.primary == b.primary && a.method == b.method && a.confidence == b.confidence;
}

// `message` is room to put it together in.
void AppendEntryField(const StringPair& entry, std::string* message, std::string* out) {
  message->clear();
  AppendField(schema::string_entry::kKey, entry.key, message);
  AppendField(schema::string_entry::kValue, entry.value, message);
  AppendField(schema::node::kMetadataProps, *message, out);
}

}  // namespace

bool HasMetadataTags(const Graph& graph) {
  if (!graph.has_metadata()) return false;
  for (NodeId node : graph.node_ids()) {
    if (HasOwnMetadata(graph.metadata(node))) return true;
  }
  return false;
}

void MetadataTagWriter::Put(NodeId node) {
  const Frame& frame = model_.frames[model_.node_frames[node]];
  if (model_.graph.metadata(node).empty() && !frame.has_fields_behind_metadata) {
    PutFirst(node);
  } else {
    PutBesideOthers(node);
  }
}

// Neighbours mostly have the same.
void MetadataTagWriter::PutFirst(NodeId node) {
  EditList& list = EditsAccess::List(edits_);
  const Assignment& assignment = annotation_.assignments[node];
  if (!last_.valid() || !HaveSameEntries(annotation_.assignments[last_], assignment)) {
    const Entries entries(annotation_, assignment);
    fields_.clear();
    for (const StringPair& entry :
         {entries.name_space, entries.path, entries.method, entries.confidence}) {
      AppendEntryField(entry, &message_, &fields_);
    }
    last_fields_ = list.texts.Add(fields_);
  }
  last_ = node;
  list.first_metadata.push_back({node, last_fields_});
}

void MetadataTagWriter::PutBesideOthers(NodeId node) {
  const absl::Span<const StringPair> metadata = model_.graph.metadata(node);
  const Entries entries(annotation_, annotation_.assignments[node]);
  const auto set = [&](const StringPair& entry) {
    edits_.SetMetadata(node, entry.key, entry.value);
  };
  if (MayReplaceNamespace(metadata)) {
    set(entries.name_space);
    const StringPair* before = FindMetadata(metadata, kNamespaceKey);
    if (before != nullptr && !HasOwnMetadata(metadata)) {
      set({kNamespaceBeforeKey, before->value});
    }
  }
  set(entries.path);
  set(entries.method);
  set(entries.confidence);
}

void TakeOutMetadataTag(const Graph& graph, NodeId node, Edits& edits) {
  const absl::Span<const StringPair> metadata = graph.metadata(node);
  if (!HasOwnMetadata(metadata)) return;
  if (MayReplaceNamespace(metadata)) {
    if (const StringPair* before = FindMetadata(metadata, kNamespaceBeforeKey)) {
      edits.SetMetadata(node, kNamespaceKey, before->value);
    } else {
      edits.RemoveMetadata(node, kNamespaceKey);
    }
  }
  for (absl::string_view key :
       {kOwnPathKey, kOwnMethodKey, kOwnConfidenceKey, kNamespaceBeforeKey}) {
    edits.RemoveMetadata(node, key);
  }
}

}  // namespace onnx_hier
