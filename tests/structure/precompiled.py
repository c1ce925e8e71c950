#!/usr/bin/env python3
"""Precompiled headers hide no include that is missing: precompiled.py ROOT

Builds that precompile the headers that most files include (Flags.cmake lists them) would compile a
file that forgot one of them. So what a file takes from these headers it must include, itself or by
way of the project's own headers.
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


def missing(text, included):
    """Headers that a file takes names from, of those that are precompiled, and does not include."""
    text = _COMMENT.sub("", text)
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
        for folder in (".", "lib/include"):
            if (self._root / folder / name).is_file():
                return self._root / folder / name
        return None


def main():
    root = root_argument(__doc__)
    known = _Includes(root)
    sources = files(root, "lib", "tools", "tests")
    problems = [
        f"{path.relative_to(root)}: include <{header}>, which it takes names from"
        for path in sources
        for header in missing(path.read_text("utf-8"), known.of(path))
    ]
    for header in set(precompiled((root / _FLAGS).read_text("utf-8"))) ^ set(_NAMES):
        problems.append(f"{_FLAGS}: {header} is in one of the lists, there or here")
    report(problems, f"{len(sources)} files include what could be precompiled")


if __name__ == "__main__":
    main()
