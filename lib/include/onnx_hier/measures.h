// SPDX-License-Identifier: Apache-2.0

// Numbers by module: what is counted of nodes, and what it comes to in each module.
//
//   absl::StatusOr<Column> column = MeasureModules(hierarchy, "parameters");
//   column->measure().unit                      // MeasureUnit::kCount
//   column->figure(layer).total.whole()         // 198272: of the module and all inside it
//
// A measure knows how it adds up and in what unit; a column has it for each module of a model.
// Whoever shows columns shows any: reports, exports and documents name none.
#ifndef ONNX_HIER_MEASURES_H_
#define ONNX_HIER_MEASURES_H_

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "onnx_hier/annotation.h"
#include "onnx_hier/hierarchy.h"
#include "onnx_hier/ids.h"

namespace onnx_hier {

// A whole number, exact and never beyond what 64 bits hold, or any other.
class Amount {
 public:
  constexpr Amount() = default;
  constexpr explicit Amount(uint64_t whole) : whole_(whole) {}
  constexpr explicit Amount(double real) : real_(real), is_whole_(false) {}

  bool is_whole() const { return is_whole_; }
  bool is_zero() const { return is_whole_ ? whole_ == 0 : real_ == 0; }
  // What is not whole is cut, and below zero nothing.
  uint64_t whole() const;
  double real() const { return is_whole_ ? static_cast<double>(whole_) : real_; }

  // Sums of whole numbers stay at the most there is.
  Amount& operator+=(Amount other) {
    if (!is_whole_ || !other.is_whole_) return *this = Amount(real() + other.real());
    if (__builtin_add_overflow(whole_, other.whole_, &whole_)) whole_ = UINT64_MAX;
    return *this;
  }
  // What each of `count` has; of whole numbers, the whole part.
  Amount operator/(uint64_t count) const;

  friend bool operator<(Amount a, Amount b) {
    return a.is_whole_ && b.is_whole_ ? a.whole_ < b.whole_ : a.real() < b.real();
  }
  friend bool operator==(Amount a, Amount b) { return !(a < b) && !(b < a); }

 private:
  uint64_t whole_ = 0;
  double real_ = 0;
  bool is_whole_ = true;
};

enum class MeasureUnit : uint8_t {
  kCount,
  kBytes,
  kNanoseconds,
  kRatio,   // in [0, 1]
  kNumber,  // of a unit of its own
  kWords,   // how often which word was said: "CPU 13, NPU 41"
};
// As in JSON: "count", "bytes", "ns", "ratio", "number", "words"
absl::string_view UnitName(MeasureUnit unit);

// What amounts come to where there are several.
enum class Adds : uint8_t {
  kSum,
  kMean,  // of the nodes that have one
  kMost,
};
// "sum", "mean", "most"
absl::string_view AddsName(Adds adds);

struct Measure {
  std::string id;     // "parameters", as --columns and JSON have it
  std::string title;  // over its column
  MeasureUnit unit = MeasureUnit::kCount;
  Adds adds = Adds::kSum;
  // It follows from what a module is made of, so that modules built alike have the same of it.
  bool is_structural = false;
};

// "Own" leaves out the modules inside, a total has them. Modules of which nothing is known have
// `known` 0, and amounts that say nothing.
struct Figure {
  Amount own;
  Amount total;
  uint64_t own_known = 0;  // amounts that `own` was made of
  uint64_t known = 0;      // ... `total` was made of
  uint64_t unknown = 0;    // what `total` lacks: a sum is at least that much
};

// A part of an amount: of an operator ("": not said), or of a word.
struct WordAmount {
  std::string word;
  Amount amount;
};

class Column {
 public:
  Column() = default;
  Column(Measure measure, const ModuleTree& tree)
      : measure_(std::move(measure)), figures_(tree.size()) {}

  // --- filling it
  // `count`: how many amounts it was made of. No module: it is not known.
  void Add(ModuleId module, Amount amount, uint64_t count = 1);
  // Likewise, with what it is a part for.
  void AddPart(ModuleId module, Amount amount, absl::string_view word, uint64_t count = 1);
  // That so many amounts of the module are not known.
  void AddUnknown(ModuleId module, uint64_t count);
  // What a node has of it, where nodes have amounts of their own.
  void SetNode(NodeId node, Amount amount) { nodes_.emplace_back(node, amount); }
  // Totals, once all is there.
  void AddUp(const ModuleTree& tree);
  // Where they are known: own and total at once, and nothing is added up.
  void Set(ModuleId module, const Figure& figure) { figures_[module] = figure; }

  // --- reading it
  const Measure& measure() const { return measure_; }
  const Figure& figure(ModuleId module) const { return figures_[module]; }
  // Of all modules together with what is not placed.
  Amount whole() const;
  // Of what no module is known.
  const Figure& unplaced() const { return unplaced_; }
  // The largest first, of the same size in the order in which they came.
  absl::Span<const WordAmount> OwnWords(ModuleId module) const;
  // Of the module and all inside it. Takes as long as there are words; of other units, as there are
  // modules.
  std::vector<WordAmount> WordsOf(ModuleId module) const;
  absl::Span<const WordAmount> UnplacedWords() const { return unplaced_words_; }
  // Of all modules together with what is not placed.
  std::vector<WordAmount> AllWords() const;
  absl::Span<const std::pair<NodeId, Amount>> nodes() const { return nodes_; }

 private:
  // What modules up to one have of a word: what a subtree has is a difference.
  struct Running {
    ModuleId module;
    Amount sum;
  };
  using Words = std::vector<WordAmount>;

  void AddUpWords(const ModuleTree& tree);

  Measure measure_;
  IdVector<ModuleId, Figure> figures_;
  Figure unplaced_;
  std::vector<std::pair<NodeId, Amount>> nodes_;
  IdVector<ModuleId, Words> words_;  // empty: it has none
  Words unplaced_words_;
  IdVector<ModuleId, ModuleId> ends_;  // of subtrees, where it has words
  std::vector<std::pair<std::string, std::vector<Running>>> running_;
  absl::flat_hash_map<std::pair<ModuleId, std::string>, size_t> places_;  // of words, while filled
};

// Whether figures of a module have what the modules inside it have.
enum class Inside : bool { kLeftOut, kIncluded };

// Of several modules together, none of which lies in another one.
Figure FigureOf(const Column& column, absl::Span<const ModuleId> modules);
std::vector<WordAmount> WordsOf(const Column& column, absl::Span<const ModuleId> modules,
                                Inside inside);

// What can be measured of any model, without another file: nodes, parameters, bytes, ...
std::vector<Measure> KnownMeasures();
bool IsKnownMeasure(absl::string_view id);
// kInvalidArgument: there is no such measure; the message lists them.
absl::StatusOr<Column> MeasureModules(const Hierarchy& hierarchy, absl::string_view id);

// Columns by their ids: those that were given, and what is measured when it is first asked for.
class ColumnSet {
 public:
  // Must outlive this.
  explicit ColumnSet(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {}

  // One of a profile or a table, which must outlive this.
  void Add(const Column& column) { given_.push_back(&column); }
  // It lives as long as this. kInvalidArgument: there is no such column.
  absl::StatusOr<const Column*> Find(absl::string_view id);
  // All of them; the error is that of the first one which is not there.
  absl::StatusOr<std::vector<const Column*>> FindAll(absl::Span<const std::string> ids);

 private:
  const Hierarchy& hierarchy_;
  std::vector<const Column*> given_;
  std::deque<Column> measured_;  // a deque: pointers stay valid
};

// What people look at first: "nodes", "parameters", "bytes".
std::vector<std::string> UsualColumns();

}  // namespace onnx_hier

#endif  // ONNX_HIER_MEASURES_H_
