// Typed indices into the flat vectors of a model.
//
//   NodeId n = graph.nodes(graph.main_block())[3];   // fine
//   ValueId v = n;                                   // does not compile
//
// A default-constructed id is "none" and is not valid as an index.
#ifndef ONNX_HIER_IDS_H_
#define ONNX_HIER_IDS_H_

#include <algorithm>
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

// A vector that takes only its own kind of id as an index.
template <class IdType, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(size_t size, const T& fill = T()) : items_(size, fill) {}

  T& operator[](IdType id) { return items_[id.index()]; }
  const T& operator[](IdType id) const { return items_[id.index()]; }

  IdType push_back(T item) {
    items_.push_back(std::move(item));
    return IdType(items_.size() - 1);
  }
  // At the end, as `T()` makes it.
  IdType add() {
    items_.emplace_back();
    return IdType(items_.size() - 1);
  }
  IdType next_id() const { return IdType(items_.size()); }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void reserve(size_t n) { items_.reserve(n); }
  void resize(size_t n) { items_.resize(n); }
  void assign(size_t n, const T& fill) { items_.assign(n, fill); }
  bool contains(IdType id) const { return id.index() < items_.size(); }

  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

// A set of ids of one kind, out of the first `size` ones.
template <class IdType>
class IdSet {
 public:
  IdSet() = default;
  explicit IdSet(size_t size) : in_(size, false) {}

  size_t size() const { return in_.size(); }
  // Of an id out of these; Contains() may be asked for any.
  bool Has(IdType id) const { return in_[id.index()]; }
  bool Contains(IdType id) const { return id.index() < in_.size() && Has(id); }
  bool HasAll() const { return std::find(in_.begin(), in_.end(), false) == in_.end(); }
  bool HasAny() const { return std::find(in_.begin(), in_.end(), true) != in_.end(); }
  void Add(IdType id) { in_[id.index()] = true; }
  void Remove(IdType id) { in_[id.index()] = false; }
  void Resize(size_t size) { in_.resize(size, false); }
  void AddAll() { in_.assign(in_.size(), true); }

 private:
  std::vector<bool> in_;
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
