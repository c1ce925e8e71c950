// SPDX-License-Identifier: Apache-2.0

// Numbers of things, found by their hashes: the first different thing is 0, the next 1, and so on.
//
//   NumberTable<uint32_t> table;
//   const auto is_same = [&](uint32_t number) { return texts[number] == text; };
//   uint32_t number = table.FindOrAdd(HashOf(text), texts.size(), is_same);
//   if (number == texts.size()) texts.push_back(text);
//
// Open addressing, slots of a hash and a number: names are looked up several times a node, prints
// seven times, and this is about twice as fast here as the packaged maps. Slots go by the high bits
// of a hash; where a file chooses what is hashed, a key that nobody can foresee belongs in it. The
// numbers do not depend on that.
#ifndef ONNX_HIER_LIB_BASE_NUMBER_TABLE_H_
#define ONNX_HIER_LIB_BASE_NUMBER_TABLE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace onnx_hier {

// `Hash` is unsigned.
template <class Hash>
class NumberTable {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

  // The number of the thing with this hash, of which `is_same(number)` says that it is this one; if
  // there is none, `next`, which must be how many there are, and is its number from now on.
  template <class IsSame>
  uint32_t FindOrAdd(Hash hash, size_t next, const IsSame& is_same) {
    if (next == most_) Grow();
    Slot& slot = slots_.data()[PlaceOf(hash, is_same)];
    if (slot.number == kNone) slot = {hash, static_cast<uint32_t>(next)};
    return slot.number;
  }
  // kNone: there is none.
  template <class IsSame>
  uint32_t Find(Hash hash, const IsSame& is_same) const {
    return most_ == 0 ? kNone : slots_.data()[PlaceOf(hash, is_same)].number;
  }
  // For a caller with many hashes: slots that are asked for ahead arrive side by side.
  void Prefetch(Hash hash) const {
    if (most_ > 0) __builtin_prefetch(slots_.data() + (hash >> shift_));
  }

 private:
  static constexpr size_t kFewest = 64;
  struct Slot {
    Hash hash = 0;
    uint32_t number = kNone;
  };

  // Where it is, or where it goes.
  template <class IsSame>
  size_t PlaceOf(Hash hash, const IsSame& is_same) const {
    const Slot* const slots = slots_.data();
    for (size_t at = hash >> shift_;; at = (at + 1) & mask_) {
      const Slot& slot = slots[at];
      if (slot.number == kNone || (slot.hash == hash && is_same(slot.number))) return at;
    }
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? kFewest : 2 * slots_.size());
    old.swap(slots_);
    shift_ = std::numeric_limits<Hash>::digits - std::countr_zero(slots_.size());
    mask_ = slots_.size() - 1;
    most_ = slots_.size() / 2;
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      slots_[PlaceOf(slot.hash, [](uint32_t) { return false; })] = slot;
    }
  }

  std::vector<Slot> slots_;  // size is a power of two, at most half full
  int shift_ = 0;            // leaves as many bits of a hash as that takes
  size_t mask_ = 0;          // that size, less 1
  size_t most_ = 0;          // numbers that fit
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_NUMBER_TABLE_H_
