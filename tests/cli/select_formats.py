#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `select` prints is what other tools read: select_formats.py --tool TOOL FOLDER

Each format is read by a parser as strict as that of the tools that take it, and must give exactly
the nodes that the sidecar has below the module, in all models of the folder; a name that a format
cannot hold is refused, and no other is. Names matched exactly in the model, as onnxruntime's
quantiser matches its nodes_to_exclude, find all these nodes and no others.
"""

import argparse
import collections
import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from onnx import helper

REFUSED = 2  # exit code
MODULES = 4  # of each model, at least, where it has so many
PRECISION = "int8"

# Alone in a model each, with the formats that cannot hold them.
NO_TEXT = {"lines", "csv", "trtexec", "polygraphy"}
ODD_NAMES = {
    "a:b": {"trtexec"},
    "a::b:fp16": {"trtexec"},
    "a,b": {"csv", "trtexec"},
    "it's": {"trtexec", "polygraphy"},
    'say "x"': {"csv", "trtexec", "polygraphy"},
    "two words": {"polygraphy"},
    " around ": {"polygraphy"},
    "tab\there": NO_TEXT,
    "new\nline": NO_TEXT,
    "\r\n": NO_TEXT,
    "\x1b[31mred\x7f": NO_TEXT,
    "größe/层.0/→": set(),
    "a\u00a0b": set(),
    "^$.|?*+()[]{}\\": set(),
    "\\": set(),
    "a|b": set(),
    "*": {"trtexec"},
    "-flag": set(),
    "[1]": set(),
    "\\x41": set(),
}
# Bytes that are not UTF-8, in place of this name; a protobuf of Python's would not take them.
PLACEHOLDER = b"not-utf8"
NOT_UTF8 = b"not\xff-\xfe\x808"


class Malformed(Exception):
    """Not of the format."""


def must(condition, why):
    if not condition:
        raise Malformed(why)


def text_of(data):
    return data.decode("utf-8", "surrogateescape")


def read_lines(data):
    must(data.endswith(b"\n"), "the last line does not end")
    return text_of(data).split("\n")[:-1]


def read_nul(data):
    must(data.endswith(b"\0"), "the last name does not end")
    return text_of(data).split("\0")[:-1]


def read_csv(data):
    """RFC 4180, one record; a reader that splits at commas alone gets the same."""
    text = text_of(data)
    records = list(csv.reader([text], strict=True))
    must(len(records) == 1 and text.endswith("\n"), "is not one record")
    must(records[0] == text[:-1].split(","), "says something else without quotes")
    return records[0]


def read_json(data):
    names = json.loads(data.decode("utf-8"))
    must(isinstance(names, list) and all(isinstance(n, str) for n in names), "is no list of texts")
    return names


def pairs(parts):
    names = []
    for part in parts:
        name, colon, precision = part.rpartition(":")
        must(colon and precision == PRECISION, f"{part!r} has no precision")
        names.append(name)
    return names


def read_trtexec(data):
    """spec ::= pair["," spec], pair ::= name":"precision; quotes enclose names, a lone star is
    every other layer."""
    text = text_of(data)
    must(text.endswith("\n") and "\n" not in text[:-1], "is not one argument")
    must("'" not in text and '"' not in text, "has quotes")
    must(all(part.count(":") == 1 for part in text[:-1].split(",")), "has several colons in a pair")
    names = pairs(text[:-1].split(","))
    must("*" not in names, "sets all other layers")
    return names


def read_polygraphy(data):
    """Arguments as a shell makes them of $(onnx-hier select ...); each splits at its last colon."""
    text = text_of(data)
    must(text.endswith("\n") and not re.search(r"[\t\n]", text[:-1]), "is not one line")
    must("'" not in text and '"' not in text, "has quotes")
    return pairs(text[:-1].split(" "))


READERS = {
    "lines": read_lines,
    "nul": read_nul,
    "csv": read_csv,
    "json": read_json,
    "trtexec": read_trtexec,
    "polygraphy": read_polygraphy,
}


def matched(data, names):
    """Those that the regular expression matches, and whether each branch of it matches one."""
    text = data.decode("utf-8")
    must(text.endswith("\n") and "\n" not in text[:-1], "is not one line")
    expression = re.compile(text[:-1])
    found = [name for name in names if expression.fullmatch(name)]
    must(text.startswith("^(?:") and text.endswith(")$\n"), "is not anchored")
    branches = re.findall(r"(?:\\.|[^\\|])+", text[4:-3])
    ones = [[name for name in names if re.fullmatch(branch, name)] for branch in branches]
    must(all(len(one) == 1 for one in ones), "has a branch that does not match one name")
    return found


def nodes_of(graph):
    """Those of a graph and of the graphs inside it, as onnx's helpers walk them."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from nodes_of(inner)


def all_nodes(model):
    yield from nodes_of(model.graph)
    for function in model.functions:
        yield from nodes_of(function)


def unique(items):
    return list(dict.fromkeys(items))


class Check:
    def __init__(self, tool):
        self.tool = tool
        self.count = 0
        self.wrong = 0

    def note(self, what, problem):
        self.count += 1
        if problem:
            self.wrong += 1
            print(f"WRONG {what}: {problem}")

    def run(self, *arguments):
        return subprocess.run([self.tool, *map(str, arguments)], capture_output=True)

    def select(self, path, pattern, form):
        """What is printed; none: refused."""
        precision = ["--precision", PRECISION] if form in ("trtexec", "polygraphy") else []
        done = self.run("select", path, *pattern, "-q", "--format", form, *precision)
        refused = done.returncode == REFUSED and b"cannot hold" in done.stderr
        must(refused or done.returncode == 0, f"exit code {done.returncode}")
        must(not refused or not done.stdout, "prints something and refuses")
        return None if refused else done.stdout

    def format(self, what, path, pattern, form, expected, names, unfit):
        """`expected` are the names that are meant, of all `names`; `unfit` those that the format
        cannot hold."""
        try:
            data = self.select(path, pattern, form)
            if data is None or unfit:
                problem = None if data is None and unfit else "refuses" if unfit == [] else "prints"
                self.note(f"{what} {form}", problem and f"{problem} {expected[:5]}")
                return
            if form == "regex":
                wanted, found = set(expected), set(matched(data, names))
            else:
                wanted, found = expected, READERS[form](data)
            self.note(f"{what} {form}", None if found == wanted else f"{found} is not {wanted}")
        except (Malformed, ValueError, re.error, csv.Error) as error:
            self.note(f"{what} {form}", f"cannot be read: {error}")

    def model(self, path):
        done = self.run("tag", path, "--sidecar-only", "--sidecar", "-", "-q")
        sidecar = json.loads(done.stdout)
        model = onnx.load(path, load_external_data=False)
        names = unique(node["name"] for node in sidecar["nodes"] if node["name"])
        below = modules_below(sidecar["modules"])
        modules = [m["path"] for m in sidecar["modules"] if m["total_nodes"]]
        for module in modules[:: max(1, len(modules) // MODULES)]:
            what = f"{path.name} {module}"
            owned = [node for node in sidecar["nodes"] if below[module] & set(owners_of(node))]
            expected = unique(node["name"] for node in owned if node["name"])
            pattern = [module]
            ids = read_lines(self.select(path, pattern, "ids"))
            problem = None if ids == [n["id"] for n in owned] else "other ids than in the sidecar"
            self.note(f"{what} ids", problem)
            if not expected:
                continue
            for form in (*READERS, "regex"):
                unfit = [name for name in expected if form in unfit_formats(name)]
                self.format(what, path, pattern, form, expected, names, unfit)
            self.exclude(what, path, pattern, model, owned)

    def exclude(self, what, path, pattern, model, owned):
        """By names alone, as `node.name in nodes_to_exclude` does."""
        nodes_to_exclude = read_json(self.select(path, pattern, "json"))
        bearers = collections.Counter(node.name for node in all_nodes(model))
        if any(bearers[name] > 1 for name in nodes_to_exclude):
            return  # Nodes of other modules may have these names, too: --strict says so.
        found = sum(bearers[name] for name in nodes_to_exclude)
        named = sum(bool(node["name"]) for node in owned)
        self.note(f"{what} excluded", None if found == named else f"{found} of {named} nodes found")


def owners_of(node):
    """In each call of the function whose body it is in, where that stands for several modules."""
    return [node["tag"], *(node["auxiliary"] if node.get("by_call") else [])]


def unfit_formats(name):
    """The formats that cannot hold a name of a model of the folder."""
    unfit = {"trtexec"} if ":" in name else set()
    return unfit | ({"polygraphy"} if " " in name else set())


def modules_below(modules):
    """By module, itself and those inside it; a module comes before these."""
    parents = {module["path"]: module["parent"] for module in modules}
    below = {path: {path} for path in parents}
    for path in reversed(parents):
        if parents[path] is not None:
            below[parents[path]] |= below[path]
    return below


def check_odd_names(check, folder):
    """One model; each node has an operator of its own, so that it can be selected alone."""
    names = [*ODD_NAMES, PLACEHOLDER.decode()]
    nodes = [helper.make_node(f"Op{i}", ["x"], [f"y{i}"], name=n) for i, n in enumerate(names)]
    path = folder / "odd_names.onnx"
    model = helper.make_model(helper.make_graph(nodes, "odd", [], []))
    path.write_bytes(model.SerializeToString().replace(PLACEHOLDER, NOT_UTF8))
    names[-1] = text_of(NOT_UTF8)
    for i, name in enumerate(names):
        unfit = ODD_NAMES.get(name, {"json", "regex"})
        for form in (*READERS, "regex"):
            told = [name] if form in unfit else []
            check.format(repr(name), path, ["--op", f"Op{i}"], form, [name], names, told)
    fit = [name for name in ODD_NAMES if not NO_TEXT <= ODD_NAMES[name]]
    operators = ",".join(f"Op{names.index(name)}" for name in fit)
    for form in ("lines", "nul", "json", "regex"):
        check.format("odd names", path, ["--op", operators], form, fit, names, [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    check = Check(args.tool)
    for path in sorted(args.folder.glob("*.onnx")):
        check.model(path)
    with tempfile.TemporaryDirectory() as folder:
        check_odd_names(check, Path(folder))
    print(f"{check.count} checks, {check.wrong} wrong")
    return 1 if check.wrong or check.count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
