#include "lib/check/carried_tags.h"

#include <algorithm>
#include <utility>

#include "lib/tags/method_name.h"

namespace onnx_hier {
namespace {

Finding FindingOf(const TagAudit& audit, const CarriedPlace& place) {
  Finding finding;
  finding.node = place.node;
  finding.actual = audit.tags[place.node];
  finding.expected = place.paths.front();
  finding.confidence = place.confidence;
  finding.witnesses.Add(TagWitness::kOriginal);
  const TagDifference difference = audit.layers.Compare(finding.expected, finding.actual);
  finding.kind = KindOf(difference.relation);
  finding.depth = difference.depth;
  return finding;
}

}  // namespace

CarriedPlaces PlacesOf(const Annotation& carried, ModulePaths& paths) {
  CarriedPlaces places;
  const auto own = [&](PathId path) { return paths.Copy(carried.paths, path); };
  for (NodeId node : IdRange<NodeId>(carried.assignments.size())) {
    const Assignment& assignment = carried.assignments[node];
    if (!IsTransfer(assignment.method)) continue;
    CarriedPlace place = {node, {own(assignment.primary)}, assignment.confidence};
    for (PathId path : carried.auxiliary_of(node)) place.paths.push_back(own(path));
    places.push_back(std::move(place));
  }
  return places;
}

void CheckCarried(const TagAudit& audit, const CarriedPlaces& places, NameFindings& result) {
  for (const CarriedPlace& place : places) {
    const PathId tag = audit.tags[place.node];
    if (!tag.valid()) continue;
    result.settled.Add(place.node);
    const auto vouches = [&](PathId path) { return audit.layers.Vouches(path, tag); };
    if (std::any_of(place.paths.begin(), place.paths.end(), vouches)) continue;
    result.findings.push_back(FindingOf(audit, place));
  }
}

}  // namespace onnx_hier
