#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program cannot do, it cannot be made to do: powers.py OBJECT...

Looks at the functions that the library and the program, as archives and object files, take from the
C library: none runs another program, opens a connection, loads code or asks the environment.
"""

import re
import subprocess
import sys

from sources import report

FORBIDDEN = re.compile(
    r"system|popen|fork|vfork|clone|exec[lv]\w*|fexecve|posix_spawnp?|wordexp"
    r"|socket|socketpair|connect|bind|listen|accept4?|send\w*|recv\w*|getaddrinfo|gethostby\w+"
    r"|dlopen|dlmopen|getenv|secure_getenv|setenv|putenv"
)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    # To CMake a precompiled header is one of a program's objects.
    objects = [path for path in sys.argv[1:] if not path.endswith(".gch")]
    listing = subprocess.run(
        ["nm", "--undefined-only", *objects], check=True, capture_output=True, text=True
    ).stdout
    names = sorted({words[1] for words in map(str.split, listing.splitlines())
                    if len(words) == 2 and words[0] == "U" and not words[1].startswith("_Z")})
    if "open" not in names or "main" in names:
        sys.exit("these are not the library and the program")
    problems = [f"uses {name}()" for name in names if FORBIDDEN.fullmatch(name)]
    report(problems, f"{len(names)} functions")


if __name__ == "__main__":
    main()
