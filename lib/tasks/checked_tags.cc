// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "onnx_hier/tags.h"
#include "onnx_hier_program/tasks.h"

namespace onnx_hier {

absl::StatusOr<CheckedTags> TagsToCheck(const Graph& graph,
                                        const std::optional<std::string>& sidecar) {
  if (!sidecar.has_value()) {
    ReadTagsResult read = ReadTags(graph);
    return CheckedTags{std::move(read.tags), std::move(read.malformed), {}};
  }
  const absl::StatusOr<TagFile> file = ParseTagFile(*sidecar);
  if (!file.ok()) return file.status();
  TagMatches matches = MatchTags(graph, *file);
  if (!file->entries.empty()) {
    const absl::Status status = CheckMatches(graph, "the model", *file, matches);
    if (!status.ok()) return status;
  }
  CheckedTags checked = {TagsOf(graph, *file, matches), {}, file->problems};
  for (std::string& problem : matches.problems) checked.sidecar.push_back(std::move(problem));
  return checked;
}

absl::StatusOr<CheckedTags> TagsOfFolded(const Model& folded, const UnfoldedModel& unfolded,
                                         const std::optional<std::string>& sidecar,
                                         const AnnotateOptions& options) {
  absl::StatusOr<CheckedTags> checked = TagsToCheck(folded.graph(), sidecar);
  if (!checked.ok()) return checked;
  if (!sidecar.has_value()) {
    // What it had before it was folded comes back with its names; metadata may be an exporter's,
    // and counts only where nobody has written tags since.
    absl::StatusOr<CheckedTags> before = TagsToCheck(unfolded.model.graph(), sidecar);
    const bool are_older = before.ok() && before->tags.source != TagSource::kDocStrings &&
                           checked->tags.source == TagSource::kDocStrings;
    if (!before.ok() || (before->tags.CountTagged() > 0 && !are_older)) return before;
  }
  IdSet<NodeId> malformed(folded.graph().node_count());
  for (NodeId node : checked->malformed) malformed.Add(node);
  checked->malformed.clear();
  for (NodeId node : unfolded.model.graph().node_ids()) {
    const NodeId origin = unfolded.origins[node];
    if (origin.valid() && malformed.Has(origin)) checked->malformed.push_back(node);
  }
  checked->tags = UnfoldTags(checked->tags, unfolded, Annotate(unfolded.model, options));
  return checked;
}

}  // namespace onnx_hier
