#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Families of models drawn by lot, with known owners: draw_families.py FOLDER --seeds FIRST:END

    draw_families.py DRAWN --seeds 1:60                # to learn from
    draw_families.py JUDGES --seeds 5000:5060          # to judge what was written before this

Each seed is a family of its own: a module tree, the names in it and what runs between its modules,
put together from pieces that people put models together from, in ways that nobody thought of. Real
exports of torch 1.13 (Debian: python3-torch, python3-onnx); who owns a node is read off a second
export, in which each module's scope is its number. Written are, in folders as the corpora of this
project have them:

    exports/drawn_SEED.onnx            as the exporter names things
    masked/drawn_SEED.m60v.onnx        60 % of the nodes without their names and their values'
    masked/drawn_SEED.m100v.onnx       all of them; names of parameters stay
    dynamo_like/drawn_SEED.dyn100.onnx named as torch.export does, without metadata

with NAME.truth.json beside each. The same files for a seed, each time. Nothing that decides may be
made from how a seed looks that it is judged by.
"""

import argparse
import collections
import contextlib
import io
import random
import re
import warnings
from pathlib import Path

import onnx
import torch
import torch.nn.functional as F
from torch import nn

import truth_files

WIDTH = 16  # of tokens and of images
SYLLABLES = "ba co di fe gu ka lo mi nu pa ro si ta ve xi zo".split()
WORDS = {
    "list": "layers blocks stages body h resblocks units cells levels".split(),
    "norm": "norm ln layer_norm LayerNorm bn norm_layer n adanorm".split(),
    "linear": "fc proj dense linear lin to_out out w".split(),
    "conv": "conv conv2d dwconv proj pw c cv".split(),
    "act": "act relu activation nonlin act_fn".split(),
    "attention": "attn attention self_attn mixer self mha token_mixer".split(),
    "mlp": "mlp ffn ff feed_forward intermediate channel_mixer".split(),
    "block": "block layer module unit net fn inner main branch path".split(),
    "gate": "gate router se fc_gate selector mask".split(),
    "stem": "stem embeddings patch_embed embed conv_stem input_layer".split(),
    "head": "head classifier lm_head decoder predictor out_proj".split(),
    "root": "model backbone encoder net transformer bert module".split(),
}


class Author:
    """What one person does always the same way, and all choices of a family."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.manner = self.pick("words", "words", "words", "digits", "syllables", "mixed")
        self.bias = self.pick(True, True, False)
        self.norm_kind = self.pick("layer", "layer", "rms", "written")
        self.norm2d_kind = self.pick("batch", "group", "instance", "none")
        self.norm_place = self.pick("before", "before", "after", "none")
        self.act_kind = self.pick("relu", "gelu", "silu", "tanh", "leaky")
        self.act_place = self.pick("module", "module", "function", "shared")
        self.container = self.pick("list", "list", "list", "sequential", "sequential", "attributes",
                                   "attributes", "dict", "plain")
        self.shared_act, self.shared_act_name = self.act_module(), self.syllables()
        self.dims = self.pick(True, False)  # sizes are asked of tensors, not known

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def count(self, least, most):
        return self.random.randint(least, most)

    def syllables(self):
        return "".join(self.random.choice(SYLLABLES) for _ in range(self.count(2, 3)))

    def word(self, role):
        if role == "act" and self.act_place == "shared":
            return self.shared_act_name
        manner = self.manner if self.manner != "mixed" else self.pick("words", "syllables")
        name = self.syllables() if manner == "syllables" else self.pick(*WORDS[role])
        if manner == "digits" and self.chance(0.6):
            name += str(self.count(1, 3))
        return name

    def act_module(self):
        return {"relu": nn.ReLU, "gelu": nn.GELU, "silu": nn.SiLU, "tanh": nn.Tanh,
                "leaky": nn.LeakyReLU}[self.act_kind]()

    def act(self):
        """Something to call, a module where this author makes one of it."""
        if self.act_place == "module":
            return self.act_module()
        if self.act_place == "shared":
            return self.shared_act
        return {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "tanh": torch.tanh,
                "leaky": F.leaky_relu}[self.act_kind]

    def norm(self):
        return {"layer": lambda: nn.LayerNorm(WIDTH), "rms": RmsNorm,
                "written": WrittenNorm}[self.norm_kind]()

    def norm2d(self):
        return {"batch": lambda: nn.BatchNorm2d(WIDTH), "group": lambda: nn.GroupNorm(4, WIDTH),
                "instance": lambda: nn.InstanceNorm2d(WIDTH, affine=True),
                "none": nn.Identity}[self.norm2d_kind]()

    def linear(self, inputs=WIDTH, outputs=WIDTH):
        layer = nn.Linear(inputs, outputs, bias=self.bias)
        return Adapted(layer, inputs, outputs) if self.chance(0.04) else layer


class RmsNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(WIDTH))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class WrittenNorm(nn.Module):
    """A norm as it is written before there was a module for it, with a method of its own."""

    def __init__(self):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.rand(WIDTH)), nn.Parameter(torch.rand(WIDTH))

    def scaled(self, x):
        mean = x.mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt((x - mean).pow(2).mean(-1, keepdim=True) + 1e-5)

    def forward(self, x):
        return self.scaled(x) * self.gamma + self.beta


class Adapted(nn.Module):
    """A layer with a low-rank change beside it."""

    def __init__(self, base, inputs, outputs):
        super().__init__()
        self.base_layer = base
        self.lora_A, self.lora_B = nn.Linear(inputs, 4, bias=False), nn.Linear(4, outputs, bias=False)

    def forward(self, x):
        return self.base_layer(x) + self.lora_B(self.lora_A(x)) * 0.5


class Computed(nn.Module):
    """A layer whose weight is worked out of two parameters."""

    def __init__(self, outputs=WIDTH):
        super().__init__()
        self.direction, self.scale = (nn.Parameter(torch.rand(outputs, WIDTH)),
                                      nn.Parameter(torch.rand(outputs, 1)))

    def forward(self, x):
        weight = self.direction * (self.scale / self.direction.norm(dim=1, keepdim=True))
        return x @ weight.t()


class Drawn(nn.Module):
    """A module with children by their names and a program that runs them."""

    def __init__(self, program, children=(), values=()):
        super().__init__()
        self.program = program
        for name, child in children:
            # What is no module is kept beside them: it has no scope.
            if isinstance(child, nn.Module):
                self.add_module(name, child)
            else:
                object.__setattr__(self, name, child)
        for name, value in values:
            self.register_parameter(name, nn.Parameter(value))

    def forward(self, *inputs):
        return self.program(self, *inputs)


class Namespace(nn.Module):
    """Holds modules, and is never called."""


def free_name(taken, name):
    """`name`, or with a number as people put one behind it."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}{number}" if number < 4 else f"{name}_{number}"
    taken.add(candidate)
    return candidate


def keep(author, modules, name):
    """Modules in a container as this author keeps such: (children, how to get at them)."""
    kind = author.container
    if kind == "attributes":
        names = [f"{name.rstrip('s')}{i + 1}" for i in range(len(modules))]
        return list(zip(names, modules)), lambda m: [getattr(m, n) for n in names]
    if kind == "dict":
        keys = [f"{author.syllables()}{i}" for i in range(len(modules))]
        return [(name, nn.ModuleDict(dict(zip(keys, modules))))], lambda m: [
            getattr(m, name)[k] for k in keys]
    if kind == "plain":
        space = Namespace()
        names = [f"{name.rstrip('s')}_{i + 1}" for i in range(len(modules))]
        for n, module in zip(names, modules):
            space.add_module(n, module)
        holder = author.pick("mid", "parts", "body") if author.manner == "words" else "space"
        return [(holder, space)], lambda m: [getattr(getattr(m, holder), n) for n in names]
    if kind == "sequential":
        return [(name, nn.Sequential(*modules))], lambda m: list(getattr(m, name))
    return [(name, nn.ModuleList(modules))], lambda m: list(getattr(m, name))


# --- what stands between modules: no module of its own

def glue(author):
    kind = author.pick("scale", "shift", "clip", "soft", "swap", "sum", "none", "none")
    factor = author.random.uniform(0.5, 1.5)
    return {"scale": lambda x: x * factor, "shift": lambda x: x + factor,
            "clip": lambda x: x.clamp(-3, 3), "soft": lambda x: x * torch.sigmoid(x * factor),
            "swap": lambda x: x.transpose(1, 2).contiguous().transpose(1, 2),
            "sum": lambda x: x - x.mean(1, keepdim=True), "none": lambda x: x}[kind]


def heads_of(author, x, heads):
    batch, length = (x.shape[0], x.shape[1]) if author.dims else (x.size(0), -1)
    return x.view(batch, length, heads, WIDTH // heads).transpose(1, 2)


# --- pieces for tokens: (batch, length, WIDTH) to the same

def attention(author, _):
    heads = author.pick(2, 4)
    kind = author.pick("separate", "packed", "single", "cross")
    names, taken = [], set()
    if kind == "packed":
        names = [free_name(taken, author.pick("qkv", "in_proj", "c_attn", "to_qkv"))]
        layers = [author.linear(WIDTH, 3 * WIDTH)]
    else:
        base = author.pick(("query", "key", "value"), ("q_proj", "k_proj", "v_proj"),
                           ("to_q", "to_k", "to_v"), ("q", "k", "v"), ("l1", "l2", "l3"))
        names = [free_name(taken, n) for n in base]
        layers = [author.linear() for _ in base]
    out = free_name(taken, author.word("linear"))
    has_out, has_norms = author.chance(0.8), author.chance(0.2)
    children = list(zip(names, layers))
    if has_out:
        children.append((out, author.linear()))
    if has_norms:
        children += [("q_norm", nn.LayerNorm(WIDTH // heads)), ("k_norm", nn.LayerNorm(WIDTH // heads))]
    bias = author.chance(0.2)

    def run(m, x):
        if kind == "packed":
            parts = getattr(m, names[0])(x).chunk(3, dim=-1)
        else:
            parts = [getattr(m, n)(x) for n in names]
        q, k, v = (heads_of(author, p, heads) for p in parts)
        if has_norms:
            q, k = m.q_norm(q), m.k_norm(k)
        scores = q @ k.transpose(-1, -2) / (WIDTH // heads) ** 0.5
        if bias:
            scores = scores + m.relative
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        return getattr(m, out)(y) if has_out else y

    values = [("relative", torch.rand(heads, 1, 1))] if bias else []
    inner = Drawn(run, children, values)
    if author.chance(0.25):  # with an output part beside it, as BERT has
        first, second = author.pick(("self", "output"), ("attn", "drop"), ("inner", "out"))
        return Drawn(lambda m, x: getattr(m, second)(getattr(m, first)(x)),
                     [(first, inner), (second, author.linear())])
    return inner


def mlp(author, _):
    kind = author.pick("plain", "plain", "gated", "sequential", "computed", "conv")
    wide = 2 * WIDTH
    taken = set()
    a, b, c, act = (free_name(taken, author.word(r)) for r in ("linear", "linear", "gate", "act"))
    if kind == "sequential":
        act_module = author.act_module()
        layers = [author.linear(WIDTH, wide), act_module, author.linear(wide, WIDTH)]
        if author.chance(0.3):
            layers.insert(2, nn.Dropout(0.1))
        if author.chance(0.4):
            return nn.Sequential(*layers)
        return Drawn(lambda m, x: getattr(m, a)(x), [(a, nn.Sequential(*layers))])
    if kind == "gated":
        return Drawn(lambda m, x: getattr(m, b)(getattr(m, act)(getattr(m, a)(x)) * getattr(m, c)(x)),
                     [(a, author.linear(WIDTH, wide)), (c, author.linear(WIDTH, wide)),
                      (act, author.act()), (b, author.linear(wide, WIDTH))])
    if kind == "computed":
        return Drawn(lambda m, x: getattr(m, act)(getattr(m, a)(x)), [(a, Computed()),
                                                                     (act, author.act())])
    if kind == "conv":
        return Drawn(lambda m, x: getattr(m, act)(getattr(m, a)(x.transpose(1, 2)).transpose(1, 2)),
                     [(a, nn.Conv1d(WIDTH, WIDTH, 3, padding=1, groups=author.pick(1, WIDTH),
                                    bias=author.bias)), (act, author.act())])
    return Drawn(lambda m, x: getattr(m, b)(getattr(m, act)(getattr(m, a)(x))),
                 [(a, author.linear(WIDTH, wide)), (act, author.act()),
                  (b, author.linear(wide, WIDTH))])


def experts(author, depth):
    count = author.count(2, 3)
    name, gate = author.word("list"), author.word("gate")
    children, get = keep(author, alike(author, mlp, depth, count), name)
    gate = free_name({n for n, _ in children}, gate)

    def run(m, x):
        weights = getattr(m, gate)(x).softmax(-1)
        y = 0
        for i, expert in enumerate(get(m)):
            y = y + expert(x) * weights[..., i:i + 1]
        return y

    return Drawn(run, [(gate, nn.Linear(WIDTH, count, bias=False))] + children)


def recurrence(author, _):
    kind = author.pick("unrolled", "gru", "lstm")
    if kind != "unrolled":
        cell = (nn.GRU if kind == "gru" else nn.LSTM)(WIDTH, WIDTH, batch_first=True)
        name = author.pick("rnn", "lstm", "gru", "cell")
        return Drawn(lambda m, x: getattr(m, name)(x)[0], [(name, cell)])
    a, b = "w_in", "w_rec"
    if author.chance(0.5):
        cell = Drawn(lambda m, x, h: torch.tanh(getattr(m, a)(x) + getattr(m, b)(h)),
                     [(a, author.linear()), (b, author.linear())])
    else:
        cell = Drawn(lambda m, x, h: torch.sigmoid(x * m.decay + h * m.mix), [],
                     [("decay", torch.rand(WIDTH)), ("mix", torch.rand(WIDTH))])
    steps = author.count(2, 4)

    def run(m, x):
        h, out = x[:, 0] * 0.1, []
        for i in range(steps):
            h = m.cell(x[:, i], h)
            out.append(h)
        return x + torch.stack(out, 1).mean(1, keepdim=True)

    return Drawn(run, [("cell", cell)])


# --- pieces for images: (batch, WIDTH, height, width) to the same

def conv(author, _):
    taken = set()
    c, n, a = (free_name(taken, author.word(r)) for r in ("conv", "norm", "act"))
    size, groups = author.pick((3, 1), (3, WIDTH), (1, 1), (5, WIDTH))
    layer = nn.Conv2d(WIDTH, WIDTH, size, padding=0 if author.norm2d_kind == "group" else size // 2,
                      groups=groups, bias=author.bias)
    norm, act = author.norm2d(), author.act()
    pad = size // 2 if author.norm2d_kind == "group" else 0
    if author.container == "sequential" and not pad and isinstance(act, nn.Module):
        return nn.Sequential(layer, norm, author.act_module())

    def run(m, x):
        if pad:
            x = F.pad(x, (pad, pad, pad, pad))
        return getattr(m, a)(getattr(m, n)(getattr(m, c)(x)))

    return Drawn(run, [(c, layer), (n, norm), (a, act)])


def squeeze(author, _):
    a, b = author.pick(("fc1", "fc2"), ("reduce", "expand"), ("conv_reduce", "conv_expand"))

    def run(m, x):
        y = x.mean((2, 3), keepdim=True)
        return x * torch.sigmoid(getattr(m, b)(F.relu(getattr(m, a)(y))))

    return Drawn(run, [(a, nn.Conv2d(WIDTH, 8, 1)), (b, nn.Conv2d(8, WIDTH, 1))])


def up_and_down(author, depth):
    down, up, mid = author.pick(("down", "up", "mid"), ("enc", "dec", "bottleneck"),
                                ("encoder", "decoder", "center"))
    name = author.word("block")

    def run(m, x):
        y = getattr(m, mid)(F.avg_pool2d(getattr(m, down)(x), 2))
        y = F.interpolate(y, size=x.shape[-2:], mode="nearest") if author.dims else F.interpolate(
            y, scale_factor=2.0, mode="nearest")
        return getattr(m, up)(getattr(m, name)(torch.cat([x, y], 1)))

    return Drawn(run, [(down, conv(author, 0)), (mid, draw(author, "image", depth - 1)),
                       (up, conv(author, 0)), (name, nn.Conv2d(2 * WIDTH, WIDTH, 1))])


def windows(author, depth):
    """Tokens of an image, and back."""
    name = author.word("block")

    def run(m, x):
        b, c, h, w = x.shape
        y = getattr(m, name)(x.flatten(2).transpose(1, 2))
        return y.transpose(1, 2).reshape(b, c, h, w)

    return Drawn(run, [(name, draw(author, "tokens", depth - 1))])


# --- what modules are put together with, whatever flows

def residual(author, kind, depth):
    taken = set()
    inner = free_name(taken, author.word("block" if author.chance(0.5) else "attention"))
    norm, scale = free_name(taken, author.word("norm")), author.chance(0.15)
    place = author.norm_place if kind == "tokens" else author.pick("none", "before")
    between = glue(author) if author.chance(0.25) else lambda x: x
    shape = (WIDTH,) if kind == "tokens" else (WIDTH, 1, 1)

    def run(m, x):
        y = getattr(m, norm)(x) if place == "before" else x
        y = between(getattr(m, inner)(y))
        if scale:
            y = y * m.gamma
        y = x + y
        return getattr(m, norm)(y) if place == "after" else y

    children = [(inner, draw(author, kind, depth - 1))]
    if place != "none":
        children.insert(author.pick(0, 1), (norm, author.norm() if kind == "tokens" else author.norm2d()))
    return Drawn(run, children, [("gamma", torch.rand(shape))] if scale else [])


def two_steps(author, kind, depth):
    """A layer as transformers have it: two residuals in one module."""
    taken = set()
    names = [free_name(taken, author.word(r)) for r in ("norm", "attention", "norm", "mlp")]
    make_norm = author.norm if kind == "tokens" else author.norm2d
    parts = [make_norm(), draw(author, kind, depth - 1), make_norm(), draw(author, kind, depth - 2)]
    before = author.norm_place != "after"

    def run(m, x):
        n1, f1, n2, f2 = (getattr(m, n) for n in names)
        if before:
            x = x + f1(n1(x))
            return x + f2(n2(x))
        x = n1(x + f1(x))
        return n2(x + f2(x))

    return Drawn(run, list(zip(names, parts)))


def alike(author, piece, depth, count):
    """Members of a list: the same draw again and again."""
    state = author.random.getstate()
    members = []
    for _ in range(count):
        author.random.setstate(state)
        members.append(piece(author, depth))
    return members


def chain(author, kind, depth):
    count = author.count(2, 4)
    name = author.word("list")
    piece = (lambda a, d: draw(a, kind, d)) if author.chance(0.7) else (
        lambda a, d: two_steps(a, kind, d))
    if author.chance(0.85):
        members = alike(author, piece, depth - 1, count)
    else:
        members = [piece(author, depth - 1) for _ in range(count)]
    children, get = keep(author, members, name)
    between = glue(author) if author.chance(0.2) else lambda x: x
    norm = free_name({n for n, _ in children}, author.word("norm")) if author.chance(0.3) else ""
    as_one = author.container == "sequential" and author.chance(0.6)

    def run(m, x):
        if as_one:
            x = getattr(m, name)(x)
        else:
            for member in get(m):
                x = between(member(x))
        return getattr(m, norm)(x) if norm else x

    if norm:
        children.append((norm, author.norm() if kind == "tokens" else author.norm2d()))
    return Drawn(run, children)


def branches(author, kind, depth):
    """Beside each other, then one again."""
    count = author.count(2, 3)
    taken = set()
    names = [free_name(taken, author.word("block")) for _ in range(count)]
    parts = [draw(author, kind, depth - 1 if author.chance(0.5) else 0) for _ in names]
    how = author.pick("sum", "product", "gate", "mean")
    before = glue(author)

    def run(m, x):
        x = before(x)
        ys = [getattr(m, n)(x) for n in names]
        if how == "product":
            return ys[0] * torch.sigmoid(ys[1])
        if how == "gate":
            g = torch.sigmoid(ys[-1].mean(1, keepdim=True))
            return g * ys[0] + (1 - g) * x
        y = sum(ys)
        return y / count if how == "mean" else y

    return Drawn(run, list(zip(names, parts)))


def again(author, kind, depth):
    """One module that runs several times."""
    name, times = author.word("block"), author.count(2, 3)
    between = glue(author)

    def run(m, x):
        for _ in range(times):
            x = between(getattr(m, name)(x))
        return x

    return Drawn(run, [(name, draw(author, kind, depth - 1))])


def reaches_in(author, kind, depth):
    """A parent that calls a child's child, or a method of its child, beside the child itself."""
    outer, inner = author.word("block"), author.word("linear")
    piece = draw(author, kind, depth - 1)
    small = author.norm() if kind == "tokens" else author.norm2d()
    child = Drawn(lambda m, x: getattr(m, inner)(x) * 0.5, [(inner, piece), ("pre", small)])
    if author.chance(0.5):
        return Drawn(lambda m, x: getattr(m, outer)(getattr(m, outer).pre(x)), [(outer, child)])
    child.features = lambda x: torch.sigmoid(child.pre(x) + 1)
    return Drawn(lambda m, x: getattr(m, outer).features(x) * getattr(m, outer)(x), [(outer, child)])


def wrapper(author, kind, depth):
    name = author.word("root") if author.chance(0.5) else author.word("block")
    before, after = glue(author), glue(author)
    return Drawn(lambda m, x: after(getattr(m, name)(before(x))), [(name, draw(author, kind, depth))])


LEAVES = {"tokens": (attention, attention, mlp, mlp, recurrence, experts),
          "image": (conv, conv, conv, squeeze)}
WHOLES = (residual, residual, two_steps, chain, chain, branches, again, reaches_in, wrapper)


def draw(author, kind, depth):
    """A module that takes `kind` to the same."""
    if depth <= 0 or author.chance(0.2):
        return author.pick(*LEAVES[kind])(author, depth)
    if kind == "image" and author.chance(0.25):
        return author.pick(up_and_down, windows)(author, depth)
    return author.pick(*WHOLES)(author, kind, depth)


def whole(author):
    """A model and its inputs."""
    kind = author.pick("tokens", "tokens", "image")
    taken = set()
    stem, body, head = (free_name(taken, author.word(r)) for r in ("stem", "root", "head"))
    parts = author.count(1, 2)
    bodies = [free_name(taken, author.word("root")) for _ in range(parts)]
    if kind == "tokens":
        inputs = (torch.randint(0, 20, (1, 6)),) if author.chance(0.6) else (torch.rand(1, 6, WIDTH),)
        is_ids = inputs[0].dtype == torch.int64
        first = nn.Embedding(20, WIDTH) if is_ids else nn.Linear(WIDTH, WIDTH)
        if is_ids and author.chance(0.5):
            positions, small = nn.Embedding(8, WIDTH), author.norm()
            table = first

            def embed(m, ids):
                places = torch.arange(ids.shape[1]).unsqueeze(0)
                return m.norm(m.tokens(ids) + m.positions(places))

            first = Drawn(embed, [("tokens", table), ("positions", positions), ("norm", small)])
        last = nn.Linear(WIDTH, 7, bias=author.bias)
    else:
        inputs = (torch.rand(1, 3, 16, 16),)
        first = nn.Conv2d(3, WIDTH, author.pick(1, 3), 2)
        if author.chance(0.5):
            first = nn.Sequential(first, author.norm2d(), author.act_module())
        last = nn.Linear(WIDTH, 7)
    between = glue(author)

    def run(m, x):
        x = getattr(m, stem)(x)
        for name in bodies:
            x = getattr(m, name)(between(x))
        if kind == "image":
            x = x.mean((2, 3))
        return getattr(m, head)(x)

    children = [(stem, first)] + [(n, draw(author, kind, author.count(2, 4))) for n in bodies]
    children.append((head, last))
    if author.chance(0.3):
        author.random.shuffle(children)  # registered in another order than they run
    model = Drawn(run, children)
    for _ in range(author.pick(0, 0, 0, 1, 2)):
        name = author.pick(author.word("root"), "model")
        model = Drawn(lambda m, x, name=name: getattr(m, name)(x), [(name, model)])
    return model.eval(), inputs


# --- exports, and owners from a second one

def numbered_scopes(names):
    """In the place of torch's own: each module's scope is its number."""
    def set_up(model, _):
        modules = dict(model.named_modules())
        torch.jit._trace._trace_module_map = {
            module: torch._C._jit_onnx_create_full_scope_name("M", f"m{names[name]}x")
            for name, module in modules.items()}
        return set()

    return set_up


def exported(model, inputs):
    stream = io.BytesIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(model, inputs, stream, opset_version=17)
    return onnx.load_model_from_string(stream.getvalue())


def owners_of(model, inputs, plain):
    names = {name: i for i, (name, _) in enumerate(model.named_modules())}
    by_number = list(names)
    set_up = torch.onnx.utils._setup_trace_module_map
    torch.onnx.utils._setup_trace_module_map = numbered_scopes(names)
    try:
        numbered = exported(model, inputs)
    finally:
        torch.onnx.utils._setup_trace_module_map = set_up
    if [n.op_type for n in numbered.graph.node] != [n.op_type for n in plain.graph.node]:
        raise ValueError("the two traces differ")
    owners = []
    for node in numbered.graph.node:
        # A later run of a module has its number behind: "m12x_1".
        scopes = re.findall(r"/m(\d+)x(?=[/_])", node.name)
        owners.append(by_number[int(scopes[-1])] if scopes else
                      "" if node.name.startswith("/") else None)
    return owners


# --- the same model in other dress

def copy_of(model):
    other = onnx.ModelProto()
    other.CopyFrom(model)
    return other


def rename_values(model, names):
    for node in model.graph.node:
        for values in (node.input, node.output):
            for i, value in enumerate(values):
                values[i] = names.get(value, value)
    del model.graph.value_info[:]


def masked(model, share, seed):
    other, chosen = copy_of(model), random.Random(seed)
    outputs = {o.name for o in model.graph.output}
    names, lost = {}, []
    for i, node in enumerate(other.graph.node):
        lost.append(chosen.random() < share)
        if not lost[-1]:
            continue
        node.name = f"{node.op_type}_{i}"
        for k, value in enumerate(node.output):
            if value and value not in outputs:
                names[value] = f"onnx::{node.op_type}_{10001 + i}" + (f"_{k}" if k else "")
    rename_values(other, names)
    return other, lost


def as_dynamo(model, owners):
    """Constants are initializers, names are those of operators, counted."""
    other = copy_of(model)
    outputs = {o.name for o in model.graph.output}
    counts, names, left, kept = collections.Counter(), {}, [], []
    for node, owner in zip(model.graph.node, owners):
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            tensor = onnx.TensorProto()
            tensor.CopyFrom(node.attribute[0].t)
            tensor.name = f"val_{counts['val']}"
            counts["val"] += 1
            names[node.output[0]] = tensor.name
            other.graph.initializer.append(tensor)
            continue
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        stem = node.op_type.lower()
        number = counts[stem]
        counts[stem] += 1
        copy.name = f"node_{stem}_{number}" if number else f"node_{stem}"
        for k, value in enumerate(node.output):
            if value and value not in outputs:
                base = f"{stem}_{number}" if number else stem
                names[value] = base if k == 0 else f"{base}_out{k}"
        left.append(copy)
        kept.append(owner)
    del other.graph.node[:]
    other.graph.node.extend(left)
    rename_values(other, names)
    other.producer_name, other.producer_version = "pytorch", "2.9.0"
    return other, kept


def aliases_of(model):
    by_module = collections.defaultdict(list)
    for name, module in model.named_modules(remove_duplicate=False):
        by_module[id(module)].append(name)
    return [names for names in by_module.values() if len(names) > 1]


def write(folder, name, model, truth):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
    truth_files.write(folder / f"{name}.onnx", truth)


def make(seed, folder):
    author = Author(seed)
    torch.manual_seed(seed)
    model, inputs = whole(author)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.1)  # no two of a trained model are alike
    state = author.random.getstate()
    plain = exported(model, inputs)
    author.random.setstate(state)
    owners = owners_of(model, inputs, plain)
    aliases = aliases_of(model)
    name = f"drawn_{seed:05d}"
    write(folder / "exports", name, plain, truth_files.truth_of(plain, owners, aliases))
    for share in (60, 100):
        other, lost = masked(plain, share / 100, seed)
        also = [{"masked": is_lost} for is_lost in lost]
        write(folder / "masked", f"{name}.m{share}v", other,
              truth_files.truth_of(other, owners, aliases, also))
    other, kept = as_dynamo(plain, owners)
    write(folder / "dynamo_like", f"{name}.dyn100", other,
          truth_files.truth_of(other, kept, aliases, [{"masked": True}] * len(kept)))
    return len(owners)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", default="1:60", metavar="FIRST:END")
    arguments = parser.parse_args()
    first, end = (int(n) for n in arguments.seeds.split(":"))
    for seed in range(first, end):
        try:
            print(seed, make(seed, arguments.folder), flush=True)
        except (RuntimeError, ValueError, KeyError, RecursionError) as error:
            print(seed, "is no model:", str(error).splitlines()[0][:120], flush=True)


if __name__ == "__main__":
    main()
