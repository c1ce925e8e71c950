// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/chain.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace onnx_hier {
namespace {

// The units of a stage with all repeatable ones that they need; what these need in turn are inputs.
class LinkMaker {
 public:
  LinkMaker(const Units& units, const Repeatable& repeatable)
      : units_(units), repeatable_(repeatable) {}

  void Own(const std::vector<Unit>& own) {
    for (Unit unit : own) Take(unit);
    for (Unit unit : own) Read(unit);
  }
  // What is given out besides: repeatable.
  void Add(Unit unit) {
    if (taken_.contains(unit)) return;
    Take(unit);
    Read(unit);
  }

  Closure Finish() {
    std::sort(closure_.units.begin(), closure_.units.end());
    return std::move(closure_);
  }

 private:
  void Take(Unit unit) {
    if (!taken_.insert(unit).second) return;
    closure_.units.push_back(unit);
    for (ValueId value : units_.makes(unit)) {
      if (value.valid()) at_hand_.insert(value);
    }
  }

  void Read(Unit first) {
    std::vector<Unit> open = {first};
    while (!open.empty()) {
      const Unit unit = open.back();
      open.pop_back();
      for (ValueId value : units_.reads(unit)) {
        const bool is_parameter = units_.graph().value(value).kind == ValueKind::kInitializer;
        if (is_parameter || at_hand_.contains(value)) continue;
        const Unit maker = units_.maker(value);
        if (!maker.valid() || !repeatable_.Has(maker)) {
          at_hand_.insert(value);
          closure_.inputs.push_back(value);
          continue;
        }
        Take(maker);
        open.push_back(maker);
      }
    }
  }

  const Units& units_;
  const Repeatable& repeatable_;
  absl::flat_hash_set<Unit> taken_;
  absl::flat_hash_set<ValueId> at_hand_;
  Closure closure_;
};

}  // namespace

std::vector<Link> Chain(const Units& units, const Repeatable& repeatable, const Stages& stages) {
  std::vector<std::vector<Unit>> own(stages.count);
  for (Unit unit : units.ids()) {
    if (!repeatable.Has(unit)) own[stages.of[unit]].push_back(unit);
  }
  uint32_t last = 0;
  for (uint32_t stage = 0; stage < stages.count; ++stage) {
    if (!own[stage].empty()) last = stage;
  }
  std::vector<Link> links;
  IdSet<ValueId> wanted(units.graph().value_count());
  IdSet<Unit> seen(units.size());
  for (uint32_t stage = 0; stage < stages.count; ++stage) {
    if (own[stage].empty() && stage != last) continue;
    LinkMaker maker(units, repeatable);
    maker.Own(own[stage]);
    if (stage == last) {
      for (ValueId value : units.graph().outputs(units.block())) {
        const Unit unit = value.valid() ? units.maker(value) : Unit();
        if (unit.valid() && repeatable.Has(unit)) maker.Add(unit);
      }
    }
    links.push_back({stage, maker.Finish()});
    Closure& closure = links.back().closure;
    for (ValueId value : closure.inputs) wanted.Add(value);
    for (Unit unit : closure.units) {
      if (seen.Has(unit)) ++closure.copied;
      seen.Add(unit);
    }
  }
  for (Link& link : links) {
    for (Unit unit : link.closure.units) {
      if (repeatable.Has(unit) && link.stage != last) continue;
      for (ValueId value : units.makes(unit)) {
        if (!value.valid()) continue;
        const bool is_given =
            units.is_output(value) || (!repeatable.Has(unit) && wanted.Has(value));
        if (is_given) link.closure.outputs.push_back(value);
      }
    }
  }
  for (ValueId value : units.graph().outputs(units.block())) {
    const bool is_parameter =
        value.valid() && units.graph().value(value).kind == ValueKind::kInitializer;
    if (is_parameter) links.back().closure.outputs.push_back(value);
  }
  links.erase(std::remove_if(links.begin(), links.end(),
                             [](const Link& link) { return link.closure.outputs.empty(); }),
              links.end());
  return links;
}

}  // namespace onnx_hier
