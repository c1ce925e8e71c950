#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what takes modules out of a model: extract beside cp of as many bytes, split beside cp
of the model, select beside tree.

Figures of one table come from one run, command by command in turn, as those of bench.py do;
README.md says what each row means.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Sequence

import tables
from bench import (BUILD, MODELS, Model, copied, cp_command, durable_cp_command, show_progress,
                   version_of)
from measuring import Command, Launcher, Workspace, run_rounds
from tables import Section

MODULE = "/encoder/layer.3"
WEIGHTS = ("bert_438mb", "near_limit")  # of which a layer is taken
LAYERS = ("named_50k",)  # that are split
NODES = ("nodes_200k",)  # of which nodes are listed


class Bench:
    """Measures section after section in a work folder of its own."""

    def __init__(self, tool: str, launcher: Launcher, work: Path, rounds: int) -> None:
        self._tool = tool
        self._launcher = launcher
        self._work = work
        self._rounds = rounds

    def extract(self, model: Model) -> Section:
        part, out = self._work / "part.onnx", self._work / "out"
        argv = (self._tool, "extract", str(model.path), MODULE, "-q", "-f")
        subprocess.run((*argv, "-o", str(part)), check=True)
        outputs = copied((part,), out)
        to = ("-o", str(out / part.name))
        commands = [cp_command((part,), out), durable_cp_command((part,), out),
                    Command("onnx-hier extract", (*argv, *to), model.files, outputs, durable=True),
                    Command("onnx-hier extract --no-sync", (*argv, "--no-sync", *to), model.files,
                            outputs),
                    self._tree(model)]
        subject = f"{part.stat().st_size / 1e6:,.0f} MB of {model.describe()}"
        return self._section("extract", subject, commands, durable="cp + sync")

    def split(self, model: Model) -> Section:
        out = self._work / "out"
        commands = [cp_command(model.files, out)]
        for count in (None, 8, 64):
            parts = ("--parts", str(count)) if count else ()
            label = " ".join(("onnx-hier split --no-sync", *parts))
            argv = (self._tool, "split", str(model.path), "--output-dir", str(out), "-q",
                    "--no-sync", *parts)
            commands.append(Command(label, argv, model.files, output_count=2))
        return self._section("split", model.describe(), commands)

    def select(self, model: Model) -> Section:
        select = (self._tool, "select", str(model.path), "-q")
        commands = [self._tree(model),
                    Command("onnx-hier select, a layer", (*select, MODULE), model.files),
                    Command("onnx-hier select, everything", (*select, "--format", "json"),
                            model.files)]
        return self._section("select", model.describe(), commands, baseline="onnx-hier tree")

    def _tree(self, model: Model) -> Command:
        return Command("onnx-hier tree", (self._tool, "tree", str(model.path)), model.files)

    def _section(self, name: str, subject: str, commands: Sequence[Command], *,
                 baseline: str = "cp", durable: str | None = None) -> Section:
        rows = run_rounds(self._launcher, commands, Workspace(self._work / "out"),
                          rounds=self._rounds, cold=False,
                          progress=lambda text: show_progress(f"{subject}: {text}"))
        show_progress("")
        return Section(name, subject, rows, baseline, durable)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    option = parser.add_argument
    option("--tool", type=Path, default=BUILD / "tools/onnx-hier/onnx-hier",
           help="the onnx-hier to measure (default: the release build's)")
    option("--launch", type=Path, default=BUILD / "tests/bench/launch",
           help="the program launch (default: the release build's)")
    option("--models", type=Path, default=MODELS, metavar="DIR",
           help=f"folder with {', '.join((*WEIGHTS, *LAYERS, *NODES))}, see make_models.py; those "
           "that are missing are left out")
    option("--rounds", type=int, default=7, metavar="N")
    option("--work", type=Path, metavar="DIR", help="folder for outputs")
    option("--markdown", action="store_true", help="print Markdown tables instead of text")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    sections = []
    with tempfile.TemporaryDirectory(prefix="onnx-hier-bench-", dir=arguments.work) as folder:
        work = Path(folder)
        bench = Bench(str(arguments.tool.resolve()), Launcher(arguments.launch.resolve()), work,
                      arguments.rounds)
        for names, measure in ((WEIGHTS, bench.extract), (LAYERS, bench.split),
                               (NODES, bench.select)):
            for path in (arguments.models / f"{name}.onnx" for name in names):
                if path.is_file():
                    sections.append(measure(Model.at(path)))
        facts = {"program": version_of(arguments.tool),
                 **tables.system_facts(arguments.models, work)}
    if arguments.markdown:
        print(tables.markdown_tables(sections, facts))
    else:
        print("\n\n".join(tables.text_table(section) for section in sections))
        print("\n".join(f"{key}: {value}" for key, value in facts.items()))
    return 1 if not sections or any(row.error for s in sections for row in s.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
