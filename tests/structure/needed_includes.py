#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files include what they use, whatever hides it when they forget: needed_includes.py ROOT

Builds that precompile the headers that most files include (Flags.cmake lists them), or compile many
sources at a time, would compile a file that forgot one of them. So what a file takes from these
headers, and from the project's own, it must include, itself or by way of the project's headers.
"""

import re

from sources import files, includes, report, root_argument

_FLAGS = "tools/cmake/Flags.cmake"
# What tells that a header is needed, of each that is precompiled.
_NAMES = {
    "algorithm": r"std::(?:sort|stable_sort|find|find_if|min|max|(?:any|all|none)_of|count|count_if"
    r"|copy|copy_n|fill|reverse|rotate|lower_bound|upper_bound|equal_range|unique|mismatch|equal"
    r"|max_element|min_element|for_each|transform|remove|remove_if|replace|binary_search|partition"
    r"|nth_element|is_sorted|search|clamp|merge|adjacent_find|lexicographical_compare)\(",
    "array": r"std::array\b",
    "cstdint": r"\bu?int(?:8|16|32|64)_t\b",
    "map": r"std::(?:multi)?map\b",
    "memory": r"std::(?:(?:unique|shared|weak)_ptr|make_(?:unique|shared)|addressof)\b",
    "string": r"std::(?:string|to_string|getline)\b",
    "utility": r"std::(?:move|pair|swap|forward|exchange|make_pair)\b",
    "vector": r"std::vector\b",
    "absl/container/flat_hash_map.h": r"absl::flat_hash_map\b",
    "absl/container/flat_hash_set.h": r"absl::flat_hash_set\b",
    "absl/status/statusor.h": r"absl::StatusOr\b",
    "absl/strings/str_cat.h": r"absl::(?:StrCat|StrAppend|AlphaNum|Hex|Dec)\b",
    "absl/strings/str_format.h": r"absl::(?:StrFormat|StrAppendFormat|FormatSink|S?[NF]?PrintF)\b",
    "absl/strings/str_split.h": r"absl::(?:StrSplit|MaxSplits|By(?:Any)?Char|ByString|SkipEmpty)\b",
    "absl/types/span.h": r"absl::(?:Span|MakeSpan|MakeConstSpan)\b",
}
_COMMENT = re.compile(r"//[^\n]*")
# What a header declares, outside of types: a type, an alias or constant, a function.
_DECLARED = re.compile(
    r"^(?:(?:struct|class|union|enum(?: class)?) (\w+)\b(?!::)[^{()]*?[;{]"
    r"|using (\w+) ="
    r"|#define (\w+)"
    r"| +friend (?:class|struct) (\w+)"
    r"|(?:inline )?constexpr [\w:<>, ]*?[ *&](\w+)(?:\[\w*\])? ?[={]"
    r"|(?!using|typedef|return|friend|#|//)[\w:][\w:<>,&* ]*[ *&](\w+)\()",
    re.MULTILINE,
)
# What may be a member of a type, or a value of an enumeration.
_MEMBER = re.compile(
    r"^[ ]+(?!return)[\w:][\w:<>,&*\[\] ]*[ *&](\w+)\(|^ +(?:struct|class|enum|using) (?:class )?(\w+)"
    r"|[ {(](k[A-Z]\w+)[,}; ]", re.MULTILINE)
# Not behind a dot, an arrow or a scope, where it is a member's.
_USED = re.compile(r"(?<![\w.:>~])(?:onnx_hier::)?([A-Z]\w{2,}|k[A-Z]\w+)\b(?!::~)")
_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*')


def declared(text):
    """Names that a file declares outside of types."""
    return {name for found in _DECLARED.findall(text) for name in found if name}


def owners(texts):
    """The header that declares a name, by name, where it is the only file that has something of
    that name; texts by path."""
    known, others = {}, set()
    for path, text in texts.items():
        others |= {name for found in _MEMBER.findall(text) for name in found}
        if path.endswith(".h"):
            for name in declared(text):
                known.setdefault(name, []).append(path)
    return {name: paths[0] for name, paths in known.items()
            if len(paths) == 1 and name not in others}


def missing_own(text, own_names, known, included):
    """(name, header) of what a file takes from headers of the project that it does not include."""
    used = set(_USED.findall(_TEXT.sub("", text))) - own_names
    return sorted((name, known[name]) for name in used if known.get(name, "") not in {*included, ""})



def missing(text, included):
    """Headers that a file takes names from, of those that are precompiled, and does not include."""
    text = _COMMENT.sub("", text)
    if "stdint.h" in included:  # of a header that C reads, too
        included = {*included, "cstdint"}
    return [h for h, names in _NAMES.items() if h not in included and re.search(names, text)]


def precompiled(flags):
    """The headers in the text of Flags.cmake."""
    listed = flags[flags.index("target_precompile_headers(${target} PRIVATE") :]
    return re.findall(r"<([^>]+)>", listed[: listed.index(")")])


class _Includes:
    """What a file includes, itself or by way of the project's headers."""

    def __init__(self, root):
        self._root = root
        self._known = {}

    def of(self, path):
        if path not in self._known:
            self._known[path] = found = set()
            for _, name in includes(path.read_text("utf-8")):
                found.add(name)
                own = self._find(name)
                if own:
                    found |= self.of(own)
        return self._known[path]

    def _find(self, name):
        for folder in (".", "lib/include", "lib/include_program", "tools/c/include"):
            if (self._root / folder / name).is_file():
                return self._root / folder / name
        return None


def include_name(path):
    """How a header of the project is included; `path` is relative to its root."""
    return path.as_posix().removeprefix("lib/include/").removeprefix("lib/include_program/").removeprefix(
        "tools/c/include/")


def main():
    root = root_argument(__doc__)
    known = _Includes(root)
    texts = {path: path.read_text("utf-8") for path in files(root, "lib", "tools", "tests")}
    owner = owners({include_name(path.relative_to(root)): text for path, text in texts.items()})
    problems = []
    for path, text in texts.items():
        place = path.relative_to(root)
        included = known.of(path)
        problems += [f"{place}: include <{header}>, which it takes names from"
                     for header in missing(text, included)]
        problems += [f'{place}: include "{header}" for {name}' for name, header in missing_own(
            text, declared(text), owner, {*included, include_name(place)})]
    for header in set(precompiled((root / _FLAGS).read_text("utf-8"))) ^ set(_NAMES):
        problems.append(f"{_FLAGS}: {header} is in one of the lists, there or here")
    report(problems, f"{len(texts)} files include what they use, {len(owner)} names of the project")


if __name__ == "__main__":
    main()
