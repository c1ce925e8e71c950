#!/usr/bin/env python3
"""What the program cannot do, it cannot be made to do: powers.py ONNX-HIER

Looks at the functions that the dynamically linked program takes from the C library: none runs
another program, opens a connection, loads code or asks the environment.
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
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    listing = subprocess.run(
        ["nm", "-D", "--undefined-only", sys.argv[1]], check=True, capture_output=True, text=True
    ).stdout
    names = [re.sub(r"@.*", "", line.split()[-1]) for line in listing.splitlines()]
    if "open" not in names:
        sys.exit(f"{sys.argv[1]}: is not the program, or is linked statically")
    problems = [f"uses {name}()" for name in names if FORBIDDEN.fullmatch(name)]
    report(problems, f"{len(names)} functions")


if __name__ == "__main__":
    main()
