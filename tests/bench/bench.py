#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `onnx-hier tag` against cp and against the libonnx ways of doing the same.

Figures of one table come from one run, command by command in turn; compare them with
each other, never with those of another run or machine. README.md says what each row means.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

import make_models
import onnx_writer
import tables
from measuring import Command, Launcher, Workspace, run_rounds
from tables import Section

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import disk_image  # noqa: E402

BUILD = HERE.parent.parent / "build" / "release"
MODELS = Path(tempfile.gettempdir()) / "onnx-hier-bench"

STARTUP, BATCH = "startup", "batch"
BATCH_FILES = 1000
STARTUP_ROUNDS = 20  # at least: single milliseconds need more of them to be steady
REFLINK_FROM = 1 << 20  # bytes; sharing blocks means nothing for less

EXAMPLES = """\
examples:
  make_models.py /var/tmp/models small bert_438mb nodes_200k
  bench.py --models /var/tmp/models
  bench.py --models /var/tmp/models --only bert_438mb --rounds 11 --cold
  bench.py --models /var/tmp/models --only startup batch --json figures.json
  sudo bench.py --models /var/tmp/models --only bert_438mb --reflink
  bench.py --models /var/tmp/models --markdown > table.md

exit code: 0 measured; 1 onnx-hier failed at something; 2 bad usage or no room
"""


@dataclass(frozen=True)
class Model:
    """A model file, with its external data file if it has one."""

    path: Path
    data: Path | None

    @staticmethod
    def at(path: Path) -> Model:
        data = path.with_name(path.name + ".data")
        return Model(path, data if data.is_file() else None)

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path, self.data) if self.data else (self.path,)

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.files)

    def describe(self) -> str:
        size, unit = (self.size / 1e6, "MB") if self.size >= 1e6 else (self.size / 1e3, "kB")
        return f"{self.path.stem}, {size:,.0f} {unit}"


@dataclass(frozen=True)
class Programs:
    """The programs that are compared."""

    tool: str
    naive: str
    empty: str
    python: str | None  # an interpreter that can import onnx


# ------------------------------------------------------------------- commands


def shell(*commands: Sequence[str]) -> tuple[str, ...]:
    """One command that runs several, each if the one before it succeeded."""
    return ("sh", "-c", " && ".join(shlex.join(command) for command in commands))


def copied(paths: Sequence[Path], out: Path) -> dict[Path, int]:
    """What copies of `paths` to `out` leave there, with their least sizes."""
    return {out / path.name: path.stat().st_size for path in paths}


def tagged(model: Model, out: Path) -> dict[Path, int]:
    """What tagging leaves in `out`. New doc_strings may be shorter than those they replace, but
    a file of less than half the size has lost more than that."""
    outputs = copied(model.files, out)
    outputs[out / model.path.name] //= 2
    return outputs


def cp_command(files: Sequence[Path], out: Path) -> Command:
    names = tuple(map(str, files))
    return Command("cp", ("cp", *names, f"{out}/"), tuple(files), copied(files, out))


def durable_cp_command(files: Sequence[Path], out: Path) -> Command:
    copies = copied(files, out)
    argv = shell(("cp", *map(str, files), f"{out}/"), ("sync", *map(str, copies)))
    return Command("cp + sync", argv, tuple(files), copies, durable=True)


def tag_command(tool: str, model: Model, out: Path, *options: str) -> Command:
    """`onnx-hier tag` to a new file in `out`, with `options` added and named in the label."""
    outputs = tagged(model, out)
    if "--no-sidecar" not in options:
        outputs[out / f"{model.path.stem}_hierarchy.json"] = 1
    external = ("--external-data", "copy") if model.data else ()
    return Command(" ".join(("onnx-hier tag", *options)),
                   (tool, "tag", "-q", "--force", *options, *external,
                    "-o", str(out / model.path.name), str(model.path)),
                   model.files, outputs, durable="--no-sync" not in options)


def naive_command(label: str, program: Sequence[str], model: Model, out: Path) -> Command:
    """A libonnx program; it does not move external data, so cp does that for it."""
    argv = (*program, str(model.path), str(out / model.path.name))
    if model.data:
        argv = shell(argv, ("cp", str(model.data), f"{out}/"))
    return Command(label, argv, model.files, tagged(model, out))


def naive_commands(programs: Programs, model: Model, out: Path) -> Iterator[Command]:
    yield naive_command("libonnx C++", (programs.naive,), model, out)
    if programs.python:
        script = (programs.python, str(HERE / "naive_tag.py"))
        yield naive_command("python3-onnx", script, model, out)


def batch_commands(programs: Programs, files: Sequence[Path], out: Path) -> list[Command]:
    names, copies = tuple(map(str, files)), copied(files, out)
    tag = (programs.tool, "tag", "-q", "--force")
    no_sync = (*tag, "--no-sync", "--output-dir", str(out))

    def each(argv: Sequence[str]) -> tuple[str, ...]:
        return ("sh", "-c", f'for f do {shlex.join(argv)} "$f" || exit; done', "sh", *names)

    def tag_all(label: str, argv: tuple[str, ...], durable: bool = False) -> Command:
        return Command(label, argv, tuple(files), output_count=2 * len(files), durable=durable)

    return [cp_command(files, out), durable_cp_command(files, out),
            tag_all("onnx-hier tag", (*tag, "--output-dir", str(out), *names), durable=True),
            tag_all("onnx-hier tag --no-sync", (*no_sync, *names)),
            Command("cp, a call each", each(("cp", "-t", str(out))), tuple(files), copies),
            tag_all("onnx-hier tag --no-sync, a call each", each(no_sync))]


# ------------------------------------------------------------------- sections


class Bench:
    """Measures section after section in a work folder of its own."""

    def __init__(self, programs: Programs, launcher: Launcher, work: Path, rounds: int,
                 cold: bool) -> None:
        self._programs = programs
        self._launcher = launcher
        self._work = work
        self._rounds = rounds
        self._cold = cold
        self._small: Model | None = None

    def model(self, model: Model) -> Section:
        out, tool = self._work / "out", self._programs.tool
        commands = [cp_command(model.files, out), durable_cp_command(model.files, out),
                    tag_command(tool, model, out), tag_command(tool, model, out, "--no-sync"),
                    *naive_commands(self._programs, model, out)]
        return self._section("models", model.describe(), commands, out, durable="cp + sync")

    def startup(self) -> Section:
        out, programs, model = self._work / "out", self._programs, self._small_model()
        commands = [Command("empty program", (programs.empty,)),
                    cp_command(model.files, out),
                    Command("onnx-hier --version", (programs.tool, "--version")),
                    tag_command(programs.tool, model, out, "--no-sync", "--no-sidecar"),
                    tag_command(programs.tool, model, out, "--no-sync"),
                    naive_command("libonnx C++", (programs.naive,), model, out)]
        return self._section("start-up", model.describe(), commands, out,
                             rounds=max(self._rounds, STARTUP_ROUNDS))

    def batch(self) -> Section:
        inputs, out = self._work / "in", self._work / "out"
        small = self._small_model()
        inputs.mkdir()
        files = [inputs / f"model_{number:04}.onnx" for number in range(BATCH_FILES)]
        for path in files:
            shutil.copyfile(small.path, path)
        section = self._section("batch", f"{BATCH_FILES} x {small.describe()}",
                                batch_commands(self._programs, files, out), out,
                                durable="cp + sync", per_file=BATCH_FILES)
        shutil.rmtree(inputs)
        return section

    def reflink(self, model: Model, kind: str) -> Section:
        """The same model on a file system whose files can share blocks."""
        size = 3 * model.size + disk_image.SMALLEST
        with disk_image.mounted(self._work, size, kind) as mount_point:
            inside = Model.at(Path(shutil.copy(model.path, mount_point)))
            out, tool = mount_point / "out", self._programs.tool
            copy = tuple(map(str, (inside.path, out / inside.path.name)))
            commands = [Command(f"cp --reflink={when}", ("cp", f"--reflink={when}", *copy),
                                inside.files, copied(inside.files, out))
                        for when in ("never", "always")]
            commands += [tag_command(tool, inside, out, "--no-sync"),
                         tag_command(tool, inside, out)]
            return self._section(f"reflink ({kind})", model.describe(), commands, out,
                                 baseline="cp --reflink=never")

    def _small_model(self) -> Model:
        """The tiny model, made here so that start-up and batch need no folder of models."""
        if self._small is None:
            recipe, path = make_models.RECIPES["small"], self._work / "small.onnx"
            onnx_writer.write_model(path, lambda graph: make_models.bert(graph, recipe), seed=1)
            self._small = Model.at(path)
        return self._small

    def _section(self, name: str, subject: str, commands: Sequence[Command], out: Path, *,
                 baseline: str = "cp", durable: str | None = None, per_file: int = 1,
                 rounds: int | None = None) -> Section:
        rows = run_rounds(self._launcher, commands, Workspace(out),
                          rounds=rounds or self._rounds, cold=self._cold,
                          progress=lambda text: show_progress(f"{subject}: {text}"))
        show_progress("")
        return Section(name, subject, rows, baseline, durable, per_file)


def show_progress(text: str) -> None:
    """One line that the next one replaces, for people only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


# ----------------------------------------------------------- the command line


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure onnx-hier tag side by side with cp, "
                                     "libonnx in C++ and onnx in Python.", epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--tool", type=Path, help="the onnx-hier to measure (default: the release build's, "
           "else the one on PATH)")
    option("--naive", type=Path, default=BUILD / "tests/bench/naive_tag", help="the program "
           "naive_tag; launch and empty stand beside it (default: the release build's)")
    option("--models", type=Path, default=MODELS, metavar="DIR", help="folder with NAME.onnx "
           "files, see make_models.py (default: onnx-hier-bench in the temporary folder)")
    option("--only", nargs="+", metavar="NAME", help="only these: models of DIR by name, "
           f"{STARTUP}, {BATCH} (default: all)")
    option("--rounds", type=int, default=7, metavar="N", help="measured runs of each command "
           "(default: 7)")
    option("--cold", action="store_true", help="evict the input from the page cache before "
           "each run")
    option("--reflink", nargs="*", choices=tuple(disk_image.MAKE), metavar="KIND",
           help="also measure on images of file systems whose files can share blocks: "
           f"{', '.join(disk_image.MAKE)} (default: all; needs root and loop devices)")
    option("--work", type=Path, metavar="DIR", help="folder for outputs, which need up to three "
           "times the largest model (default: the temporary folder); a fresh folder in it is "
           "used and deleted")
    option("--json", type=Path, metavar="OUT", help="write every run's figures to this file")
    option("--markdown", action="store_true", help="print Markdown tables instead of text")
    arguments = parser.parse_args()
    check_arguments(parser, arguments)
    return arguments


def check_arguments(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Refuses what would fail later, and fills in what depends on the machine."""
    if arguments.rounds < 1:
        parser.error("--rounds must be 1 or more")
    if arguments.work and not arguments.work.is_dir():
        parser.error(f"--work {arguments.work} is no folder")
    if arguments.json and not arguments.json.absolute().parent.is_dir():
        parser.error(f"--json {arguments.json}: its folder does not exist")
    found = {path.stem: Model.at(path) for path in sorted(arguments.models.glob("*.onnx"))}
    arguments.no_models = not found
    known = [*found, STARTUP, BATCH]
    arguments.only = list(dict.fromkeys(arguments.only or known))
    unknown = [name for name in arguments.only if name not in known]
    if unknown:
        parser.error(f"nothing called {', '.join(unknown)} in {arguments.models}; known are "
                     f"{', '.join(known)}; make_models.py makes more")
    arguments.chosen = [found[name] for name in arguments.only if name in found]
    if arguments.tool is None:
        built, installed = BUILD / "tools/onnx-hier/onnx-hier", shutil.which("onnx-hier")
        arguments.tool = Path(installed) if installed and not built.exists() else built
    helpers = [arguments.naive.with_name(name) for name in ("launch", "empty")]
    for program in (arguments.tool, arguments.naive, *helpers):
        if not shutil.which(program.absolute()):
            parser.error(f"{program} is no program; build it (target bench_programs for the "
                         "helpers), or say where it is with --tool or --naive")


def find_python() -> str | None:
    """The first Python 3 that has the onnx package."""
    for python in ("/usr/bin/python3", shutil.which("python3")):
        if python and shutil.which(python):
            probe = subprocess.run((python, "-c", "import onnx"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if probe.returncode == 0:
                return python
    return None


def version_of(program: Path) -> str:
    done = subprocess.run((program, "--version"), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace")
    return (done.stdout.splitlines() or ["unknown version"])[0]


def measure(bench: Bench, arguments: argparse.Namespace, notes: list[str]) -> Iterator[Section]:
    for model in arguments.chosen:
        yield bench.model(model)
    if STARTUP in arguments.only:
        yield bench.startup()
    if BATCH in arguments.only:
        yield bench.batch()
    if arguments.reflink is None:
        return
    large = [model for model in arguments.chosen if not model.data and model.size >= REFLINK_FROM]
    if not large:
        notes.append("reflink: not measured: choose a single-file model of 1 MiB or more")
    for kind in arguments.reflink or disk_image.MAKE:
        try:
            for model in large:
                yield bench.reflink(model, kind)
        except disk_image.Unavailable as reason:
            notes.append(f"reflink ({kind}): not measured: {reason}")


def run(arguments: argparse.Namespace) -> list[Section]:
    """Measures and prints everything that was asked for."""
    python = find_python()
    notes = [] if python else ["python3-onnx: not measured: no Python 3 here can import onnx"]
    if arguments.no_models:
        notes.append(f"models: none in {arguments.models}; make_models.py makes them")
    programs = Programs(str(arguments.tool.absolute()), str(arguments.naive.absolute()),
                        str(arguments.naive.with_name("empty").absolute()), python)
    launcher = Launcher(arguments.naive.with_name("launch").absolute())
    sections = []
    with tempfile.TemporaryDirectory(prefix="onnx-hier-bench-", dir=arguments.work,
                                     ignore_cleanup_errors=True) as folder:
        facts = tables.system_facts(arguments.models, Path(folder))
        facts.update({"tool": version_of(arguments.tool), "page cache":
                      "cold" if arguments.cold else "warm", "rounds": str(arguments.rounds)})
        if not arguments.markdown:
            print("; ".join(f"{key}: {value}" for key, value in facts.items()), flush=True)
        bench = Bench(programs, launcher, Path(folder), arguments.rounds, arguments.cold)
        for section in measure(bench, arguments, notes):
            sections.append(section)
            if not arguments.markdown:
                print(f"\n{tables.text_table(section)}", flush=True)
    if arguments.markdown:
        print(tables.markdown_tables(sections, facts))
    for note in notes:
        print(note, file=sys.stderr)
    if arguments.json:
        report = {"system": facts, "notes": notes,
                  "sections": [tables.section_json(section) for section in sections]}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return sections


def main() -> int:
    arguments = parse_arguments()
    # Leave by way of the clean-up when a job scheduler ends us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        sections = run(arguments)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except OSError as error:
        print(f"bench.py: {error}", file=sys.stderr)
        return 2
    failed = [row for section in sections for row in section.rows
              if row.error and row.command.label.startswith("onnx-hier")]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
