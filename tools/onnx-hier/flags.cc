#include "tools/onnx-hier/flags.h"

#include <cxxopts.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace onnx_hier::cli {

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
    for (const Flag& flag : flags) {
      if (result.count(flag.name) == 0) continue;
      if (result.count(flag.name) > 1) {
        return absl::InvalidArgumentError(absl::StrCat("--", flag.name, " is given twice"));
      }
      parsed.values_[flag.name] =
          flag.value_name == nullptr ? "" : result[flag.name].as<std::string>();
    }
    // Words that belong to no flag: cxxopts drops none of them when no positional is declared.
    parsed.arguments_ = result.unmatched();
  } catch (const cxxopts::exceptions::no_such_option& error) {
    return absl::InvalidArgumentError(absl::StrCat("unknown option: ", error.what()));
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
