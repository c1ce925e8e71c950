// SPDX-License-Identifier: Apache-2.0

// Sibling layers are built alike: a node belongs where its twin in another layer belongs.
//
//   known:    /layer.0/attention -> Softmax 'x' is in /layer.0/attention, right after a MatMul
//   unknown:  a Softmax that looks the same, right after a MatMul of /layer.1/attention
//   vote:     /layer.1/attention
//
// What is carried over is the way from a neighbour's module to the node's own ("two up, then down
// into 'dropout'"), so that it holds across layers, stacks and stages of any name.
#ifndef ONNX_HIER_LIB_OWNERS_TWINS_H_
#define ONNX_HIER_LIB_OWNERS_TWINS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/graph/fingerprints.h"
#include "lib/names/module_children.h"
#include "lib/owners/context.h"
#include "lib/owners/siblings.h"
#include "lib/owners/twin_groups.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// The way from one module to another, carried over to where a third one is.
//
//   from /layer.1/attention, the way that leads from /layer.0/attention to /layer.0/output
//   leads to /layer.1/output: "one up, then down into `output`"
class PathTransfer {
 public:
  // Ways may lead to modules that are not there: these are added to `added_to`, which is `paths`
  // itself, as long as there are not twice as many as there were, and `most_added`: a hostile file
  // must not make the tree grow without end. Without `added_to` such ways are not said. The
  // arguments must outlive this.
  PathTransfer(const ModulePaths& paths, const ModuleChildren& children, ModulePaths* added_to,
               size_t most_added);

  // Forgets deferred().
  void Start() { deferred_ = false; }
  // None: the way leads nowhere from there, or to a module that may not be added.
  PathId Carry(PathId from, PathId twin_from, PathId twin_to);
  // Whether anything was not said since Start() as it would have to be added.
  bool deferred() const { return deferred_; }

 private:
  struct Way {
    PathId from, twin_from, twin_to, to;
  };

  PathId CarryAnew(PathId from, PathId twin_from, PathId twin_to);
  PathId Child(PathId parent, absl::string_view name);

  const ModulePaths& paths_;
  const ModuleChildren& children_;
  ModulePaths* const added_to_;  // null: nothing may be added
  const size_t most_paths_;
  bool deferred_ = false;
  std::vector<Way> remembered_;  // the last ones, by hash
};

// What the twins of one likeness say about a node.
struct TwinVote {
  struct Candidate {
    PathId path;
    float share = 0;  // of the weight of all that voted; the shares sum to 1
    Rank twin;        // the nearest that says so
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

  // Twins suggest modules that no name in the file mentions: these are added to `added_to`, which
  // is the context's paths. Without it, whatever depends on such a module is not said. The
  // arguments must outlive this; several of these that add nothing may work side by side.
  Twins(const Context& context, const TwinGroups& groups, const Siblings& siblings,
        ModulePaths* added_to);

  // About an open node; the most telling likeness first.
  std::vector<TwinVote> VotesOn(Rank rank);
  // Whether something was not said about the last node: see above.
  bool deferred() const { return transfer_.deferred(); }

 private:
  // A neighbour by which a node and its twin are compared: the `index`-th producer, or the node
  // `offset` places away.
  struct Reference {
    bool is_producer = false;
    int64_t offset = 0;
    uint32_t slot = 0;
    float weight = 0;
    PathId module;      // of the node's own neighbour
    uint32_t look = 0;  // by kLoose0
  };

  void AddReference(bool is_producer, int64_t offset, uint32_t slot, Rank neighbour, float weight);
  void ListReferences(Rank rank);
  void AddOffset(Rank rank, int64_t offset);
  absl::Span<const Rank> Nearest(absl::Span<const Rank> twins, Rank rank) const;
  Rank Follow(Rank from, const Reference& reference) const;
  bool Ask(Rank twin, TwinVote& vote);

  const Context& context_;
  const Flow& flow_;
  const KnownModules& known_;
  const Fingerprints& fingerprints_;
  const TwinGroups& groups_;
  const Siblings& siblings_;
  PathTransfer transfer_;
  std::vector<Reference> references_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_TWINS_H_
