# SPDX-License-Identifier: Apache-2.0

# Puts the files of the page together into a C++ source:
#   cmake -D PAGE=FOLDER -D OUTPUT=FILE.cc -P embed.cmake
#
# page.html has a place for the style, the script and the data, and one for the policy that lets the
# browser take this style and this script and nothing else: it names them by their hashes.

set(scripts figures.js data.js rows.js colors.js wiring.js search.js icicle.js tree.js flow.js
    module.js review.js page.js)

# "sha256-" and the hash in base64, as a content security policy has it.
function(policy_hash text result)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 hex "${text}")
  # 64 hexadecimal digits are 42 times six bits and four bits more.
  string(APPEND hex "00")
  set(hash "")
  foreach(place RANGE 0 63 3)
    string(SUBSTRING "${hex}" ${place} 3 piece)
    math(EXPR high "0x${piece} >> 6")
    math(EXPR low "0x${piece} & 63")
    foreach(value ${high} ${low})
      string(SUBSTRING "${digits}" ${value} 1 digit)
      string(APPEND hash "${digit}")
    endforeach()
  endforeach()
  string(SUBSTRING "${hash}" 0 43 hash)
  set(${result} "sha256-${hash}=" PARENT_SCOPE)
endfunction()

# Text between the tags, beginning and ending with a line end.
file(READ "${PAGE}/colors.css" colors)
file(READ "${PAGE}/page.css" style)
set(style "\n${colors}\n${style}")
set(script "\n\"use strict\";\n")
foreach(name IN LISTS scripts)
  file(READ "${PAGE}/${name}" text)
  string(APPEND script "\n${text}")
endforeach()
# What is for readers of the source alone stays there.
string(REGEX REPLACE "\n *//[^\n]*" "" script "${script}")
string(REGEX REPLACE "/\\*[^*]*\\*/" "" style "${style}")
string(REGEX REPLACE "\n[ \n]+" "\n" script "${script}")
string(REGEX REPLACE "\n[ \n]+" "\n" style "${style}")
policy_hash("${style}" style_hash)
policy_hash("${script}" script_hash)

file(READ "${PAGE}/page.html" page)
string(REGEX REPLACE "\n +" "\n" page "${page}")
foreach(part style_hash script_hash style script)
  string(REPLACE "{{${part}}}" "${${part}}" page "${page}")
endforeach()
string(FIND "${page}" "{{data}}" place)
string(SUBSTRING "${page}" 0 ${place} before)
math(EXPR place "${place} + 8")
string(SUBSTRING "${page}" ${place} -1 behind)

# Compilers need take no literal of more than 65,536 characters: pieces of whole lines.
set(pieces "")
while(NOT behind STREQUAL "")
  string(LENGTH "${behind}" length)
  if(length GREATER 30000)
    string(SUBSTRING "${behind}" 0 30000 piece)
    string(FIND "${piece}" "\n" length REVERSE)
  endif()
  string(SUBSTRING "${behind}" 0 ${length} piece)
  string(SUBSTRING "${behind}" ${length} -1 behind)
  string(APPEND pieces "    R\"PAGE(${piece})PAGE\",\n")
endwhile()

file(WRITE "${OUTPUT}" "// Made by embed.cmake of the files in lib/show/page.
#include \"lib/show/page_text.h\"

namespace onnx_hier {
namespace {

constexpr absl::string_view kPieces[] = {
${pieces}};

}  // namespace

const absl::string_view kPageBeforeData = R\"PAGE(${before})PAGE\";
const absl::Span<const absl::string_view> kPageBehindData = kPieces;

}  // namespace onnx_hier
")
