#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of 'report' shows text, and asks nobody: page.py ROOT

Its script makes no HTML of text, runs no text, and opens no connection; its HTML and style refer to
nothing outside; the policy for the browser comes before all that it is about. Lines are at most 100
characters, files at most 400 lines, and embed.cmake names each script.
"""

import re

from sources import line_of, report, root_argument

LONGEST_LINE = 100
LONGEST_FILE = 400
FORBIDDEN = {
    ".js": r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|setHTML\w*|srcdoc"
    r"|\beval\b|\bFunction\(|\bfetch\b|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\b"
    r"|Worker\b|localStorage|document\.cookie|https?:|//\w+\.\w+/",
    ".css": r"@import|url\(|https?:|//\w+\.\w+/",
    ".html": r"\son\w+=|\sstyle=|\ssrc=|\shref=|https?:|<(?:link|iframe|img|object|base|form)\b",
}


def problems_of(path, text):
    """(line number, what is wrong) of one file."""
    for match in re.finditer(FORBIDDEN.get(path.suffix, r"(?!)"), text):
        yield line_of(text, match.start()), f"{match.group().strip()} has no place in the page"
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE and "Content-Security-Policy" not in line:
            yield number, f"{len(line)} characters"
    if len(lines) > LONGEST_FILE:
        yield LONGEST_FILE, f"{len(lines)} lines"


def main():
    root = root_argument(__doc__)
    folder = root / "lib" / "show" / "page"
    embedded = (folder / "embed.cmake").read_text("utf-8")
    problems = []
    sources = sorted(folder.iterdir())
    for path in sources:
        text = path.read_text("utf-8")
        for line, what in problems_of(path, text):
            problems.append(f"{path.relative_to(root)}:{line}: {what}")
        if path.suffix == ".js" and path.name not in embedded:
            problems.append(f"{path.relative_to(root)}: embed.cmake does not name it")
    page = (folder / "page.html").read_text("utf-8")
    if not 0 < page.find("Content-Security-Policy") < page.find("<style"):
        problems.append("page.html: the policy does not come first")
    report(problems, f"{len(sources)} files of the page")


if __name__ == "__main__":
    main()
