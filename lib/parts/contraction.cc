// SPDX-License-Identifier: Apache-2.0
#include "lib/parts/contraction.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace onnx_hier {
namespace {

class Contractor {
 public:
  Contractor(const Units& units, const FoldRuns& runs, const FoldTraits& traits)
      : units_(units), runs_(runs), traits_(traits), members_(runs.size()) {
    budget_ = kWorkPerUnit * (units.size() + 1);
    MakeUnits();
    PutInOrder();
  }

  Contraction Contract(const RunChoices& choices) && {
    std::vector<FoldRunId> order;
    for (FoldRunId run : runs_.ids()) order.push_back(run);
    std::stable_sort(order.begin(), order.end(), [this](FoldRunId a, FoldRunId b) {
      const FoldRun& first = runs_.run(a);
      const FoldRun& second = runs_.run(b);
      if (first.depth != second.depth) return first.depth > second.depth;
      return first.units < second.units;  // before a larger one takes it in
    });
    for (FoldRunId run : order) {
      if (choices.lending.Has(run)) Lend(run);
      if (choices.skipped.Has(run) || !ContractRun(run)) HandOutwards(run, members_[run]);
      members_[run] = {};
    }
    for (ItemId item : IdRange<ItemId>(out_.items.size())) {
      if (IsLive(item)) out_.top.push_back(item);
    }
    Sort(out_.top);
    return std::move(out_);
  }

 private:
  // Steps of looking for ways that come back, summed over all runs.
  static constexpr uint64_t kWorkPerUnit = 256;

  static constexpr uint8_t kInside = 1;
  static constexpr uint8_t kBehind = 2;  // reads what the run makes, directly or not
  static constexpr uint8_t kBefore = 4;  // makes what the run reads, directly or not

  bool IsLive(ItemId item) const { return !around_[item].valid(); }
  // The outermost call that the item is in, or itself.
  ItemId Live(ItemId item) {
    ItemId top = item;
    while (around_[top].valid()) top = around_[top];
    while (around_[item].valid()) item = std::exchange(around_[item], top);
    return top;
  }
  ItemId MakerOf(ValueId value) {
    const Unit maker = units_.maker(value);
    return maker.valid() ? Live(ItemId(maker.index())) : ItemId();
  }
  bool IsPinned(ItemId item) const {
    return item.index() < units_.size() && traits_.pinned.Has(Unit(item.index()));
  }
  bool IsCheap(ItemId item) const {
    return item.index() < units_.size() && traits_.cheap.Has(Unit(item.index()));
  }

  // All that the item waits for.
  template <class Visit>
  void ForEachMaker(ItemId item, const Visit& visit) {
    for (ValueId value : out_.items[item].reads) {
      const ItemId maker = MakerOf(value);
      if (maker.valid() && maker != item) visit(maker);
    }
    if (IsPinned(item) && pinned_before_[item].valid()) visit(pinned_before_[item]);
  }
  template <class Visit>
  void ForEachReader(ItemId item, const Visit& visit) {
    for (ValueId value : out_.items[item].makes) {
      for (Unit reader : units_.readers(value)) {
        const ItemId live = Live(ItemId(reader.index()));
        if (live != item) visit(live);
      }
    }
  }

  void MakeUnits();
  void PutInOrder();
  void Lend(FoldRunId run);
  bool ContractRun(FoldRunId run);
  void HandOutwards(FoldRunId run, const std::vector<ItemId>& items);
  std::vector<ItemId> Between(const std::vector<ItemId>& inside);
  bool Widen(const std::vector<ItemId>& between, FoldRunId run, std::vector<ItemId>& inside);
  bool TakeIn(const std::vector<ItemId>& between, std::vector<ItemId>& inside);
  bool LeaveOut(const std::vector<ItemId>& between, FoldRunId run, std::vector<ItemId>& inside);
  std::vector<ItemId> Feeders(const std::vector<ItemId>& inside,
                              const std::vector<ItemId>& between);
  void Replace(FoldRunId run, std::vector<ItemId> inside, std::vector<ItemId> window_behind);
  void FindInterface(FoldItem& call, const absl::flat_hash_set<ItemId>& inside);
  void MakeRoom(ItemId call, const std::vector<ItemId>& inside);
  void Sort(std::vector<ItemId>& items);

  const Units& units_;
  const FoldRuns& runs_;
  const FoldTraits& traits_;
  IdVector<FoldRunId, std::vector<ItemId>> members_;  // live, or taken elsewhere by now
  Contraction out_;
  IdVector<ItemId, ItemId> around_;   // the call that it is in
  IdVector<ItemId, uint32_t> place_;  // in an order in which makers come first
  std::vector<ItemId> at_;            // by place; none: free
  IdVector<ItemId, ItemId> pinned_before_;
  IdVector<ItemId, uint8_t> marks_;
  uint64_t budget_ = 0;
  bool spent_ = false;
};

void Contractor::MakeUnits() {
  ItemId last_pinned;
  for (Unit unit : units_.ids()) {
    FoldItem item;
    item.unit = unit;
    const absl::Span<const ValueId> reads = units_.reads(unit);
    item.reads.assign(reads.begin(), reads.end());
    for (ValueId value : units_.makes(unit)) {
      if (value.valid()) item.makes.push_back(value);
    }
    item.first = units_.graph().node(units_.node(unit)).index;
    const ItemId id = out_.items.push_back(std::move(item));
    if (runs_.of(unit).valid()) members_[runs_.of(unit)].push_back(id);
    pinned_before_.push_back(ItemId());
    if (traits_.pinned.Has(unit)) {
      pinned_before_[id] = last_pinned;
      last_pinned = id;
    }
  }
  around_.assign(units_.size(), ItemId());
  marks_.assign(units_.size(), 0);
  place_.assign(units_.size(), 0);
}

// What needs no input goes right before its first reader: constants at the head of a file would
// else make every run as wide as the file.
void Contractor::PutInOrder() {
  IdSet<Unit> waits(units_.size());
  IdSet<Unit> placed(units_.size());
  std::vector<Unit> open;
  const auto place = [&](Unit unit) {
    placed.Add(unit);
    place_[ItemId(unit.index())] = static_cast<uint32_t>(at_.size());
    at_.push_back(ItemId(unit.index()));
  };
  // In front of each unit, what it reads and nobody has needed so far.
  const auto place_all = [&](Unit first) {
    open.push_back(first);
    while (!open.empty()) {
      const Unit unit = open.back();
      const size_t before = open.size();
      for (ValueId value : units_.reads(unit)) {
        const Unit maker = units_.maker(value);
        if (maker.valid() && maker < unit && !placed.Has(maker)) open.push_back(maker);
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (!placed.Has(unit)) place(unit);
    }
  };
  for (Unit unit : units_.ids()) {
    const absl::Span<const ValueId> reads = units_.reads(unit);
    const bool is_free = std::all_of(reads.begin(), reads.end(), [&](ValueId value) {
      const Unit maker = units_.maker(value);
      return maker.valid() ? waits.Has(maker)
                           : units_.graph().value(value).kind == ValueKind::kInitializer;
    });
    if (is_free && !traits_.pinned.Has(unit)) {
      waits.Add(unit);
    } else {
      place_all(unit);
    }
  }
  for (Unit unit : units_.ids()) {
    if (!placed.Has(unit)) place_all(unit);
  }
}

void Contractor::HandOutwards(FoldRunId run, const std::vector<ItemId>& items) {
  const FoldRunId outer = runs_.run(run).parent;
  if (!outer.valid()) return;
  std::vector<ItemId>& members = members_[outer];
  members.insert(members.end(), items.begin(), items.end());
}

// Live items that are not inside, on ways that leave `inside` and come back. Marks stay on the
// window, for MakeRoom().
std::vector<ItemId> Contractor::Between(const std::vector<ItemId>& inside) {
  uint32_t begin = 0xFFFFFFFFu;
  uint32_t end = 0;
  for (ItemId item : inside) {
    begin = std::min(begin, place_[item]);
    end = std::max(end, place_[item] + 1);
  }
  std::vector<ItemId> between;
  if (end - begin == inside.size()) return between;
  for (uint32_t at = begin; at < end; ++at) {
    if (at_[at].valid()) marks_[at_[at]] = 0;
  }
  for (ItemId item : inside) marks_[item] = kInside;
  const auto in_window = [&](ItemId item) { return place_[item] >= begin && place_[item] < end; };
  uint64_t work = 0;
  for (uint32_t at = begin; at < end; ++at) {
    const ItemId item = at_[at];
    ++work;
    if (!item.valid() || marks_[item] == kInside) continue;
    ForEachMaker(item, [&](ItemId maker) {
      ++work;
      if (in_window(maker) && (marks_[maker] & (kInside | kBehind)) != 0) marks_[item] |= kBehind;
    });
  }
  for (uint32_t at = end; at-- > begin;) {
    const ItemId item = at_[at];
    if (!item.valid() || (marks_[item] & (kInside | kBefore)) == 0) continue;
    ForEachMaker(item, [&](ItemId maker) {
      ++work;
      if (in_window(maker) && marks_[maker] != kInside) marks_[maker] |= kBefore;
    });
  }
  for (uint32_t at = begin; at < end; ++at) {
    if (at_[at].valid() && marks_[at_[at]] == (kBehind | kBefore)) between.push_back(at_[at]);
  }
  spent_ = spent_ || work > budget_;
  budget_ -= std::min(work, budget_);
  return between;
}

// What is inside and feeds the ways that come back; empty if some of it is not cheap.
std::vector<ItemId> Contractor::Feeders(const std::vector<ItemId>& inside,
                                        const std::vector<ItemId>& between) {
  const absl::flat_hash_set<ItemId> is_inside(inside.begin(), inside.end());
  std::vector<ItemId> feeders;
  absl::flat_hash_set<ItemId> seen;
  std::vector<ItemId> open = between;
  while (!open.empty()) {
    const ItemId item = open.back();
    open.pop_back();
    ForEachMaker(item, [&](ItemId maker) {
      if (!is_inside.contains(maker) || !seen.insert(maker).second) return;
      feeders.push_back(maker);
      open.push_back(maker);
    });
  }
  const bool all_cheap =
      std::all_of(feeders.begin(), feeders.end(), [this](ItemId item) { return IsCheap(item); });
  return all_cheap ? feeders : std::vector<ItemId>();
}

// Whether nobody outside of both reads what `between` makes, and no way comes back to both.
bool Contractor::TakeIn(const std::vector<ItemId>& between, std::vector<ItemId>& inside) {
  absl::flat_hash_set<ItemId> all(inside.begin(), inside.end());
  all.insert(between.begin(), between.end());
  bool ours = true;
  for (ItemId item : between) {
    ours = ours && !IsPinned(item);
    for (ValueId value : out_.items[item].makes) ours = ours && !units_.is_output(value);
    ForEachReader(item, [&](ItemId reader) { ours = ours && all.contains(reader); });
  }
  if (!ours) return false;
  std::vector<ItemId> wider = inside;
  wider.insert(wider.end(), between.begin(), between.end());
  if (!Between(wider).empty()) return false;
  out_.taken += between.size();
  inside = std::move(wider);
  return true;
}

// Whether all that feeds `between` is cheap, and no way comes back to the rest.
bool Contractor::LeaveOut(const std::vector<ItemId>& between, FoldRunId run,
                          std::vector<ItemId>& inside) {
  const std::vector<ItemId> feeders = Feeders(inside, between);
  if (feeders.empty() || feeders.size() == inside.size()) return false;
  const absl::flat_hash_set<ItemId> out(feeders.begin(), feeders.end());
  std::vector<ItemId> narrower;
  for (ItemId item : inside) {
    if (!out.contains(item)) narrower.push_back(item);
  }
  if (!Between(narrower).empty()) return false;
  out_.hoisted += feeders.size();
  HandOutwards(run, feeders);
  inside = std::move(narrower);
  return true;
}

// Takes a few items in, or leaves some out, so that no way comes back. False: neither helps.
bool Contractor::Widen(const std::vector<ItemId>& between, FoldRunId run,
                       std::vector<ItemId>& inside) {
  constexpr size_t kFew = 10;  // one of so many items
  const bool are_few = between.size() <= std::max<size_t>(1, inside.size() / kFew);
  if (are_few && TakeIn(between, inside)) return true;
  if (LeaveOut(between, run, inside)) return true;
  return !are_few && between.size() <= inside.size() && TakeIn(between, inside);
}

// Leaves outside what others read, and what that needs, if all of it is cheap.
void Contractor::Lend(FoldRunId run) {
  std::vector<ItemId> items;
  for (ItemId item : members_[run]) {
    if (IsLive(item)) items.push_back(item);
  }
  std::sort(items.begin(), items.end(),
            [this](ItemId a, ItemId b) { return place_[a] < place_[b]; });
  const absl::flat_hash_set<ItemId> inside(items.begin(), items.end());
  absl::flat_hash_set<ItemId> cheap;  // with all that they need of the run
  for (ItemId item : items) {
    bool is_cheap = IsCheap(item);
    ForEachMaker(item, [&](ItemId maker) {
      is_cheap = is_cheap && (cheap.contains(maker) || !inside.contains(maker));
    });
    if (is_cheap) cheap.insert(item);
  }
  absl::flat_hash_set<ItemId> lent;
  for (size_t i = items.size(); i-- > 0;) {
    if (!cheap.contains(items[i])) continue;
    bool is_lent = false;
    ForEachReader(items[i], [&](ItemId reader) {
      is_lent = is_lent || lent.contains(reader) || !inside.contains(reader);
    });
    if (is_lent) lent.insert(items[i]);
  }
  if (lent.empty() || lent.size() == items.size()) return;
  const auto kept = std::stable_partition(items.begin(), items.end(),
                                          [&](ItemId item) { return !lent.contains(item); });
  out_.hoisted += lent.size();
  HandOutwards(run, {kept, items.end()});
  members_[run].assign(items.begin(), kept);
}

bool Contractor::ContractRun(FoldRunId run) {
  std::vector<ItemId> inside;
  std::vector<ItemId> pinned;
  for (ItemId item : members_[run]) {
    if (!IsLive(item)) continue;
    (IsPinned(item) ? pinned : inside).push_back(item);
  }
  members_[run] = inside;
  HandOutwards(run, pinned);
  if (inside.empty()) return true;
  if (spent_) {
    out_.left.push_back({run, LeftInline::Why::kEntangled, NodeId()});
    return false;
  }
  const std::vector<ItemId> between = Between(inside);
  if (!between.empty() && !Widen(between, run, inside)) {
    ItemId through = between.front();
    while (!out_.items[through].unit.valid()) through = out_.items[through].items.front();
    out_.left.push_back({run, LeftInline::Why::kComesBack, units_.node(out_.items[through].unit)});
    return false;
  }
  FoldItem call;
  call.run = run;
  call.items = inside;
  Sort(call.items);
  call.first = out_.items[call.items.front()].first;
  for (ItemId item : inside) call.first = std::min(call.first, out_.items[item].first);
  FindInterface(call, absl::flat_hash_set<ItemId>(inside.begin(), inside.end()));
  if (call.makes.empty()) {
    out_.left.push_back({run, LeftInline::Why::kNothingRead, NodeId()});
    return false;
  }
  const ItemId id = out_.items.push_back(std::move(call));
  around_.push_back(ItemId());
  place_.push_back(0);
  marks_.push_back(0);
  pinned_before_.push_back(ItemId());
  MakeRoom(id, inside);
  for (ItemId item : inside) around_[item] = id;
  HandOutwards(run, {id});
  members_[run] = {};
  return true;
}

void Contractor::FindInterface(FoldItem& call, const absl::flat_hash_set<ItemId>& inside) {
  absl::flat_hash_set<ValueId> seen;
  for (ItemId item : call.items) {
    for (ValueId value : out_.items[item].reads) {
      const ItemId maker = MakerOf(value);
      if (maker.valid() && inside.contains(maker)) continue;
      if (seen.insert(value).second) call.reads.push_back(value);
    }
    for (ValueId value : out_.items[item].makes) {
      const absl::Span<const Unit> readers = units_.readers(value);
      const bool is_read = std::any_of(readers.begin(), readers.end(), [&](Unit reader) {
        return !inside.contains(Live(ItemId(reader.index())));
      });
      if (is_read || units_.is_output(value)) call.makes.push_back(value);
    }
  }
}

// The call takes one place between what makes what it reads and what reads what it makes.
void Contractor::MakeRoom(ItemId call, const std::vector<ItemId>& inside) {
  uint32_t begin = 0xFFFFFFFFu;
  uint32_t end = 0;
  for (ItemId item : inside) {
    begin = std::min(begin, place_[item]);
    end = std::max(end, place_[item] + 1);
  }
  const bool is_dense = end - begin == inside.size();
  std::vector<ItemId> before;
  std::vector<ItemId> behind;
  for (uint32_t at = begin; at < end && !is_dense; ++at) {
    const ItemId item = at_[at];
    if (!item.valid() || marks_[item] == kInside) continue;
    ((marks_[item] & kBehind) != 0 ? behind : before).push_back(item);
  }
  std::fill(at_.begin() + begin, at_.begin() + end, ItemId());
  uint32_t at = begin;
  const auto put = [&](ItemId item) {
    place_[item] = at;
    at_[at++] = item;
  };
  for (ItemId item : before) put(item);
  put(call);
  for (ItemId item : behind) put(item);
}

// In file order, as far as makers come first.
void Contractor::Sort(std::vector<ItemId>& items) {
  std::sort(items.begin(), items.end(), [this](ItemId a, ItemId b) {
    return std::pair(out_.items[a].first, a.index()) < std::pair(out_.items[b].first, b.index());
  });
  absl::flat_hash_map<ItemId, uint32_t> rank;
  for (uint32_t i = 0; i < items.size(); ++i) rank.emplace(items[i], i);
  std::vector<std::vector<uint32_t>> readers(items.size());
  std::vector<uint32_t> waiting(items.size(), 0);
  bool is_sorted = true;
  for (uint32_t i = 0; i < items.size(); ++i) {
    ForEachMaker(items[i], [&](ItemId maker) {
      const auto found = rank.find(maker);
      if (found == rank.end()) return;
      is_sorted = is_sorted && found->second < i;
      readers[found->second].push_back(i);
      ++waiting[i];
    });
  }
  if (is_sorted) return;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<ItemId> sorted;
  while (!ready.empty()) {
    const uint32_t i = ready.top();
    ready.pop();
    sorted.push_back(items[i]);
    for (uint32_t reader : readers[i]) {
      if (--waiting[reader] == 0) ready.push(reader);
    }
  }
  items = std::move(sorted);
}

}  // namespace

Contraction Contract(const Units& units, const FoldRuns& runs, const FoldTraits& traits,
                     const RunChoices& choices) {
  return Contractor(units, runs, traits).Contract(choices);
}

}  // namespace onnx_hier
