#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the models that bench.py measures.

They are BERT encoders with made-up weights and the names a PyTorch export gives
(`/encoder/layer.3/attention/self/MatMul_1`), with the Shape/Gather/Constant chains
such an export is full of. What matters for the measurement is varied: bytes of
weights, number of nodes, one file or two, this or the other side of 2 GiB.

The same seed gives the same bytes on every machine.
"""

from __future__ import annotations

import argparse
import shutil
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

from onnx_writer import (FLOAT, INT64, Graph, Style, Tensor, int_attribute, ints_attribute,
                         value_info, write_model)

NODES_PER_LAYER, NODES_AROUND = 109, 18
INITIALIZERS_PER_LAYER, INITIALIZERS_AROUND = 16, 6


@dataclass(frozen=True)
class Recipe:
    """What a model is made of. `megabytes` is the rough size on disk."""

    megabytes: float
    about: str
    layers: int
    hidden: int
    heads: int
    vocabulary: int
    positions: int = 512
    sequence: int = 128
    scopeless: float = 0.0  # share of nodes that lost their module path
    style: Style = Style.SCOPED
    external: bool = False

    @property
    def nodes(self) -> int:
        return NODES_PER_LAYER * self.layers + NODES_AROUND

    @property
    def initializers(self) -> int:
        return INITIALIZERS_PER_LAYER * self.layers + INITIALIZERS_AROUND


RECIPES = {
    "small": Recipe(0.03, "start-up and batches: one layer, tiny weights",
                    layers=1, hidden=8, heads=2, vocabulary=116, positions=16, sequence=16),
    "bert_438mb": Recipe(438, "BERT-base-like: weights dominate",
                         layers=12, hidden=768, heads=12, vocabulary=31264),
    "near_limit": Recipe(1912, "just below protobuf's 2 GiB limit",
                         layers=23, hidden=1280, heads=20, vocabulary=19300),
    "over_limit": Recipe(2416, "one file past protobuf's 2 GiB limit",
                         layers=29, hidden=1280, heads=20, vocabulary=25500),
    "external": Recipe(400, "small model file, weights in a second file",
                       layers=11, hidden=768, heads=12, vocabulary=28100, external=True),
    "named_50k": Recipe(11, "counts instructions: all nodes have scopes",
                        layers=459, hidden=4, heads=2, vocabulary=48),
    "lost10_50k": Recipe(10, "the same, a tenth of the nodes without a scope",
                         layers=459, hidden=4, heads=2, vocabulary=48, scopeless=0.1),
    "lost60_50k": Recipe(8, "the same, most nodes without a scope",
                         layers=459, hidden=4, heads=2, vocabulary=48, scopeless=0.6),
    "dynamo_50k": Recipe(55, "the same as dynamo writes it: modules in the nodes' metadata",
                         layers=459, hidden=4, heads=2, vocabulary=48, style=Style.DYNAMO),
    "docs_50k": Recipe(71, "the same with 1 kB of stack trace in each node's doc_string",
                       layers=459, hidden=4, heads=2, vocabulary=48, style=Style.TRACED),
    "nameless_50k": Recipe(3, "the same without names but those of parameters",
                           layers=459, hidden=4, heads=2, vocabulary=48, style=Style.NAMELESS),
    "anonymous_50k": Recipe(3, "the same, and parameters are not named either",
                            layers=459, hidden=4, heads=2, vocabulary=48, style=Style.ANONYMOUS),
    "named_200k": Recipe(42, "graph dominates: 200 thousand nodes, all with scopes",
                         layers=1836, hidden=4, heads=2, vocabulary=48),
    "nodes_200k": Recipe(40, "graph dominates: 200 thousand nodes, a tenth without a scope",
                         layers=1836, hidden=4, heads=2, vocabulary=48, scopeless=0.1),
    "nodes_1m": Recipe(201, "graph dominates: a million nodes, a tenth without a scope",
                       layers=9174, hidden=4, heads=2, vocabulary=48, scopeless=0.1),
}


# ------------------------------------------------------------------ the model


def parameter(scope: str, name: str) -> str:
    """`/encoder/layer.0/output` and `bias` give `encoder.layer.0.output.bias`."""
    return f"{scope[1:].replace('/', '.')}.{name}"


def linear(g: Graph, scope: str, x: str, columns: int, rows: int) -> str:
    product = g.node(scope, "MatMul", (x, g.product_weight(columns, rows)))
    return g.node(scope, "Add", (g.weight(parameter(scope, "bias"), rows), product))


def layer_norm(g: Graph, scope: str, x: str, size: int) -> str:
    """LayerNorm in single operators, as opsets before 17 have it."""
    last = ints_attribute("axes", (-1,))
    centred = g.node(scope, "Sub", (x, g.node(scope, "ReduceMean", (x,), last)))
    squared = g.node(scope, "Pow", (centred, g.real(scope, 2.0)))
    variance = g.node(scope, "ReduceMean", (squared,), last)
    deviation = g.node(scope, "Sqrt", (g.node(scope, "Add", (variance, g.real(scope, 1e-12))),))
    normal = g.node(scope, "Div", (centred, deviation))
    scaled = g.node(scope, "Mul", (normal, g.weight(parameter(scope, "weight"), size)))
    return g.node(scope, "Add", (scaled, g.weight(parameter(scope, "bias"), size)))


def gelu(g: Graph, scope: str, x: str) -> str:
    erf = g.node(scope, "Erf", (g.node(scope, "Div", (x, g.real(scope, 2.0 ** 0.5))),))
    gated = g.node(scope, "Mul", (x, g.node(scope, "Add", (erf, g.real(scope, 1.0)))))
    return g.node(scope, "Mul", (gated, g.real(scope, 0.5)))


def reshape_tail(g: Graph, scope: str, x: str, *tail: int) -> str:
    """Keeps the first two dimensions of `x`, whatever they are at run time, and sets the rest."""
    def size(axis: int) -> str:
        inputs = g.node(scope, "Shape", (x,)), g.ints(scope, axis, scalar=True)
        return g.node(scope, "Gather", inputs, int_attribute("axis", 0))

    sizes = [size(0), size(1)]
    parts = [g.node(scope, "Unsqueeze", (kept, g.ints(scope, 0))) for kept in sizes]
    parts += [g.ints(scope, length) for length in tail]
    shape = g.node(scope, "Concat", parts, int_attribute("axis", 0))
    return g.node(scope, "Reshape", (x, shape))


def split_heads(g: Graph, scope: str, x: str, recipe: Recipe, order: tuple[int, ...]) -> str:
    heads = reshape_tail(g, scope, x, recipe.heads, recipe.hidden // recipe.heads)
    return g.node(scope, "Transpose", (heads,), ints_attribute("perm", order))


def self_attention(g: Graph, scope: str, x: str, mask: str, recipe: Recipe) -> str:
    hidden = recipe.hidden
    query, key, value = (linear(g, f"{scope}/{part}", x, hidden, hidden)
                         for part in ("query", "key", "value"))
    query = split_heads(g, scope, query, recipe, (0, 2, 1, 3))
    key = split_heads(g, scope, key, recipe, (0, 2, 3, 1))
    value = split_heads(g, scope, value, recipe, (0, 2, 1, 3))
    scores = g.node(scope, "MatMul", (query, key))
    scores = g.node(scope, "Div", (scores, g.real(scope, (hidden / recipe.heads) ** 0.5)))
    masked = g.node(scope, "Add", (scores, mask))
    weights = g.node(scope, "Softmax", (masked,), int_attribute("axis", -1))
    context = g.node(scope, "MatMul", (weights, value))
    context = g.node(scope, "Transpose", (context,), ints_attribute("perm", (0, 2, 1, 3)))
    return reshape_tail(g, scope, context, hidden)


def residual_output(g: Graph, scope: str, x: str, skip: str, columns: int, rows: int) -> str:
    dense = linear(g, f"{scope}/dense", x, columns, rows)
    return layer_norm(g, f"{scope}/LayerNorm", g.node(scope, "Add", (dense, skip)), rows)


def encoder_layer(g: Graph, scope: str, x: str, mask: str, recipe: Recipe) -> str:
    hidden, wide = recipe.hidden, 4 * recipe.hidden
    context = self_attention(g, f"{scope}/attention/self", x, mask, recipe)
    attended = residual_output(g, f"{scope}/attention/output", context, x, hidden, hidden)
    widened = linear(g, f"{scope}/intermediate/dense", attended, hidden, wide)
    activated = gelu(g, f"{scope}/intermediate/intermediate_act_fn", widened)
    return residual_output(g, f"{scope}/output", activated, attended, wide, hidden)


def embeddings(g: Graph, recipe: Recipe) -> str:
    def look_up(kind: str, rows: int, ids: str) -> str:
        scope = f"/embeddings/{kind}_embeddings"
        table = g.weight(parameter(scope, "weight"), rows, recipe.hidden)
        return g.node(scope, "Gather", (table, ids))

    ids = g.initializer(Tensor("embeddings.position_ids", INT64, (1, recipe.sequence),
                               8 * recipe.sequence,
                               struct.pack(f"<{recipe.sequence}q", *range(recipe.sequence))))
    words = look_up("word", recipe.vocabulary, "input_ids")
    types = look_up("token_type", 2, "token_type_ids")
    total = g.node("/embeddings", "Add", (words, types))
    places = look_up("position", recipe.positions, ids)
    total = g.node("/embeddings", "Add", (total, places))
    return layer_norm(g, "/embeddings/LayerNorm", total, recipe.hidden)


def bert(g: Graph, recipe: Recipe) -> bytes:
    """Fills `g` with the encoder and returns the graph's inputs and outputs, encoded."""
    mask = g.node("", "Mul", ("padding_mask", g.real("", -10000.0)))
    x = embeddings(g, recipe)
    for layer in range(recipe.layers):
        x = encoder_layer(g, f"/encoder/layer.{layer}", x, mask, recipe)
    return (value_info(11, "input_ids", INT64, ("batch", recipe.sequence))
            + value_info(11, "token_type_ids", INT64, ("batch", recipe.sequence))
            + value_info(11, "padding_mask", FLOAT, ("batch", 1, 1, recipe.sequence))
            + value_info(12, x, FLOAT, ("batch", recipe.sequence, recipe.hidden)))


# ----------------------------------------------------------- the command line


def print_list() -> None:
    print(f"{'name':14}{'size':>10}{'nodes':>11}{'initializers':>14}  what for")
    for name, recipe in RECIPES.items():
        size = f"{recipe.megabytes:g} MB"
        print(f"{name:14}{size:>10}{recipe.nodes:11,}{recipe.initializers:14,}  {recipe.about}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Make the models that bench.py measures.",
        epilog="examples:\n"
               "  make_models.py --list\n"
               "  make_models.py /var/tmp/models small bert_438mb nodes_200k\n"
               "  make_models.py /var/tmp/models --all        (5.5 GB, all told)\n",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path,
                        help="where NAME.onnx goes; made if need be")
    parser.add_argument("names", nargs="*", metavar="NAME", help="models to make, see --list")
    parser.add_argument("--all", action="store_true", help="make every model")
    parser.add_argument("--list", action="store_true", help="list the models and exit")
    parser.add_argument("--seed", type=int, default=1,
                        help="other weights, other names lost (default: 1)")
    parser.add_argument("-f", "--force", action="store_true",
                        help="make it again if it is there already")
    arguments = parser.parse_intermixed_args()
    if arguments.list:
        return arguments
    if arguments.folder is None:
        parser.error("which folder shall the models go to?")
    unknown = [name for name in arguments.names if name not in RECIPES]
    if unknown:
        parser.error(f"unknown model {', '.join(unknown)}; known are {', '.join(RECIPES)}")
    if bool(arguments.names) == arguments.all:
        parser.error("name the models to make, or give --all")
    return arguments


def make(folder: Path, name: str, seed: int, force: bool) -> None:
    recipe, path = RECIPES[name], folder / f"{name}.onnx"
    if path.exists() and not force:
        print(f"{path}: kept as it is (--force makes it again)")
        return
    # Graph-bound models pass through a temporary file of about their own size.
    needed = int(recipe.megabytes * 1e6 * (2 if recipe.scopeless else 1))
    if shutil.disk_usage(folder).free < needed:
        raise OSError(f"{path}: needs {needed / 1e6:,.0f} MB of room")
    write_model(path, lambda graph: bert(graph, recipe), seed=seed, scopeless=recipe.scopeless,
                style=recipe.style, external=recipe.external)
    print(f"{path}: {recipe.nodes:,} nodes, {path.stat().st_size:,} bytes", flush=True)


def main() -> int:
    arguments = parse_arguments()
    if arguments.list:
        print_list()
        return 0
    try:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for name in arguments.names or RECIPES:
            make(arguments.folder, name, arguments.seed, arguments.force)
    except OSError as error:
        print(f"make_models.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
