// SPDX-License-Identifier: Apache-2.0

// Flags of a command: declared in a table, parsed by cxxopts.
#ifndef ONNX_HIER_TOOLS_CLI_FLAGS_H_
#define ONNX_HIER_TOOLS_CLI_FLAGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cxxopts {
class ParseResult;
}

namespace onnx_hier::cli {

struct Flag {
  const char* name;  // "output", used as --output
  char letter;       // 'o', used as -o; 0: has none
  // "FILE"; "N" is a whole number, "P" a probability; null: a switch without a value.
  const char* value_name;
  const char* help;
  bool repeatable = false;       // given several times, all its values count
  const char* ending = nullptr;  // of a file that is written there: ".onnx"
  // Of a switch that may also be given words, as --name=WORD,WORD or --name WORD: "explorer,torch".
  const char* words = nullptr;
  // What completions offer as its value: "text markdown csv json".
  const char* choices = nullptr;
};

// The same, whose value is one of these words.
constexpr Flag OneOf(Flag flag, const char* choices) {
  flag.choices = choices;
  return flag;
}

// Several tables as one, in their order: of flags that some commands share.
template <size_t... kSizes>
constexpr std::array<Flag, (kSizes + ...)> JoinFlags(const Flag (&... tables)[kSizes]) {
  std::array<Flag, (kSizes + ...)> joined = {};
  size_t count = 0;
  const auto append = [&](const auto& table) {
    for (const Flag& flag : table) joined[count++] = flag;
  };
  (append(tables), ...);
  return joined;
}

// Flags that mean the same wherever they are taken.
inline constexpr Flag kQuietFlag = {"quiet", 'q', nullptr, "print nothing but errors"};
inline constexpr Flag kHelpFlag = {"help", 'h', nullptr, "show this help"};

class ParsedFlags {
 public:
  const std::vector<std::string>& arguments() const { return arguments_; }
  bool Has(absl::string_view name) const { return values_.contains(std::string(name)); }
  // "" if the flag was not given.
  std::string Value(absl::string_view name) const {
    const std::vector<std::string> values = Values(name);
    return values.empty() ? std::string() : values.front();
  }
  // Of a flag that may be repeated, in the order in which they were given.
  std::vector<std::string> Values(absl::string_view name) const {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  friend absl::StatusOr<ParsedFlags> ParseFlags(absl::Span<const Flag> flags,
                                                const std::vector<std::string>& words);
  absl::Status Fill(absl::Span<const Flag> flags, const cxxopts::ParseResult& result);
  static absl::Status CheckValue(const Flag& flag, absl::string_view value);
  absl::Status CheckNumber(const Flag& flag) const;
  std::vector<std::string> arguments_;
  std::map<std::string, std::vector<std::string>> values_;
};

// `words` are what follows the command's name. Unknown flags, missing or empty values and flags
// given twice are errors.
absl::StatusOr<ParsedFlags> ParseFlags(absl::Span<const Flag> flags,
                                       const std::vector<std::string>& words);

// The number in a flag's value, at least `least`.
absl::StatusOr<uint32_t> ParseCount(const ParsedFlags& flags, absl::string_view name,
                                    uint32_t least);

// Takes the number in a flag's value, at least `least`, if the flag was given.
template <typename Number>
absl::Status ReadCount(const ParsedFlags& flags, absl::string_view name, uint32_t least,
                       Number& value) {
  if (!flags.Has(name)) return absl::OkStatus();
  const absl::StatusOr<uint32_t> count = ParseCount(flags, name, least);
  if (!count.ok()) return count.status();
  value = *count;
  return absl::OkStatus();
}

// The number of bytes in a flag's value: "1000", "500kB", "1.5GB" (powers of 1000), "2GiB" (of
// 1024).
absl::StatusOr<uint64_t> ParseBytes(const ParsedFlags& flags, absl::string_view name);

// The probability in a flag's value.
absl::StatusOr<float> ParseProbability(const ParsedFlags& flags, absl::string_view name);

}  // namespace onnx_hier::cli

#endif  // ONNX_HIER_TOOLS_CLI_FLAGS_H_
