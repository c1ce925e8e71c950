// SPDX-License-Identifier: Apache-2.0
#include "onnx_hier/user_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "lib/tree/module_pattern.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

constexpr char kKeywords[] =
    "owner, boundary, rename, major, least, unchanged, no-op, precision, coverage, or a measure "
    "with '<='";

// A line of the file, and what was read of it so far.
class LineReader {
 public:
  LineReader(absl::string_view line, size_t number)
      : line_(line), number_(number), rest_(line.substr(0, line.find('#'))) {}

  absl::string_view rest() const { return absl::StripAsciiWhitespace(rest_); }
  bool is_empty() const { return rest().empty(); }
  size_t number() const { return number_; }

  absl::string_view Word() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    const size_t end = std::min(rest_.find_first_of(" \t"), rest_.size());
    const absl::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }
  // What is before the last of these words, which is put behind; false: there is none.
  bool Split(absl::string_view sign, absl::string_view& before, absl::string_view& behind) const {
    const size_t at = rest_.rfind(sign);
    if (at == absl::string_view::npos) return false;
    before = absl::StripAsciiWhitespace(rest_.substr(0, at));
    behind = absl::StripAsciiWhitespace(rest_.substr(at + sign.size()));
    return !before.empty() && !behind.empty();
  }
  // `at`: a part of the line.
  absl::Status Wrong(absl::string_view at, absl::string_view what) const {
    const size_t column = static_cast<size_t>(at.data() - line_.data()) + 1;
    return absl::InvalidArgumentError(
        absl::StrCat("line ", number_, ", column ", column, ": ", what));
  }
  absl::Status WrongEnd(absl::string_view what) const { return Wrong(rest(), what); }

 private:
  absl::string_view line_;
  size_t number_;
  absl::string_view rest_;
};

absl::Status CheckPattern(const LineReader& line, absl::string_view pattern) {
  const absl::Status status = ModulePattern::Parse(pattern).status();
  return status.ok() ? status : line.Wrong(pattern, status.message());
}

absl::StatusOr<double> ReadShare(const LineReader& line, absl::string_view text) {
  double share = 0;
  // The comparison also fails for what is no number.
  if (absl::SimpleAtod(text, &share) && share >= 0 && share <= 1) return share;
  return line.Wrong(text, absl::StrCat(QuotedName(text), " is no number from 0 to 1"));
}

absl::StatusOr<UserRule> ReadOwner(LineReader& line) {
  absl::string_view pattern;
  absl::string_view module;
  if (!line.Split("=", pattern, module))
    return line.WrongEnd("owner takes NODE-OR-PATTERN = MODULE");
  if (module.find_first_of("*[]{}") != absl::string_view::npos) {
    return line.Wrong(module, absl::StrCat(QuotedName(module), " is no single module"));
  }
  // A node may be called as no pattern is.
  return UserRule{UserRule::Kind::kOwner, line.number(), std::string(pattern), std::string(module)};
}

size_t Stars(absl::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '*'));
}

absl::StatusOr<UserRule> ReadRename(LineReader& line) {
  absl::string_view pattern;
  absl::string_view path;
  if (!line.Split("=", pattern, path)) return line.WrongEnd("rename takes PATTERN = PATH");
  const bool is_wider =
      absl::StrContains(pattern, "**") || pattern.find_first_of("[]{}@") != absl::string_view::npos;
  if (is_wider) return line.Wrong(pattern, "in rename, only '*' stands for something");
  if (Stars(pattern) != Stars(path)) {
    return line.Wrong(path,
                      absl::StrCat("PATTERN has ", Stars(pattern), " '*', and PATH ", Stars(path)));
  }
  return UserRule{UserRule::Kind::kRename, line.number(), std::string(pattern), std::string(path)};
}

absl::StatusOr<UserRule> ReadLeast(LineReader& line) {
  absl::string_view pattern;
  absl::string_view text;
  if (!line.Split("=", pattern, text)) return line.WrongEnd("least takes PATTERN = CONFIDENCE");
  OH_RETURN_IF_ERROR(CheckPattern(line, pattern));
  OH_ASSIGN_OR_RETURN(const double least, ReadShare(line, text));
  return UserRule{UserRule::Kind::kLeast, line.number(), std::string(pattern), "",
                  static_cast<float>(least)};
}

absl::StatusOr<std::string> ReadPattern(LineReader& line, absl::string_view keyword) {
  const absl::string_view pattern = line.rest();
  if (pattern.empty()) return line.WrongEnd(absl::StrCat(keyword, " takes PATTERN"));
  OH_RETURN_IF_ERROR(CheckPattern(line, pattern));
  return std::string(pattern);
}

// PATTERN and one word more.
absl::Status ReadPatternAndWord(LineReader& line, absl::string_view takes, Requirement& to) {
  const absl::string_view rest = line.rest();
  const size_t space = rest.find_last_of(" \t");
  if (space == absl::string_view::npos) return line.WrongEnd(takes);
  const absl::string_view pattern = absl::StripAsciiWhitespace(rest.substr(0, space));
  OH_RETURN_IF_ERROR(CheckPattern(line, pattern));
  to.pattern = std::string(pattern);
  to.what = std::string(rest.substr(space + 1));
  return absl::OkStatus();
}

absl::Status ReadCoverage(LineReader& line, Requirement& to) {
  constexpr absl::string_view kTakes = "coverage takes >= SHARE at CONFIDENCE";
  if (line.Word() != ">=") return line.WrongEnd(kTakes);
  OH_ASSIGN_OR_RETURN(to.limit, ReadShare(line, line.Word()));
  if (line.Word() != "at") return line.WrongEnd(kTakes);
  OH_ASSIGN_OR_RETURN(const double confidence, ReadShare(line, line.rest()));
  to.confidence = static_cast<float>(confidence);
  return absl::OkStatus();
}

absl::Status ReadAtMost(LineReader& line, absl::string_view measure, Requirement& to) {
  absl::string_view pattern;
  absl::string_view limit;
  if (!line.Split("<=", pattern, limit)) {
    return line.WrongEnd(absl::StrCat(measure, " takes PATTERN <= NUMBER"));
  }
  OH_RETURN_IF_ERROR(CheckPattern(line, pattern));
  const std::optional<double> number = ReadAmount(limit);
  if (!number.has_value()) {
    return line.Wrong(limit, absl::StrCat(QuotedName(limit), " is no number, as 2G or 120 MB"));
  }
  to.pattern = std::string(pattern);
  to.what = std::string(measure);
  to.limit = *number;
  return absl::OkStatus();
}

absl::Status ReadLine(LineReader line, UserRules& rules) {
  using Rule = UserRule::Kind;
  using Must = Requirement::Kind;
  Requirement must = {Must::kUnchanged, line.number(), std::string(line.rest())};
  const absl::string_view keyword = line.Word();
  const auto add = [&rules](absl::StatusOr<UserRule> rule) {
    if (!rule.ok()) return rule.status();
    rules.rules.push_back(*std::move(rule));
    return absl::OkStatus();
  };
  const auto add_pattern = [&](Rule kind) -> absl::Status {
    OH_ASSIGN_OR_RETURN(std::string pattern, ReadPattern(line, keyword));
    return add(UserRule{kind, line.number(), std::move(pattern)});
  };
  if (keyword == "owner") return add(ReadOwner(line));
  if (keyword == "rename") return add(ReadRename(line));
  if (keyword == "least") return add(ReadLeast(line));
  if (keyword == "boundary") return add_pattern(Rule::kBoundary);
  if (keyword == "major") return add_pattern(Rule::kMajor);
  if (keyword == "unchanged") {
    OH_ASSIGN_OR_RETURN(must.pattern, ReadPattern(line, keyword));
  } else if (keyword == "no-op") {
    must.kind = Must::kNoOperator;
    OH_RETURN_IF_ERROR(ReadPatternAndWord(line, "no-op takes PATTERN OPERATOR", must));
  } else if (keyword == "precision") {
    must.kind = Must::kPrecision;
    OH_RETURN_IF_ERROR(ReadPatternAndWord(line, "precision takes PATTERN TYPE", must));
  } else if (keyword == "coverage") {
    must.kind = Must::kCoverage;
    OH_RETURN_IF_ERROR(ReadCoverage(line, must));
  } else if (absl::StrContains(line.rest(), "<=")) {
    must.kind = Must::kAtMost;
    OH_RETURN_IF_ERROR(ReadAtMost(line, keyword, must));
  } else {
    return line.Wrong(keyword,
                      absl::StrCat(QuotedName(keyword), " is no rule; there are ", kKeywords));
  }
  rules.requirements.push_back(std::move(must));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<UserRules> ReadUserRules(absl::string_view text, absl::string_view file) {
  UserRules rules;
  rules.file = std::string(file);
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const LineReader reader(line, ++number);
    if (!reader.is_empty()) OH_RETURN_IF_ERROR(ReadLine(reader, rules));
  }
  return rules;
}

}  // namespace onnx_hier
