#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No module is made up: spelled_modules.py --tool ONNX-HIER [--alike] PATH...

Every model (each PATH, or all below it) is tagged. Each module of the tree must be spelled by the
model: somewhere in its bytes, in a name, a parameter, metadata or a function, the module's own name
stands behind that of the module around it, whatever parts the two.

--alike is for models that lost names. There a module may also be one that its like spells (another
number in its path or in its name), or one whose two names stand apart, as those of a container that
was never called and of what is in it do.

Exit code: 0 all well, 1 not. A model that `tag` refuses is passed over.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

# What parts names, in the names of any exporter.
BETWEEN = re.compile(rb"[^0-9A-Za-z\x80-\xff]+")
NUMBER = re.compile(rb"[0-9]+")
DEEPEST = 2


def words(text):
    """b".encoder.layer.0." of "/encoder/layer.0" """
    return b"." + BETWEEN.sub(b".", text).strip(b".") + b"."


def models(paths):
    for path in map(Path, paths):
        yield from sorted(path.rglob("*.onnx")) if path.is_dir() else [path]


def sidecar_of(tool, path, *options):
    """As `tag` would write it; None for a model that it refuses."""
    command = [tool, "tag", path, "--sidecar-only", "--sidecar", "-", "-q", *options]
    run = subprocess.run(command, capture_output=True)
    return json.loads(run.stdout) if run.returncode == 0 else None


def judge(paths, problems_of, what):
    """Prints what is wrong with each model, and how many have `what`; the exit code. `problems_of` gives
    None for a model that is refused."""
    count = bad = 0
    for path in models(paths):
        problems = problems_of(path)
        if problems is None:
            continue
        count += 1
        bad += bool(problems)
        for problem in problems:
            print(f"{path}: {problem}")
    print(f"{count} models, {bad} with {what}")
    return 1 if bad or count == 0 else 0


class Speller:
    def __init__(self, data, alike):
        self.text = BETWEEN.sub(b".", data)
        self.alike = NUMBER.sub(b"#", self.text) if alike else None

    def spells(self, qualified_name):
        names = words(qualified_name.encode()).strip(b".").split(b".")
        tail = b"." + b".".join(names[-DEEPEST:]) + b"."
        if tail in self.text:
            return True
        if self.alike is None:
            return False
        return NUMBER.sub(b"#", tail) in self.alike or all(words(name) in self.text for name in names[-DEEPEST:])


def made_up_modules(tool, path, alike):
    sidecar = sidecar_of(tool, path)
    if sidecar is None:
        return None
    # The lengths of fields stand before names, and may look like letters: each text gets an end.
    data = b".".join(re.findall(rb"[\x20-\x7e\x80-\xff]+", path.read_bytes()))
    speller = Speller(data, alike)
    names = [module["qualified_name"] for module in sidecar["modules"]]
    return [f"nothing in the model spells the module {name}" for name in names if name and not speller.spells(name)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--alike", action="store_true")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    return judge(
        options.paths,
        lambda path: made_up_modules(options.tool, path, options.alike),
        "modules that are made up",
    )


if __name__ == "__main__":
    sys.exit(main())
