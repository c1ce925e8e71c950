# SPDX-License-Identifier: Apache-2.0
"""What is shared by programs that hold what is cut out of models against the whole: counts, and the
way through a model's parts."""

import argparse
import collections
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import onnx
from harness import TESTDATA, Runner, folder_like, models_in, runtime

FAILED = 2  # exit code of onnx-hier
CHARACTERS_OF_PATTERNS = set("*[]{}@!")

# Outcomes that are nobody's fault: random operators; float16 that onnxruntime rounds less often
# where values are not given out; sequences, which it does not hand over here.
HARMLESS = {"identical", "random", "rounded", "not comparable"}


def expose(path, target):
    """Writes the model with all values of its main graph as outputs."""
    model = onnx.load(str(path), load_external_data=False)
    given = {value.name for value in model.graph.output}
    made = [name for node in model.graph.node for name in node.output if name]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in made if name not in given)
    target.write_bytes(model.SerializeToString())


def modules_of(tool, path):
    """The modules of the sidecar."""
    command = [tool, "tag", path, "--sidecar-only", "--sidecar", "-", "-q"]
    done = subprocess.run(command, capture_output=True)
    if done.returncode == FAILED:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    return json.loads(done.stdout)["modules"]


def plain_paths(modules):
    """Of those that are patterns for themselves."""
    return [m["path"] for m in modules if not CHARACTERS_OF_PATTERNS & set(m["path"])]


def lists_of(paths):
    """The numbers of the members of each list of layers, by what stands in front of them."""
    lists = collections.defaultdict(set)
    for path in paths:
        member = re.fullmatch(r"(.*[./])(\d+)", path)
        if member:
            lists[member[1]].add(int(member[2]))
    return lists


def without_names(message):
    """What is wrong, without what it is about."""
    message = re.sub(r"^onnx-hier: \S+: ", "", message)
    message = re.sub(r"'[^']*'", "'...'", message)
    return re.sub(r"(?<!\w)/\S*|\b\d+\S*", "...", message)


class Proof:
    """Counts, over all models; and what is wrong, as it is found."""

    titles = {"models": "models", "counts": "parts", "kinds": "by kind", "refusals": "refused"}
    harmless = HARMLESS  # counts of other names are problems

    def __init__(self, options, runner):
        self.options = options
        self.runner = runner
        for counts in self.titles:
            setattr(self, counts, collections.Counter())

    gives_all = False  # whether the values inside the model are wanted, too

    def take_apart(self, path, before, modules, types):
        """All that is tried of one model, of which onnxruntime computed values of these types."""
        raise NotImplementedError

    def wrong(self, path, what, detail):
        print(f"{path.name}: {what}: {' '.join(detail.split())[:300]}", flush=True)

    def models_below(self, paths):
        with tempfile.TemporaryDirectory(prefix="onnx-hier-ort-") as work:
            for path in models_in(paths):
                self.model(path.resolve(), Path(work))

    def model(self, path, work):
        """What onnxruntime makes of the whole model; then all its parts."""
        folder = work / "model"
        folder_like(path, folder)
        before, exposed = folder / "in-onnx-hier", folder / "all-onnx-hier"
        shutil.copyfile(path, before)
        try:
            expose(before, exposed)
            modules = modules_of(self.options.tool, before)
        except Exception as error:  # of protobuf's readers, or ours
            self.models["refused"] += 1
            self.wrong(path, "refused", str(error))
            return
        recorded, other = (exposed, before) if self.gives_all else (before, exposed)
        answer = self.ask({"record": str(recorded), "other": str(other)}, "not runnable")
        exposed.unlink()
        self.models[answer["outcome"]] += 1
        if answer["outcome"] != "recorded":
            self.wrong(path, answer["outcome"], answer["detail"])
            return
        self.take_apart(path, before, modules, answer["types"])

    def ask(self, job, when_crashed):
        """What the runner answers; `when_crashed` is the outcome if onnxruntime goes down."""
        return self.runner.ask(job) or {"outcome": when_crashed, "detail": "onnxruntime crashed"}

    def ran(self, command, path, what):
        """(what onnx-hier prints, as JSON, or none; why it refused, or none)"""
        done = subprocess.run(command, capture_output=True)
        if done.returncode == 0:
            return json.loads(done.stdout), None
        if done.returncode == FAILED:
            refusal = done.stderr.decode(errors="replace").strip()
            self.refusals[without_names(refusal)] += 1
            return None, refusal
        self.counts["crashed"] += 1
        self.wrong(path, what, f"onnx-hier exits with {done.returncode}")
        return None, None

    def bad(self):
        return any(count for what, count in self.counts.items() if what not in self.harmless)

    def report(self):
        for name, title in self.titles.items():
            lines = [f"  {count:8,} {what}" for what, count in getattr(self, name).most_common()]
            print("\n".join([f"{title}:", *lines]))


def prove(proof_of, description, add_arguments=lambda parser: None):
    """The exit code of a program: runs a Proof over the models that it is given."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path, help="where npm installs")
    add_arguments(parser)
    parser.add_argument("paths", nargs="*", type=Path, default=[TESTDATA], metavar="PATH")
    options = parser.parse_args()
    options.tool = options.tool.resolve()
    proof = proof_of(options, Runner("run_parts.js", runtime(options.work.resolve())))
    proof.models_below(options.paths)
    proof.report()
    return 1 if proof.bad() or not proof.counts["identical"] else 0
