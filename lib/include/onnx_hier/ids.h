// SPDX-License-Identifier: Apache-2.0

// Typed indices into the flat vectors of a model.
//
//   NodeId n = graph.nodes(graph.main_block())[3];   // fine
//   ValueId v = n;                                   // does not compile
//
// A default-constructed id is "none" and is not valid as an index.
#ifndef ONNX_HIER_IDS_H_
#define ONNX_HIER_IDS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace onnx_hier {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(size_t index) : index_(static_cast<uint32_t>(index)) {}

  constexpr bool valid() const { return index_ != kNone; }
  constexpr uint32_t index() const { return index_; }

  friend constexpr bool operator==(Id a, Id b) { return a.index_ == b.index_; }
  friend constexpr bool operator!=(Id a, Id b) { return a.index_ != b.index_; }
  friend constexpr bool operator<(Id a, Id b) { return a.index_ < b.index_; }

  template <class H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.index_);
  }

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  uint32_t index_ = kNone;
};

using NodeId = Id<struct NodeIdTag>;
using ValueId = Id<struct ValueIdTag>;
using BlockId = Id<struct BlockIdTag>;
using TensorId = Id<struct TensorIdTag>;
using OpId = Id<struct OpIdTag>;
using PathId = Id<struct PathIdTag>;
using ModuleId = Id<struct ModuleIdTag>;

namespace ids_internal {

// How many items a container has, 0 once they were moved elsewhere. Every index is compared with
// it: a vector's own check divides the bytes between two pointers by the size of an item first,
// which was a tenth of all that is done for a node.
class Count {
 public:
  constexpr Count() = default;
  constexpr explicit Count(size_t value) : value_(value) {}
  constexpr Count(const Count&) = default;
  constexpr Count(Count&& other) noexcept : value_(std::exchange(other.value_, 0)) {}
  Count& operator=(const Count&) = default;
  Count& operator=(Count&& other) noexcept {
    value_ = std::exchange(other.value_, 0);
    return *this;
  }
  ~Count() = default;

  constexpr size_t value() const { return value_; }
  // Ends the program where there is no such item.
  size_t Checked(size_t index) const {
    if (index >= value_) [[unlikely]] {
      __builtin_trap();
    }
    return index;
  }

 private:
  size_t value_ = 0;
};

}  // namespace ids_internal

// A vector that takes only its own kind of id as an index.
template <class IdType, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(size_t size, const T& fill = T()) : items_(size, fill), count_(size) {}

  T& operator[](IdType id) { return items_.data()[count_.Checked(id.index())]; }
  const T& operator[](IdType id) const { return items_.data()[count_.Checked(id.index())]; }

  IdType push_back(T item) {
    items_.push_back(std::move(item));
    return Last();
  }
  // At the end, as `T()` makes it.
  IdType add() {
    items_.emplace_back();
    return Last();
  }
  IdType next_id() const { return IdType(items_.size()); }
  size_t size() const { return count_.value(); }
  bool empty() const { return items_.empty(); }
  void reserve(size_t n) { items_.reserve(n); }
  void resize(size_t n) {
    items_.resize(n);
    count_ = ids_internal::Count(n);
  }
  void assign(size_t n, const T& fill) {
    items_.assign(n, fill);
    count_ = ids_internal::Count(n);
  }
  bool contains(IdType id) const { return id.index() < size(); }

  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  IdType Last() {
    const IdType last(count_.value());
    count_ = ids_internal::Count(count_.value() + 1);
    return last;
  }

  std::vector<T> items_;
  ids_internal::Count count_;
};

// A set of ids of one kind, out of the first `size` ones.
template <class IdType>
class IdSet {
 public:
  IdSet() = default;
  explicit IdSet(size_t size) { Resize(size); }

  size_t size() const { return count_.value(); }
  // Of an id out of these; Contains() may be asked for any.
  bool Has(IdType id) const { return (words_.data()[WordOf(id)] & BitOf(id)) != 0; }
  bool Contains(IdType id) const { return id.index() < size() && Has(id); }
  bool HasAll() const { return Members() == size(); }
  bool HasAny() const { return Members() > 0; }
  void Add(IdType id) { words_.data()[WordOf(id)] |= BitOf(id); }
  void Remove(IdType id) { words_.data()[WordOf(id)] &= ~BitOf(id); }
  void Resize(size_t size) {
    words_.resize((size + kBits - 1) / kBits, 0);
    count_ = ids_internal::Count(size);
    ClearRest();
  }
  void AddAll() {
    words_.assign(words_.size(), ~Word{0});
    ClearRest();
  }

 private:
  using Word = uint64_t;
  static constexpr size_t kBits = 64;

  size_t WordOf(IdType id) const { return count_.Checked(id.index()) / kBits; }
  static Word BitOf(IdType id) { return Word{1} << (id.index() % kBits); }
  // Bits behind the last id.
  void ClearRest() {
    const size_t used = size() % kBits;
    if (used != 0) words_.back() &= (Word{1} << used) - 1;
  }
  size_t Members() const {
    size_t members = 0;
    for (Word word : words_) members += static_cast<size_t>(std::popcount(word));
    return members;
  }

  std::vector<Word> words_;
  ids_internal::Count count_;
};

// All ids 0..size-1, for range-based loops.
template <class IdType>
class IdRange {
 public:
  class Iterator {
   public:
    explicit Iterator(size_t i) : i_(i) {}
    IdType operator*() const { return IdType(i_); }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return i_ != other.i_; }

   private:
    size_t i_;
  };
  explicit IdRange(size_t size) : size_(size) {}
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(size_); }

 private:
  size_t size_;
};

// Items by what has them, those of one owner side by side.
//
//   const Grouped<ModuleId, NodeId> nodes(modules, [&](const auto& visit) {
//     for (NodeId node : graph.node_ids()) visit(module_of(node), node);
//   });
//   for (NodeId node : nodes.of(module)) ...
template <class OwnerId, class Item>
class Grouped {
 public:
  Grouped() = default;
  // Of the first `owners` ids. `each` calls what it is given with the owner of each item and the
  // item; it is called twice, and does the same both times. Items of one owner keep their order.
  template <class Each>
  Grouped(size_t owners, const Each& each) : begins_(owners + 2, 0), owners_(owners) {
    // While items are put in place, begins[owner + 1] is where the next one of the owner goes.
    uint32_t* const begins = begins_.data();
    each([&](OwnerId owner, const Item&) { ++begins[owners_.Checked(owner.index()) + 2]; });
    for (size_t i = 2; i < owners + 2; ++i) begins[i] += begins[i - 1];
    items_.resize(begins_.back());
    Item* const items = items_.data();
    each([&](OwnerId owner, const Item& item) { items[begins[owner.index() + 1]++] = item; });
    begins_.pop_back();
  }

  // One that is made owner by owner: items of the next owner, then Close().
  void Add(Item item) { items_.push_back(std::move(item)); }
  void Close() {
    begins_.push_back(static_cast<uint32_t>(items_.size()));
    owners_ = ids_internal::Count(begins_.size() - 1);
  }

  size_t owner_count() const { return owners_.value(); }
  absl::Span<const Item> of(OwnerId owner) const {
    const uint32_t* const begin = begins_.data() + owners_.Checked(owner.index());
    return {items_.data() + begin[0], begin[1] - begin[0]};
  }
  // Of owners from `first` on and before `end`, which comes after it.
  absl::Span<const Item> Within(OwnerId first, OwnerId end) const {
    const Item* const begin = of(first).data();
    const absl::Span<const Item> last = of(OwnerId(end.index() - 1));
    return {begin, static_cast<size_t>(last.data() + last.size() - begin)};
  }
  // Of all owners.
  absl::Span<const Item> items() const { return items_; }

 private:
  std::vector<uint32_t> begins_ = {0};  // one more than there are owners
  std::vector<Item> items_;
  ids_internal::Count owners_;
};

}  // namespace onnx_hier

#endif  // ONNX_HIER_IDS_H_
