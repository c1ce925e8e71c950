// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/outgoing_text.h"
#include "lib/base/utf8.h"
#include "onnx_hier_program/json_text.h"
#include "onnx_hier_program/reports.h"
#include "onnx_hier_program/text.h"

namespace onnx_hier {
namespace {

struct NamedFormat {
  absl::string_view name;
  ListFormat format;
};

constexpr NamedFormat kFormats[] = {
    {"lines", ListFormat::kLines},     {"nul", ListFormat::kNul},
    {"csv", ListFormat::kCsv},         {"json", ListFormat::kJson},
    {"trtexec", ListFormat::kTrtexec}, {"polygraphy", ListFormat::kPolygraphy},
    {"regex", ListFormat::kRegex},
};

bool IsControl(char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }
bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }
bool HasAny(absl::string_view text, absl::string_view characters) {
  return text.find_first_of(characters) != absl::string_view::npos;
}

// Whether who reads the format gets the name as it is. Control characters would steer a terminal.
bool Holds(ListFormat format, absl::string_view name) {
  const bool printable = std::none_of(name.begin(), name.end(), IsControl);
  switch (format) {
    case ListFormat::kLines:
      return printable;
    case ListFormat::kNul:
      return name.find('\0') == absl::string_view::npos;
    case ListFormat::kCsv:
      return printable && !HasAny(name, ",\"");
    case ListFormat::kJson:
    case ListFormat::kRegex:
      return IsUtf8(name);
    case ListFormat::kTrtexec:
      // A star alone stands for all other layers.
      return printable && !HasAny(name, ":,\"'") && name != "*";
    case ListFormat::kPolygraphy:
      // Split at the shell's spaces, then at the last colon.
      return printable && std::none_of(name.begin(), name.end(), IsSpace) && !HasAny(name, "\"'");
  }
  return false;
}

// Escapes that Python, RE2, PCRE and ECMAScript all take.
void AppendEscaped(absl::string_view name, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (char c : name) {
    if (IsControl(c)) {
      const auto byte = static_cast<unsigned char>(c);
      absl::StrAppend(out, "\\x", absl::string_view(&kHex[byte >> 4], 1),
                      absl::string_view(&kHex[byte & 15], 1));
      continue;
    }
    if (HasAny(absl::string_view(&c, 1), "\\^$.|?*+()[]{}")) out->push_back('\\');
    out->push_back(c);
  }
}

// What stands before the first name, between two, behind each, and behind the last one.
struct ListFrame {
  absl::string_view begin;
  absl::string_view between;
  absl::string_view end;
};

ListFrame FrameOf(ListFormat format) {
  switch (format) {
    case ListFormat::kLines:
      return {"", "\n", "\n"};
    case ListFormat::kNul:
      return {"", absl::string_view("\0", 1), absl::string_view("\0", 1)};
    case ListFormat::kJson:
      return {"[\n", ",\n", "\n]\n"};
    case ListFormat::kPolygraphy:
      return {"", " ", "\n"};
    case ListFormat::kRegex:
      return {"^(?:", "|", ")$\n"};
    case ListFormat::kCsv:
    case ListFormat::kTrtexec:
      break;
  }
  return {"", ",", "\n"};
}

void AppendName(absl::string_view name, ListFormat format, absl::string_view precision,
                std::string* out) {
  switch (format) {
    case ListFormat::kJson:
      AppendJsonString(name, out);
      return;
    case ListFormat::kRegex:
      AppendEscaped(name, out);
      return;
    case ListFormat::kTrtexec:
    case ListFormat::kPolygraphy:
      absl::StrAppend(out, name, ":", precision);
      return;
    case ListFormat::kLines:
    case ListFormat::kNul:
    case ListFormat::kCsv:
      absl::StrAppend(out, name);
  }
}

absl::Status Refuse(absl::Span<const absl::string_view> names, ListFormat format) {
  constexpr size_t kShown = 3;
  size_t count = 0;
  std::string shown;
  for (absl::string_view name : names) {
    if (Holds(format, name)) continue;
    if (++count <= kShown) {
      absl::StrAppend(&shown, count > 1 ? ", '" : "'", SafeForTerminal(name, kLongestShownName),
                      "'");
    }
  }
  if (count == 0) return absl::OkStatus();
  const auto* const named =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const NamedFormat& known) { return known.format == format; });
  return absl::InvalidArgumentError(absl::StrCat("the format ", named->name, " cannot hold ", count,
                                                 " of these names: ", shown,
                                                 count > kShown ? " ..." : ""));
}

}  // namespace

std::optional<ListFormat> ListFormatNamed(absl::string_view name) {
  for (const NamedFormat& known : kFormats) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

absl::Status WriteNameList(absl::Span<const absl::string_view> names, ListFormat format,
                           absl::string_view precision, ByteSink& sink) {
  if (absl::Status status = Refuse(names, format); !status.ok()) return status;
  if (names.empty()) return format == ListFormat::kJson ? sink.Append("[]\n") : absl::OkStatus();
  const ListFrame frame = FrameOf(format);
  OutgoingText out(sink);
  absl::StrAppend(out.text(), frame.begin);
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) absl::StrAppend(out.text(), frame.between);
    AppendName(names[i], format, precision, out.text());
    out.Pass();
  }
  absl::StrAppend(out.text(), frame.end);
  return out.Finish();
}

}  // namespace onnx_hier
