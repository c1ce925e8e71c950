// SPDX-License-Identifier: Apache-2.0

// Where evidence puts nodes, as text for tests.
#ifndef ONNX_HIER_TESTS_OWNERS_PLACE_TEXT_H_
#define ONNX_HIER_TESTS_OWNERS_PLACE_TEXT_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/owners/evidence.h"
#include "lib/owners/infer.h"
#include "onnx_hier/graph.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier::testing {

// The qualified name of each node's place, joined by " | ", with "#2" where it is the module's
// third call; "?" for nodes of which nothing is known.
inline std::string PlacesOf(const Evidence& evidence, const ModulePaths& paths) {
  std::string places;
  for (const NodeEvidence& node : evidence.nodes) {
    if (&node != &*evidence.nodes.begin()) places += " | ";
    if (!node.place.valid()) {
      places += "?";
      continue;
    }
    places += paths.QualifiedName(node.place);
    if (node.call != 0) absl::StrAppend(&places, "#", node.call);
  }
  return places;
}

inline std::string Places(const Graph& graph, const ModuleMap& module_map = {}) {
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, PathsOf(module_map, paths), paths);
  return PlacesOf(evidence, paths);
}

// The same, of names that tools may have changed.
inline std::string ReadablePlaces(const Graph& graph) {
  ModulePaths paths;
  const ReadableGraph readable(graph);
  return PlacesOf(CollectEvidence(readable, {}, paths), paths);
}

// The qualified name of the module whose parameters each node reads, joined by " | "; "-" for
// nodes that read none.
inline std::string Owners(const Graph& graph) {
  ModulePaths paths;
  const Evidence evidence = CollectEvidence(graph, {}, paths);
  std::string owners;
  for (NodeId node : graph.node_ids()) {
    if (!owners.empty()) owners += " | ";
    const absl::Span<const PathId> of = evidence.owners_of(node);
    owners += of.empty() ? "-" : paths.QualifiedName(of[0]);
  }
  return owners;
}

inline NodeOwners Infer(const Graph& graph, const Evidence& evidence, ModulePaths& paths,
                        const InferOptions& options = {}) {
  const GraphAnalysis analysis(graph);
  return InferOwners(analysis, evidence, CollectKnown(analysis.flow(), evidence, paths), paths,
                     options);
}

// The qualified name of each node's module, each with a blank behind it.
inline std::string InferredPlaces(const NodeOwners& assignments, const ModulePaths& paths) {
  std::string text;
  for (const Assignment& assignment : assignments) {
    absl::StrAppend(&text, paths.QualifiedName(assignment.primary), " ");
  }
  return text;
}

}  // namespace onnx_hier::testing

#endif  // ONNX_HIER_TESTS_OWNERS_PLACE_TEXT_H_
