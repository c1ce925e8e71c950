#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--min-confidence is kept: min_confidence.py --tool ONNX-HIER PATH...

Every model (each PATH, or all below it) is tagged as it is and with several --min-confidence. Then
each node's module holds it so surely, and is the usual one or holds that.

Exit code: 0 all well, 1 not. A model that `tag` refuses is passed over.
"""

import argparse
import sys

from spelled_modules import judge, sidecar_of

LEAST = ("0.5", "0.9", "0.99", "1")
ROUNDING = 1e-4  # of probabilities in sidecars


def around(module, other):
    """Whether the qualified name `module` is that of `other`, or of what holds it."""
    return module in ("", other) or other.startswith(module + ".")


def problems_of(tool, path):
    usual = sidecar_of(tool, path)
    if usual is None:
        return None
    problems = []
    for least in LEAST:
        sure = sidecar_of(tool, path, "--min-confidence", least)
        names = {module["path"]: module["qualified_name"] for module in usual["modules"] + sure["modules"]}
        for before, after in zip(usual["nodes"], sure["nodes"], strict=True):
            what = f"{least}: node {after['id']} in {after['tag']}"
            if after["containment"] < float(least) - ROUNDING:
                problems.append(f"{what}: only {after['containment']} sure")
            if not around(names[after["tag"]], names[before["tag"]]):
                problems.append(f"{what}: not around {before['tag']}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    return judge(options.paths, lambda path: problems_of(options.tool, path), "problems")


if __name__ == "__main__":
    sys.exit(main())
