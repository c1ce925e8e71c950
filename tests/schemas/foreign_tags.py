#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tags as other tools may write them, held to the schemas: foreign_tags.py --tool ONNX-HIER

Models whose nodes are named after one layer and tagged with another, the tags with doubled
slashes, without the first one, with one at the end, with dots, with bytes that are not UTF-8, and
far too long; in doc_strings, as metadata, and in a file beside the model. What `check --json` says
of them, and what `check --fix` writes, must be valid, and after it nothing is left to mend.

Exit code: 0 all well, 1 not, 77 python3-jsonschema is not installed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import contract
import written_model

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hostile"))
from hostile_models import field, model, node  # noqa: E402

SKIPPED = 77
LAYERS = 6
NAMES = [f"/net/layer.{i // 2}/act/Relu_{i}" for i in range(2 * LAYERS)]
# {} is the number of a layer.
FORMS = (
    "/net/layer.{}/act",
    "//net//layer.{}///act",
    "net/layer.{}/act",
    "/net/layer.{}/act/",
    "///net/layer/layer.{}/act//",
    "/./net/../layer.{}/act",
    "/net/layer.{}/act/.",
    "/net/layer.{}/" + "a" * 1000,
    "/net/layer.{}" + "/deep" * 300,
    "/net/layer.{}/\udcff\udcfe/act",
    "/net/layer.{}/\x1b\u2028\"\\/act",
    "/",
    "//",
    "..",
)


def doc_string(tag):
    """JSON has no bytes that are not UTF-8; the file may have some all the same."""
    text = json.dumps({"hierarchy_tags": [tag, "//other//"], "hierarchy_path": tag}, ensure_ascii=False)
    return field(6, text.encode("utf-8", "surrogateescape"))


def metadata(tag):
    value = tag.encode("utf-8", "surrogateescape")
    return field(9, field(1, "winml.hierarchy.tag") + field(2, value))


def layers(form, carry):
    """Two nodes a layer; the second one's tag names the next layer."""
    nodes = []
    for i in range(len(NAMES)):
        tag = form.format((i // 2 + i % 2) % LAYERS)
        nodes.append(node([f"v{i}"], [f"v{i + 1}"], NAMES[i], extra=carry(tag)))
    return model(nodes)


class ForeignTags:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.validators = contract.validators(contract.load_schemas())
        self.checks = 0
        self.problems = []

    def report(self, place, *arguments):
        """The report of a check, held to its schema."""
        self.checks += 1
        done = subprocess.run(
            [self.tool, "check", *arguments, "--json"], cwd=self.folder, capture_output=True
        )
        if done.returncode == 2 and b"tags can be read" in done.stderr:
            return None  # as a doc_string that is not UTF-8
        if done.returncode not in (0, 1):
            self.problems.append(f"{place}: exit {done.returncode}: {done.stderr[:300]!r}")
            return None
        report = contract.parse_json(done.stdout.decode())
        problems = contract.schema_problems(self.validators["check_report"], report)
        self.problems += [f"{place}: {problem}" for problem in problems]
        return report

    def check(self, place, *tags):
        self.report(place, "in.onnx", "--coverage", "--contamination", *tags)
        (self.folder / "fixed.onnx").unlink(missing_ok=True)
        if self.report(f"{place}, fix", "in.onnx", "--fix", "-o", "fixed.onnx", *tags) is None:
            return
        left = self.report(f"{place}, fixed", "fixed.onnx")
        if left is None or left["findings"]:
            self.problems.append(f"{place}: --fix leaves findings")
        written = written_model.load(self.folder / "fixed.onnx") if written_model.onnx else None
        for _, item in written_model.nodes_with_ids(written) if written else ():
            text = item.doc_string
            if '"hierarchy_method":' not in text:
                continue  # the other tool's, not wrong
            problems = contract.schema_problems(
                self.validators["doc_string"], contract.parse_json(text)
            )
            self.problems += [f"{place}, doc_string: {problem}" for problem in problems]

    def look_at(self, form):
        for carry in (doc_string, metadata):
            (self.folder / "in.onnx").write_bytes(layers(form, carry))
            self.check(f"{ascii(form)[:60]} in {carry.__name__}")
        if not form.isascii() or not form.startswith("/"):
            return  # a file of tags is JSON, and what is no path is no tag there
        tags = {NAMES[i]: form.format((i // 2 + i % 2) % LAYERS) for i in range(len(NAMES))}
        (self.folder / "tags.json").write_text(json.dumps({"nodes": tags}), "utf-8")
        self.check(f"{ascii(form)[:60]} in a file", "--tags", "tags.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    options = parser.parse_args()
    if not contract.jsonschema:
        print("skipped: python3-jsonschema is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="onnx-hier-foreign-") as folder:
        foreign = ForeignTags(options.tool.resolve(), Path(folder))
        for form in FORMS:
            foreign.look_at(form)
    for problem in foreign.problems:
        print(problem)
    print(f"{foreign.checks} checks, {len(foreign.problems)} problems")
    return 1 if foreign.problems else 0


if __name__ == "__main__":
    sys.exit(main())
