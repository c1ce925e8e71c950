// SPDX-License-Identifier: Apache-2.0
#include "lib/cost/input_sizes.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/value_shape.h"
#include "lib/onnx/value_type.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr double kLargestSize = 1u << 30;  // a size beyond is a mistake
constexpr size_t kMostNamed = 8;           // in one message

// A dimension of an input: a number, or what it is called.
struct InputDim {
  double number = -1;
  std::string name;
};

struct Input {
  std::string name;
  size_t place;  // among the graph's inputs
  bool is_tensor = true;
  bool is_stated = false;
  std::vector<InputDim> dims;
};

// What a size is called that the file has no name for.
std::string NameOf(absl::string_view input, size_t dim) {
  return absl::StrCat(input, "[", dim, "]");
}

class Reading {
 public:
  Reading(const Graph& graph, const ValueTypes& types, const CostOptions& options, BatchSize batch)
      : graph_(graph), types_(types), options_(options), batch_(batch) {}

  absl::StatusOr<InputSizes> Read() {
    TakeStated();
    OH_RETURN_IF_ERROR(TakeShapes());
    OH_RETURN_IF_ERROR(TakeSizes());
    if (batch_ == BatchSize::kOne) AssumeBatch();
    InputSizes result = {Expressions(given_), InputShapes(count_)};
    for (const Input& input : inputs_) {
      if (!input.is_stated) continue;
      DimList dims;
      for (const InputDim& dim : input.dims) {
        dims.push_back(dim.number >= 0 ? Dim(dim.number) : result.all.Symbol(dim.name));
      }
      result.shapes[input.place] = std::move(dims);
    }
    if (!options_.symbolic) OH_RETURN_IF_ERROR(AskForOpen());
    return result;
  }

 private:
  void TakeStated() {
    const absl::Span<const ValueId> formal = graph_.inputs(graph_.main_block());
    count_ = formal.size();
    for (size_t i = 0; i < formal.size(); ++i) {
      if (!formal[i].valid()) continue;
      const Value& value = graph_.value(formal[i]);
      if (value.kind != ValueKind::kInput) continue;
      Input& input = inputs_.emplace_back();
      input.name = std::string(value.name);
      input.place = i;
      const absl::string_view type = types_.type(formal[i]);
      input.is_tensor = type.empty() || DataTypeOf(type) != 0;
      const std::optional<std::vector<StatedDim>> stated = StatedShape(types_.stated(formal[i]));
      if (!stated) continue;
      input.is_stated = true;
      for (size_t d = 0; d < stated->size(); ++d) {
        const StatedDim& dim = (*stated)[d];
        input.dims.push_back({static_cast<double>(dim.number),
                              dim.name.empty() ? NameOf(value.name, d) : std::string(dim.name)});
      }
    }
  }

  absl::Status Give(const std::string& name, double size) {
    const auto [place, is_new] = given_.try_emplace(name, size);
    if (is_new || place->second == size) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "the size ", QuotedName(name), " is given twice: ", place->second, " and ", size));
  }

  absl::Status TakeShapes() {
    for (const auto& entry : options_.shapes) {
      const std::string& name = entry.first;
      const auto input =
          absl::c_find_if(inputs_, [&](const Input& each) { return each.name == name; });
      if (input == inputs_.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("there is no input ", QuotedName(name), "; there ",
                         inputs_.size() == 1 ? "is " : "are ",
                         Listed(inputs_, [](const Input& each) { return QuotedName(each.name); })));
      }
      OH_RETURN_IF_ERROR(TakeShape(entry.second, *input));
    }
    return absl::OkStatus();
  }

  absl::Status TakeShape(const std::string& text, Input& input) {
    std::vector<InputDim> dims;
    for (absl::string_view part : absl::StrSplit(text, absl::ByAnyChar("x,"), absl::SkipEmpty())) {
      part = absl::StripAsciiWhitespace(part);
      double number;
      if (!absl::SimpleAtod(part, &number) || number < 0 || number > kLargestSize ||
          std::trunc(number) != number) {
        return absl::InvalidArgumentError(absl::StrCat("the shape of ", QuotedName(input.name),
                                                       " is to be numbers such as 1x3x224x224, "
                                                       "not ",
                                                       QuotedName(text)));
      }
      dims.push_back({number, NameOf(input.name, dims.size())});
    }
    if (!input.is_stated) {
      input.is_stated = true;
      input.dims = std::move(dims);
      return absl::OkStatus();
    }
    if (dims.size() != input.dims.size()) {
      return absl::InvalidArgumentError(absl::StrCat(QuotedName(input.name), " has ",
                                                     input.dims.size(), " dimensions, not ",
                                                     dims.size(), " as in ", QuotedName(text)));
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      const InputDim& own = input.dims[i];
      if (own.number >= 0 && own.number != dims[i].number) {
        return absl::InvalidArgumentError(absl::StrCat(QuotedName(input.name), " is ", own.number,
                                                       " in dimension ", i, " for good, not ",
                                                       dims[i].number));
      }
      if (own.number < 0) OH_RETURN_IF_ERROR(Give(own.name, dims[i].number));
    }
    return absl::OkStatus();
  }

  absl::Status TakeSizes() {
    const std::vector<std::string> names = AllNames();
    for (const auto& [name, size] : options_.sizes) {
      if (!absl::c_linear_search(names, name)) {
        return absl::InvalidArgumentError(
            names.empty()
                ? absl::StrCat("no input has a size ", QuotedName(name),
                               ": all of them are numbers")
                : absl::StrCat("no input has a size ", QuotedName(name), "; there ",
                               names.size() == 1 ? "is " : "are ", Listed(names, QuotedName)));
      }
      OH_RETURN_IF_ERROR(Give(name, static_cast<double>(size)));
    }
    return absl::OkStatus();
  }

  // Calls `each(name, input, dimension)` for the names that open dimensions are made of, but those
  // that are given.
  template <class Each>
  void ForEachName(Expressions all, const Each& each) const {
    for (const Input& input : inputs_) {
      for (size_t d = 0; d < input.dims.size(); ++d) {
        if (input.dims[d].number >= 0) continue;
        for (const std::string& name : all.NamesIn(all.Symbol(input.dims[d].name))) {
          each(name, input, d);
        }
      }
    }
  }

  std::vector<std::string> AllNames() const {
    std::vector<std::string> names;
    absl::flat_hash_set<std::string> known;
    ForEachName(Expressions(), [&](const std::string& name, const Input&, size_t) {
      if (known.insert(name).second) names.push_back(name);
    });
    return names;
  }

  // What is called a batch, and what is first wherever it is, but no length by its name.
  void AssumeBatch() {
    absl::btree_map<std::string, bool> is_first;
    ForEachName(Expressions(given_), [&](const std::string& name, const Input&, size_t dim) {
      const auto [place, is_new] = is_first.try_emplace(name, true);
      place->second = place->second && dim == 0;
    });
    for (const auto& [name, first] : is_first) {
      const std::string lower = absl::AsciiStrToLower(name);
      const auto has = [&](absl::string_view word) { return absl::StrContains(lower, word); };
      const bool is_length = has("len") || has("seq") || has("time") || has("token") ||
                             has("frame") || has("num") || has("height") || has("width");
      if (has("batch") || (first && !is_length)) given_.try_emplace(name, 1);
    }
  }

  absl::Status AskForOpen() const {
    for (const Input& input : inputs_) {
      if (input.is_stated || !input.is_tensor) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("the model states no shape of its input ", QuotedName(input.name)));
    }
    absl::btree_map<std::string, std::vector<std::string>> open;  // inputs by name
    ForEachName(Expressions(given_), [&](const std::string& name, const Input& input, size_t) {
      std::vector<std::string>& of = open[name];
      const bool is_full = of.size() == kMostNamed;
      if (!is_full && !absl::c_linear_search(of, QuotedName(input.name))) {
        of.push_back(QuotedName(input.name));
      }
    });
    if (open.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("the model leaves open how large ",
                     Listed(open,
                            [](const auto& entry) {
                              return absl::StrCat(QuotedName(entry.first), " (of ",
                                                  absl::StrJoin(entry.second, ", "), ")");
                            }),
                     open.size() == 1 ? " is" : " are"));
  }

  template <class List, class Text>
  static std::string Listed(const List& list, const Text& text) {
    std::vector<std::string> texts;
    for (const auto& each : list) {
      if (texts.size() == kMostNamed) {
        texts.push_back("...");
        break;
      }
      texts.push_back(text(each));
    }
    return absl::StrJoin(texts, ", ");
  }

  const Graph& graph_;
  const ValueTypes& types_;
  const CostOptions& options_;
  const BatchSize batch_;
  std::vector<Input> inputs_;
  size_t count_ = 0;
  absl::flat_hash_map<std::string, double> given_;
};

}  // namespace

absl::StatusOr<InputSizes> ReadInputSizes(const Graph& graph, const ValueTypes& types,
                                          const CostOptions& options, BatchSize batch) {
  return Reading(graph, types, options, batch).Read();
}

}  // namespace onnx_hier
