#include "lib/resolve/inventory.h"

#include <algorithm>

#include "lib/base/hash.h"

namespace onnx_hier {
namespace {

constexpr uint64_t kAnyNumber = 0x23;
constexpr uint64_t kOfConstant = 0x43;
constexpr uint64_t kOfNode = 0x4E;
// So many known nodes without one of some look are a sign that there is none.
constexpr uint32_t kMuchKnown = 8;

uint64_t Key(uint64_t owner, uint64_t look) { return MixHash(owner, look); }

}  // namespace

Inventory::Inventory(const Flow& flow, const Fingerprints& fingerprints, const Evidence& evidence,
                     const KnownModules& known, const ModulePaths& paths)
    : flow_(flow), fingerprints_(fingerprints), known_(known), paths_(paths) {
  NameMakes();
  named_.resize(paths.size());
  for (PathId owner : evidence.owners) MarkNamed(owner);
  std::vector<uint32_t> nodes(paths.size(), 0);
  for (Place i = 0; i < flow.size(); ++i) {
    if (!known[i].valid()) continue;
    MarkNamed(known[i]);
    const size_t module = known[i].index();
    ++nodes[module];
    const uint64_t look = LookAs(i);
    const uint32_t count = ++in_module_[Key(module, look)];
    for (size_t make = 0; make < kMakes; ++make) {
      Stock& stock = stock_[make][Key(makes_[make][module], look)];
      stock.count = std::max(stock.count, count);
      stock.modules += count == 1;
    }
  }
  for (size_t module = 0; module < nodes.size(); ++module) {
    if (nodes[module] == 0) continue;
    for (size_t make = 0; make < kMakes; ++make) {
      Kin& kin = kin_[make][makes_[make][module]];
      ++kin.modules;
      kin.nodes += nodes[module];
    }
  }
}

// A constant is what its readers make of it; any other node is told by its operator and by which
// of its operands are constant.
uint64_t Inventory::LookAs(Place place) const {
  if (flow_.is_constant(place)) {
    return MixHash(kOfConstant, fingerprints_.at(Likeness::kLoose1, place));
  }
  uint64_t look = MixHash(kOfNode, fingerprints_.at(Likeness::kLoose0, place));
  for (const Flow::Edge& edge : flow_.producers(place)) {
    if (flow_.is_constant(edge.place)) look = MixHash(look, edge.slot);
  }
  return look;
}

// Parents are made before their children. Twins may have added modules since the last time.
void Inventory::NameMakes() {
  for (size_t i = makes_[0].size(); i < paths_.size(); ++i) {
    const PathId path(i);
    if (path == paths_.root()) {
      for (std::vector<uint64_t>& makes : makes_) makes.push_back(0);
      continue;
    }
    const PathId parent = paths_.parent(path);
    const uint64_t name = HashBytes(paths_.name(path));
    const uint64_t around = paths_.is_number(parent) ? kAnyNumber : HashBytes(paths_.name(parent));
    makes_[static_cast<size_t>(Make::kWholePath)].push_back(
        MixHash(makes_[0][parent.index()], paths_.is_number(path) ? kAnyNumber : name));
    makes_[static_cast<size_t>(Make::kLastNames)].push_back(MixHash(around, name));
  }
}

void Inventory::MarkNamed(PathId module) {
  for (; module.valid() && !named_[module.index()]; module = paths_.parent(module)) {
    named_[module.index()] = true;
  }
}

Inventory::Room Inventory::In(PathId module, Make make) {
  if (module.index() >= makes_[0].size()) NameMakes();
  const auto kind = static_cast<size_t>(make);
  const uint64_t key = makes_[kind][module.index()];
  const auto kin = kin_[kind].find(key);
  if (kin == kin_[kind].end()) {
    const bool named = module.index() < named_.size() && named_[module.index()];
    return named ? Room::kUnheard : Room::kMadeUp;
  }
  const auto stock = stock_[kind].find(Key(key, look_));
  if (stock == stock_[kind].end()) {
    if (kin->second.modules == 1) return Room::kAloneNot;
    return kin->second.nodes < kMuchKnown ? Room::kUnlikely : Room::kNever;
  }
  const auto here = in_module_.find(Key(module.index(), look_));
  const uint32_t own = module == presumed_ ? 1 : 0;
  const uint32_t count = here == in_module_.end() ? 0 : here->second - own;
  if (count > 0 && kin->second.modules == 1) return Room::kAlone;
  const bool most = 2 * stock->second.modules > kin->second.modules;
  if (count < stock->second.count) return most ? Room::kVacantMost : Room::kVacant;
  return most ? Room::kFullMost : Room::kFull;
}

}  // namespace onnx_hier
