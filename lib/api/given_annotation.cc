// SPDX-License-Identifier: Apache-2.0
#include "lib/api/given_annotation.h"

#include <algorithm>
#include <utility>

#include "lib/base/distinct_tail.h"
#include "lib/graph/flow.h"
#include "lib/names/readable_graph.h"
#include "lib/names/scoped_name.h"
#include "lib/owners/evidence.h"
#include "lib/owners/node_owners.h"
#include "lib/tags/method_name.h"
#include "lib/tags/some_tag_edits.h"
#include "lib/tree/module_tree.h"

namespace onnx_hier {
namespace {

class AssignmentMaker {
 public:
  explicit AssignmentMaker(Annotation& annotation) : annotation_(annotation) {}

  // The texts of `tag` must outlive this.
  Assignment Make(const GivenTag& tag) {
    std::vector<PathId>& auxiliary = annotation_.auxiliary;
    Assignment assignment;
    assignment.primary = tag.tags.empty() ? annotation_.paths.root() : PathOf(tag.tags[0]);
    assignment.method = tag.method;
    assignment.confidence = tag.confidence;
    assignment.containment = tag.containment;
    assignment.call = tag.call;
    assignment.auxiliary.begin = static_cast<uint32_t>(auxiliary.size());
    DistinctTail<PathId> tail(auxiliary);
    for (size_t i = 1; i < tag.tags.size(); ++i) {
      const PathId path = PathOfTag(tag.tags[i], annotation_.paths);
      if (path != assignment.primary) tail.Add(path);
    }
    assignment.auxiliary.end = static_cast<uint32_t>(auxiliary.size());
    return assignment;
  }

 private:
  // Neighbours mostly share theirs.
  PathId PathOf(absl::string_view tag) {
    if (!last_.valid() || tag != last_tag_) {
      last_ = PathOfTag(tag, annotation_.paths);
      last_tag_ = tag;
    }
    return last_;
  }

  Annotation& annotation_;
  absl::string_view last_tag_;
  PathId last_;  // of last_tag_
};

}  // namespace

Annotation AnnotationOf(const Graph& graph, const std::vector<GivenTag>& tags,
                        const ModuleMap& classes) {
  const ReadableGraph readable(graph);
  Annotation annotation;
  ModulePaths& paths = annotation.paths;
  const Evidence evidence = CollectEvidence(readable, PathsOf(classes, paths), paths);
  NodeOwners owners(graph.node_count(), paths.root());
  AssignmentMaker maker(annotation);
  for (const GivenTag& tag : tags) owners.Decide(tag.node, maker.Make(tag));
  annotation.assignments = std::move(owners).Take();
  const Flow flow(readable.graph());
  SetModules(flow, evidence, classes, annotation);
  annotation.dialect = evidence.dialect;
  return annotation;
}

std::vector<GivenTag> GivenTagsOf(std::deque<TagEntry> entries, const TagMatches& matches) {
  std::vector<GivenTag> tags;
  tags.reserve(entries.size());
  for (size_t i = 0; i < matches.nodes.size(); ++i, entries.pop_front()) {
    TagEntry& entry = entries.front();
    if (!matches.nodes[i].valid() || entry.tags.empty()) continue;
    GivenTag tag;
    tag.node = matches.nodes[i];
    tag.tags = std::move(entry.tags);
    tag.method = MethodNamed(entry.method).value_or(Method::kSidecar);
    tag.confidence = static_cast<float>(entry.confidence.value_or(kSidecarConfidence));
    tag.containment = static_cast<float>(entry.containment.value_or(0));
    tag.call = entry.call;
    tags.push_back(std::move(tag));
  }
  return tags;
}

Edits GivenTagEdits(const Model& model, const std::vector<GivenTag>& tags,
                    const ModuleMap& classes) {
  // Where no tag is written, nothing is asked of the model.
  const Annotation annotation =
      tags.empty() ? Annotation() : AnnotationOf(model.graph(), tags, classes);
  std::vector<bool> given(model.graph().node_count(), false);
  for (const GivenTag& tag : tags) given[tag.node.index()] = true;
  return SomeTagEdits(model, annotation, given);
}

}  // namespace onnx_hier
