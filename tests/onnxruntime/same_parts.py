#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A part of a model computes what the whole does, bit for bit.

    same_parts.py --tool ONNX-HIER --work FOLDER [--modules N] [--call K] [--cuts N] [PATH...]

Runs each *.onnx file (of the folders that are named; else of testdata) in
onnxruntime with all its values given out. Then `extract` writes modules of it
as models of their own: each module, each run of those that run several times,
ranges of layers, and some with --up-to and --from; with --cuts, also N nodes
that are drawn, N values each with --up-to and --from, and what lies between N
pairs of values, which must be the nodes that a search finds. Each runs on the
values that were recorded, and must give the recorded values; the types that `extract`
tells of its inputs and outputs must be those that onnxruntime computed.

onnxruntime comes as npm's package onnxruntime-node, which carries its own
binaries: it is installed into FOLDER, without its install scripts. Models that
it does not load or run are counted apart. Exit code: 0 all is well, 1 not, 77
where there is no npm or no package to be had.
"""

import random
import sys

import onnx
from proof import HARMLESS, Proof, lists_of, plain_paths, prove

SEED = 7
REACHING = 2  # modules of a model that are tried with --up-to and --from


def ranges_of(paths):
    """Patterns for the first half of each list of layers, and for two in its middle."""
    patterns = []
    for stem, numbers in lists_of(paths).items():
        numbers = sorted(numbers)
        middle = len(numbers) // 2
        if len(numbers) > 1:
            patterns.append(f"{stem}[{numbers[0]}-{numbers[middle]}]")
        if len(numbers) > 2:
            patterns.append(f"{stem}[{numbers[middle]}-{numbers[middle + 1 - len(numbers) % 2]}]")
    return patterns


def jobs_of(modules, options):
    """[(kind, arguments of extract)], in an order that is random but always the same."""
    jobs = []
    for module in modules:
        if module["calls"] == 1:
            jobs.append(("module", [module["path"]]))
            continue
        calls = range(module["calls"]) if options.call is None else [options.call]
        jobs += [("call", [module["path"], "--call", str(k)]) for k in calls if k < module["calls"]]
    chance = random.Random(SEED)
    chance.shuffle(jobs)
    jobs = jobs[: options.modules]
    paths = plain_paths(modules)
    ranges = ranges_of(paths)
    chance.shuffle(ranges)
    some = chance.sample(paths, min(REACHING, len(paths)))
    jobs += [("range", [pattern]) for pattern in ranges[: options.modules]]
    jobs += [("up-to", [path, "--up-to"]) for path in some]
    jobs += [("from", [path, "--from"]) for path in some]
    return jobs


def cuts_of(path, count):
    """[(kind, arguments of extract)] at nodes and values of the main graph, drawn likewise."""
    graph = onnx.load(str(path), load_external_data=False).graph
    chance = random.Random(SEED)
    names = [node.name for node in graph.node]
    alone = [name for name in names if name and names.count(name) == 1]
    made = [[name for name in node.output if name] for node in graph.node]
    values = [name for outputs in made for name in outputs]
    reads = {name: set(node.input) for node, outputs in zip(graph.node, made) for name in outputs}

    def drawn(items):
        return chance.sample(items, min(count, len(items)))

    jobs = [("node", ["--", name]) for name in drawn(alone)]
    jobs += [("value up-to", ["--up-to", "--", name]) for name in drawn(values)]
    jobs += [("value from", ["--from", "--", name]) for name in drawn(values)]
    for last in drawn(values):
        behind, steps = last, chance.randrange(1, 30)
        for _ in range(steps):  # a walk back
            before = sorted(name for name in reads.get(behind, ()) if name in reads)
            behind = chance.choice(before) if before else behind
        if behind != last and "," not in behind + last:
            jobs.append(("between", ["--inputs", behind, "--outputs", last]))
    return jobs


def nodes_between(path, inputs, outputs):
    """What each node makes that the outputs need, up to the inputs, as onnx.utils takes them."""
    graph = onnx.load(str(path), load_external_data=False).graph
    maker = {name: node for node in graph.node for name in node.output if name}
    taken, known, open_values = set(), set(inputs), list(outputs)
    while open_values:
        name = open_values.pop()
        if name in known:
            continue
        known.add(name)
        node = maker.get(name)
        if node is not None:
            taken.add(tuple(node.output))
            open_values += node.input
            open_values += inner_reads(node)
    return taken


def inner_reads(node):
    """Names that graphs inside of a node read, some of which are made there."""
    graphs = [g for a in node.attribute for g in (*a.graphs, *([a.g] if a.HasField("g") else []))]
    names = []
    for graph in graphs:
        for inner in graph.node:
            names += [*inner.input, *inner_reads(inner)]
        names += [value.name for value in graph.output]
    return names


class PartsProof(Proof):
    gives_all = True
    harmless = HARMLESS | {
        "extracts",
        "extracted",
        "re-entrant",
        "copied nodes",
        "nodes",
        "types right",
        "types not checked",
        "types unknown",
        "nodes as they must be",
    }

    def take_apart(self, path, before, modules, types):
        jobs = jobs_of(modules, self.options)
        if self.options.cuts:
            jobs = jobs[: self.options.modules] + cuts_of(before, self.options.cuts)
        for kind, arguments in jobs:
            if not self.part(path, before, kind, arguments, types):
                return

    def part(self, path, before, kind, arguments, types):
        """One call of `extract`. False: the values that were recorded are gone."""
        target = before.parent / "part-onnx-hier"
        what = " ".join(arguments)
        command = [self.options.tool, "extract", "--json", "--no-sync", "-f", "-o", target]
        if kind == "between":
            arguments = [*arguments, "-q"]
        self.counts["extracts"] += 1
        result, _ = self.ran([*command, before, *arguments], path, what)
        if result is None:
            return True
        self.counts["extracted"] += 1
        self.counts["re-entrant"] += bool(result["reentrant"])
        self.counts["copied nodes"] += result["copied"]
        self.counts["nodes"] += result["nodes"]
        self.check_types(path, what, result, types)
        if kind == "between":
            self.check_nodes(path, before, target, what, result)
        answer = self.ask({"part": str(target)}, "crashed onnxruntime")
        self.counts[answer["outcome"]] += 1
        self.kinds[f"{kind} {answer['outcome']}"] += 1
        if answer["outcome"] not in HARMLESS:
            self.wrong(path, f"{what}: {answer['outcome']}", answer["detail"])
        return answer["outcome"] != "crashed onnxruntime"

    def check_nodes(self, path, before, target, what, result):
        inputs = [value["name"] for value in result["inputs"]]
        outputs = [value["name"] for value in result["outputs"]]
        wanted = nodes_between(before, inputs, outputs)
        graph = onnx.load(str(target), load_external_data=False).graph
        is_same = wanted == {tuple(node.output) for node in graph.node}
        self.counts["nodes as they must be" if is_same else "other nodes"] += 1
        if not is_same:
            self.wrong(path, what, "other nodes")

    def check_types(self, path, what, result, types):
        for value in result["inputs"] + result["outputs"]:
            told = value["type"]
            computed = types.get(value["name"])
            if told == "unknown":
                outcome = "types unknown"
            elif computed is None:
                outcome = "types not checked"
            else:
                outcome = "types right" if told == computed else "types wrong"
            self.counts[outcome] += 1
            if outcome in ("types unknown", "types wrong"):
                self.wrong(path, what, f"{outcome}: {value['name']} is {computed}, not {told}")


def add_arguments(parser):
    parser.add_argument("--modules", type=int, help="at most so many of each model (default: all)")
    parser.add_argument("--call", type=int, help="only this run of modules that run several times")
    parser.add_argument("--cuts", type=int, help="at so many nodes and values of each model, too")


if __name__ == "__main__":
    sys.exit(prove(PartsProof, __doc__, add_arguments))
