// SPDX-License-Identifier: Apache-2.0
#include "lib/tags/metadata_tags.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/utf8.h"
#include "lib/edits/edit_list.h"
#include "lib/names/own_metadata.h"
#include "onnx_hier_program/json_text.h"

namespace onnx_hier {
namespace {

// A key that stands there several times has no one value that could be put back.
bool MayReplaceNamespace(absl::Span<const StringPair> metadata) {
  return std::count_if(metadata.begin(), metadata.end(),
                       [](const StringPair& pair) { return pair.key == kNamespaceKey; }) <= 1;
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
  const Assignment& assignment = annotation_.assignments[node];
  const absl::Span<const StringPair> metadata = graph_.metadata(node);
  std::vector<MetadataEdit>& edits = EditsAccess::List(edits_).metadata;
  if (metadata.empty() && last_.valid()) {
    const Assignment& last = annotation_.assignments[last_];
    if (last.primary == assignment.primary && last.method == assignment.method &&
        last.confidence == assignment.confidence) {
      for (size_t i = 0; i < kEntries; ++i) {
        MetadataEdit same = edits[last_entries_ + i];
        same.node = node;
        edits.push_back(same);
      }
      return;
    }
  }
  const size_t first = edits.size();
  const std::string tag = ReplaceNonUtf8(annotation_.paths.Tag(assignment.primary));
  std::string confidence;
  AppendProbability(assignment.confidence, &confidence);
  if (MayReplaceNamespace(metadata)) {
    edits_.SetMetadata(node, kNamespaceKey, absl::string_view(tag).substr(1));
    const StringPair* before = FindMetadata(metadata, kNamespaceKey);
    if (before != nullptr && !HasOwnMetadata(metadata)) {
      edits_.SetMetadata(node, kNamespaceBeforeKey, before->value);
    }
  }
  edits_.SetMetadata(node, kOwnPathKey, tag);
  edits_.SetMetadata(node, kOwnMethodKey, MethodName(assignment.method));
  edits_.SetMetadata(node, kOwnConfidenceKey, confidence);
  if (!metadata.empty()) return;
  last_ = node;
  last_entries_ = first;
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
