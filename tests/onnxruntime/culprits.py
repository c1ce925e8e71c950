#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether 'numerics' finds the module that was made to lose accuracy.

    culprits.py --tool ONNX_HIER --work DIR [--cases N] [--seed N] [--isolated] FOLDER_OR_MODEL...

All weights of a model are rounded to 8 bits, and one module is harmed in one of these ways:

  int4      its weights have 4 bits
  overflow  what it makes passes through float16, where it is too large for that
  roll      the columns of a weight are moved by a half of them
  transpose a square weight is transposed
  epsilon   a normalisation divides by more than it should
  residual  a sum of two values is the first one alone

Each such model is compared with the one before, as it is and as onnxruntime optimises it (level
all), by the values that 'probe' makes them give out. Prints how often the culprit is the first
module of the answer, and among the first three; and of weights, whether the modules that
--suggest keeps bring the outputs to what they were without the culprit, within 1 dB. Needs python3-onnx, and onnxruntime from npm.
"""

import argparse
import collections
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import harness

RUN = harness.HERE.parents[1] / "tools" / "recipes" / "numerics" / "run.mjs"
KINDS = ("int4", "overflow", "roll", "transpose", "epsilon", "residual")
WEIGHTED = ("MatMul", "Gemm", "Conv", "ConvTranspose")
NORMS = ("LayerNormalization", "BatchNormalization", "InstanceNormalization", "GroupNormalization")
SIZES = {"batch": 2, "seq": 8}
TYPES = {1: "f4", 6: "i4", 7: "i8", 9: "?"}
MOST_BYTES = 40 << 20
# From one to another culprit, an error must be larger by this to be one at all.
LEAST_EFFECT = 2


class NoCase(Exception):
    """The model has no place for such a culprit."""


def rounded(array, bits):
    scale = float(np.abs(array).max()) / (2 ** (bits - 1) - 1) or 1.0
    return (np.round(array / scale) * scale).astype(array.dtype)


def feeds_of(model, generator):
    parameters = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in parameters:
            continue
        tensor = value.type.tensor_type
        if tensor.elem_type not in TYPES:
            raise NoCase
        shape = [dim.dim_value or (2 if i == 0 else 8) for i, dim in enumerate(tensor.shape.dim)]
        kind = TYPES[tensor.elem_type]
        if kind == "f4":
            feeds[value.name] = generator.standard_normal(shape).astype("f4")
        elif "mask" in value.name or kind == "?":
            feeds[value.name] = np.ones(shape, kind)
        else:
            feeds[value.name] = generator.integers(0, 2, shape).astype(kind)
    return feeds


class Source:
    """A model with weights that differ from each other, and what its nodes are."""

    def __init__(self, tool, path, work, seed):
        self.model = onnx.load(path)
        generator = np.random.default_rng(seed)
        for tensor in self.model.graph.initializer:
            array = numpy_helper.to_array(tensor)
            if tensor.data_type == TensorProto.FLOAT and array.ndim >= 2 and array.size > 8:
                fan_in = array.size / array.shape[-1] if array.ndim == 2 else array.size / array.shape[0]
                new = generator.standard_normal(array.shape) / np.sqrt(fan_in)
                tensor.CopyFrom(numpy_helper.from_array(new.astype("f4"), tensor.name))
        self.weights = {t.name: t for t in self.model.graph.initializer
                        if t.data_type == TensorProto.FLOAT and len(t.dims) >= 2}
        self.path = work / "a.onnx"
        onnx.save(self.model, self.path)
        sidecar = subprocess.run([tool, "tag", self.path, "--sidecar-only", "--sidecar", "-", "-q"],
                                 check=True, capture_output=True).stdout
        tags = {node["id"]: node["tag"] for node in json.loads(sidecar)["nodes"]}
        self.tags = [tags.get(str(i)) for i in range(len(self.model.graph.node))]
        self.made = {name for node in self.model.graph.node for name in node.output}
        self.feeds = work / "feeds.npz"
        np.savez(self.feeds, **feeds_of(self.model, generator))

    def nodes(self, *types):
        return [i for i, node in enumerate(self.model.graph.node)
                if node.op_type in types and self.tags[i] is not None]

    def weights_of(self, i):
        return [name for name in self.model.graph.node[i].input if name in self.weights]

    def rounded(self):
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        for tensor in model.graph.initializer:
            if tensor.name in self.weights:
                set_weight(tensor, rounded(numpy_helper.to_array(self.weights[tensor.name]), 8))
        return model


def set_weight(tensor, array):
    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))


def harm(source, kind, rng):
    """The model with a culprit, and the culprit's tag."""
    model = source.rounded()
    graph = model.graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    if kind in ("int4", "roll", "transpose"):
        at, name = rng.choice([(i, name) for i in source.nodes(*WEIGHTED)
                               for name in source.weights_of(i)] or [(None, None)])
        if at is None:
            raise NoCase
        array = numpy_helper.to_array(source.weights[name])
        if kind == "transpose" and not (array.ndim == 2 and array.shape[0] == array.shape[1]):
            raise NoCase
        changed = {"int4": lambda: rounded(array, 4),
                   "roll": lambda: np.roll(rounded(array, 8), array.shape[-1] // 2 or 1, -1),
                   "transpose": lambda: rounded(array, 8).T}[kind]()
        readers = {source.tags[i] for i, node in enumerate(graph.node) if name in node.input}
        if len(readers) != 1:
            raise NoCase
        set_weight(tensors[name], changed)
        return model, source.tags[at]
    if kind == "overflow":
        at = rng.choice(source.nodes(*WEIGHTED) or [None])
        if at is None:
            raise NoCase
        node = graph.node[at]
        name, node.output[0] = node.output[0], node.output[0] + "/large"
        steps = [helper.make_node("Mul", [name + "/large", "culprit/up"], [name + "/up"]),
                 helper.make_node("Cast", [name + "/up"], [name + "/half"], to=TensorProto.FLOAT16),
                 helper.make_node("Cast", [name + "/half"], [name + "/full"], to=TensorProto.FLOAT),
                 helper.make_node("Mul", [name + "/full", "culprit/down"], [name])]
        for offset, step in enumerate(steps):
            graph.node.insert(at + 1 + offset, step)
        graph.initializer.append(numpy_helper.from_array(np.float32(1e6), "culprit/up"))
        graph.initializer.append(numpy_helper.from_array(np.float32(1e-6), "culprit/down"))
        return model, source.tags[at]
    if kind == "epsilon":
        at = rng.choice(source.nodes(*NORMS) or [None])
        if at is None:
            raise NoCase
        kept = [a for a in graph.node[at].attribute if a.name != "epsilon"]
        del graph.node[at].attribute[:]
        graph.node[at].attribute.extend([*kept, helper.make_attribute("epsilon", 0.5)])
        return model, source.tags[at]
    adds = [i for i in source.nodes("Add")
            if all(name in source.made for name in graph.node[i].input)]
    at = rng.choice(adds or [None])
    if at is None:
        raise NoCase
    node = graph.node[at]
    new = helper.make_node("Identity", [node.input[0]], node.output, node.name)
    graph.node.remove(node)
    graph.node.insert(at, new)
    return model, source.tags[at]


class Pipeline:
    def __init__(self, options, modules):
        self.tool = options.tool.resolve()
        self.isolated = options.isolated
        self.work = options.work.resolve()
        self.modules = modules

    def call(self, *arguments):
        return subprocess.run([self.tool, *arguments], check=False, capture_output=True, text=True,
                              timeout=300)

    def node(self, program, *arguments):
        done = subprocess.run(["node", program, *map(str, arguments)], cwd=self.work, check=False,
                              capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise NoCase(" ".join(line for line in done.stderr.splitlines() if "rror" in line)[-400:])

    def values(self, model, like, name, *feeds, isolated=False):
        probed = self.work / f"{name}_probed.onnx"
        arguments = ["probe", model, "-o", probed, "--force"]
        if like is not None:
            arguments += ["--like", like]
        if isolated:
            arguments += ["--isolated"]
        done = self.call(*arguments)
        if done.returncode != 0:
            raise NoCase(done.stderr)
        output = self.work / f"{name}.npz"
        self.node(RUN, probed, output, *feeds)
        return output

    def ranking(self, a, a_values, b, b_values, made):
        arguments = ["numerics", a, a_values, b, b_values, "--json"]
        done = self.call(*arguments, *(["--isolated", made] if made else []))
        if done.returncode != 0:
            raise NoCase(done.stderr)
        return json.loads(done.stdout)

    def sqnr(self, a, a_values, b, b_values):
        return self.ranking(a, a_values, b, b_values, None)["outputs_sqnr"]

    def kept(self, a, a_values, b, b_values, least):
        done = self.call("numerics", a, a_values, b, b_values, "--json", "--suggest", "plan",
                         "--fail-below", str(least))
        return json.loads(done.stdout)["suggestion"]["modules"]

    def optimised(self, model):
        output = self.work / "b_optimised.onnx"
        output.unlink(missing_ok=True)
        self.node(harness.HERE / "optimise.mjs", model, output)
        return output


def has_effect(before, after):
    """Whether an error grew against that of a model without a culprit."""
    with np.load(before[0]) as a, np.load(before[1]) as rounded_values, np.load(after) as b:
        for name in a.files:
            if name not in b.files or name not in rounded_values.files or a[name].dtype != "f4":
                continue
            if b[name].shape != a[name].shape:
                continue
            base = float(np.abs(rounded_values[name] - a[name]).max())
            new = np.abs(b[name] - a[name])
            if not np.isfinite(new).all() or float(new.max()) > LEAST_EFFECT * base + 1e-6:
                return True
    return False


def place_of(tag, answer):
    paths = []
    for row in answer["modules"]:
        if row["path"] not in paths:
            paths.append(row["path"])
    return paths.index(tag) if tag in paths else len(paths)


def try_suggestion(pipeline, source, a_values, base, harmed, tag):
    """Whether what is kept has the culprit, and makes the outputs good; None: they were."""
    (base_path, base_values), (path, values) = base, harmed
    before = pipeline.sqnr(source.path, a_values, base_path, base_values)
    after = pipeline.sqnr(source.path, a_values, path, values)
    if before is None or after is None or after > before - 3:
        return None
    modules = pipeline.kept(source.path, a_values, path, values, before - 1)
    model = onnx.load(path)
    restored = {name for i, node in enumerate(source.model.graph.node)
                if source.tags[i] in modules for name in node.input if name in source.weights}
    for tensor in model.graph.initializer:
        if tensor.name in restored:
            tensor.CopyFrom(source.weights[tensor.name])
    kept = pipeline.work / "kept.onnx"
    onnx.save(model, kept)
    kept_values = pipeline.values(kept, source.path, "kept", source.feeds)
    result = pipeline.sqnr(source.path, a_values, kept, kept_values)
    return tag in modules, result is None or result >= before - 1, len(modules)


def try_model(pipeline, path, cases, seed, verbose):
    rng = random.Random(f"{path.name} {seed}")
    source = Source(pipeline.tool, path, pipeline.work, seed)
    a_values = pipeline.values(source.path, None, "a", source.feeds)
    base = pipeline.work / "base.onnx"
    onnx.save(source.rounded(), base)
    base_values = pipeline.values(base, source.path, "base", source.feeds)
    results = []
    for case in range(cases):
        kind = KINDS[case % len(KINDS)]
        try:
            model, tag = harm(source, kind, rng)
            b = pipeline.work / "b.onnx"
            onnx.save(model, b)
            b_values = pipeline.values(b, source.path, "b", source.feeds)
            if not has_effect((a_values, base_values), b_values):
                continue
            places = []
            for how, other in (("as it is", b), ("optimised", pipeline.optimised(b))):
                values = b_values if how == "as it is" else pipeline.values(
                    other, source.path, "o", source.feeds)
                made = None
                if pipeline.isolated:
                    made = pipeline.values(other, source.path, "i", source.feeds, a_values,
                                           isolated=True)
                answer = pipeline.ranking(source.path, a_values, other, values, made)
                places.append(place_of(tag, answer))
                if verbose and places[-1] > 0:
                    first = answer["modules"][0] if answer["modules"] else None
                    print(f"  {kind} {how}: {tag} is {places[-1]}; first: "
                          f"{first and (first['path'], first['lost'], first['with'][:3])}")
            suggested = None
            if kind in ("int4", "roll", "transpose"):
                suggested = try_suggestion(pipeline, source, a_values, (base, base_values),
                                           (b, b_values), tag)
            results.append((kind, *places, suggested))
        except NoCase as error:
            if str(error):
                print(f"  {kind}: {str(error).strip()[-200:]}")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--cases", type=int, default=12, help="of each model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--isolated", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("models", type=Path, nargs="+")
    options = parser.parse_args()
    pipeline = Pipeline(options, harness.runtime(options.work))
    models = [path for one in options.models
              for path in (sorted(one.glob("*.onnx")) if one.is_dir() else [one])]
    totals = collections.Counter()
    for path in models:
        if path.stat().st_size > MOST_BYTES:
            continue
        try:
            results = try_model(pipeline, path, options.cases, options.seed, options.verbose)
        except (NoCase, ValueError, subprocess.SubprocessError) as error:
            print(f"{path.name}: left out: {str(error).strip()[-160:]}", flush=True)
            continue
        if results:
            totals["models"] += 1
        for kind, *places, suggested in results:
            if suggested is not None:
                totals["suggested"] += 1
                totals["suggested", "kept"] += suggested[0]
                totals["suggested", "good"] += suggested[1]
                totals["suggested", "modules"] += suggested[2]
            for how, place in zip(("", " optimised"), places):
                for group in (kind, "all"):
                    totals[group + how] += 1
                    totals[group + how, 1] += place == 0
                    totals[group + how, 3] += place < 3
        print(f"{path.name}: {len(results)} cases, first {sum(r[1] == 0 for r in results)}, "
              f"optimised {sum(r[2] == 0 for r in results)}", flush=True)
    print(f"{totals['models']} models")
    for kind in (*KINDS, "all"):
        for how in ("", " optimised"):
            count = totals[kind + how]
            if count:
                print(f"{kind + how:20} {count:4} cases: first {100 * totals[kind + how, 1] / count:.1f} %, "
                      f"among three {100 * totals[kind + how, 3] / count:.1f} %")
    count = totals["suggested"]
    if count:
        print(f"suggestions          {count:4} cases: the culprit is kept in "
              f"{100 * totals['suggested', 'kept'] / count:.1f} %, outputs are good in "
              f"{100 * totals['suggested', 'good'] / count:.1f} %, modules "
              f"{totals['suggested', 'modules'] / count:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
