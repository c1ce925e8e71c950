// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/closure.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace onnx_hier {
namespace {

class ClosureFinder {
 public:
  ClosureFinder(const Units& units, const Repeatable& repeatable, const std::vector<Unit>& own,
                const Ends& ends)
      : units_(units),
        repeatable_(repeatable),
        own_(own),
        ends_(ends),
        given_(ends.inputs.begin(), ends.inputs.end()),
        taken_(own.begin(), own.end()) {
    for (Unit unit : own) {
      for (ValueId value : units.makes(unit)) {
        if (value.valid()) at_hand_.insert(value);
      }
    }
  }

  Closure Close() && {
    FindInputs();
    if (ends_.outputs.empty()) {
      FindSharedCopies();
      FindOutputs();
    } else {
      TakeOutputs();
    }
    closure_.units = own_;
    closure_.units.insert(closure_.units.end(), copied_.begin(), copied_.end());
    closure_.copied = copied_.size();
    std::sort(closure_.units.begin(), closure_.units.end());
    return std::move(closure_);
  }

 private:
  bool IsParameter(ValueId value) const { return units_.tensor(value).valid(); }

  bool IsReadOutside(ValueId value) const {
    const absl::Span<const Unit> readers = units_.readers(value);
    return std::any_of(readers.begin(), readers.end(), [this](Unit reader) {
      return !taken_.contains(reader) || shared_.contains(reader);
    });
  }

  // Of what was copied, that which others outside need as well, and what it needs for them.
  void FindSharedCopies() {
    std::sort(copied_.begin(), copied_.end());
    for (size_t i = copied_.size(); i-- > 0;) {
      for (ValueId value : units_.makes(copied_[i])) {
        if (!value.valid()) continue;
        if (units_.is_output(value) || IsReadOutside(value)) shared_.insert(copied_[i]);
      }
    }
  }

  // Constants and shapes are outputs where there are no others: others can work them out. Of a part
  // that nobody reads, what it does not read itself.
  void FindOutputs() {
    std::vector<ValueId> read;
    std::vector<ValueId> data;
    std::vector<ValueId> dead;
    for (Unit unit : own_) {
      for (ValueId value : units_.makes(unit)) {
        if (!value.valid()) continue;
        const bool is_output = units_.is_output(value);
        const bool is_read = is_output || IsReadOutside(value);
        if (is_read) read.push_back(value);
        if (is_read && (is_output || !repeatable_.Has(unit))) data.push_back(value);
        if (units_.readers(value).empty()) dead.push_back(value);
      }
    }
    closure_.outputs = !data.empty() ? std::move(data) : !read.empty() ? std::move(read) : dead;
  }

  // One that is not made here is handed through.
  void TakeOutputs() {
    for (ValueId value : ends_.outputs) {
      if (!outputs_.insert(value).second) continue;
      closure_.outputs.push_back(value);
      const Unit maker = units_.maker(value);
      const bool is_made = maker.valid() && taken_.contains(maker);
      if (!is_made && !IsParameter(value) && seen_.insert(value).second) {
        closure_.inputs.push_back(value);
      }
    }
  }

  void FindInputs() {
    std::vector<ValueId> needed;
    for (Unit unit : own_) {
      for (ValueId value : units_.reads(unit)) {
        if (IsParameter(value) || at_hand_.contains(value) || !seen_.insert(value).second) continue;
        if (given_.contains(value)) {
          closure_.inputs.push_back(value);
          at_hand_.insert(value);
          continue;
        }
        needed.push_back(value);
        const Unit maker = units_.maker(value);
        if (!maker.valid() || !repeatable_.Has(maker)) at_hand_.insert(value);
      }
    }
    for (ValueId value : needed) {
      const Unit maker = units_.maker(value);
      if (maker.valid() && CanRepeat(maker)) {
        Copy(maker);
      } else {
        closure_.inputs.push_back(value);
      }
    }
  }

  bool CanRepeat(Unit unit) const {
    if (!repeatable_.Has(unit)) return false;
    const absl::Span<const ValueId> sources = repeatable_.sources(unit);
    return std::all_of(sources.begin(), sources.end(),
                       [this](ValueId value) { return at_hand_.contains(value); });
  }

  // With all that it needs in turn, of which nothing is missing.
  void Copy(Unit first) {
    std::vector<Unit> open = {first};
    while (!open.empty()) {
      const Unit unit = open.back();
      open.pop_back();
      if (!taken_.insert(unit).second) continue;
      copied_.push_back(unit);
      for (ValueId value : units_.reads(unit)) {
        const Unit maker = units_.maker(value);
        if (!IsParameter(value) && maker.valid() && !at_hand_.contains(value))
          open.push_back(maker);
      }
    }
  }

  const Units& units_;
  const Repeatable& repeatable_;
  const std::vector<Unit>& own_;
  const Ends& ends_;
  const absl::flat_hash_set<ValueId> given_;
  absl::flat_hash_set<ValueId> outputs_;  // that are wanted
  absl::flat_hash_set<Unit> taken_;       // own and copied
  absl::flat_hash_set<ValueId> at_hand_;  // made by own units, or given
  absl::flat_hash_set<ValueId> seen_;     // read by own units
  std::vector<Unit> copied_;
  absl::flat_hash_set<Unit> shared_;  // of these
  Closure closure_;
};

// Marks `own` and all that waits for it.
IdSet<Unit> MarkReaders(const Units& units, const Repeatable& repeatable,
                        const std::vector<Unit>& own) {
  IdSet<Unit> marked(units.size());
  for (Unit unit : own) marked.Add(unit);
  for (Unit unit : units.ids()) {
    if (marked.Has(unit)) continue;
    repeatable.ForEachNeeded(unit, [&](Unit maker) {
      if (marked.Has(maker)) marked.Add(unit);
    });
  }
  return marked;
}

// Marks `own` and all that it waits for.
IdSet<Unit> MarkMakers(const Units& units, const Repeatable& repeatable,
                       const std::vector<Unit>& own) {
  IdSet<Unit> marked(units.size());
  for (Unit unit : own) marked.Add(unit);
  for (size_t i = units.size(); i-- > 0;) {
    if (!marked.Has(Unit(i))) continue;
    repeatable.ForEachNeeded(Unit(i), [&](Unit maker) { marked.Add(maker); });
  }
  return marked;
}

template <class IsMeant>
std::vector<Unit> Listed(const Units& units, const IsMeant& is_meant) {
  std::vector<Unit> list;
  for (Unit unit : units.ids()) {
    if (is_meant(unit)) list.push_back(unit);
  }
  return list;
}

}  // namespace

Closure Close(const Units& units, const Repeatable& repeatable, const std::vector<Unit>& own,
              const Ends& ends) {
  return ClosureFinder(units, repeatable, own, ends).Close();
}

std::vector<ValueId> ParametersIn(const Units& units, const Closure& closure) {
  std::vector<ValueId> parameters;
  absl::flat_hash_set<TensorId> seen;
  const auto add = [&](ValueId value) {
    const TensorId tensor = units.tensor(value);
    if (tensor.valid() && seen.insert(tensor).second) parameters.push_back(value);
  };
  for (Unit unit : closure.units) {
    for (ValueId value : units.reads(unit)) add(value);
  }
  for (ValueId value : closure.outputs) add(value);
  return parameters;
}

std::vector<Unit> Between(const Units& units, const Repeatable& repeatable,
                          const std::vector<Unit>& own) {
  const IdSet<Unit> behind = MarkReaders(units, repeatable, own);
  const IdSet<Unit> before = MarkMakers(units, repeatable, own);
  IdSet<Unit> inside(units.size());
  for (Unit unit : own) inside.Add(unit);
  return Listed(units, [&](Unit unit) {
    return behind.Has(unit) && before.Has(unit) && !inside.Has(unit) && !repeatable.Has(unit);
  });
}

std::vector<Unit> WithMakers(const Units& units, const std::vector<Unit>& own,
                             absl::Span<const ValueId> given) {
  const absl::flat_hash_set<ValueId> is_given(given.begin(), given.end());
  IdSet<Unit> marked(units.size());
  for (Unit unit : own) marked.Add(unit);
  for (size_t i = units.size(); i-- > 0;) {
    if (!marked.Has(Unit(i))) continue;
    for (ValueId value : units.reads(Unit(i))) {
      if (units.maker(value).valid() && !is_given.contains(value)) marked.Add(units.maker(value));
    }
  }
  return Listed(units, [&](Unit unit) { return marked.Has(unit); });
}

std::vector<Unit> WithReaders(const Units& units, const Repeatable& repeatable,
                              const std::vector<Unit>& own) {
  const IdSet<Unit> marked = MarkReaders(units, repeatable, own);
  return Listed(units, [&](Unit unit) { return marked.Has(unit); });
}

}  // namespace onnx_hier
