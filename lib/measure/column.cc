// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "onnx_hier/measures.h"

namespace onnx_hier {
namespace {

// Of two amounts, each made of so many.
Amount Together(Adds adds, Amount a, uint64_t a_known, Amount b, uint64_t b_known) {
  if (b_known == 0) return a;
  if (a_known == 0) return b;
  switch (adds) {
    case Adds::kMost:
      return std::max(a, b);
    case Adds::kMean: {
      const auto part_a = static_cast<double>(a_known);
      const auto part_b = static_cast<double>(b_known);
      return Amount((a.real() * part_a + b.real() * part_b) / (part_a + part_b));
    }
    case Adds::kSum:
      break;
  }
  return a += b;
}

void SortWords(std::vector<WordAmount>& words) {
  std::stable_sort(words.begin(), words.end(),
                   [](const WordAmount& a, const WordAmount& b) { return b.amount < a.amount; });
}

// The sums of several lists.
std::vector<WordAmount> Together(const std::vector<std::vector<WordAmount>>& parts) {
  std::vector<WordAmount> words;
  absl::flat_hash_map<absl::string_view, size_t> places;
  for (const std::vector<WordAmount>& part : parts) {
    for (const WordAmount& entry : part) {
      const auto [place, is_new] = places.emplace(entry.word, words.size());
      if (is_new) words.push_back({entry.word, Amount()});
      words[place->second].amount += entry.amount;
    }
  }
  SortWords(words);
  return words;
}

Amount Difference(Amount a, Amount b) {
  if (a.is_whole() && b.is_whole()) return Amount(a.whole() - b.whole());
  return Amount(a.real() - b.real());
}

}  // namespace

uint64_t Amount::whole() const {
  if (is_whole_) return whole_;
  if (!(real_ > 0)) return 0;
  constexpr double kBeyond = 18446744073709551616.0;  // 2 ^ 64
  return real_ < kBeyond ? static_cast<uint64_t>(real_) : UINT64_MAX;
}

Amount Amount::operator/(uint64_t count) const {
  return is_whole_ ? Amount(whole_ / count) : Amount(real_ / static_cast<double>(count));
}

absl::string_view UnitName(MeasureUnit unit) {
  constexpr absl::string_view kNames[] = {"count", "bytes", "ns", "ratio", "number", "words"};
  return kNames[static_cast<size_t>(unit)];
}

absl::string_view AddsName(Adds adds) {
  constexpr absl::string_view kNames[] = {"sum", "mean", "most"};
  return kNames[static_cast<size_t>(adds)];
}

void Column::Add(ModuleId module, Amount amount, uint64_t count) {
  Figure& figure = module.valid() ? figures_[module] : unplaced_;
  figure.own = Together(measure_.adds, figure.own, figure.own_known, amount, count);
  figure.own_known += count;
}

void Column::AddPart(ModuleId module, Amount amount, absl::string_view word, uint64_t count) {
  Add(module, amount, count);
  if (words_.empty()) words_.resize(figures_.size());
  Words& words = module.valid() ? words_[module] : unplaced_words_;
  const auto [place, is_new] = places_.emplace(std::pair(module, std::string(word)), words.size());
  if (is_new) words.push_back({place->first.second, Amount()});
  words[place->second].amount += amount;
}

void Column::AddUnknown(ModuleId module, uint64_t count) {
  (module.valid() ? figures_[module] : unplaced_).unknown += count;
}

// A module comes before those inside it: backwards, these are complete.
void Column::AddUp(const ModuleTree& tree) {
  for (Figure& figure : figures_) {
    figure.total = figure.own;
    figure.known = figure.own_known;
  }
  for (size_t i = figures_.size(); i-- > 1;) {
    const Figure& figure = figures_[ModuleId(i)];
    Figure& around = figures_[tree.module(ModuleId(i)).parent];
    around.total = Together(measure_.adds, around.total, around.known, figure.total, figure.known);
    around.known += figure.known;
    around.unknown += figure.unknown;
  }
  unplaced_.total = unplaced_.own;
  unplaced_.known = unplaced_.own_known;
  places_.clear();
  SortWords(unplaced_words_);
  if (words_.empty()) return;
  for (ModuleId module : tree.ids()) ends_.push_back(tree.subtree_end(module));
  if (measure_.unit == MeasureUnit::kWords) AddUpWords(tree);
  for (Words& words : words_) SortWords(words);
}

void Column::AddUpWords(const ModuleTree& tree) {
  absl::flat_hash_map<absl::string_view, size_t> numbers;
  for (ModuleId module : tree.ids()) {
    for (const WordAmount& part : words_[module]) {
      const auto [number, is_new] = numbers.emplace(part.word, running_.size());
      if (is_new) running_.push_back({part.word, {}});
      std::vector<Running>& sums = running_[number->second].second;
      Amount sum = sums.empty() ? Amount() : sums.back().sum;
      sums.push_back({module, sum += part.amount});
    }
  }
}

Amount Column::whole() const {
  const Figure& root = figures_[ModuleId(0)];
  return Together(measure_.adds, root.total, root.known, unplaced_.total, unplaced_.known);
}

absl::Span<const WordAmount> Column::OwnWords(ModuleId module) const {
  if (words_.empty()) return {};
  return words_[module];
}

std::vector<WordAmount> Column::WordsOf(ModuleId module) const {
  if (words_.empty()) return {};
  if (running_.empty()) {
    return Together({words_.begin() + module.index(), words_.begin() + ends_[module].index()});
  }
  std::vector<WordAmount> words;
  for (const auto& [word, sums] : running_) {
    const auto before = [](const Running& sum, ModuleId at) { return sum.module < at; };
    const auto begin = std::lower_bound(sums.begin(), sums.end(), module, before);
    const auto end = std::lower_bound(begin, sums.end(), ends_[module], before);
    if (begin == end) continue;
    const Amount until = begin == sums.begin() ? Amount() : (begin - 1)->sum;
    words.push_back({word, Difference((end - 1)->sum, until)});
  }
  SortWords(words);
  return words;
}

Figure FigureOf(const Column& column, absl::Span<const ModuleId> modules) {
  if (modules.size() == 1) return column.figure(modules[0]);
  const Adds adds = column.measure().adds;
  Figure all;
  for (ModuleId module : modules) {
    const Figure& figure = column.figure(module);
    all.own = Together(adds, all.own, all.own_known, figure.own, figure.own_known);
    all.total = Together(adds, all.total, all.known, figure.total, figure.known);
    all.own_known += figure.own_known;
    all.known += figure.known;
    all.unknown += figure.unknown;
  }
  return all;
}

std::vector<WordAmount> Column::AllWords() const {
  return Together({WordsOf(ModuleId(0)), unplaced_words_});
}

std::vector<WordAmount> WordsOf(const Column& column, absl::Span<const ModuleId> modules,
                                Inside inside) {
  const auto words_of = [&](ModuleId module) {
    const absl::Span<const WordAmount> own = column.OwnWords(module);
    return inside == Inside::kIncluded ? column.WordsOf(module)
                                       : std::vector<WordAmount>(own.begin(), own.end());
  };
  if (modules.size() == 1) return words_of(modules[0]);
  std::vector<std::vector<WordAmount>> parts;
  for (ModuleId module : modules) parts.push_back(words_of(module));
  return Together(parts);
}

}  // namespace onnx_hier
