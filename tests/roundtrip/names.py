#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes names away from the nodes of models and checks what `tag --name-nodes` promises.

    names.py --tool ONNX-HIER --verify ONNX-HIER-VERIFY FOLDER...

Of each *.onnx file that protobuf reads there are three variants: as it is, with every second node
nameless, and with no names at all; of the names that go, every third one leaves an empty field.
For each variant that has nameless nodes:

- nothing but doc_strings and those names differs, and each is the only one of its kind
  (onnx-hier-verify --as named);
- the sidecar has the model's names, and all else in it is as without names;
- tagging the named file again, with and without --name-nodes, gives the same bytes;
- so it does where a tool has dropped the doc_strings: names alone change no tag;
- `apply` of the nameless model's sidecar to the named file changes nothing;
- `strip` gives the nameless model back, byte for byte.
"""

import argparse
import collections
import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schemas"))
import contract  # noqa: E402
import written_model  # noqa: E402

# Names of variants, and the nodes that lose theirs.
VARIANTS = {
    "as it is": lambda index: False,
    "every second": lambda index: index % 2 == 0,
    "none": lambda index: True,
}
TAGS = '{"hierarchy_path":'


class Checking:
    """All checks, in a folder that is thrown away."""

    def __init__(self, options, work):
        self.options = options
        self.work = work
        self.counts = collections.Counter()
        self.wrong = []

    def check(self, path):
        self.counts["files"] += 1
        for variant, goes in VARIANTS.items():
            model = written_model.load(path)
            if model is None:
                self.counts["not read by protobuf"] += 1
                return
            for index, (_, node) in enumerate(written_model.nodes_with_ids(model)):
                if not goes(index):
                    continue
                node.ClearField("name")
                if index % 3 == 0:
                    node.name = ""
            nameless = [not node.name for _, node in written_model.nodes_with_ids(model)]
            if not any(nameless):
                continue
            (self.work / "in.onnx").write_bytes(model.SerializeToString())
            if not self._tool("tag", "in.onnx", "-o", "tagged.onnx", may_refuse=True):
                self.counts["refused"] += 1
                return
            self.counts["variants"] += 1
            self.counts["names"] += sum(nameless)
            found = [*self._named(nameless), *self._again(), *self._without_tags()]
            self.wrong.extend(f"{path} ({variant}): {problem}" for problem in found)

    def _run(self, *command):
        return subprocess.run(command, cwd=self.work, capture_output=True, check=False, text=True)

    def _tool(self, *arguments, may_refuse=False):
        data = () if arguments[0] == "strip" else ("--external-data", "keep")
        done = self._run(self.options.tool, *arguments, "-q", "-f", "--no-sync", *data)
        if done.returncode != 0 and not may_refuse:
            raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
        return done.returncode == 0

    def _sidecar(self, stem, *left_out):
        """What it says, but for what may differ."""
        text = (self.work / f"{stem}_hierarchy.json").read_text("utf-8")
        sidecar = contract.parse_json(text)
        del sidecar["model"]["file"]
        for node in sidecar["nodes"]:
            for key in left_out:
                node.pop(key, None)
        return sidecar

    def _same(self, one, other):
        return filecmp.cmp(self.work / one, self.work / other, shallow=False)

    def _named(self, nameless):
        self._tool("tag", "in.onnx", "-o", "named.onnx", "--name-nodes")
        done = self._run(self.options.verify, "--as", "named", "in.onnx", "named.onnx")
        if done.returncode != 0:
            yield f"verify: {done.stdout}{done.stderr}"
        model = written_model.load(self.work / "named.onnx")
        names = {node_id: node.name for node_id, node in written_model.nodes_with_ids(model)}
        bearers = collections.Counter(names.values())
        given = (name for name, was_none in zip(names.values(), nameless) if was_none)
        if any(not name or bearers[name] > 1 for name in given):
            yield "a node is still nameless, or has the name of another one"
        if {node["id"]: node["name"] for node in self._sidecar("named")["nodes"]} != names:
            yield "the sidecar has other names than the model"
        if self._sidecar("named", "name") != self._sidecar("tagged", "name"):
            yield "the named model is tagged in another way"

    def _again(self):
        for flags in ((), ("--name-nodes",)):
            self._tool("tag", "named.onnx", "-o", "again.onnx", *flags)
            if not self._same("named.onnx", "again.onnx"):
                yield f"tagged again {' '.join(flags)}, the named file has other bytes"
        self._tool("apply", "tagged_hierarchy.json", "named.onnx", "-o", "applied.onnx")
        if not self._same("named.onnx", "applied.onnx"):
            yield "the sidecar of the nameless model changes the named one"
        # The input may have tags itself.
        self._tool("strip", "in.onnx", "-o", "plain.onnx")
        self._tool("strip", "named.onnx", "-o", "stripped.onnx")
        if not self._same("plain.onnx", "stripped.onnx"):
            yield "strip does not give the nameless model back"

    def _without_tags(self):
        for stem in ("tagged", "named"):
            model = written_model.load(self.work / f"{stem}.onnx")
            for _, node in written_model.nodes_with_ids(model):
                if node.doc_string.startswith(TAGS):
                    node.ClearField("doc_string")
            (self.work / f"{stem}_bare.onnx").write_bytes(model.SerializeToString())
            self._tool("tag", f"{stem}_bare.onnx", "-o", f"{stem}_new.onnx")
        if self._sidecar("named_new", "name") != self._sidecar("tagged_new", "name"):
            yield "without the tags, the names change what the model is tagged with"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--verify", required=True, type=Path)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    options.tool = options.tool.resolve()
    options.verify = options.verify.resolve()
    return options


def main():
    options = parse_arguments()
    if written_model.onnx is None:
        print("skipped: this Python has no onnx")
        return 77
    with tempfile.TemporaryDirectory(prefix="onnx-hier-names-") as work:
        checking = Checking(options, Path(work))
        for folder in options.folders:
            for path in sorted(folder.rglob("*.onnx")):
                checking.check(path)
    for problem in checking.wrong:
        print(f"WRONG {problem}")
    counts = ", ".join(f"{count} {what}" for what, count in checking.counts.items())
    print(f"{counts}; {len(checking.wrong)} wrong")
    return 1 if checking.wrong or not checking.counts["names"] else 0


if __name__ == "__main__":
    sys.exit(main())
