// SPDX-License-Identifier: Apache-2.0

// Text from files, made fit to be shown to people: the one door to a terminal.
#ifndef ONNX_HIER_PROGRAM_TEXT_H_
#define ONNX_HIER_PROGRAM_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnx_hier {

// Names that are shown where others paid for their length, as those of witnesses, end here.
constexpr size_t kLongestShownName = 1024;

// Names come from files and must neither steer a terminal nor look like what they are not. As
// \x1b are written: control characters, what turns the direction of writing or breaks lines, what
// has no width, what is no character, and bytes that are not UTF-8. So all of it may stand in XML.
std::string SafeForTerminal(absl::string_view text);

// The same in at most `columns` characters (at least 1); an ellipsis ends what was cut.
std::string SafeForTerminal(absl::string_view text, size_t columns);

// 'name', as messages have it.
std::string QuotedName(absl::string_view name);

// A name of a file as a word of a command that people may copy into a shell: quoted where a shell
// would read something else.
std::string ShellWord(absl::string_view file);

// How many characters a text in UTF-8 has. Wide ones count as one: alignment is a courtesy.
size_t CharacterCount(absl::string_view text);

// --- figures

// "1,234,567"
std::string WithThousands(uint64_t number);

// "1 node", "2,000 nodes"; of what does not end in an s alone, `many` says how.
std::string Counted(uint64_t count, absl::string_view one, absl::string_view many = "");

// "17.5 MB": bytes in powers of 1000.
std::string HumanBytes(uint64_t bytes);

// "2G", "1.5 GiB", "500MB", "0": a number that is not negative, with what it is of; none: it is no
// such number, or beyond 10^18.
std::optional<double> ReadAmount(absl::string_view text);

// --- mistyped words

// How far what somebody typed is from what there is.

// How many bytes must be typed differently to get from one text to the other. Time is the product
// of their lengths.
size_t EditDistance(absl::string_view a, absl::string_view b);

// The name that a mistyped one probably was meant to be, or "".
absl::string_view Closest(absl::string_view typed, absl::Span<const absl::string_view> names);

}  // namespace onnx_hier

#endif  // ONNX_HIER_PROGRAM_TEXT_H_
