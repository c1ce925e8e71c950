#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the weights of the walk: fit_walk.py RUNS > lib/owners/walk_weights.inc

RUNS is what `fit-weights --walk FOLDER...` writes. Maximises the likelihood of the ways that are
right (a conditional random field: see lib/owners/lattice.h), families counting by the root of their
size; what few families show says nothing of others, and gets no weight. Debian: python3-numpy.

With --instead-of TABLE, and RUNS of `fit-weights --walk-among-names FOLDER...`, weights cost what
they are away from that table's: only those that are much away are written, to be used instead.
"""

import argparse
import collections
import re
import sys
from pathlib import Path

import numpy as np

IMPOSSIBLE = -1e30
L2 = 30.0  # what weights cost
STEPS = 60  # of the descent, at most


class Run:
    """One run of nodes: features as places of weights, of each node at a step, of each crossing."""

    def __init__(self, family, tempers, right, own, places, crossings):
        self.family, self.tempers, self.right, self.own = family, tempers, right, own
        self.places, self.crossings = places, crossings
        self.weight = 1.0


def read_runs(path):
    words = np.fromfile(path, np.uint32)
    at, runs = 0, []
    while at < len(words):
        family, nodes, steps = (int(w) for w in words[at:at + 3])
        at += 3
        tempers = words[at:at + nodes].view(np.float32).astype(float)
        right = words[at + nodes:at + 2 * nodes]
        at += 2 * nodes
        own = words[at:at + nodes * steps].view(np.float32).astype(float).reshape(nodes, steps)
        at += nodes * steps
        lists = []
        for _ in range(nodes * steps + (nodes + 1) * (steps - 1)):
            count = int(words[at])
            lists.append(words[at + 1:at + 1 + count])
            at += 1 + count
        places = [lists[n * steps:(n + 1) * steps] for n in range(nodes)]
        rest = lists[nodes * steps:]
        crossings = [[rest[s * (nodes + 1) + g] for s in range(steps - 1)]
                     for g in range(nodes + 1)]
        runs.append(Run(family, tempers, right, own, places, crossings))
    return runs


def number_features(runs, least):
    """Places of weights for features that enough families show; the first weight is always 0."""
    seen = collections.defaultdict(set)
    for run in runs:
        for row in run.places + run.crossings:
            for cell in row:
                for feature in cell.tolist():
                    if len(seen[feature]) < least:
                        seen[feature].add(run.family)
    kept = sorted(f for f, families in seen.items() if len(families) >= least)
    numbers = {feature: i + 1 for i, feature in enumerate(kept)}
    for run in runs:
        for rows in (run.places, run.crossings):
            for row in rows:
                for i, cell in enumerate(row):
                    row[i] = [numbers[f] for f in cell.tolist() if f in numbers]
    return kept


def weigh_families(runs):
    size = collections.Counter()
    for run in runs:
        size[run.family] += 1 + len(run.tempers)
    for run in runs:
        run.weight = size[run.family] ** -0.5
    scale = sum(len(r.tempers) for r in runs) / sum(r.weight * len(r.tempers) for r in runs)
    for run in runs:
        run.weight *= scale


class Batch:
    """Runs with equally many steps and about as many nodes, as arrays; 0 pads lists."""

    def __init__(self, runs):
        count = len(runs)
        steps = len(runs[0].places[0])
        nodes = max(len(r.tempers) for r in runs)
        widest = [max(len(c) for r in runs for row in rows(r) for c in row) or 1
                  for rows in (lambda r: r.places, lambda r: r.crossings)]
        self.places = np.zeros((count, nodes, steps, widest[0]), np.int32)
        self.crossings = np.zeros((count, nodes + 1, steps - 1, widest[1]), np.int32)
        self.may_be = np.full((count, nodes, steps), IMPOSSIBLE)
        self.may_cross = np.full((count, nodes + 1, steps - 1), IMPOSSIBLE)
        self.right = np.zeros((count, nodes, steps))
        self.own = np.zeros((count, nodes, steps))
        self.tempers = np.ones((count, nodes))
        self.weights = np.array([r.weight for r in runs])
        for i, run in enumerate(runs):
            length = len(run.tempers)
            for n, row in enumerate(run.places):
                for k, cell in enumerate(row):
                    self.places[i, n, k, :len(cell)] = cell
                bits = int(run.right[n])
                if bits:
                    self.right[i, n] = [0 if bits >> k & 1 else IMPOSSIBLE for k in range(steps)]
            for g, row in enumerate(run.crossings):
                for k, cell in enumerate(row):
                    self.crossings[i, g, k, :len(cell)] = cell
            self.may_be[i, :length] = 0
            self.may_be[i, length:, -1] = 0
            self.may_cross[i, :length + 1] = 0
            self.tempers[i, :length] = run.tempers
            self.own[i, :length] = run.own

    def scores(self, weights):
        places = weights[self.places].sum(-1) * self.tempers[..., None]
        return (places + self.own + self.may_be,
                weights[self.crossings].sum(-1) + self.may_cross)


def batches_of(runs):
    runs = sorted(runs, key=lambda r: (len(r.places[0]), len(r.tempers)))
    batches, some = [], []
    for run in runs:
        if some and (len(run.places[0]) != len(some[0].places[0]) or
                     len(run.tempers) > 1.3 * len(some[0].tempers) + 4):
            batches.append(Batch(some))
            some = []
        some.append(run)
    return batches + [Batch(some)]


def marginals(places, crossings):
    """The logarithm of the sum over all ways, and how likely each place and crossing is."""
    count, nodes, steps = places.shape
    before = np.full((count, nodes + 1, steps), IMPOSSIBLE)
    before[:, 0, 0] = 0
    for node in range(nodes + 1):
        if node:
            before[:, node] = before[:, node - 1] + places[:, node - 1]
        for k in range(1, steps):
            before[:, node, k] = np.logaddexp(
                before[:, node, k], before[:, node, k - 1] + crossings[:, node, k - 1])
    total = before[:, -1, -1]
    base = np.maximum(total, IMPOSSIBLE / 2)[:, None]
    at, crossed = np.zeros(places.shape), np.zeros(crossings.shape)
    after = np.full((count, steps), IMPOSSIBLE)
    after[:, -1] = 0
    for node in range(nodes, -1, -1):
        for k in range(steps - 2, -1, -1):
            over = crossings[:, node, k] + after[:, k + 1]
            crossed[:, node, k] = np.exp(np.minimum(before[:, node, k] + over - base[:, 0], 0))
            after[:, k] = np.logaddexp(after[:, k], over)
        if node:
            after = after + places[:, node - 1]
            at[:, node - 1] = np.exp(np.minimum(before[:, node - 1] + after - base, 0))
    return total, at, crossed


def loss(weights, usual, batches):
    away = weights - usual
    value, slope = 0.5 * L2 * float(away @ away), L2 * away
    for batch in batches:
        places, crossings = batch.scores(weights)
        total, at, crossed = marginals(places, crossings)
        right, at_right, crossed_right = marginals(places + batch.right, crossings)
        known = right > IMPOSSIBLE / 4
        weight = np.where(known, batch.weights, 0)
        value += float((weight * np.where(known, total - right, 0)).sum())
        by_place = (at - at_right) * (weight[:, None] * batch.tempers)[..., None]
        by_crossing = (crossed - crossed_right) * weight[:, None, None]
        for features, share in ((batch.places, by_place), (batch.crossings, by_crossing)):
            slope = slope + np.bincount(
                features.ravel(), np.broadcast_to(share[..., None], features.shape).ravel(),
                len(weights))
    slope[0] = 0
    return value, slope


def descend(batches, usual, memory=8):
    """Limited-memory BFGS, from what is usual."""
    weights = usual.copy()
    value, slope = loss(weights, usual, batches)
    moves, turns = [], []
    for step in range(STEPS):
        direction, shares = slope.copy(), []
        for move, turn in zip(moves[::-1], turns[::-1]):
            share = (move @ direction) / (turn @ move)
            shares.append(share)
            direction -= share * turn
        direction *= ((moves[-1] @ turns[-1]) / (turns[-1] @ turns[-1]) if moves
                      else 1 / max(1.0, np.linalg.norm(slope)))
        for (move, turn), share in zip(zip(moves, turns), shares[::-1]):
            direction += move * (share - (turn @ direction) / (turn @ move))
        length = 1.0
        while True:
            new_value, new_slope = loss(weights - length * direction, usual, batches)
            if new_value <= value - 1e-4 * length * (slope @ direction) or length < 1e-6:
                break
            length /= 2
        move, turn = -length * direction, new_slope - slope
        if move @ turn > 1e-10:
            moves, turns = (moves + [move])[-memory:], (turns + [turn])[-memory:]
        done = abs(value - new_value) < 1e-5 * abs(value)
        weights, value, slope = weights + move, new_value, new_slope
        print(f"step {step}: {value:.1f}", file=sys.stderr, flush=True)
        if done:
            break
    return weights


def weights_in(path):
    rows = re.findall(r"\{0x([0-9a-f]+), (-?[\d.]+)f\}", path.read_text())
    return {int(feature, 16): float(weight) for feature, weight in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--least-families", type=int, default=4)
    parser.add_argument("--least-weight", type=float,
                        help="smaller ones are left out, with --instead-of those that are less "
                        "away (0.08, 0.15)")
    parser.add_argument("--instead-of", type=Path, metavar="TABLE")
    parser.add_argument("--made-from", default="(not said)",
                        help="which families and exports, for the table")
    arguments = parser.parse_args()
    runs = read_runs(arguments.runs)
    features = number_features(runs, arguments.least_families)
    weigh_families(runs)
    batches = batches_of(runs)
    print(f"{len(runs)} runs, {len(features)} features", file=sys.stderr, flush=True)
    table = weights_in(arguments.instead_of) if arguments.instead_of else {}
    usual = np.array([0.0] + [table.get(feature, 0.0) for feature in features])
    weights = descend(batches, usual)
    least = arguments.least_weight or (0.15 if table else 0.08)
    rows = [(feature, round(float(weights[i + 1]), 2)) for i, feature in enumerate(features)
            if abs(weights[i + 1] - usual[i + 1]) >= least]
    what, name = ((" that count otherwise where\n// some names are left", "kWalkWeightsAmongNames")
                  if table else ("", "kWalkWeights"))
    print("// Written by tools/fit-weights/fit_walk.py; do not edit. Weights of what the walk shows\n"
          f"// (walk_features.cc){what}, of {len(runs)} runs of families and exports:\n"
          f"// {arguments.made_from}\n"
          f"// clang-format off\nconstexpr WalkWeight {name}[] = {{")
    for i in range(0, len(rows), 5):
        print("    " + " ".join(f"{{0x{f:08x}, {w:g}f}}," if w != int(w) else
                                f"{{0x{f:08x}, {w:.1f}f}}," for f, w in rows[i:i + 5]))
    print("};\n// clang-format on")
    print(f"{len(rows)} weights", file=sys.stderr)


if __name__ == "__main__":
    main()
