#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing in a file steers a terminal: terminal.py --tool ONNX-HIER

The models, sidecars and module maps of evil_models.py hold escape sequences, line ends, marks of
direction, what has no width, and bytes that are not UTF-8, in every text that a file has; files
and folders have such names too. All commands run on them, in all forms of text and as JSON:

- what is printed for people is UTF-8 without any of these, on both streams, and no line starts
  in the middle of a name;
- JSON is valid, and a name that is UTF-8 comes out of it as it stands in the file; GraphML is XML.

Exit code: 0 all well, 1 not.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import evil_models

FILE = evil_models.EVIL
SECONDS = 60
PROFILE_JSON = ("json", "speedscope", "trace")


class Terminal:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.runs = 0
        self.problems = []

    def run(self, *arguments, codes=(0, 1, 2)):
        """Runs the tool; returns standard output, and judges both streams."""
        self.runs += 1
        done = subprocess.run(
            [self.tool, *arguments], cwd=self.folder, capture_output=True, timeout=SECONDS
        )
        shown = " ".join(ascii(str(word)) for word in arguments)
        if done.returncode not in codes:
            self.problems.append(f"{shown}: exit {done.returncode}: {done.stderr[:300]!r}")
        streams = [done.stderr] if "--json" in arguments else [done.stdout, done.stderr]
        for text in streams:
            self.judge(shown, text)
        return done.stdout

    def judge(self, shown, text):
        try:
            found = [char for char in text.decode() if evil_models.is_evil(char)]
        except UnicodeDecodeError as error:
            found = [str(error)]
        if found:
            self.problems.append(f"{shown}: prints {ascii(found[0])}")
        if b"\n>" in text:
            self.problems.append(f"{shown}: a line starts in the middle of a name")

    def json(self, *arguments, codes=(0, 1)):
        return self.judge_json(arguments, self.run(*arguments, "--json", codes=codes))

    def judge_json(self, arguments, text):
        try:
            return json.loads(text)
        except ValueError as error:
            self.problems.append(f"{ascii(arguments)}: no JSON: {error}")
            return {}

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def all_commands(self, model, maps):
        sidecar = f"{FILE}.json"
        self.run("tag", model, "--output-dir", ".", "--force", codes=(0,))
        self.run("tag", model, model + "x", "-o", "x", "--no-such" + FILE, codes=(2,))
        self.run("tag", model, "-o", "out.onnx", "--sidecar", sidecar, "--force", *maps, codes=(0,))
        self.json("tag", model, "-o", "out.onnx", "--force", codes=(0,))
        nodes = json.loads((self.folder / sidecar).read_text("utf-8"))["nodes"]
        ids = [node["id"] for node in nodes]
        for subject in (model, "out.onnx"):
            self.run("tree", subject, "--classes", *maps, codes=(0,))
            self.json("tree", subject, *maps)
            self.run("explain", subject, *ids, codes=(0,))
            self.json("explain", subject, *ids)
            self.run("explain", subject, FILE, codes=(2,))
            self.parts(subject)
            self.times(subject, nodes)
            for given in ((), ("--tags", sidecar), ("--tags", "wrong.json"), ("--tags", "other.json")):
                for form in ((), ("--lines",)):
                    self.run("check", subject, "--coverage", "--contamination", *form, *given, *maps)
                self.json("check", subject, "--coverage", "--contamination", *given, *maps)
            self.run("check", subject, "--fresh", "--coverage")
            self.run("check", subject)
            self.run("check", subject, "--fix", "-o", "fixed.onnx", "--force")
            for tags in (sidecar, "wrong.json", "other.json"):
                self.run("apply", tags, subject, "-o", "a.onnx", "--force", "--verbose")
                self.run("apply", tags, subject, "-o", "a.onnx", "--force", "--strict")
        self.run("strip", "out.onnx", "-o", "back.onnx", "--force", codes=(0,))
        if (self.folder / "back.onnx").read_bytes() != (self.folder / model).read_bytes():
            self.problems.append(f"{ascii(model)}: strip does not give the file back")

    def times(self, subject, nodes):
        """A profile of the model's kernels, and of one that it does not have."""
        names = [node["name"] for node in nodes] + [f"unknown{FILE}"]
        rows = ['"' + name.replace('"', '""') + '",5' for name in names if "\n" not in name]
        profile = self.write(f"times{FILE}.csv", "\n".join(["name,time", *rows]))
        for more in ((), ("--compare", profile), ("--format", "csv"), ("--format", "folded")):
            self.run("profile", subject, profile, *more)
        self.run("export", subject, "--format", "dot", codes=(0,))
        try:
            ElementTree.fromstring(self.run("export", subject, "--format", "graphml", codes=(0,)))
        except ElementTree.ParseError as error:
            self.problems.append(f"{ascii(subject)}: GraphML is no XML: {error}")
        # Whether a kernel is found or not.
        self.run("tree", subject, "--profile", profile, "--sort", "time")
        self.run("report", subject, "-o", f"page{FILE}", "-f", codes=(0,))
        self.run("report", subject, "-o", f"page{FILE}", "-f", "--profile", profile)
        commands = [["profile", subject, profile, "--format", form] for form in PROFILE_JSON]
        commands += [["export", subject], ["export", subject, "--node-data", "findings"]]
        for command in commands:
            done = subprocess.run(
                [self.tool, *command],
                cwd=self.folder,
                capture_output=True,
                timeout=SECONDS,
            )
            if done.returncode == 0:
                self.judge_json(command, done.stdout)
        self.run("profile", subject, profile, "--layer-info", profile, codes=(2,))

    def parts(self, subject):
        """Nodes and modules that patterns mean. Names that a form cannot hold are refused: other
        tools must find them, so they are printed as they are, or not at all."""
        for form in ("lines", "csv", "trtexec", "regex", "ids", "genai", "autocast", "qnn"):
            self.run("select", subject, "--format", form)
        self.run("select", subject, "--values", "all")
        self.run("select", subject, FILE, codes=(1, 2))
        for pattern in ("/", "*.layer.1", "*.layer.[0-1]", "**"):
            self.run("extract", subject, pattern, "--force", codes=(0, 2))
            # Whether types are known or not.
            probe = ("extract", subject, pattern, "--probe", f"probe{FILE}", "--force")
            self.run(*probe, codes=(0, 2))
            self.judge_json(probe, self.run(*probe, "--json", codes=(0, 2)) or "{}")
        for module in self.json("tree", subject)["modules"]:
            self.run("extract", subject, module["path"], "-o", "part.onnx", "--force")
        self.run("extract", subject, FILE, codes=(2,))

    def errors(self):
        missing = f"missing{FILE}"
        for name in ("damaged.onnx", missing, "wrong.json"):
            for command in ("tag", "tree", "check", "strip"):
                self.run(command, name, codes=(2,))
            self.run("explain", name, FILE, codes=(2,))
            self.run("apply", "other.json", name, codes=(2,))
            self.run("apply", name, f"{FILE}.onnx")
            self.run("check", f"{FILE}.onnx", "--tags", name)
            self.run("tree", f"{FILE}.onnx", "--module-map", name)
        self.run(FILE, codes=(2,))
        (self.folder / FILE).mkdir()
        for copy in ("copy", "keep", FILE):
            self.run("tag", "external.onnx", "--output-dir", FILE, "--external-data", copy)
        self.run("tag", "external.onnx", "-o", f"{FILE}/out.onnx", codes=(2,))

    def names(self):
        """JSON loses nothing of a name that is text."""
        name = f"/{evil_models.EVIL}a/{evil_models.EVIL}"
        content = evil_models.node(["a"], ["b"], name)
        self.write("text.onnx", evil_models.field(7, evil_models.field(1, content)))
        tags = self.json("tag", "text.onnx", "--force")
        sidecar = json.loads((self.folder / "text_tagged_hierarchy.json").read_text("utf-8"))
        if sidecar["nodes"][0]["name"] != name or tags["files"][0]["tagged"] != 1:
            self.problems.append("a name is not the same in JSON")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-terminal-") as folder:
        terminal = Terminal(options.tool.resolve(), Path(folder))
        terminal.write("wrong.json", evil_models.sidecar())
        terminal.write("other.json", evil_models.other_tags())
        maps = ("--module-map", terminal.write(f"map{FILE}.json", evil_models.module_map()))
        terminal.write("damaged.onnx", evil_models.damaged())
        terminal.write("external.onnx", evil_models.external())
        plain = terminal.write(f"{FILE}.onnx", evil_models.model())
        tagged = terminal.write(f"tagged{FILE}.onnx", evil_models.model(tags=True))
        for model in (plain, tagged):
            terminal.all_commands(model, maps)
            terminal.all_commands(model, ())
        terminal.errors()
        terminal.names()
    for problem in terminal.problems:
        print(problem)
    print(f"{terminal.runs} runs, {len(terminal.problems)} problems")
    return 1 if terminal.problems else 0


if __name__ == "__main__":
    sys.exit(main())
