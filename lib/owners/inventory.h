// SPDX-License-Identifier: Apache-2.0

// What modules of one kind hold.
//
// The layer norms of all layers hold the same operators: one in which the square root is missing
// has room for a square root of unknown place, one that is complete has none, and what no layer
// norm ever held does not belong to this one either.
//
// Modules are of one kind when their paths are alike but for the numbers in them, or, a weaker
// sign, when only their last two names are.
#ifndef ONNX_HIER_LIB_OWNERS_INVENTORY_H_
#define ONNX_HIER_LIB_OWNERS_INVENTORY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "lib/graph/fingerprints.h"
#include "lib/owners/context.h"
#include "onnx_hier/ids.h"
#include "onnx_hier/module_paths.h"

namespace onnx_hier {

// Which modules the file names, and whether there may be others that it does not.
//
// Where all names of a layer's `proj` were lost, those of other layers have one:
//
//   layers.0.attn.query, layers.0.attn.proj, layers.1.attn.query    layers.1.attn.proj may be
//   encoder.0.attn, decoder.0.fc                                    decoder.0.attn may be
//   layers.0.1.fc, layers.0.1.act, layers.0.0.query, layers.0.0.key layers.0.0.fc is made up: its
//                                                                   list holds two kinds of modules
//   layers.0, layers.1, nothing behind them                         layers.2 is made up
//   post.1, post.3                                                  post.2 must be
class NamedModules {
 public:
  // `paths` must outlive this, and may grow.
  explicit NamedModules(const ModulePaths& paths) : paths_(paths), named_(paths.size()) {
    named_.Add(paths.root());
  }

  // A known node or a parameter is in the module; it and all around it are named.
  void Add(PathId module);
  // Once all are added. Linear in modules.
  void Finish();

  // `module` may be one that was added since.
  bool Has(PathId module) const { return named_.Contains(module); }
  // Whether it is named, or some module that may be built like the one around it has its like.
  bool MayBeThere(PathId module) const;

 private:
  struct Inside {
    std::vector<PathId> modules;  // the first few
    uint64_t most = 0;            // the largest number of any
  };

  bool HasLike(PathId module) const;
  bool MayBeAlike(PathId module, PathId other) const;
  bool AreCalledAlike(PathId module, PathId other) const;

  const ModulePaths& paths_;
  IdSet<PathId> named_;
  IdVector<PathId, Inside> inside_;
  absl::flat_hash_map<absl::string_view, std::vector<PathId>>
      holders_;  // by the name of one inside
};

class Inventory {
 public:
  enum class KindBy : uint8_t { kWholePath, kLastNames };
  static constexpr size_t kKindByCount = static_cast<size_t>(KindBy::kLastNames) + 1;

  // Whether there is room for a node in a module; as the features' labels.
  enum class Room : uint8_t {
    kMadeUp,    // nothing names the module, or one of that kind
    kUnheard,   // no known node is in a module of that kind
    kUnlikely,  // such modules hold no node like it, but little is known of them
    kNever,     // ... and much is known
    kFull,      // the module holds as many as the others
    kFullMost,  // ... and most of the others hold one
    kVacant,    // others hold more
    kVacantMost,
    kAlone,     // the only one of its kind; it holds one
    kAloneNot,  // ... none
  };
  static constexpr size_t kRooms = static_cast<size_t>(Room::kAloneNot) + 1;

  // `context` must outlive this. Linear in nodes and modules.
  explicit Inventory(const Context& context);

  // A node that room is wanted for.
  struct Item {
    uint64_t look = 0;
    PathId presumed;  // where it was itself counted; or none
  };
  Item ItemAt(Rank rank) const { return {LookAs(rank), context_.known[rank]}; }
  // Whether nothing names a module, and no module that may be built like the one around it has its
  // like; or that one, like all of its kind, holds nodes and no modules: an activation function has
  // none of its own, whatever its neighbour has.
  bool IsMadeUp(PathId module) const;
  // `module` may be one that was added since.
  Room RoomFor(const Item& item, PathId module, KindBy by) const;

 private:
  // Nodes of one look in one module.
  struct OfModule {
    uint64_t look = 0;
    uint32_t count = 0;
  };
  // ... and in the modules of one kind.
  struct LookCount {
    uint32_t count = 0;  // the most of any of them
    uint32_t modules = 0;
  };
  struct KindTotal {
    uint32_t modules = 0;  // that have known nodes
    uint32_t nodes = 0;
  };

  void CountLooks();
  // `looks` come back in another order.
  void CountLooksOf(PathId module, std::vector<uint64_t>& looks);
  // How many nodes of that look are known to be in the module.
  uint32_t CountIn(PathId module, uint64_t look) const;
  uint64_t LookAs(Rank rank) const;
  // What all modules of a kind have in common; `around`: that of the module around this one.
  uint64_t NameKind(PathId module, KindBy by, uint64_t around) const;
  uint64_t KindOf(PathId module, KindBy by) const;

  const Context& context_;
  const Fingerprints& fingerprints_;
  const ModulePaths& paths_;
  Grouped<PathId, OfModule> looks_;                        // of each in their order
  std::array<std::vector<uint64_t>, kKindByCount> kinds_;  // by path, of those there were
  absl::flat_hash_set<uint64_t> kinds_with_modules_;       // by whole paths
  NamedModules named_;
  std::array<absl::flat_hash_map<uint64_t, KindTotal>, kKindByCount> totals_;
  std::array<absl::flat_hash_map<uint64_t, LookCount>, kKindByCount>
      look_counts_;  // by kind and look
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_OWNERS_INVENTORY_H_
