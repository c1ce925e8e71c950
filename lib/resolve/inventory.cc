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

Inventory::Inventory(const Context& context)
    : context_(context), fingerprints_(context.wiring.fingerprints()), paths_(context.paths) {
  const KnownModules& known = context.known;
  // Parents are made before their children.
  for (PathId path : paths_.ids()) {
    for (size_t make = 0; make < kMakes; ++make) {
      const PathId parent = paths_.parent(path);
      const uint64_t around = parent.valid() ? makes_[make][parent.index()] : 0;
      makes_[make].push_back(NameMake(path, static_cast<Make>(make), around));
    }
  }
  named_.resize(paths_.size());
  for (PathId owner : context.evidence.owners) MarkNamed(owner);
  std::vector<uint32_t> nodes(paths_.size(), 0);
  for (Place i = 0; i < known.size(); ++i) {
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
  if (context_.flow.is_constant(place)) {
    return MixHash(kOfConstant, fingerprints_.at(Likeness::kLoose1, place));
  }
  uint64_t look = MixHash(kOfNode, fingerprints_.at(Likeness::kLoose0, place));
  for (const Flow::Edge& edge : context_.flow.producers(place)) {
    if (context_.flow.is_constant(edge.place)) look = MixHash(look, edge.slot);
  }
  return look;
}

uint64_t Inventory::NameMake(PathId module, Make make, uint64_t around) const {
  if (module == paths_.root()) return 0;
  const uint64_t name = HashBytes(paths_.name(module));
  if (make == Make::kWholePath) {
    return MixHash(around, paths_.is_number(module) ? kAnyNumber : name);
  }
  const PathId parent = paths_.parent(module);
  return MixHash(paths_.is_number(parent) ? kAnyNumber : HashBytes(paths_.name(parent)), name);
}

uint64_t Inventory::MakeOf(PathId module, Make make) const {
  const std::vector<uint64_t>& makes = makes_[static_cast<size_t>(make)];
  if (module.index() < makes.size()) return makes[module.index()];
  return NameMake(module, make, MakeOf(paths_.parent(module), make));
}

void Inventory::MarkNamed(PathId module) {
  for (; module.valid() && !named_[module.index()]; module = paths_.parent(module)) {
    named_[module.index()] = true;
  }
}

Inventory::Room Inventory::RoomFor(const Item& item, PathId module, Make make) const {
  const auto kind = static_cast<size_t>(make);
  const uint64_t key = MakeOf(module, make);
  const auto kin = kin_[kind].find(key);
  if (kin == kin_[kind].end()) {
    const bool named = module.index() < named_.size() && named_[module.index()];
    return named ? Room::kUnheard : Room::kMadeUp;
  }
  const auto stock = stock_[kind].find(Key(key, item.look));
  if (stock == stock_[kind].end()) {
    if (kin->second.modules == 1) return Room::kAloneNot;
    return kin->second.nodes < kMuchKnown ? Room::kUnlikely : Room::kNever;
  }
  const auto here = in_module_.find(Key(module.index(), item.look));
  const uint32_t own = module == item.presumed ? 1 : 0;
  const uint32_t count = here == in_module_.end() ? 0 : here->second - own;
  if (count > 0 && kin->second.modules == 1) return Room::kAlone;
  const bool most = 2 * stock->second.modules > kin->second.modules;
  if (count < stock->second.count) return most ? Room::kVacantMost : Room::kVacant;
  return most ? Room::kFullMost : Room::kFull;
}

}  // namespace onnx_hier
