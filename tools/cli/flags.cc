// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flags.h"

// Its lists and vectors are not used, and compiling regular expressions is half of a short run.
#define CXXOPTS_NO_REGEX

#include <algorithm>
#include <cstdint>
#include <cxxopts.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier::cli {

namespace {

// What other programs, or other commands of this one, call a flag; a value may stand behind it.
struct OtherName {
  absl::string_view typed;
  absl::string_view meant;
};
constexpr OtherName kOtherNames[] = {
    {"L", "depth"},         {"exclude", "not"},        {"json", "format json"},
    {"level", "depth"},     {"max-depth", "depth"},    {"module", "only"},
    {"module", "at"},       {"op-type", "op"},         {"op-types", "op"},
    {"operator", "op"},     {"out-dir", "output-dir"}, {"outdir", "output-dir"},
    {"overwrite", "force"}, {"threads", "jobs"},
};

// " (did you mean '--depth'?)", of the flags that a command takes, or "".
std::string Suggestion(absl::Span<const Flag> flags, absl::string_view typed) {
  std::vector<absl::string_view> names;
  for (const Flag& flag : flags) names.push_back(flag.name);
  absl::string_view meant;
  for (const OtherName& other : kOtherNames) {
    const absl::string_view name = other.meant.substr(0, other.meant.find(' '));
    if (typed == other.typed && std::find(names.begin(), names.end(), name) != names.end()) {
      meant = other.meant;
    }
  }
  // One letter is like any other one.
  if (meant.empty() && typed.size() > 1) meant = Closest(typed, names);
  return meant.empty() ? "" : absl::StrCat(" (did you mean '--", meant, "'?)");
}

absl::Status UnknownName(absl::Span<const Flag> flags, absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("unknown option '--", name, "'", Suggestion(flags, name)));
}

absl::Status UnknownLetter(absl::Span<const Flag> flags, absl::string_view word, char letter) {
  // Letters may be joined, so that a file's name is taken for flags.
  if (word.find_first_of("./") != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown option '", word, "'; if it is a file, name it './", word, "'"));
  }
  // A byte of a longer character says nothing by itself.
  const bool readable = absl::ascii_isalnum(static_cast<unsigned char>(letter));
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown option '", readable ? absl::StrCat("-", std::string(1, letter)) : std::string(word),
      "'", Suggestion(flags, std::string(1, letter))));
}

// The flag whose value is the word behind "--name"; null where there is none. "--name=value" has
// its value already.
absl::StatusOr<const Flag*> CheckName(absl::Span<const Flag> flags, absl::string_view word) {
  const size_t equals = word.find('=');
  const absl::string_view name = word.substr(2, equals - 2);
  for (const Flag& flag : flags) {
    if (name != flag.name) continue;
    if (equals == absl::string_view::npos) return flag.value_name == nullptr ? nullptr : &flag;
    if (flag.value_name != nullptr) return nullptr;
    if (flag.choice == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("--", name, " takes no value"));
    }
    if (word.substr(equals + 1) == flag.choice) return nullptr;
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, " takes no value but '", flag.choice, "'"));
  }
  return UnknownName(flags, name);
}

// The same for "-abc". What follows a letter that takes a value is its value.
absl::StatusOr<const Flag*> CheckLetters(absl::Span<const Flag> flags, absl::string_view word) {
  const absl::string_view name = word.substr(1, word.find('=') - 1);
  for (const Flag& flag : flags) {
    if (name.size() == 1 || name != flag.name) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("unknown option '-", name, "' (did you mean '--", name, "'?)"));
  }
  for (size_t i = 1; i < word.size(); ++i) {
    const auto flag = std::find_if(flags.begin(), flags.end(),
                                   [&](const Flag& other) { return other.letter == word[i]; });
    if (flag == flags.end()) return UnknownLetter(flags, word, word[i]);
    if (flag->value_name != nullptr) return i + 1 == word.size() ? &*flag : nullptr;
  }
  return nullptr;
}

// Names and values of flags, before cxxopts reads them: its errors say in prose only which flag
// they are about.
absl::Status CheckWords(absl::Span<const Flag> flags, const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].size() < 2 || words[i][0] != '-') continue;
    const absl::StatusOr<const Flag*> open =
        words[i][1] == '-' ? CheckName(flags, words[i]) : CheckLetters(flags, words[i]);
    if (!open.ok()) return open.status();
    if (*open != nullptr && ++i == words.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", (*open)->name, " needs a value: ", (*open)->value_name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

// A number that is none is said before anything else of the command.
absl::Status ParsedFlags::CheckNumber(const Flag& flag) const {
  const absl::string_view kind = flag.value_name;
  if (kind == "P") return ParseProbability(*this, flag.name).status();
  const std::string value = Value(flag.name);
  uint64_t number = 0;
  if (kind != "N" || absl::SimpleAtoi(value, &number)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag.name, " takes a whole number, not '", value, "'"));
}

absl::Status ParsedFlags::Fill(absl::Span<const Flag> flags, const cxxopts::ParseResult& result) {
  for (const Flag& flag : flags) {
    if (result.count(flag.name) == 0) continue;
    if (result.count(flag.name) > 1 && !flag.repeatable) {
      return absl::InvalidArgumentError(absl::StrCat("--", flag.name, " is given twice"));
    }
    std::vector<std::string>& values = values_[flag.name];
    if (flag.value_name == nullptr && flag.choice == nullptr) continue;
    for (const cxxopts::KeyValue& given : result.arguments()) {
      if (given.key() != flag.name) continue;
      if (given.value().empty()) {
        if (flag.value_name == nullptr) continue;
        return absl::InvalidArgumentError(absl::StrCat("--", flag.name, " is empty"));
      }
      values.push_back(given.value());
    }
    if (flag.value_name == nullptr) continue;
    if (absl::Status status = CheckNumber(flag); !status.ok()) return status;
  }
  // Words that belong to no flag: cxxopts drops none of them when no positional is declared.
  arguments_ = result.unmatched();
  for (const std::string& argument : arguments_) {
    if (argument.empty()) return absl::InvalidArgumentError("an argument is empty");
  }
  return absl::OkStatus();
}

absl::StatusOr<ParsedFlags> ParseFlags(absl::Span<const Flag> flags,
                                       const std::vector<std::string>& words) {
  if (absl::Status status = CheckWords(flags, words); !status.ok()) return status;
  cxxopts::Options options("onnx-hier");
  auto add = options.add_options();
  for (const Flag& flag : flags) {
    std::string names = flag.name;
    if (flag.letter != 0) names = absl::StrCat(std::string(1, flag.letter), ",", flag.name);
    // A plain string value: cxxopts would split a list at commas, which paths may hold.
    const auto text = cxxopts::value<std::string>();
    add(names, flag.help,
        flag.value_name != nullptr ? text
        : flag.choice != nullptr   ? text->implicit_value("")
                                   : cxxopts::value<bool>());
  }
  std::vector<const char*> argv = {"onnx-hier"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  ParsedFlags parsed;
  try {
    const cxxopts::ParseResult result = options.parse(static_cast<int>(argv.size()), argv.data());
    if (absl::Status status = parsed.Fill(flags, result); !status.ok()) return status;
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

absl::StatusOr<uint64_t> ParseBytes(const ParsedFlags& flags, absl::string_view name) {
  struct Suffix {
    absl::string_view name;
    double factor;
  };
  static constexpr Suffix kSuffixes[] = {
      {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
      {"kB", 1e3},     {"KB", 1e3},        {"MB", 1e6},           {"GB", 1e9},
      {"TB", 1e12},    {"B", 1.0},
  };
  const std::string value = flags.Value(name);
  absl::string_view digits = value;
  double factor = 1;
  for (const Suffix& suffix : kSuffixes) {
    if (!absl::ConsumeSuffix(&digits, suffix.name)) continue;
    factor = suffix.factor;
    break;
  }
  double number = 0;
  constexpr double kMost = 1e18;
  // The comparison also fails for what is no number.
  if (!absl::SimpleAtod(absl::StripAsciiWhitespace(digits), &number) ||
      !(number > 0 && number * factor <= kMost)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", name, " takes a number of bytes, as 500MB or 1.5GiB, not '", value, "'"));
  }
  return static_cast<uint64_t>(number * factor);
}

absl::StatusOr<float> ParseProbability(const ParsedFlags& flags, absl::string_view name) {
  float number = 0;
  // The comparison also fails for what is no number.
  if (!absl::SimpleAtof(flags.Value(name), &number) || !(number >= 0 && number <= 1)) {
    constexpr float kPercent = 100;
    const bool is_percent = number >= 2 && number <= kPercent;
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, " takes a number from 0 to 1, not '", flags.Value(name), "'",
                     is_percent ? absl::StrCat(" (did you mean ", number / kPercent, "?)") : ""));
  }
  return number;
}

}  // namespace onnx_hier::cli
