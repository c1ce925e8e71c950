#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tags every model below some folders and checks the promises that hold for any file.

    roundtrip.py --tool ONNX-HIER --verify ONNX-HIER-VERIFY FOLDER...

For each *.onnx file, in a folder of its own:

- `tag` succeeds, or refuses with exit code 2 and one line that names the file;
  it never crashes or hangs, never touches the input, leaves nothing else behind;
- a refused file is one that protobuf cannot read either, or that has no nodes;
- every node has a tag, the sidecar and the doc_strings keep to the schemas and
  agree with each other and with the model as other readers see it;
- nothing but node doc_strings differs (onnx-hier-verify, built on protobuf);
- tagging the tagged file gives the same bytes and the same hierarchy;
- `apply` of the sidecar gives the tagged file;
- `strip` gives the input back, byte for byte if it is in canonical encoding.

Prints each exception with its cause and a table of counts. Exit code 1 when
anything is wrong. The given folders are read only.
"""

import argparse
import concurrent.futures
import dataclasses
import filecmp
import functools
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schemas"))
import contract  # noqa: E402
import written_model  # noqa: E402

TAGGED, REFUSED = "tagged", "refused"


@dataclasses.dataclass
class Result:
    """What became of one file."""

    path: Path
    outcome: str = TAGGED
    nodes: int = 0
    wrong: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)


class Broken(Exception):
    """A promise that is broken so that the rest of the file's checks make no sense."""


def one_line(text, limit=400):
    """Foreign output, fit for a report line."""
    return text.strip().replace("\n", " | ")[:limit]


def state_of(path):
    """What must not change about a file that is only read."""
    status = os.stat(path)
    with open(path, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return status.st_size, status.st_mtime_ns, status.st_mode, digest


def listing(folder):
    """Every path below a folder with its size and time of change."""
    return {
        path: (status.st_size, status.st_mtime_ns)
        for path in sorted(Path(folder).rglob("*"))
        for status in [path.lstat()]
    }


@functools.cache
def validators(folder):
    """Made once per worker process, which cannot be handed any."""
    return contract.validators(contract.load_schemas(folder))


class FileCheck:
    """All checks on one model, in a folder `work` that is thrown away."""

    def __init__(self, options, path, work):
        self.options = options
        self.path = path
        self.work = work
        self.result = Result(path)
        self.validators = validators(options.schemas) if contract.jsonschema else None

    def run(self):
        try:
            before = state_of(self.path)
            self._round_trip()
            if state_of(self.path) != before:
                self._wrong("the input was changed")
        except Broken as problem:
            self._wrong(str(problem))
        except subprocess.TimeoutExpired as problem:
            self._wrong(f"`{problem.cmd[1]}` still runs after {problem.timeout:g} s")
        return self.result

    def _wrong(self, *causes):
        self.result.wrong.extend(causes)

    def _command(self, *arguments):
        done = subprocess.run(
            [os.fspath(argument) for argument in arguments],
            capture_output=True,
            check=False,
            cwd=self.work,
            text=True,
            errors="backslashreplace",
            timeout=self.options.timeout,
        )
        if done.returncode < 0:
            signal = -done.returncode
            raise Broken(f"`{arguments[1]}` died of signal {signal}: {one_line(done.stderr)}")
        return done

    def _expect_files(self, *names):
        """Nothing but these lies in the working folder."""
        litter = {path.name for path in self.work.iterdir()} ^ set(names)
        if litter:
            self._wrong(f"left behind or missing: {', '.join(sorted(litter))}")

    def _tool(self, *arguments):
        """Runs the tool where it must succeed."""
        done = self._command(self.options.tool, *arguments)
        if done.returncode != 0:
            raise Broken(f"`{arguments[0]}` ended with {done.returncode}: {one_line(done.stderr)}")
        if done.stdout:
            self._wrong(f"`{arguments[0]}` printed to standard output: {one_line(done.stdout)}")

    def _compare(self, other):
        """(nodes, doc_strings) of `other`; None where protobuf cannot read it."""
        done = self._command(self.options.verify, "--as", "tags", "--json", self.path, other)
        if done.returncode == 2:
            return None
        (result,) = contract.parse_json(done.stdout)["results"]
        if not result["holds"] or result["metadata"]:
            cause = result["difference"] or f"metadata {', '.join(result['metadata'])}"
            raise Broken(f"more than node doc_strings differs: {cause}")
        return result["nodes"], result["doc_strings"]

    def _round_trip(self):
        tagged = self.work / "tagged.onnx"
        # The copy lies elsewhere; references to weights stay as they stand.
        arguments = ("tag", self.path, "-o", tagged, "--external-data", "keep")
        done = self._command(self.options.tool, *arguments)
        if done.returncode == 2:
            self._refusal(done)
            return
        if done.returncode != 0:
            raise Broken(f"`tag` ended with {done.returncode}: {one_line(done.stderr)}")
        if done.stdout:
            self._wrong(f"`tag` printed to standard output: {one_line(done.stdout)}")
        self._expect_files("tagged.onnx", "tagged_hierarchy.json")

        sidecar = self._sidecar(self.work / "tagged_hierarchy.json")
        self.result.nodes = len(sidecar["nodes"])
        self._model(tagged, sidecar)
        self._same_again(tagged, sidecar)
        if self.result.nodes > 0:
            self._applied(tagged)
        self._strip(tagged)

    def _refusal(self, done):
        self.result.outcome = REFUSED
        cause = one_line(done.stderr)
        self.result.notes.append(f"refused: {cause}")
        if done.stdout:
            self._wrong(f"refused with words on standard output: {one_line(done.stdout)}")
        if done.stderr.count("\n") != 1 or self.path.name not in done.stderr:
            self._wrong(f"the refusal is not one line that names the file: {cause}")
        self._expect_files()
        counts = self._compare(self.path)
        if counts and counts[0] > 0:
            self._wrong(f"refused, though protobuf reads {counts[0]} nodes: {cause}")

    def _sidecar(self, path):
        try:
            sidecar = contract.parse_json(path.read_text("utf-8"))
        except ValueError as error:
            raise Broken(f"the sidecar is no JSON: {error}") from error
        if self.validators:
            sample = contract.thinned(sidecar, self.options.sample)
            problems = contract.schema_problems(self.validators["sidecar"], sample)
            if problems:
                raise Broken("sidecar: " + "; ".join(problems))
        self._wrong(*contract.coverage_problems(sidecar["summary"]))
        self._wrong(*contract.sidecar_problems(sidecar))
        return sidecar

    def _model(self, tagged, sidecar):
        counts = self._compare(tagged)
        if counts is None:
            self.result.notes.append("not compared: protobuf cannot read the file")
        elif counts != (len(sidecar["nodes"]),) * 2:
            self._wrong(
                f"protobuf sees {counts[0]} nodes and {counts[1]} doc_strings, "
                f"the sidecar {len(sidecar['nodes'])} nodes"
            )
        model = written_model.load(tagged) if written_model.onnx else None
        if model is None:
            return
        nodes = {node["id"]: node for node in sidecar["nodes"]}
        modules = {module["path"]: module for module in sidecar["modules"]}
        written = dict(written_model.nodes_with_ids(model))
        if written.keys() != nodes.keys():
            odd = sorted(written.keys() ^ nodes.keys())[: contract.MAX_PROBLEMS]
            raise Broken(f"node ids of the sidecar and the model differ: {', '.join(odd)}")
        for node_id in contract.every_nth(written, self.options.sample):
            self._node(written[node_id], nodes[node_id], modules)

    def _node(self, written, node, modules):
        problems = contract.doc_string_problems(
            written.doc_string, node, modules[node["tag"]], self.options.doc_string_keys
        )
        if self.validators and not problems:
            value = contract.parse_json(written.doc_string)
            problems = contract.schema_problems(self.validators["doc_string"], value)
        for key in ("name", "op_type"):
            if node[key] != getattr(written, key):
                problems.append(f"the sidecar's {key} {node[key]!r} is not the model's")
        self._wrong(*(f"node {node['id']}: {problem}" for problem in problems))

    def _same_again(self, tagged, sidecar):
        again = self.work / "again.onnx"
        self._tool("tag", tagged, "-o", again, "--external-data", "keep")
        self._expect_files(
            "tagged.onnx", "tagged_hierarchy.json", "again.onnx", "again_hierarchy.json"
        )
        if not filecmp.cmp(tagged, again, shallow=False):
            self._wrong("tagging the tagged file gives other bytes")
        second = contract.parse_json((self.work / "again_hierarchy.json").read_text("utf-8"))
        if {**second, "model": sidecar["model"]} != sidecar:
            self._wrong("tagging the tagged file gives another hierarchy")
        again.unlink()
        (self.work / "again_hierarchy.json").unlink()

    def _applied(self, tagged):
        applied = self.work / "applied.onnx"
        sidecar = self.work / "tagged_hierarchy.json"
        self._tool("apply", "-q", sidecar, self.path, "-o", applied, "--external-data", "keep")
        if not filecmp.cmp(tagged, applied, shallow=False):
            self._wrong("the sidecar, applied to the input, does not give the tagged file")
        applied.unlink()

    def _strip(self, tagged):
        stripped = self.work / "stripped.onnx"
        self._tool("strip", tagged, "-o", stripped)
        self._expect_files("tagged.onnx", "tagged_hierarchy.json", "stripped.onnx")
        if filecmp.cmp(self.path, stripped, shallow=False):
            return
        model = written_model.load(self.path) if written_model.onnx else None
        if model and written_model.carries_tags(model):
            # What `strip` owes is the model before it was first tagged.
            plain = self.work / "plain.onnx"
            self._tool("strip", self.path, "-o", plain, "--external-data", "keep")
            if filecmp.cmp(plain, stripped, shallow=False):
                self.result.notes.append("not given back: the input carries tags itself")
                return
        elif model and self.path.read_bytes() != model.SerializeToString():
            if written_model.load(stripped) == model:
                self.result.notes.append("given back in other bytes: its encoding is not canonical")
                return
        self._wrong("`strip` does not give the input back")


def check_file(job):
    """One file, in a worker process."""
    options, path = job
    with tempfile.TemporaryDirectory(prefix="onnx-hier-roundtrip-", dir=options.temp) as work:
        return FileCheck(options, path, Path(work)).run()


def program(text):
    """An argument that names something to run."""
    path = Path(text).resolve()
    if not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text} is not there, or is no program")
    return path


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--tool", required=True, type=program, help="the onnx-hier program")
    parser.add_argument("--verify", required=True, type=program, help="onnx-hier-verify")
    parser.add_argument("--schemas", type=Path, default=contract.DEFAULT_SCHEMAS)
    parser.add_argument("-j", "--jobs", type=int, default=2, help="files at a time")
    parser.add_argument(
        "--sample", type=int, default=50, help="nodes and modules per file held to the schemas"
    )
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one command")
    parser.add_argument("--temp", type=Path, help="where the working folders go")
    options = parser.parse_args()
    schemas = contract.load_schemas(options.schemas)
    options.doc_string_keys = list(schemas["doc_string"]["properties"])
    if not contract.jsonschema:
        print("note: schemas not checked, python3-jsonschema is not installed")
    if not written_model.onnx:
        print("note: doc_strings only counted, python3-onnx is not installed")
    return options


def print_table(results):
    """Counts per folder."""
    header = ("files", "tagged", "refused", "wrong", "nodes")
    folders = {}
    for result in results:
        row = folders.setdefault(str(result.path.parent), dict.fromkeys(header, 0))
        row["files"] += 1
        row[result.outcome] += 1
        row["wrong"] += 1 if result.wrong else 0
        row["nodes"] += result.nodes
    width = max(map(len, folders))
    print(f"{'folder':{width}}" + "".join(f"{name:>9}" for name in header))
    for folder, row in folders.items():
        print(f"{folder:{width}}" + "".join(f"{row[name]:9}" for name in header))


def main():
    options = parse_arguments()
    paths = sorted({path for folder in options.folders for path in folder.rglob("*.onnx")})
    paths = [path.resolve() for path in paths if path.is_file()]
    if not paths:
        sys.exit(f"no *.onnx file below {', '.join(map(str, options.folders))}")
    before = {folder: listing(folder) for folder in options.folders}
    start = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        results = list(pool.map(check_file, ((options, path) for path in paths)))
    wrong = 0
    for result in results:
        wrong += 1 if result.wrong else 0
        for cause in result.wrong[: contract.MAX_PROBLEMS]:
            print(f"WRONG {result.path}: {cause}")
        for note in result.notes:
            print(f"note  {result.path}: {note}")
    for folder, entries in before.items():
        if listing(folder) != entries:
            wrong += 1
            print(f"WRONG {folder}: something in the folder was added, removed or changed")
    print_table(results)
    print(f"{len(results)} files, {wrong} wrong, {time.monotonic() - start:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
