// Sibling layers are built alike: a node belongs where its twin in another layer belongs.
//
//   known:    /layer.0/attention -> Softmax 'x' is in /layer.0/attention, right after a MatMul
//   unknown:  a Softmax that looks the same, right after a MatMul of /layer.1/attention
//   vote:     /layer.1/attention
//
// What is carried over is the way from a neighbour's module to the node's own ("two up, then down
// into 'dropout'"), so that it holds across layers, stacks and stages of any name.
#ifndef ONNX_HIER_LIB_RESOLVE_TWINS_H_
#define ONNX_HIER_LIB_RESOLVE_TWINS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/resolve/fingerprints.h"
#include "lib/resolve/flow.h"
#include "lib/resolve/known.h"
#include "lib/resolve/module_children.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// What the twins of one likeness say about a node.
struct TwinVote {
  struct Candidate {
    PathId path;
    float share = 0;  // of the weight of all that voted; the shares sum to 1
    Place twin = 0;   // the nearest that says so
  };
  Likeness likeness = Likeness::kLoose0;
  uint32_t twins = 0;                 // how many had something to say
  std::vector<Candidate> candidates;  // in order of first mention
};

class Twins {
 public:
  // The nearest of the twins that are asked.
  static constexpr size_t kMostTwins = 8;
  // Likenesses that are heard: the two most telling that have anything to say; one, when so many
  // twins as these agree.
  static constexpr uint32_t kEnoughTwins = 3;
  static constexpr size_t kMostVotes = 2;

  // `paths` grows by modules that twins suggest. All arguments must outlive this.
  Twins(const Flow& flow, const Fingerprints& fingerprints, const KnownModules& known,
        const Surroundings& surroundings, const ModuleChildren& children, ModulePaths& paths);

  // About an open node; the most telling likeness first.
  std::vector<TwinVote> VotesOn(Place place);

 private:
  // A neighbour by which a node and its twin are compared: the `index`-th producer, or the node
  // `offset` places away.
  struct Reference {
    bool is_producer = false;
    int64_t offset = 0;
    uint32_t slot = 0;
    Place place = 0;  // of the node's own neighbour
    float weight = 0;
  };
  // Known nodes by fingerprint, of those fingerprints that open nodes have.
  struct Groups {
    std::vector<uint32_t> begin;  // by fingerprint, of its group in `known`, and one past the last
    std::vector<Place> known;     // ascending in each group
    absl::Span<const Place> of(uint32_t print) const {
      return absl::MakeConstSpan(known).subspan(begin[print], begin[print + 1] - begin[print]);
    }
  };
  struct Transfer {
    PathId from, twin_from, twin_to, to;
  };

  void Group(Likeness likeness, absl::Span<const Place> open);
  void ListReferences(Place place);
  void AddOffset(Place place, int64_t offset);
  absl::Span<const Place> Nearest(absl::Span<const Place> twins, Place place) const;
  Place Follow(Place from, const Reference& reference) const;
  bool Ask(Place twin, TwinVote& vote);
  PathId Carry(PathId from, PathId twin_from, PathId twin_to);
  PathId CarryAnew(PathId from, PathId twin_from, PathId twin_to);

  const Flow& flow_;
  const Fingerprints& fingerprints_;
  const KnownModules& known_;
  const Surroundings& surroundings_;
  const ModuleChildren& children_;
  ModulePaths& paths_;
  size_t most_paths_;  // a hostile file must not make the tree grow without end
  std::array<Groups, kLikenessCount> groups_;
  std::vector<Reference> references_;
  std::vector<Transfer> transfers_;  // a cache of the last, by hash
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_RESOLVE_TWINS_H_
