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
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier::cli {

namespace {

// The value of a switch that was given none; no other is so.
constexpr char kOn[] = "\n";

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

// `word`: the one in which the letter stands, "-xyz".
absl::Status UnknownLetter(absl::Span<const Flag> flags, absl::string_view word, char letter) {
  for (const Flag& flag : flags) {
    if (flag.letter != letter) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "'", word, "': write '--", flag.name, "=VALUE' or '-", std::string(1, letter), " VALUE'"));
  }
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

// What cxxopts left over and is no argument: a flag that the command does not have. Behind "--" all
// are arguments.
absl::Status CheckUnmatched(absl::Span<const Flag> flags, const std::vector<std::string>& words,
                            const std::vector<std::string>& unmatched) {
  const auto end = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != end; ++word) {
    const absl::string_view name = absl::string_view(*word).substr(0, word->find('='));
    for (const Flag& flag : flags) {
      if (name.size() < 3 || name != absl::StrCat("-", flag.name)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("unknown option '", name, "' (did you mean '-", name, "'?)"));
    }
  }
  const size_t behind = end == words.end() ? 0 : static_cast<size_t>(words.end() - end) - 1;
  for (size_t i = 0; i + behind < unmatched.size(); ++i) {
    const std::string& word = unmatched[i];
    if (word.size() < 2 || word[0] != '-') continue;
    if (word[1] == '-') return UnknownName(flags, word.substr(2, word.find('=') - 2));
    // It is told of letter by letter.
    const auto given = std::find_if(words.begin(), words.end(), [&](const std::string& other) {
      return other.size() > 1 && other[0] == '-' && other[1] != '-' &&
             other.find(word[1], 1) != std::string::npos;
    });
    return UnknownLetter(flags, given == words.end() ? word : *given, word[1]);
  }
  return absl::OkStatus();
}

// A flag at the end of the line whose value is not there: the last one that has none.
absl::Status NoValue(absl::Span<const Flag> flags, const std::string& word) {
  for (const Flag& flag : flags) {
    const bool is_it = flag.value_name != nullptr &&
                       (word == absl::StrCat("--", flag.name) ||
                        (word.size() > 1 && word[1] != '-' && word.back() == flag.letter));
    if (!is_it) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag.name, " needs a value: ", flag.value_name));
  }
  return absl::InvalidArgumentError(absl::StrCat("'", word, "' needs a value"));
}

// Whether each is one that the switch may be given.
bool AreWordsOf(const Flag& flag, absl::string_view given) {
  if (flag.words == nullptr) return false;
  const std::vector<absl::string_view> words = absl::StrSplit(flag.words, ',');
  const std::vector<absl::string_view> parts = absl::StrSplit(given, ',');
  return std::all_of(parts.begin(), parts.end(), [&words](absl::string_view part) {
    return std::find(words.begin(), words.end(), part) != words.end();
  });
}

// Words that stand behind their switch are put to it: nothing else could be meant by them.
std::vector<std::string> JoinWords(absl::Span<const Flag> flags,
                                   const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const auto is_given = [&](const Flag& flag) {
      return !joined.empty() && joined.back() == absl::StrCat("--", flag.name) &&
             AreWordsOf(flag, word);
    };
    if (std::any_of(flags.begin(), flags.end(), is_given)) {
      absl::StrAppend(&joined.back(), "=", word);
    } else {
      joined.push_back(word);
    }
  }
  return joined;
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

absl::Status ParsedFlags::CheckValue(const Flag& flag, absl::string_view value) {
  if (flag.value_name != nullptr) {
    return value.empty() ? absl::InvalidArgumentError(absl::StrCat("--", flag.name, " is empty"))
                         : absl::OkStatus();
  }
  if (value == kOn || AreWordsOf(flag, value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag.name, " takes no value",
                   flag.words == nullptr ? "" : absl::StrCat(" but '", flag.words, "'")));
}

absl::Status ParsedFlags::Fill(absl::Span<const Flag> flags, const cxxopts::ParseResult& result) {
  for (const Flag& flag : flags) {
    if (result.count(flag.name) == 0) continue;
    if (result.count(flag.name) > 1 && !flag.repeatable) {
      return absl::InvalidArgumentError(absl::StrCat("--", flag.name, " is given twice"));
    }
    std::vector<std::string>& values = values_[flag.name];
    for (const cxxopts::KeyValue& given : result.arguments()) {
      if (given.key() != flag.name) continue;
      if (absl::Status status = CheckValue(flag, given.value()); !status.ok()) return status;
      const bool is_switch = flag.value_name == nullptr && given.value() == kOn;
      if (!is_switch) values.push_back(given.value());
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
  const std::vector<std::string> joined = JoinWords(flags, words);
  cxxopts::Options options("onnx-hier");
  // What it does not know is told of in words of our own.
  options.allow_unrecognised_options();
  auto add = options.add_options();
  for (const Flag& flag : flags) {
    std::string names = flag.name;
    if (flag.letter != 0) names = absl::StrCat(std::string(1, flag.letter), ",", flag.name);
    // A plain string value: cxxopts would split a list at commas, which paths may hold. A switch
    // has one, too, so that what is given to it is seen.
    const auto text = cxxopts::value<std::string>();
    add(names, flag.help, flag.value_name != nullptr ? text : text->implicit_value(kOn));
  }
  std::vector<const char*> argv = {"onnx-hier"};
  for (const std::string& word : joined) argv.push_back(word.c_str());
  ParsedFlags parsed;
  try {
    const cxxopts::ParseResult result = options.parse(static_cast<int>(argv.size()), argv.data());
    absl::Status status = CheckUnmatched(flags, joined, result.unmatched());
    if (status.ok()) status = parsed.Fill(flags, result);
    if (!status.ok()) return status;
  } catch (const cxxopts::exceptions::missing_argument&) {
    // What is wrong before it comes first.
    const absl::StatusOr<ParsedFlags> before =
        ParseFlags(flags, std::vector<std::string>(joined.begin(), joined.end() - 1));
    return before.ok() ? NoValue(flags, joined.back()) : before.status();
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
  const std::string value = flags.Value(name);
  const std::optional<double> bytes = ReadAmount(value);
  if (!bytes.has_value() || *bytes == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", name, " takes a number of bytes, as 500MB or 1.5GiB, not '", value, "'"));
  }
  return static_cast<uint64_t>(*bytes);
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
