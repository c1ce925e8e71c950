#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library speaks only by what it returns: silence.py LIBONNX_HIER.A

Looks at the symbols of the library: it refers to nothing that prints or ends the program, and
holds no variable that could change.
"""

import re
import subprocess
import sys

from sources import report

LOUD = frozenset(
    """
    printf vprintf fprintf vfprintf dprintf puts putchar fputs fputc putc perror psignal
    __printf_chk __fprintf_chk __vprintf_chk __vfprintf_chk __dprintf_chk
    stdout stderr std::cout std::cerr std::clog std::wcout std::wcerr std::wclog
    syslog openlog exit _exit _Exit quick_exit abort raise kill signal sigaction
    """.split()
)
# Not variables of ours: what the compiler adds (tables, locks of function-local constants), what
# <iostream> brings, and constants, which are data too when they hold pointers.
NO_VARIABLE = re.compile(
    r"vtable for |construction vtable|VTT for |typeinfo |guard variable for |DW\.ref\."
    r"|__asan_|__odr_asan|__tsan_|\.L|std::__ioinit|(.*::)?k[A-Z]\w*$"
)


def symbols(library):
    """(object, kind, name) of each symbol."""
    listing = subprocess.run(
        ["nm", "-A", "-C", library], check=True, capture_output=True, text=True
    ).stdout
    for line in listing.splitlines():
        match = re.match(r"[^:]*:([^:]+):[0-9a-f ]* ([A-Za-z]) (.+)$", line)
        if match:
            yield match.groups()


def problems_of(entries):
    problems = []
    for object_file, kind, name in entries:
        plain = re.sub(r"@.*|\(.*", "", name)
        if kind == "U" and plain in LOUD:
            problems.append(f"{object_file}: uses {name}")
        elif kind in "bBdDsSgGC" and not NO_VARIABLE.match(name):
            problems.append(f"{object_file}: global variable {name}")
    return problems


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    entries = list(symbols(sys.argv[1]))
    if not entries:
        sys.exit(f"{sys.argv[1]}: no symbols found")
    report(problems_of(entries), f"{len(entries)} symbols")


if __name__ == "__main__":
    main()
