// Strings to dense numbers: the first distinct string is 0, the next 1, and so on.
//
// Value names are looked up several times a node. An open-addressing table of (32 bits of hash,
// number) in 8-byte slots is about twice as fast here as the packaged string maps. Hashes are
// keyed anew for each table, so that no file can be made whose names all collide; the numbers do
// not depend on them.
#ifndef ONNX_HIER_LIB_BASE_INTERNER_H_
#define ONNX_HIER_LIB_BASE_INTERNER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/base/hash.h"
#include "lib/base/random_hash_key.h"

namespace onnx_hier {

// Holds views: the strings must outlive it.
class Interner {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

  // The number of `text`, new if it was not seen before.
  uint32_t Intern(absl::string_view text) { return Intern(text, Hash(text)); }
  // The same in two steps, for a caller with many texts: the table is larger than the processor's
  // caches, and slots that are asked for ahead arrive side by side.
  uint32_t Prefetch(absl::string_view text) const {
    const uint32_t hash = Hash(text);
    if (most_ > 0) __builtin_prefetch(slots_.data() + (hash & mask_));
    return hash;
  }
  uint32_t Intern(absl::string_view text, uint32_t hash) {
    if (texts_.size() == most_) Grow();
    Slot* slot = FindSlot(text, hash);
    if (slot->number == kNone) {
      *slot = {hash, static_cast<uint32_t>(texts_.size())};
      texts_.push_back(text);
    }
    return slot->number;
  }

  // The number of `text`, or kNone.
  uint32_t Find(absl::string_view text) const {
    if (most_ == 0) return kNone;
    return const_cast<Interner*>(this)->FindSlot(text, Hash(text))->number;
  }

  absl::string_view text(uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = kNone;
  };

  uint32_t Hash(absl::string_view text) const {
    const uint64_t hash = HashName(text, key_);
    return static_cast<uint32_t>(hash ^ (hash >> 32));
  }

  Slot* FindSlot(absl::string_view text, uint32_t hash) {
    Slot* const slots = slots_.data();
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      Slot& slot = slots[i];
      if (slot.number == kNone) return &slot;
      if (slot.hash == hash && texts_[slot.number] == text) return &slot;
    }
  }

  void Grow() {
    std::vector<Slot> old;
    old.swap(slots_);
    slots_.resize(old.empty() ? 64 : old.size() * 2);
    mask_ = slots_.size() - 1;
    most_ = slots_.size() / 2;
    Slot* const slots = slots_.data();
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      size_t i = slot.hash & mask_;
      while (slots[i].number != kNone) i = (i + 1) & mask_;
      slots[i] = slot;
    }
  }

  const HashKey key_ = RandomHashKey();
  std::vector<Slot> slots_;  // size is a power of two, at most half full
  size_t mask_ = 0;          // that size, less 1
  size_t most_ = 0;          // texts that fit
  std::vector<absl::string_view> texts_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_LIB_BASE_INTERNER_H_
