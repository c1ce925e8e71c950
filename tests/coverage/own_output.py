#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `tag` writes has no gaps: own_output.py --tool ONNX-HIER FOLDER...

Every model below the folders, and models made here of what these lack (functions, nested graphs,
training_info, names that nobody would give), is tagged, with and without its module map, and
tagged again. `check --coverage` must find nothing in what was written, with the map and without
it, in the model and in its sidecar.

Exit code: 0 all well, 1 not. A model that `tag` refuses is passed over.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hostile"))
import evil_models  # noqa: E402
import hostile_models  # noqa: E402
from hostile_models import chain, field, function, model, node, tensor  # noqa: E402

WRITE = ("-q", "--no-sync", "--force", "--external-data", "keep")
HOSTILE_SIZE = 200


def training_info():
    """Graphs of training, one with a nested graph in it."""
    inner = b"".join(field(1, item) for item in chain(["/net/layer.0/Relu", "", "/net/layer.1/Relu"]))
    branch = node(["c"], ["y"], "", "If", field(5, field(1, "then_branch") + field(6, inner)))
    algorithm = field(1, branch) + field(2, "algorithm")
    info = field(20, field(1, inner) + field(2, algorithm))
    rest = field(5, tensor("net.head.weight", [2, 2]))
    return model(chain(["/net/layer.0/Relu", "", "/net/layer.2/Relu"]), rest, info)


def functions():
    """Calls that only their names place, one around the other."""
    body = [*chain(["", "act/Relu", ""]), node(["v3"], ["w"], "deep//er/", "G", domain="custom")]
    inner = function("G", chain(["", "/elsewhere/Relu"]), "custom")
    calls = [node([f"v{i}"], [f"v{i + 1}"], f"block.{i}", "F", domain="custom") for i in range(3)]
    return model(calls, b"", function("F", body, "custom") + inner)


def names_that_mean_something():
    """What earlier tools call the module of nodes that they could not place; what no tag can hold."""
    return model(chain(["/a/AuxiliaryOperations/Relu", "/AuxiliaryOperations/Relu", "", "//a//b//Relu"]))


def names_as_long_as_they_may_be():
    """With numbers behind them: what is a part of a tag may be longer than a name."""
    names = ["n" * length for length in (255, 256, 257, 5000)]
    return model(chain(f"/{name}.{i}.{i}/{name[:200]}/Relu" for name in names for i in range(3)))


def no_nodes():
    return model([])


def layers_of_which_one_is_known():
    """Modules that only the likeness of layers tells of."""
    names = [f"/layer.{i}/{part}/Relu" for i in range(4) for part in ("a", "b")]
    for lost in (3, 5, 6):
        names[lost] = ""
    return model(chain(names))


MADE = (
    training_info,
    functions,
    names_that_mean_something,
    names_as_long_as_they_may_be,
    no_nodes,
    layers_of_which_one_is_known,
)


class OwnOutput:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.checks = 0
        self.problems = []

    def run(self, *arguments):
        return subprocess.run(
            [self.tool, *arguments], cwd=self.folder, capture_output=True, check=False
        )

    def check(self, place, *arguments):
        self.checks += 1
        done = self.run("check", "--coverage", "--json", *arguments)
        try:
            gaps = json.loads(done.stdout)["coverage"]["gaps"]
        except (ValueError, KeyError):
            self.problems.append(f"{place}: exit {done.returncode}: {done.stderr[:300]!r}")
            return
        if gaps or done.returncode != 0:
            self.problems.append(f"{place}: {len(gaps)} gaps: {ascii(gaps[:1])}")

    def look_at(self, path):
        """False: it is refused."""
        map_path = path.with_name(path.stem + ".modules.json")
        maps = [(), ("--module-map", map_path)] if map_path.exists() else [()]
        for tag_with in maps:
            if self.run("tag", path, "-o", "out.onnx", *WRITE, *tag_with).returncode != 0:
                return False
            self.run("tag", "out.onnx", "-o", "again.onnx", *WRITE, *tag_with)
            for check_with in maps:
                place = f"{path.name} {'with' if tag_with else 'without'} map"
                self.check(place, "out.onnx", *check_with)
                self.check(f"{place}, again", "again.onnx", *check_with)
                self.check(f"{place}, fresh", path, "--fresh", *check_with)
                sidecar = ("--tags", "out_hierarchy.json", *check_with)
                self.check(f"{place}, sidecar", path, *sidecar)
            self.check_original(path)
        return True

    def check_original(self, path):
        """A model that was only tagged is where it was before, if it has anything to tell that by."""
        self.checks += 1
        done = self.run("check", "out.onnx", "--original", path)
        if done.returncode == 2 and b"was not made from this original" in done.stderr:
            return
        if done.returncode != 0:
            self.problems.append(f"{path.name} against itself: {(done.stdout + done.stderr)[:300]!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("folders", nargs="*", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-coverage-") as folder:
        own = OwnOutput(options.tool.resolve(), Path(folder))
        made = {kind.__name__: kind() for kind in MADE}
        made |= {name: kind(HOSTILE_SIZE) for name, kind in hostile_models.KINDS.items()}
        made["evil"] = evil_models.model()
        paths = [path.resolve() for root in options.folders for path in sorted(root.rglob("*.onnx"))]
        for name, content in made.items():
            paths.append(own.folder / f"{name}.onnx")
            paths[-1].write_bytes(content)
        refused = sum(not own.look_at(path) for path in paths)
    for problem in own.problems:
        print(problem)
    print(f"{len(paths)} models, {refused} refused, {own.checks} checks, {len(own.problems)} problems")
    return 1 if own.problems else 0


if __name__ == "__main__":
    sys.exit(main())
