// SPDX-License-Identifier: Apache-2.0
#include "lib/owners/inventory.h"

#include <algorithm>

#include "lib/base/hash.h"
#include "lib/base/rules.h"
#include "lib/names/numbered_name.h"

namespace onnx_hier {
namespace {

// Of the modules in a module, and of those that hold one of some name, so many are looked at.
constexpr size_t kMostInside = 32;
constexpr size_t kMostHolders = 32;
// Modules that have nothing in common are of two kinds if each holds so many.
constexpr size_t kSeveral = 2;

constexpr uint64_t kAnyNumber = 0x23;
constexpr uint64_t kOfConstant = 0x43;
constexpr uint64_t kOfNode = 0x4E;
// So many known nodes without one of some look are a sign that there is none.
constexpr uint32_t kMuchKnown = 8;

uint64_t Key(uint64_t owner, uint64_t look) { return MixHash(owner, look); }

}  // namespace

void NamedModules::Add(PathId module) { paths_.AddWithAround(module, named_); }

void NamedModules::Finish() {
  inside_.resize(paths_.size());
  for (PathId path : paths_.ids()) {
    const PathId around = paths_.parent(path);
    if (!around.valid() || !named_.Has(path)) continue;
    Inside& inside = inside_[around];
    if (inside.modules.size() < kMostInside) inside.modules.push_back(path);
    if (paths_.is_number(path)) inside.most = std::max(inside.most, paths_.number(path));
    std::vector<PathId>& holders = holders_[paths_.name(path)];
    if (holders.size() < kMostHolders) holders.push_back(around);
  }
}

bool NamedModules::MayBeThere(PathId module) const {
  for (; !Has(module); module = paths_.parent(module)) {
    if (!HasLike(module)) return false;
  }
  return true;
}

bool NamedModules::HasLike(PathId module) const {
  const PathId around = paths_.parent(module);
  // A list that goes on behind it.
  if (paths_.is_number(module) && inside_.contains(around) &&
      inside_[around].most > paths_.number(module)) {
    return true;
  }
  const auto holders = holders_.find(paths_.name(module));
  return holders != holders_.end() &&
         std::any_of(holders->second.begin(), holders->second.end(),
                     [&](PathId other) { return MayBeAlike(around, other); });
}

// Whether they are called alike, and what is known to be in them does not tell them apart.
bool NamedModules::MayBeAlike(PathId module, PathId other) const {
  if (!AreCalledAlike(module, other)) return false;
  if (!inside_.contains(module)) return true;
  const std::vector<PathId>& inside = inside_[module].modules;
  if (inside.size() < kSeveral || inside_[other].modules.size() < kSeveral) return true;
  return std::any_of(inside.begin(), inside.end(), [&](PathId one) {
    const PathId like = paths_.FindChild(other, paths_.name(one));
    return like.valid() && Has(like);
  });
}

// "transition1" is called like "transition2", and "0" like "1".
bool NamedModules::AreCalledAlike(PathId module, PathId other) const {
  const NumberedName name(paths_.name(module));
  const NumberedName others(paths_.name(other));
  return name.before() == others.before() && name.after() == others.after();
}

Inventory::Inventory(const Context& context)
    : context_(context),
      fingerprints_(context.analysis.fingerprints()),
      paths_(context.paths),
      named_(paths_) {
  const KnownModules& known = context.known;
  // Parents are made before their children.
  for (PathId path : paths_.ids()) {
    for (size_t by = 0; by < kKindByCount; ++by) {
      const PathId parent = paths_.parent(path);
      const uint64_t around = parent.valid() ? kinds_[by][parent.index()] : 0;
      kinds_[by].push_back(NameKind(path, static_cast<KindBy>(by), around));
    }
  }
  for (PathId owner : context.evidence.owners) named_.Add(owner);
  for (Rank i : known.ranks()) {
    if (known[i].valid()) named_.Add(known[i]);
  }
  named_.Finish();
  for (PathId path : paths_.ids()) {
    if (!named_.Has(path) || !paths_.parent(path).valid()) continue;
    kinds_with_modules_.insert(KindOf(paths_.parent(path), KindBy::kWholePath));
  }
  CountLooks();
}

// What a module holds is sorted by itself: that a table of all modules is never asked for each node
// makes it several times as fast.
void Inventory::CountLooks() {
  const KnownModules& known = context_.known;
  const Grouped<PathId, Rank> nodes(paths_.size(), [&](const auto& visit) {
    for (Rank i : known.ranks()) {
      if (known[i].valid()) visit(known[i], i);
    }
  });
  std::vector<uint64_t> looks;  // of one module
  for (PathId module : paths_.ids()) {
    looks.clear();
    for (Rank rank : nodes.of(module)) looks.push_back(LookAs(rank));
    CountLooksOf(module, looks);
    looks_.Close();
  }
}

void Inventory::CountLooksOf(PathId module, std::vector<uint64_t>& looks) {
  if (looks.empty()) return;
  for (size_t by = 0; by < kKindByCount; ++by) {
    KindTotal& total = totals_[by][kinds_[by][module.index()]];
    ++total.modules;
    total.nodes += static_cast<uint32_t>(looks.size());
  }
  std::sort(looks.begin(), looks.end());
  for (auto begin = looks.begin(); begin != looks.end();) {
    const auto next = std::upper_bound(begin, looks.end(), *begin);
    const auto count = static_cast<uint32_t>(next - begin);
    looks_.Add({*begin, count});
    for (size_t by = 0; by < kKindByCount; ++by) {
      LookCount& most = look_counts_[by][Key(kinds_[by][module.index()], *begin)];
      most.count = std::max(most.count, count);
      ++most.modules;
    }
    begin = next;
  }
}

uint32_t Inventory::CountIn(PathId module, uint64_t look) const {
  if (module.index() >= looks_.owner_count()) return 0;  // it was added since
  const absl::Span<const OfModule> looks = looks_.of(module);
  const auto found =
      std::lower_bound(looks.begin(), looks.end(), look,
                       [](const OfModule& one, uint64_t wanted) { return one.look < wanted; });
  return found != looks.end() && found->look == look ? found->count : 0;
}

// A constant is what its readers kind of it; any other node is told by its operator and by which
// of its operands are constant.
uint64_t Inventory::LookAs(Rank rank) const {
  if (context_.flow.is_constant(rank)) {
    return MixHash(kOfConstant, fingerprints_.at(Likeness::kLoose1, rank));
  }
  uint64_t look = MixHash(kOfNode, fingerprints_.at(Likeness::kLoose0, rank));
  for (const Flow::Edge& edge : context_.flow.producers(rank)) {
    if (context_.flow.is_constant(edge.rank)) look = MixHash(look, edge.slot);
  }
  return look;
}

uint64_t Inventory::NameKind(PathId module, KindBy by, uint64_t around) const {
  if (module == paths_.root()) return 0;
  const uint64_t name = HashBytes(paths_.name(module));
  if (by == KindBy::kWholePath) {
    return MixHash(around, paths_.is_number(module) ? kAnyNumber : name);
  }
  const PathId parent = paths_.parent(module);
  return MixHash(paths_.is_number(parent) ? kAnyNumber : HashBytes(paths_.name(parent)), name);
}

uint64_t Inventory::KindOf(PathId module, KindBy by) const {
  const std::vector<uint64_t>& kinds = kinds_[static_cast<size_t>(by)];
  if (module.index() < kinds.size()) return kinds[module.index()];
  return NameKind(module, by, KindOf(paths_.parent(module), by));
}

bool Inventory::IsMadeUp(PathId module) const {
  if (named_.Has(module) || !IsOn(Rule::kMadeUpModules)) return false;
  if (!named_.MayBeThere(module)) return true;
  const PathId around = paths_.parent(module);
  if (!around.valid()) return false;
  const uint64_t kind = KindOf(around, KindBy::kWholePath);
  return totals_[static_cast<size_t>(KindBy::kWholePath)].contains(kind) &&
         !kinds_with_modules_.contains(kind);
}

Inventory::Room Inventory::RoomFor(const Item& item, PathId module, KindBy by) const {
  const auto& totals = totals_[static_cast<size_t>(by)];
  const auto& look_counts = look_counts_[static_cast<size_t>(by)];
  const uint64_t kind = KindOf(module, by);
  const auto total = totals.find(kind);
  if (total == totals.end()) {
    return named_.Has(module) ? Room::kUnheard : Room::kMadeUp;
  }
  const auto look = look_counts.find(Key(kind, item.look));
  if (look == look_counts.end()) {
    if (total->second.modules == 1) return Room::kAloneNot;
    return total->second.nodes < kMuchKnown ? Room::kUnlikely : Room::kNever;
  }
  const uint32_t here = CountIn(module, item.look);
  const uint32_t count = here > 0 && module == item.presumed ? here - 1 : here;
  if (count > 0 && total->second.modules == 1) return Room::kAlone;
  const bool most = 2 * look->second.modules > total->second.modules;
  if (count < look->second.count) return most ? Room::kVacantMost : Room::kVacant;
  return most ? Room::kFullMost : Room::kFull;
}

}  // namespace onnx_hier
