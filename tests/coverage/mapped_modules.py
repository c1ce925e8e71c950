#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All modules of a module map are in the sidecar: mapped_modules.py --tool ONNX-HIER PATH...

Every model (each PATH, or all below it) that has a module map beside it, NAME.modules.json, is tagged
with that. Each module of the map is listed, once, with its class; "no nodes" is said of those that hold
none, and of no others.

Exit code: 0 all well, 1 not.
"""

import argparse
import json
import sys

from spelled_modules import models, sidecar_of


def problems_of(sidecar, classes):
    modules = {module["qualified_name"]: module for module in sidecar["modules"]}
    if len(modules) != len(sidecar["modules"]):
        yield "a module is listed twice"
    for name, class_name in classes.items():
        if name not in modules:
            yield f"{name} is not listed"
        elif modules[name]["class"] != class_name:
            yield f"{name} is no {modules[name]['class']}"
    # Owners in further calls of nodes in functions that stand for several modules.
    further = {tag for n in sidecar["nodes"] if n.get("by_call") for tag in n["auxiliary"]}
    for name, module in modules.items():
        path = module["path"]
        runs = any(tag == path or tag.startswith((path + "/", path + ".")) for tag in further)
        if not runs and (module.get("state") == "no nodes") != (module["total_nodes"] == 0):
            yield f"{name} has {module['total_nodes']} nodes and the state {module.get('state')}"
        parent = module["parent"]
        if parent is not None and not any(other["path"] == parent for other in modules.values()):
            yield f"{name} is in {parent}, which is not listed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    count = listed = bad = 0
    for path in models(options.paths):
        module_map = path.with_suffix(".modules.json")
        if not module_map.exists():
            continue
        classes = json.loads(module_map.read_text("utf-8"))
        sidecar = sidecar_of(options.tool, path, "--module-map", module_map)
        count += 1
        listed += len(classes)
        for problem in problems_of(sidecar, classes) if sidecar else ["is refused"]:
            bad += 1
            print(f"{path}: {problem}")
    print(f"{count} models with {listed} modules in their maps, {bad} problems")
    return 1 if bad or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
