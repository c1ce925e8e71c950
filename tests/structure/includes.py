#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes run one way: includes.py ROOT

Data walks through the rooms of lib/ in the order of ROOMS; a file includes only headers of its own
room and of those before it. Public headers belong to rooms too, and so do those that are for the
programs of this tree, which public ones must not know. The command line tool sees these two kinds
only; the fitting of weights, which is part of the library's making, sees all of it. A
foreign format stays with those that read or write it.
"""

import re

from sources import files, includes, report, root_argument

ROOMS = (
    "base",
    "files",
    "graph",
    "onnx",
    "checkpoint",
    "shapes",
    "edits",
    "names",
    "tags",
    "owners",
    "audit",
    "tree",
    "measure",
    "cost",
    "relate",
    "parts",
    "numerics",
    "profile",
    "show",
    "api",
    "tasks",
)

PUBLIC = {
    "annotation.h": "tags",
    "c.h": None,  # of tools/c, made of the others
    "apply.h": "api",
    "bytes.h": "base",
    "check.h": "audit",
    "checkpoint.h": "checkpoint",
    "cost.h": "cost",
    "diff.h": "relate",
    "edits.h": "edits",
    "exports.h": "show",
    "folds.h": "parts",
    "graph.h": "graph",
    "hierarchy.h": "tree",
    "ids.h": "base",
    "job_files.h": "edits",
    "json_text.h": "base",
    "measures.h": "measure",
    "missing_file.h": "files",
    "model.h": "onnx",
    "model_results.h": "show",
    "module_paths.h": "names",
    "onnx_hier.h": "api",
    "parameter_names.h": "names",
    "part.h": "parts",
    "parts.h": "parts",
    "profile.h": "profile",
    "list_form.h": "show",
    "module_plan.h": "tree",
    "numerics_report.h": "show",
    "placement.h": "tasks",
    "probes.h": "tasks",
    "review.h": "tasks",
    "nodes_by_name.h": "tree",
    "numerics.h": "numerics",
    "user_rules.h": "tree",
    "value_files.h": "numerics",
    "value_pairs.h": "graph",
    "weights.h": "relate",
    "weights_report.h": "show",
    "reports.h": "show",
    "summary.h": "tags",
    "tag_edits.h": "tags",
    "tags.h": "tags",
    "tasks.h": "tasks",
    "text.h": "base",
    "threads.h": "base",
    "version.h": "base",
    "write.h": "edits",
}

# Headers of a system's own calls: the library's are all in one room, so that another system is one
# more file there.
SYSTEM = re.compile(r"^(sys|linux)/|^(dirent|fcntl|malloc|poll|signal|unistd)\.h$")

# Beginning of a header's name, and the only places that may include it.
FOREIGN = {
    # Tags and module maps are read; what is written needs no document tree.
    "nlohmann/": (
        "lib/base/parsed_json.",
        "lib/tags/",
        "lib/names/module_map_json.cc",
        "lib/profile/json_profile.cc",
        "lib/profile/layer_info.cc",
        "tools/fit-weights/",
        "tools/onnx-hier-verify/",
    ),
    "cxxopts": ("tools/",),
    # The one that judges what the others write shares no reader with them.
    "google/": ("tools/onnx-hier-verify/",),
    "onnx/": ("tools/onnx-hier-verify/",),
}


def room_of(path):
    """The room of a file, named as in an #include or by its place below the root; else None."""
    parts = path.split("/")
    if parts[0] == "lib" and parts[1] not in ("include", "include_program"):
        return parts[1]
    if {"onnx_hier", "onnx_hier_program"} & set(parts[:-1]):
        return PUBLIC.get(parts[-1].removesuffix(".in"), "?")
    return None


def problem_with(path, name):
    """What is wrong with `path` including `name`, or None."""
    for prefix, places in FOREIGN.items():
        if name.startswith(prefix) and not path.startswith(places):
            return f"{name} does not belong here"
    if SYSTEM.match(name) and path.startswith("lib/") and not path.startswith("lib/files/"):
        return f"{name} is for lib/files"
    if name.startswith("tools/") and path.startswith("lib/"):
        return "the library must not know its programs"
    target = room_of(name)
    if target is None:
        return None
    if target not in ROOMS:
        return f"{name} is in no known room; add it to {__file__}"
    if path.startswith("tools/"):
        seen = name.startswith(("onnx_hier/", "onnx_hier_program/")) or path.startswith("tools/fit-weights/")
        return None if seen else f"{name} is not public"
    if path.startswith("lib/include/") and name.startswith("onnx_hier_program/"):
        return f"{name} is not installed"
    here = room_of(path)
    if here not in ROOMS:
        return f"this file is in no known room; add it to {__file__}"
    if ROOMS.index(target) > ROOMS.index(here):
        return f"{here} must not know {target} ({name})"
    return None


def main():
    root = root_argument(__doc__)
    problems = []
    sources = files(root, "lib", "tools")
    for source in sources:
        path = source.relative_to(root).as_posix()
        for line, name in includes(source.read_text("utf-8")):
            problem = problem_with(path, name)
            if problem:
                problems.append(f"{path}:{line}: {problem}")
    report(problems, f"includes of {len(sources)} files")


if __name__ == "__main__":
    main()
