#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that onnx-hier spends on a node, command by command.

Times depend on the machine and on what else it does; instructions do not, so that two builds
can be compared on any machine, however busy. Needs valgrind; a run takes fifty times as long as
outside of it. README.md says what each row means.

With --check, figures are compared with the most that they may be, a quarter above what they were
when that was written down: other compilers make other code.

Exit code: 0 counted, and with --check nothing is above its most; 1 a command failed, or something
is; 2 bad usage; 77 with --check, where valgrind is missing.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import make_models
from measuring import Command, Launcher

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "release"
MODELS = Path(tempfile.gettempdir()) / "onnx-hier-bench"

EXAMPLES = """\
examples:
  instructions.py --models /var/tmp/models                      (makes the models it needs)
  instructions.py --models /var/tmp/models --only tag strip --markdown
  instructions.py --tool build/other/tools/onnx-hier/onnx-hier --json figures.json
"""


@dataclass(frozen=True)
class Row:
    """One command on one model.

    In `arguments`, IN is the model, COPY another file of it, TAGGED what tag wrote of it, FOLDED
    what fold did, SIDECAR and PROFILE are files made of it; OUT is the output and NAMED a node
    that has a name.
    """

    name: str
    label: str
    model: str
    most: int  # instructions that --check allows: a node's, or of the whole process
    arguments: tuple[str, ...]
    whole: bool = False  # the figure is the whole process's, not a node's


WRITE = ("-q", "--force", "--no-sync", "-o", "OUT")
OUT = (*WRITE, "IN")
OUT_TAGGED = (*WRITE, "TAGGED")
ROWS = (
    Row("tag", "tag, all nodes named", "named_50k", 8_500, ("tag", *OUT)),
    Row("tag10", "tag, 10 % of names lost", "lost10_50k", 14_500, ("tag", *OUT)),
    Row("tag60", "tag, 60 % of names lost", "lost60_50k", 33_000, ("tag", *OUT)),
    Row("dynamo", "tag, as dynamo writes it", "dynamo_50k", 14_800, ("tag", *OUT)),
    Row("docs", "tag, doc_strings of 1 kB", "docs_50k", 18_500, ("tag", *OUT)),
    Row("nameless", "tag, only parameters named", "nameless_50k", 43_900, ("tag", *OUT)),
    Row("anonymous", "tag, nothing named", "anonymous_50k", 8_600, ("tag", *OUT)),
    Row("metadata", "tag --metadata", "named_50k", 11_800, ("tag", "--metadata", *OUT)),
    Row("refold", "tag of a folded model", "named_50k", 25_200, ("tag", *WRITE, "FOLDED")),
    Row("strip", "strip of a tagged model", "lost10_50k", 6_000, ("strip", *OUT_TAGGED)),
    Row("retag", "tag of a tagged model", "lost10_50k", 15_000, ("tag", *OUT_TAGGED)),
    Row("check", "check of a clean tagged model", "lost10_50k", 19_700,
        ("check", "-q", "TAGGED")),
    Row("fix", "check --fix of the same", "lost10_50k", 19_900,
        ("check", "--fix", *OUT_TAGGED)),
    Row("explain", "explain of one named node", "lost10_50k", 12_000, ("explain", "IN", "NAMED")),
    Row("tree", "tree", "lost10_50k", 11_700, ("tree", "IN")),
    Row("select", "select of everything", "named_50k", 8_300, ("select", "IN", "/**")),
    Row("extract", "extract of a layer", "named_50k", 12_500,
        ("extract", *OUT, "/encoder/layer.7")),
    Row("split", "split --parts 8", "named_50k", 17_900,
        ("split", "-q", "--force", "--no-sync", "--parts", "8", "IN", "--output-dir", "OUT")),
    Row("fold", "fold", "named_50k", 27_600, ("fold", *OUT)),
    Row("unfold", "unfold of the same", "named_50k", 15_900, ("unfold", *WRITE, "FOLDED")),
    Row("report", "report", "named_50k", 21_600, ("report", *OUT)),
    Row("export", "export for Model Explorer", "named_50k", 20_700,
        ("export", "--force", "-o", "OUT", "IN")),
    Row("diff", "diff with a copy", "named_50k", 20_600, ("diff", "IN", "COPY")),
    Row("same", "diff with itself", "named_50k", 14_100, ("diff", "IN", "IN")),
    Row("apply", "apply of a sidecar", "named_50k", 18_100, ("apply", "SIDECAR", *OUT)),
    Row("original", "apply of an original", "named_50k", 22_100, ("apply", "TAGGED", *OUT)),
    Row("profile", "profile, an event a node", "named_50k", 22_500, ("profile", "IN", "PROFILE")),
    Row("tag200", "tag, all nodes named, 200k", "named_200k", 8_900, ("tag", *OUT)),
    Row("tiny", "tag of a tiny model, whole process", "small", 2_000_000, ("tag", *OUT),
        whole=True),
)


# The inputs that are made of a model: the command that does it, and how the file's name ends.
MADE = {"COPY": (("strip",), ".onnx"), "TAGGED": (("tag",), ".onnx"),
        "FOLDED": (("fold",), ".onnx"), "SIDECAR": (("tag", "--sidecar-only"), ".json"),
        "PROFILE": ((), ".json")}


def write_profile(path: Path, sidecar: Path) -> None:
    """A profile as onnxruntime writes it, one run, one kernel for each node of the model."""
    def event(number: int, node: dict[str, object]) -> dict[str, object]:
        return {"cat": "Node", "pid": 4711, "tid": 4711, "dur": 1 + number % 97,
                "ts": 1000 + 100 * number, "ph": "X", "name": f"{node['name']}_kernel_time",
                "args": {"op_name": node["op_type"], "provider": "CPUExecutionProvider",
                         "node_index": str(number), "output_size": "1024",
                         "thread_scheduling_stats": ""}}

    nodes = json.loads(sidecar.read_text())["nodes"]
    lines = (json.dumps(event(i, node), separators=(",", " :")) for i, node in enumerate(nodes))
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


class Counter:
    """Runs one build of the program under callgrind."""

    def __init__(self, tool: Path, models: Path, work: Path) -> None:
        self._tool = tool
        self._models = models
        self._work = work

    def instructions(self, row: Row) -> int:
        counts = self._work / "counts"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}",
                   str(self._tool), *self.arguments(row)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace")
        found = re.search(r"Collected *: *(\d+)", done.stderr)
        if done.returncode != 0 or not found:
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise RuntimeError(f"{row.label}: exit code {done.returncode}: {lines[-1]}")
        return int(found.group(1))

    def arguments(self, row: Row) -> list[str]:
        model = self._models / f"{row.model}.onnx"
        replaced = {"IN": str(model), "OUT": str(self._work / f"{row.name}.out"), "NAMED": "54"}
        made = {word: self._made(word, model) for word in row.arguments if word in MADE}
        replaced.update({word: str(path) for word, path in made.items()})
        return [replaced.get(word, word) for word in row.arguments]

    def _made(self, word: str, model: Path) -> Path:
        """The input that stands for `word`, made where it is not there yet."""
        command, ending = MADE[word]
        path = self._work / f"{model.stem}_{word.lower()}{ending}"
        if path.exists():
            return path
        if word == "PROFILE":
            write_profile(path, self._made("SIDECAR", model))
            return path
        output = "--sidecar" if word == "SIDECAR" else "-o"
        subprocess.run([str(self._tool), *command, "-q", "--no-sync", output, str(path),
                        str(model)], check=True, stdin=subprocess.DEVNULL)
        return path


def peak_bytes(counter: Counter, row: Row, tool: Path, launch: Path) -> float:
    command = Command(row.label, (str(tool), *counter.arguments(row)))
    return Launcher(launch).run(command).peak_rss_mb * 1e6


def table(lines: list[tuple[str, str, str]], markdown: bool) -> str:
    if markdown:
        head = ["| command | model | figure |", "|---|---|---|"]
        return "\n".join(head + [f"| {a} | `{b}` | {c} |" for a, b, c in lines])
    return "\n".join(f"{a:38}{b:14}{c}" for a, b, c in lines)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Count the instructions that onnx-hier spends "
                                     "on a node.", epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--tool", type=Path, default=BUILD / "tools/onnx-hier/onnx-hier",
           help="the onnx-hier to measure (default: the release build's)")
    option("--launch", type=Path, default=BUILD / "tests/bench/launch",
           help="the program launch, which takes the peak of memory (default: the release build's; "
           "without it memory is not measured)")
    option("--models", type=Path, default=MODELS, metavar="DIR",
           help="folder with the models of make_models.py; what is missing is made (default: "
           "onnx-hier-bench in the temporary folder)")
    option("--only", nargs="+", metavar="ROW", choices=[row.name for row in ROWS],
           help=f"only these: {', '.join(row.name for row in ROWS)} (default: all)")
    option("--check", action="store_true", help="compare the figures with the most they may be")
    option("--markdown", action="store_true", help="print a Markdown table instead of text")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        missing = "valgrind is not there; Debian's package is valgrind"
        if not arguments.check:
            parser.error(missing)
        print(f"instructions.py: skipped: {missing}", file=sys.stderr)
        sys.exit(77)
    if not shutil.which(arguments.tool.absolute()):
        parser.error(f"{arguments.tool} is no program; build it, or say where it is with --tool")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    rows = [row for row in ROWS if not arguments.only or row.name in arguments.only]
    arguments.models.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(row.model for row in rows):
        if not (arguments.models / f"{name}.onnx").exists():
            make_models.make(arguments.models, name, seed=1, force=False)
    lines = []
    failed = False
    with tempfile.TemporaryDirectory(prefix="onnx-hier-count-") as folder:
        tool = arguments.tool.absolute()
        counter = Counter(tool, arguments.models, Path(folder))
        for row in rows:
            try:
                count = counter.instructions(row)
            except RuntimeError as error:
                print(f"instructions.py: {error}", file=sys.stderr)
                return 1
            nodes = make_models.RECIPES[row.model].nodes
            counted = count if row.whole else count / nodes
            figure = f"{counted:,.0f}" if row.whole else f"{counted:,.0f} a node"
            if arguments.check and counted > row.most:
                figure += f", more than {row.most:,}"
                failed = True
            if row.name == "tag200" and arguments.launch.is_file():
                peak = peak_bytes(counter, row, tool, arguments.launch.absolute())
                figure += f", {peak / nodes:,.0f} bytes of memory a node"
            lines.append((row.label, row.model, figure))
            if not arguments.markdown:
                print(table(lines[-1:], markdown=False), flush=True)
    if arguments.markdown:
        print(table(lines, markdown=True))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
