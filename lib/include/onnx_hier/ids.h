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

}  // namespace onnx_hier

#endif  // ONNX_HIER_IDS_H_
