#include "tools/onnx-hier/flags.h"

#include <algorithm>
#include <cxxopts.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace onnx_hier::cli {

namespace {

// How many letters must be typed differently to get from one word to the other.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// What cxxopts puts between its quotation marks, which are all that tells which option is meant.
std::string Subject(absl::string_view message) {
  constexpr absl::string_view kOpen = "‘";
  const size_t begin = message.find(kOpen);
  const size_t end = message.rfind("’");
  if (begin == absl::string_view::npos || end == absl::string_view::npos) return "";
  return std::string(message.substr(begin + kOpen.size(), end - begin - kOpen.size()));
}

const Flag* FindFlag(absl::Span<const Flag> flags, absl::string_view name) {
  for (const Flag& flag : flags) {
    if (name == flag.name || (name.size() == 1 && name[0] == flag.letter)) return &flag;
  }
  return nullptr;
}

std::string UnknownOption(absl::Span<const Flag> flags, const std::vector<std::string>& words,
                          const std::string& name) {
  if (name.size() == 1) {
    for (const std::string& word : words) {
      // Letters may be joined, so that a file's name is taken for flags.
      if (word.size() < 2 || word[0] != '-' || word[1] == '-') continue;
      if (word.find_first_of("./") == std::string::npos || word.find(name) == std::string::npos) {
        continue;
      }
      return absl::StrCat("unknown option '", word, "'; if it is a file, name it './", word, "'");
    }
    return absl::StrCat("unknown option '-", name, "'");
  }
  std::vector<absl::string_view> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  const absl::string_view meant = Closest(name, names);
  return absl::StrCat("unknown option '--", name, "'",
                      meant.empty() ? "" : absl::StrCat(" (did you mean '--", meant, "'?)"));
}

std::string MissingValue(absl::Span<const Flag> flags, const std::string& name) {
  const Flag* flag = FindFlag(flags, name);
  if (flag == nullptr) return absl::StrCat("option '", name, "' needs a value");
  return absl::StrCat("--", flag->name, " needs a value: ", flag->value_name);
}

// Only switches have values of a form that can be wrong.
std::string NeedlessValue(const std::vector<std::string>& words, const std::string& value) {
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || word.substr(equals + 1) != value) continue;
    return absl::StrCat(word.substr(0, equals), " takes no value");
  }
  return absl::StrCat("'", value, "' is a value for a switch, which takes none");
}

}  // namespace

absl::string_view Closest(absl::string_view typed, absl::Span<const absl::string_view> names) {
  absl::string_view closest;
  // A third of the letters may be wrong: more is another word.
  size_t least = typed.size() / 3 + 1;
  for (absl::string_view name : names) {
    const bool begins = typed.size() >= 3 && absl::StartsWith(name, typed);
    const size_t distance = begins ? 0 : EditDistance(typed, name);
    if (distance >= least) continue;
    least = distance;
    closest = name;
  }
  return closest;
}

absl::Status ParsedFlags::Fill(absl::Span<const Flag> flags, const cxxopts::ParseResult& result) {
  for (const Flag& flag : flags) {
    if (result.count(flag.name) == 0) continue;
    if (result.count(flag.name) > 1) {
      return absl::InvalidArgumentError(absl::StrCat("--", flag.name, " is given twice"));
    }
    std::string& value = values_[flag.name];
    if (flag.value_name == nullptr) continue;
    value = result[flag.name].as<std::string>();
    if (value.empty())
      return absl::InvalidArgumentError(absl::StrCat("--", flag.name, " is empty"));
  }
  // Words that belong to no flag: cxxopts drops none of them when no positional is declared.
  arguments_ = result.unmatched();
  for (const std::string& argument : arguments_) {
    if (argument.empty()) return absl::InvalidArgumentError("a model's name is empty");
  }
  return absl::OkStatus();
}

absl::StatusOr<ParsedFlags> ParseFlags(absl::Span<const Flag> flags,
                                       const std::vector<std::string>& words) {
  cxxopts::Options options("onnx-hier");
  auto add = options.add_options();
  for (const Flag& flag : flags) {
    std::string names = flag.name;
    if (flag.letter != 0) names = absl::StrCat(std::string(1, flag.letter), ",", flag.name);
    // A plain string value: cxxopts would split a list at commas, which paths may hold.
    add(names, flag.help,
        flag.value_name == nullptr ? cxxopts::value<bool>() : cxxopts::value<std::string>());
  }
  std::vector<const char*> argv = {"onnx-hier"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  ParsedFlags parsed;
  try {
    const cxxopts::ParseResult result = options.parse(static_cast<int>(argv.size()), argv.data());
    if (absl::Status status = parsed.Fill(flags, result); !status.ok()) return status;
  } catch (const cxxopts::exceptions::no_such_option& error) {
    return absl::InvalidArgumentError(UnknownOption(flags, words, Subject(error.what())));
  } catch (const cxxopts::exceptions::missing_argument& error) {
    return absl::InvalidArgumentError(MissingValue(flags, Subject(error.what())));
  } catch (const cxxopts::exceptions::incorrect_argument_type& error) {
    return absl::InvalidArgumentError(NeedlessValue(words, Subject(error.what())));
  } catch (const cxxopts::exceptions::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return parsed;
}

absl::StatusOr<uint32_t> ParseCount(const ParsedFlags& flags, absl::string_view name,
                                    uint32_t least) {
  uint32_t number = 0;
  if (!absl::SimpleAtoi(flags.Value(name), &number) || number < least) {
    return absl::InvalidArgumentError(absl::StrCat("--", name, " takes a whole number from ", least,
                                                   " on, not '", flags.Value(name), "'"));
  }
  return number;
}

}  // namespace onnx_hier::cli
