// Where the resolver puts a node, whatever the file's tags are: the one comparison that cannot be
// misled by wrong tags around the node. It is what `tag` starts from; `tag` then takes a second
// look and recalls earlier tags, which would ask the very comparisons and tags that are on trial
// here.
#include <utility>

#include "lib/contamination/judgement.h"
#include "lib/contamination/wrappers.h"
#include "lib/resolve/resolve.h"

namespace onnx_hier {
namespace {

constexpr float kLeastConfidence = 0.5f;
// Of the nodes of a list, how many must be in the layer that their tags name, so that those that
// are not mean something.
constexpr double kLeastAgreement = 0.72;

class FreshWitness {
 public:
  FreshWitness(const Trial& trial, const ModulePaths& paths, const FreshTags& fresh)
      : trial_(trial), paths_(paths), fresh_(fresh), shares_(trial.siblings.list_count()) {}

  void Hear(std::vector<Proposal>& proposals) {
    for (NodeId node : trial_.graph.node_ids()) {
      if (trial_.tags[node].valid() && fresh_.confidences[node] >= kLeastConfidence) Compare(node);
    }
    for (const auto& [proposal, list] : wishes_) {
      if (shares_[list].enough()) proposals.push_back(proposal);
    }
  }

 private:
  struct Share {
    size_t agreeing = 0;
    size_t all = 0;
    bool enough() const {
      return static_cast<double>(agreeing) >= kLeastAgreement * static_cast<double>(all);
    }
  };

  // A tag is defended, or moved to another layer, in the innermost list that both are in.
  void Compare(NodeId node) {
    const PathId place = fresh_.places[node];
    bool wished = false;
    for (PathId path = trial_.tags[node]; path.valid(); path = paths_.parent(path)) {
      const ListId list = trial_.siblings.place(path).list;
      const PathId layer = list.valid() ? trial_.siblings.LayerOf(place, list) : PathId();
      if (!layer.valid()) continue;
      const bool agrees = layer == path;
      ++shares_[list].all;
      shares_[list].agreeing += agrees ? 1 : 0;
      if (std::exchange(wished, true)) continue;
      Proposal proposal;
      proposal.node = node;
      proposal.witness = TagWitness::kFresh;
      proposal.confidence = fresh_.confidences[node];
      proposal.expected = agrees ? trial_.tags[node] : place;
      wishes_.emplace_back(proposal, list);
    }
  }

  const Trial& trial_;
  const ModulePaths& paths_;
  const FreshTags& fresh_;
  IdVector<ListId, Share> shares_;
  std::vector<std::pair<Proposal, ListId>> wishes_;
};

}  // namespace

FreshTags ResolveFresh(const Trial& trial, const Evidence& evidence, ModulePaths& paths) {
  FreshTags fresh;
  const Resolution resolution = Resolve(Wiring(trial.graph), evidence, paths);
  for (NodeId node : trial.graph.node_ids()) {
    const Assignment& assignment = resolution.assignments[node];
    fresh.places.push_back(assignment.primary);
    // Parameters were heard before; those that nodes with different tags share say nothing.
    fresh.confidences.push_back(evidence.owners_of(node).empty() ? assignment.confidence : 0);
  }
  const uint32_t wrappers = CountWrappers(trial, fresh.places, paths);
  for (PathId& place : fresh.places) place = WithoutWrappers(place, wrappers, paths);
  return fresh;
}

void AskFresh(const Trial& trial, const ModulePaths& paths, const FreshTags& fresh,
              std::vector<Proposal>& proposals) {
  FreshWitness(trial, paths, fresh).Hear(proposals);
}

}  // namespace onnx_hier
