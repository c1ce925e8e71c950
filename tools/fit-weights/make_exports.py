#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports with known owners, to fit weights with: make_exports.py ONNX-HIER FOLDER [--each N]

Writes FOLDER/FAMILY_N.onnx, models of random weights as torch.onnx.export() of torch 1.13 names
them (Debian: python3-torch), and FAMILY_N.truth.json with the module of each node, which its name
tells; nodes whose names tell nothing are left out. A family is a kind of network; its members
differ in what people do differently: where norms and activations stand, modules or functions, what
is fused, lists or attributes, who adds what was skipped. The same files each time.

Today's weights were not fitted with these: what they say of them is what they say of models that
they never saw.
"""

import argparse
import contextlib
import io
import json
import random
import subprocess
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn


class Style:
    """What one author does always the same way."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        pick = self.pick
        self.dim = pick(16, 24, 32)
        self.depth = pick(2, 3, 4)
        self.heads = pick(2, 4)
        self.norm_kind = pick("layer", "layer", "rms")
        self.norm_first = pick(True, True, False)
        self.act_module = pick(True, False)
        self.act_kind = pick("relu", "gelu", "silu", "hardswish", "leaky", "tanh")
        self.bias = pick(True, True, False)
        self.drop = pick(True, False)
        self.lists = pick("list", "list", "sequential", "attributes")
        self.attention = pick("separate", "separate", "fused", "packed")
        self.scores_scaled_first = pick(True, False)
        self.mlp = pick("plain", "plain", "gated", "sequential", "conv")
        self.residual = pick("block", "block", "branch")
        self.layer_scale = pick(False, False, True)
        self.position = pick("learned", "none", "rotary", "relative", "fixed")
        self.conv_block = pick("module", "module", "sequential", "attributes")
        self.conv_norm = pick("batch", "batch", "group", "none", "instance")
        self.names = pick(0, 1, 2)

    def pick(self, *choices):
        return self._random.choice(choices)

    def act(self):
        return {"relu": nn.ReLU, "gelu": nn.GELU, "silu": nn.SiLU, "hardswish": nn.Hardswish,
                "leaky": nn.LeakyReLU, "tanh": nn.Tanh}[self.act_kind]()

    def activate(self, x):
        return {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "hardswish": F.hardswish,
                "leaky": F.leaky_relu, "tanh": torch.tanh}[self.act_kind](x)

    def norm(self, dim):
        return RmsNorm(dim) if self.norm_kind == "rms" else nn.LayerNorm(dim)

    def norm2d(self, dim):
        return {"batch": nn.BatchNorm2d, "instance": lambda d: nn.InstanceNorm2d(d, affine=True),
                "group": lambda d: nn.GroupNorm(4, d), "none": lambda d: nn.Identity()}[
                    self.conv_norm](dim)

    def name(self, *names):
        return names[self.names % len(names)]


class Many(nn.Module):
    """Modules that run one after the other, as the author keeps such."""

    def __init__(self, style, modules, name="layers"):
        super().__init__()
        self.kind = style.lists
        if self.kind == "attributes":
            self.names = [f"{name.rstrip('s')}{i + 1}" for i in range(len(modules))]
            for attribute, module in zip(self.names, modules):
                setattr(self, attribute, module)
        elif self.kind == "sequential":
            self.body = nn.Sequential(*modules)
        else:
            self.names = [name]
            setattr(self, name, nn.ModuleList(modules))

    def members(self):
        if self.kind == "attributes":
            return [getattr(self, name) for name in self.names]
        return self.body if self.kind == "sequential" else getattr(self, self.names[0])

    def forward(self, x, *more):
        if self.kind == "sequential" and not more:
            return self.body(x)
        for module in self.members():
            x = module(x, *more)
        return x


class RmsNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(dim))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Residual(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.fn = inner

    def forward(self, x, *more):
        return x + self.fn(x, *more)


class Scale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gamma = nn.Parameter(torch.rand(dim))

    def forward(self, x):
        return x * self.gamma


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / (100 ** (torch.arange(0, dim, 2) / dim)))

    def forward(self, x):
        t = torch.arange(x.shape[1], device=x.device).float()
        angle = torch.outer(t, self.inv_freq)
        return torch.cat((angle, angle), dim=-1).cos(), torch.cat((angle, angle), dim=-1).sin()


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), dim=-1) * sin


class Attention(nn.Module):
    def __init__(self, style, dim, context=None):
        super().__init__()
        self.style, self.heads, self.head = style, style.heads, dim // style.heads
        self.cross = context is not None
        context = context or dim
        bias = style.bias
        if style.attention == "packed" and not self.cross:
            self.qkv = nn.Linear(dim, 3 * dim, bias=bias)
        else:
            q, k, v = style.name(("query", "key", "value"), ("q_proj", "k_proj", "v_proj"),
                                 ("to_q", "to_k", "to_v"))
            self.parts = (q, k, v)
            for part, width in zip(self.parts, (dim, context, context)):
                setattr(self, part, nn.Linear(width, dim, bias=bias))
        out = nn.Linear(dim, dim, bias=bias)
        self.out_name = style.name("dense", "out_proj", "to_out")
        setattr(self, self.out_name,
                nn.Sequential(out, nn.Dropout(0.1)) if style.names == 2 and style.drop else out)
        self.dropout = nn.Dropout(0.1) if style.drop else None
        self.softmax = nn.Softmax(dim=-1) if style.act_module else None
        self.scale = nn.Parameter(torch.ones(())) if style.layer_scale and style.bias else None
        if style.position == "relative" and not self.cross:
            self.bias_table = nn.Parameter(torch.rand(self.heads, 8, 8))
        self.rotary = Rotary(self.head) if style.position == "rotary" and style.names == 2 else None

    def split(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.heads, self.head).transpose(1, 2)

    def forward(self, x, context=None, mask=None, table=None):
        b, n, d = x.shape
        if hasattr(self, "qkv"):
            if self.style.scores_scaled_first:
                qkv = self.qkv(x).reshape(b, n, 3, self.heads, self.head).permute(2, 0, 3, 1, 4)
                q, k, v = qkv[0], qkv[1], qkv[2]
            else:
                q, k, v = (self.split(part) for part in self.qkv(x).chunk(3, dim=-1))
        else:
            source = x if context is None else context
            q, k, v = (self.split(getattr(self, part)(value))
                       for part, value in zip(self.parts, (x, source, source)))
        if self.rotary is not None and not self.cross:
            table = self.rotary(x)
        if table is not None and not self.cross:
            q, k = rotate(q, *table), rotate(k, *table)
        if self.style.scores_scaled_first:
            scores = (q * self.head**-0.5) @ k.transpose(-2, -1)
        else:
            scores = torch.matmul(q, k.transpose(-1, -2)) / self.head**0.5
        if self.scale is not None:
            scores = scores * self.scale
        if hasattr(self, "bias_table"):
            scores = scores + self.bias_table
        if mask is not None:
            scores = scores + mask
        weights = self.softmax(scores) if self.softmax is not None else scores.softmax(-1)
        if self.dropout is not None:
            weights = self.dropout(weights)
        mixed = (weights @ v).transpose(1, 2).reshape(b, n, d)
        return getattr(self, self.out_name)(mixed)


class Mlp(nn.Module):
    def __init__(self, style, dim, ratio=2):
        super().__init__()
        self.style, self.kind = style, style.mlp
        inner = dim * ratio
        if self.kind == "sequential":
            drop = [nn.Dropout(0.1)] if style.drop else []
            self.net = nn.Sequential(nn.Linear(dim, inner), style.act(), *drop,
                                     nn.Linear(inner, dim))
            return
        first, second = style.name(("fc1", "fc2"), ("c_fc", "c_proj"), ("up_proj", "down_proj"))
        self.first, self.second = first, second
        make = nn.Linear if self.kind != "conv" else lambda i, o, bias=True: nn.Conv1d(i, o, 1)
        setattr(self, first, make(dim, inner, bias=style.bias))
        setattr(self, second, make(inner, dim, bias=style.bias))
        if self.kind == "gated":
            self.gate_proj = nn.Linear(dim, inner, bias=style.bias)
        self.act = style.act() if style.act_module else None
        self.drop = nn.Dropout(0.1) if style.drop else None

    def forward(self, x):
        if self.kind == "sequential":
            return self.net(x)
        if self.kind == "conv":
            x = x.transpose(1, 2)
        act = self.act if self.act is not None else self.style.activate
        hidden = getattr(self, self.first)(x)
        hidden = act(self.gate_proj(x)) * hidden if self.kind == "gated" else act(hidden)
        if self.drop is not None:
            hidden = self.drop(hidden)
        x = getattr(self, self.second)(hidden)
        return x.transpose(1, 2) if self.kind == "conv" else x


class Sublayer(nn.Module):
    """A norm and what is normed, with the skip connection around them."""

    def __init__(self, style, dim, inner):
        super().__init__()
        self.first = style.norm_first
        self.norm = style.norm(dim)
        self.inner = inner

    def forward(self, x, *more):
        if self.first:
            return x + self.inner(self.norm(x), *more)
        return self.norm(x + self.inner(x, *more))


class Block(nn.Module):
    def __init__(self, style, dim, mixer=None, cross=False, mlp=None):
        super().__init__()
        self.style = style
        mixer = mixer or Attention(style, dim)
        mlp = mlp or Mlp(style, dim)
        mixer_name = style.name("attention", "self_attn", "attn")
        mlp_name = style.name("mlp", "feed_forward", "ffn")
        self.steps = []
        for name, module in ((mixer_name, mixer), ("cross_attn", Attention(style, dim, dim)),
                             (mlp_name, mlp)):
            if name == "cross_attn" and not cross:
                continue
            if style.residual == "branch":
                module = Sublayer(style, dim, module)
            setattr(self, name, module)
            norm = ""
            if style.residual == "block":
                norm = f"norm_{name}" if style.names == 0 else f"norm{len(self.steps) + 1}"
                setattr(self, norm, style.norm(dim))
            scale = ""
            if style.layer_scale:
                scale = f"ls{len(self.steps) + 1}"
                setattr(self, scale, Scale(dim) if style.names else nn.Parameter(torch.rand(dim)))
            self.steps.append((name, norm, scale))

    def scaled(self, x, scale):
        if not scale:
            return x
        by = getattr(self, scale)
        return by(x) if isinstance(by, nn.Module) else x * by

    def forward(self, x, memory=None, mask=None, table=None):
        for name, norm, scale in self.steps:
            module = getattr(self, name)
            is_mixer = name == self.steps[0][0]
            more = (memory,) if name == "cross_attn" else ()
            if is_mixer and isinstance(getattr(module, "inner", module), Attention):
                more = (None, mask, table)
            if self.style.residual == "branch":
                x = self.scaled(module(x, *more), scale)
            elif self.style.norm_first:
                x = x + self.scaled(module(getattr(self, norm)(x), *more), scale)
            else:
                x = getattr(self, norm)(x + self.scaled(module(x, *more), scale))
        return x


class Stack(nn.Module):
    """Blocks with what stands around them."""

    def __init__(self, style, dim, depth=None, causal=False, cross=False, make=None, final=True):
        super().__init__()
        self.causal = causal
        blocks = [make() if make else Block(style, dim, cross=cross)
                  for _ in range(depth or style.depth)]
        self.blocks = Many(style, blocks, style.name("layer", "layers", "h"))
        self.norm = style.norm(dim) if final and style.norm_first else None
        outer = style.position == "rotary" and style.names != 2
        self.rotary = Rotary(dim // style.heads) if outer else None

    def forward(self, x, memory=None):
        n = x.shape[1]
        mask = None
        if self.causal:
            mask = torch.full((n, n), -1e4, device=x.device).triu(1)
        table = self.rotary(x) if self.rotary is not None else None
        plain = memory is None and mask is None and table is None
        x = self.blocks(x) if plain else self.blocks(x, memory, mask, table)
        return self.norm(x) if self.norm is not None else x


class Embeddings(nn.Module):
    def __init__(self, style, dim, words=50):
        super().__init__()
        self.word_embeddings = nn.Embedding(words, dim)
        if style.position == "learned":
            self.position_embeddings = nn.Embedding(16, dim)
        if style.position == "fixed":
            self.register_buffer("pe", torch.rand(1, 16, dim))
        self.norm = style.norm(dim) if not style.norm_first else None
        self.drop = nn.Dropout(0.1) if style.drop else None

    def forward(self, ids):
        x = self.word_embeddings(ids)
        n = ids.shape[1]
        if hasattr(self, "position_embeddings"):
            x = x + self.position_embeddings(torch.arange(n, device=ids.device))
        if hasattr(self, "pe"):
            x = x * x.shape[-1] ** 0.5 + self.pe[:, :n]
        x = self.norm(x) if self.norm is not None else x
        return self.drop(x) if self.drop is not None else x


class Net(nn.Module):
    """A network of parts that run one after the other by `run`."""

    def __init__(self, run, **parts):
        super().__init__()
        self.run = run
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *inputs):
        return self.run(self, *inputs)


# Convolutions.


class ConvAct(nn.Module):
    def __init__(self, style, cin, cout, k=3, stride=1, groups=1, act=True):
        super().__init__()
        self.style, self.acts = style, act
        bias = style.conv_norm == "none"
        conv = nn.Conv2d(cin, cout, k, stride, k // 2, groups=groups, bias=bias)
        norm = style.norm2d(cout)
        self.kind = style.conv_block
        if self.kind == "sequential":
            self.block = nn.Sequential(conv, norm, *([style.act()] if act else []))
            return
        self.conv, self.bn = conv, norm
        self.act = style.act() if act and style.act_module else None

    def forward(self, x):
        if self.kind == "sequential":
            return self.block(x)
        x = self.bn(self.conv(x))
        if not self.acts:
            return x
        return self.act(x) if self.act is not None else self.style.activate(x)


def conv(style, cin, cout, k=3, stride=1, groups=1, act=True):
    """As the author writes it: a module of his own, or a Sequential in its place."""
    if style.conv_block == "sequential" and style.names == 1:
        parts = [nn.Conv2d(cin, cout, k, stride, k // 2, groups=groups, bias=False),
                 style.norm2d(cout)]
        return nn.Sequential(*parts, *([style.act()] if act else []))
    return ConvAct(style, cin, cout, k, stride, groups, act)


class SqueezeExcite(nn.Module):
    def __init__(self, style, c):
        super().__init__()
        self.style = style
        self.pool = nn.AdaptiveAvgPool2d(1) if style.act_module else None
        if style.names == 2:
            self.fc = nn.Sequential(nn.Linear(c, c // 2), nn.ReLU(), nn.Linear(c // 2, c),
                                    nn.Sigmoid())
        else:
            self.reduce, self.expand = nn.Conv2d(c, c // 2, 1), nn.Conv2d(c // 2, c, 1)

    def forward(self, x):
        s = self.pool(x) if self.pool is not None else x.mean((2, 3), keepdim=True)
        if self.style.names == 2:
            return x * self.fc(s.flatten(1))[:, :, None, None]
        return x * torch.sigmoid(self.expand(self.style.activate(self.reduce(s))))


class BasicBlock(nn.Module):
    def __init__(self, style, cin, cout, stride=1, bottleneck=False):
        super().__init__()
        self.style = style
        mid = cout // 2 if bottleneck else cout
        self.separate = style.conv_block == "attributes"
        sizes = [(cin, mid, 1), (mid, mid, 3), (mid, cout, 1)] if bottleneck else [
            (cin, mid, 3), (mid, cout, 3)]
        self.count = len(sizes)
        for i, (a, b, k) in enumerate(sizes):
            s = stride if k == 3 and i < 2 and (bottleneck or i == 0) else 1
            if self.separate:
                setattr(self, f"conv{i + 1}", nn.Conv2d(a, b, k, s, k // 2, bias=False))
                setattr(self, f"bn{i + 1}", style.norm2d(b))
            else:
                setattr(self, f"conv{i + 1}", conv(style, a, b, k, s, act=i + 1 < len(sizes)))
        self.act = style.act() if style.act_module else None
        self.se = SqueezeExcite(style, cout) if style.layer_scale else None
        same = cin == cout and stride == 1
        self.downsample = None if same else nn.Sequential(
            nn.Conv2d(cin, cout, 1, stride, bias=False), style.norm2d(cout))

    def activated(self, x):
        return self.act(x) if self.act is not None else self.style.activate(x)

    def forward(self, x):
        out = x
        for i in range(self.count):
            out = getattr(self, f"conv{i + 1}")(out)
            if self.separate:
                out = getattr(self, f"bn{i + 1}")(out)
                if i + 1 < self.count:
                    out = self.activated(out)
        if self.se is not None:
            out = self.se(out)
        shortcut = x if self.downsample is None else self.downsample(x)
        return self.activated(out + shortcut) if self.style.norm_first else out + shortcut


class InvertedResidual(nn.Module):
    def __init__(self, style, cin, cout, stride=1, expand=2):
        super().__init__()
        mid = cin * expand
        self.skips = cin == cout and stride == 1
        layers = [conv(style, cin, mid, 1), conv(style, mid, mid, 3, stride, groups=mid)]
        if style.layer_scale:
            layers.append(SqueezeExcite(style, mid))
        layers.append(conv(style, mid, cout, 1, act=False))
        self.whole = style.lists != "attributes"
        if self.whole:
            self.conv = nn.Sequential(*layers)
        else:
            self.steps = [style.name("pw", "expand", "conv_pw"), "dw", "se", "project"]
            if not style.layer_scale:
                self.steps.remove("se")
            for name, layer in zip(self.steps, layers):
                setattr(self, name, layer)

    def forward(self, x):
        out = x
        if self.whole:
            out = self.conv(x)
        else:
            for name in self.steps:
                out = getattr(self, name)(out)
        return x + out if self.skips else out


class Head(nn.Module):
    def __init__(self, style, dim, classes=10):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1) if style.act_module else None
        self.fc = nn.Linear(dim, classes)
        self.drop = nn.Dropout(0.2) if style.drop else None

    def forward(self, x):
        x = self.pool(x).flatten(1) if self.pool is not None else x.mean([2, 3])
        return self.fc(self.drop(x) if self.drop is not None else x)


def stages(make, widths, depth=2):
    """Stages as lists of blocks, or Sequentials named layer1, layer2, ..."""
    made = []
    cin = widths[0]
    for i, cout in enumerate(widths):
        blocks = []
        for j in range(depth + (i % 2)):
            blocks.append(make(cin, cout, 2 if j == 0 and i else 1))
            cin = cout
        made.append(nn.Sequential(*blocks))
    return made


IMAGE = torch.rand(1, 3, 32, 32)
IDS = torch.arange(8).reshape(1, 8)


def resnet(s):
    c = s.dim
    widths = [c, c * 2, c * 2]
    bottleneck = s.pick(True, False)
    body = Many(s, stages(lambda a, b, t: BasicBlock(s, a, b, t, bottleneck), widths), "layers")
    stem = conv(s, 3, c, s.pick(3, 7), 2)
    pool = nn.MaxPool2d(3, 2, 1) if s.drop else nn.Identity()
    return Net(lambda m, x: m.head(m.body(m.pool(m.stem(x)))), stem=stem, pool=pool, body=body,
               head=Head(s, c * 2)), (IMAGE,)


def mobilenet(s):
    c = s.dim
    features = nn.Sequential(conv(s, 3, c, 3, 2), *(
        InvertedResidual(s, a, b, t) for a, b, t in (
            (c, c, 1), (c, c * 2, 2), (c * 2, c * 2, 1), (c * 2, c * 2, 1))), conv(s, c * 2, c * 4, 1))
    classifier = nn.Sequential(nn.Linear(c * 4, c), s.act(), nn.Dropout(0.2), nn.Linear(c, 10))
    return Net(lambda m, x: m.classifier(m.features(x).mean([2, 3])), features=features,
               classifier=classifier), (IMAGE,)


class ConvNextBlock(nn.Module):
    def __init__(self, s, c):
        super().__init__()
        self.dwconv = nn.Conv2d(c, c, 7, padding=3, groups=c)
        self.norm = s.norm(c)
        self.pwconv1, self.pwconv2 = nn.Linear(c, 2 * c), nn.Linear(2 * c, c)
        self.act = s.act() if s.act_module else s.activate
        self.gamma = nn.Parameter(torch.rand(c)) if s.layer_scale else None
        self.drop_path = nn.Identity()

    def forward(self, x):
        y = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
        y = self.pwconv2(self.act(self.pwconv1(y)))
        if self.gamma is not None:
            y = self.gamma * y
        return x + self.drop_path(y.permute(0, 3, 1, 2))


class ChannelNorm(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.rand(c)), nn.Parameter(torch.rand(c))

    def forward(self, x):
        u = x.mean(1, keepdim=True)
        x = (x - u) / torch.sqrt((x - u).pow(2).mean(1, keepdim=True) + 1e-6)
        return self.weight[:, None, None] * x + self.bias[:, None, None]


def convnext(s):
    c = s.dim
    downs = nn.ModuleList([nn.Sequential(nn.Conv2d(3, c, 4, 4), ChannelNorm(c)),
                           nn.Sequential(ChannelNorm(c), nn.Conv2d(c, 2 * c, 2, 2))])
    body = nn.ModuleList(nn.Sequential(*(ConvNextBlock(s, w) for _ in range(s.depth)))
                         for w in (c, 2 * c))

    def run(m, x):
        for down, stage in zip(m.downsample_layers, m.stages):
            x = stage(down(x))
        return m.head(m.norm(x.mean([-2, -1])))

    return Net(run, downsample_layers=downs, stages=body, norm=nn.LayerNorm(2 * c),
               head=nn.Linear(2 * c, 10)), (IMAGE,)


class DenseLayer(nn.Module):
    def __init__(self, s, cin, growth):
        super().__init__()
        self.norm1, self.conv1 = s.norm2d(cin), nn.Conv2d(cin, growth * 2, 1, bias=False)
        self.norm2, self.conv2 = s.norm2d(growth * 2), nn.Conv2d(growth * 2, growth, 3, padding=1)
        self.relu = s.act() if s.act_module else s.activate

    def forward(self, x):
        return torch.cat([x, self.conv2(self.relu(self.norm2(
            self.conv1(self.relu(self.norm1(x))))))], 1)


def dense(s):
    c = s.dim
    blocks, width = [], c
    for _ in range(2):
        layers = []
        for _ in range(s.depth):
            layers.append(DenseLayer(s, width, 8))
            width += 8
        blocks.append(Many(s, layers, "denselayers"))
        blocks.append(nn.Sequential(s.norm2d(width), s.act(), nn.Conv2d(width, width // 8 * 4, 1),
                                    nn.AvgPool2d(2)))
        width = width // 8 * 4
    return Net(lambda m, x: m.head(m.features(m.stem(x))), stem=nn.Conv2d(3, c, 3, 2, 1),
               features=nn.Sequential(*blocks), head=Head(s, width)), (IMAGE,)


class Csp(nn.Module):
    def __init__(self, s, cin, cout, n=2):
        super().__init__()
        mid = cout // 2
        self.split = s.pick(True, False)
        self.cv1 = conv(s, cin, 2 * mid if self.split else mid, 1)
        if not self.split:
            self.cv2 = conv(s, cin, mid, 1)
        self.cv3 = conv(s, (2 + n) * mid if self.split else 2 * mid, cout, 1)
        inner = [Residual(nn.Sequential(conv(s, mid, mid), conv(s, mid, mid))) for _ in range(n)]
        self.m = nn.ModuleList(inner) if self.split else nn.Sequential(*inner)

    def forward(self, x):
        if self.split:
            y = list(self.cv1(x).chunk(2, 1))
            for m in self.m:
                y.append(m(y[-1]))
            return self.cv3(torch.cat(y, 1))
        return self.cv3(torch.cat((self.m(self.cv1(x)), self.cv2(x)), dim=1))


class Sppf(nn.Module):
    def __init__(self, s, c):
        super().__init__()
        self.cv1, self.cv2 = conv(s, c, c // 2, 1), conv(s, c * 2, c, 1)
        self.m = nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        x = self.cv1(x)
        y1 = self.m(x)
        y2 = self.m(y1)
        return self.cv2(torch.cat((x, y1, y2, self.m(y2)), 1))


class DetectHead(nn.Module):
    def __init__(self, s, widths):
        super().__init__()
        self.style = s
        self.shared = s.pick(True, False)
        count = 1 if self.shared else len(widths)
        self.cls = nn.ModuleList(self.tower(s, widths[i], 5) for i in range(count))
        self.reg = nn.ModuleList(self.tower(s, widths[i], 4) for i in range(count))
        self.scales = nn.ParameterList(nn.Parameter(torch.ones(1)) for _ in widths)

    @staticmethod
    def tower(s, c, out):
        return nn.Sequential(conv(s, c, c), conv(s, c, c), nn.Conv2d(c, out, 1))

    def forward(self, *levels):
        out = []
        for i, x in enumerate(levels):
            at = 0 if self.shared else i
            reg = torch.exp(self.reg[at](x) * self.scales[i])
            y = torch.cat((reg, self.cls[at](x).sigmoid()), 1)
            out.append(y.flatten(2).transpose(1, 2) if self.style.drop else y.flatten(2))
        return torch.cat(out, 1 if self.style.drop else 2)


def yolo(s):
    c = s.dim
    parts = {"stem": conv(s, 3, c, 3, 2), "down1": conv(s, c, c, 3, 2), "c1": Csp(s, c, c),
             "down2": conv(s, c, c, 3, 2), "c2": Csp(s, c, c), "sppf": Sppf(s, c),
             "up": nn.Upsample(scale_factor=2), "c3": Csp(s, 2 * c, c), "detect": DetectHead(s, [c, c])}

    def run(m, x):
        p1 = m.c1(m.down1(m.stem(x)))
        p2 = m.sppf(m.c2(m.down2(p1)))
        top = m.c3(torch.cat([m.up(p2), p1], 1))
        return m.detect(top, p2)

    return Net(run, **parts), (IMAGE,)


class Fpn(nn.Module):
    def __init__(self, s, widths, c):
        super().__init__()
        self.lateral_convs = nn.ModuleList(nn.Conv2d(w, c, 1) for w in widths)
        self.fpn_convs = nn.ModuleList(nn.Conv2d(c, c, 3, padding=1) for _ in widths)

    def forward(self, *xs):
        laterals = [f(x) for f, x in zip(self.lateral_convs, xs)]
        for i in range(len(xs) - 1, 0, -1):
            laterals[i - 1] = laterals[i - 1] + F.interpolate(laterals[i], scale_factor=2.0)
        return tuple(f(x) for f, x in zip(self.fpn_convs, laterals))


class Backbone(nn.Module):
    def __init__(self, s, widths):
        super().__init__()
        self.stem = conv(s, 3, widths[0], 3, 2)
        self.stages = nn.ModuleList(
            stages(lambda a, b, t: BasicBlock(s, a, b, t), widths, depth=1))

    def forward(self, x):
        x = self.stem(x)
        out = []
        for stage in self.stages:
            x = stage(x)
            out.append(x)
        return tuple(out)


def retina(s):
    c = s.dim
    return Net(lambda m, x: m.bbox_head(*m.neck(*m.backbone(x))), backbone=Backbone(s, [c, c, c]),
               neck=Fpn(s, [c, c, c], c), bbox_head=DetectHead(s, [c, c, c])), (IMAGE,)


class DoubleConv(nn.Module):
    def __init__(self, s, a, b):
        super().__init__()
        self.residual = s.layer_scale and a == b
        self.conv1, self.conv2 = conv(s, a, b), conv(s, b, b)

    def forward(self, x):
        y = self.conv2(self.conv1(x))
        return x + y if self.residual else y


class Up(nn.Module):
    def __init__(self, s, a, b):
        super().__init__()
        self.style = s
        self.up = nn.ConvTranspose2d(a, b, 2, 2) if s.act_module else nn.Conv2d(a, b, 1)
        self.conv = DoubleConv(s, 2 * b, b)

    def forward(self, x, skip):
        x = self.up(x if self.style.act_module else F.interpolate(x, scale_factor=2.0))
        return self.conv(torch.cat([skip, x], dim=1))


def unet(s):
    c = s.dim // 2
    widths = [c * 2**i for i in range(3)]
    downs = nn.ModuleList(DoubleConv(s, 3 if not i else widths[i - 1], w)
                          for i, w in enumerate(widths))
    ups = nn.ModuleList(Up(s, widths[i], widths[i - 1]) for i in range(len(widths) - 1, 0, -1))

    def run(m, x):
        skips = []
        for i, down in enumerate(m.downs):
            x = down(m.pool(x) if i else x)
            skips.append(x)
        for up, skip in zip(m.ups, reversed(skips[:-1])):
            x = up(x, skip)
        return torch.sigmoid(m.out(x)) if s.drop else m.out(x)

    return Net(run, downs=downs, pool=nn.MaxPool2d(2), ups=ups, out=nn.Conv2d(c, 1, 1)), (IMAGE,)


class TimeResBlock(nn.Module):
    def __init__(self, s, cin, cout, t):
        super().__init__()
        self.style = s
        self.norm1, self.conv1 = nn.GroupNorm(4, cin), nn.Conv2d(cin, cout, 3, padding=1)
        self.time_emb_proj = nn.Linear(t, cout * (2 if s.layer_scale else 1))
        self.norm2, self.conv2 = nn.GroupNorm(4, cout), nn.Conv2d(cout, cout, 3, padding=1)
        self.nonlinearity = nn.SiLU() if s.act_module else F.silu
        self.shortcut = nn.Conv2d(cin, cout, 1) if cin != cout else None

    def forward(self, x, t):
        h = self.conv1(self.nonlinearity(self.norm1(x)))
        t = self.time_emb_proj(self.nonlinearity(t))[:, :, None, None]
        if self.style.layer_scale:
            scale, shift = t.chunk(2, dim=1)
            h = self.norm2(h) * (1 + scale) + shift
        else:
            h = self.norm2(h + t)
        h = self.conv2(self.nonlinearity(h))
        return (x if self.shortcut is None else self.shortcut(x)) + h


class SpatialTransformer(nn.Module):
    def __init__(self, s, c):
        super().__init__()
        self.norm, self.proj_in = nn.GroupNorm(4, c), nn.Conv2d(c, c, 1)
        self.blocks = nn.ModuleList([Block(s, c, cross=s.pick(True, False))])
        self.proj_out = nn.Conv2d(c, c, 1)

    def forward(self, x, context):
        b, c, h, w = x.shape
        y = self.proj_in(self.norm(x)).reshape(b, c, h * w).permute(0, 2, 1)
        for block in self.blocks:
            y = block(y, context)
        return x + self.proj_out(y.permute(0, 2, 1).reshape(b, c, h, w))


def diffusion(s):
    c, t = s.dim, 2 * s.dim
    s.position, s.lists = "none", "list"
    parts = {
        "time_embed": nn.Sequential(nn.Linear(c, t), nn.SiLU(), nn.Linear(t, t)),
        "conv_in": nn.Conv2d(4, c, 3, padding=1),
        "down": nn.ModuleList([TimeResBlock(s, c, c, t), TimeResBlock(s, c, 2 * c, t)]),
        "downsample": nn.Conv2d(2 * c, 2 * c, 3, 2, 1),
        "mid1": TimeResBlock(s, 2 * c, 2 * c, t), "attn": SpatialTransformer(s, 2 * c),
        "mid2": TimeResBlock(s, 2 * c, 2 * c, t),
        "up": nn.ModuleList([TimeResBlock(s, 4 * c, c, t), TimeResBlock(s, 2 * c, c, t)]),
        "norm_out": nn.GroupNorm(4, c), "conv_out": nn.Conv2d(c, 4, 3, padding=1)}

    def run(m, x, time, context):
        freqs = torch.exp(torch.arange(c // 2, device=x.device) * (-4.0 / c))
        emb = time[:, None].float() * freqs[None]
        emb = m.time_embed(torch.cat([emb.sin(), emb.cos()], dim=-1))
        x = m.conv_in(x)
        skips = []
        for block in m.down:
            x = block(x, emb)
            skips.append(x)
        x = m.mid2(m.attn(m.mid1(m.downsample(x), emb), context), emb)
        x = F.interpolate(x, scale_factor=2.0, mode="nearest")
        for block in m.up:
            x = block(torch.cat([x, skips.pop()], dim=1), emb)
        return m.conv_out(F.silu(m.norm_out(x)))

    return Net(run, **parts), (torch.rand(1, 4, 8, 8), torch.tensor([3]),
                               torch.rand(1, 5, 2 * c))


# Sequences.


def encoder(s):
    return Net(lambda m, ids: m.head(torch.tanh(m.pooler(m.encoder(m.embeddings(ids))[:, 0]))),
               embeddings=Embeddings(s, s.dim), encoder=Stack(s, s.dim),
               pooler=nn.Linear(s.dim, s.dim), head=nn.Linear(s.dim, 3)), (IDS,)


def decoder(s):
    model = Net(lambda m, ids: m.decoder(m.embed(ids)), embed=Embeddings(s, s.dim),
                decoder=Stack(s, s.dim, causal=True))
    return Net(lambda m, ids: m.lm_head(m.model(ids)), model=model,
               lm_head=nn.Linear(s.dim, 50, bias=False)), (IDS,)


def translate(s):
    d = s.dim
    return Net(lambda m, a, b: m.out(m.decoder(m.tgt(b), m.encoder(m.src(a)))),
               src=Embeddings(s, d), tgt=Embeddings(s, d), encoder=Stack(s, d),
               decoder=Stack(s, d, causal=True, cross=True), out=nn.Linear(d, 50)), (IDS, IDS)


class PatchEmbed(nn.Module):
    def __init__(self, s, d, patch=8):
        super().__init__()
        self.proj = nn.Conv2d(3, d, patch, patch)
        self.norm = s.norm(d) if s.layer_scale else nn.Identity()

    def forward(self, x):
        return self.norm(self.proj(x).flatten(2).transpose(1, 2))


def vit(s):
    d = s.dim
    s.position = s.pick("none", "learned")
    n = 16

    def run(m, x):
        x = m.patch_embed(x)
        if s.drop:
            x = torch.cat((m.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        x = x + m.pos_embed
        x = m.encoder(x)
        return m.head(x[:, 0] if s.drop else x.mean(dim=1))

    net = Net(run, patch_embed=PatchEmbed(s, d), encoder=Stack(s, d), head=nn.Linear(d, 10))
    net.pos_embed = nn.Parameter(torch.rand(1, n + int(s.drop), d))
    net.cls_token = nn.Parameter(torch.rand(1, 1, d))
    return net, (IMAGE,)


class Windows(nn.Module):
    """Attention in windows, shifted in every second block."""

    def __init__(self, s, d, shift):
        super().__init__()
        self.attn, self.shift = Attention(s, d), shift

    def forward(self, x):
        b, n, c = x.shape
        x = x.view(b, 8, 8, c)
        if self.shift:
            x = torch.roll(x, (-2, -2), (1, 2))
        x = x.view(b, 2, 4, 2, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        x = self.attn(x).view(b, 2, 2, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, 8, 8, c)
        if self.shift:
            x = torch.roll(x, (2, 2), (1, 2))
        return x.reshape(b, n, c)


class Merge(nn.Module):
    def __init__(self, s, d):
        super().__init__()
        self.norm, self.reduction = s.norm(4 * d), nn.Linear(4 * d, d, bias=False)

    def forward(self, x):
        b, n, c = x.shape
        x = x.view(b, 8, 8, c)
        x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
        return self.reduction(self.norm(x.view(b, -1, 4 * c)))


def swin(s):
    d = s.dim
    s.position = "none"
    layers = nn.ModuleList(Block(s, d, mixer=Windows(s, d, i % 2 == 1)) for i in range(4))

    def run(m, x):
        x = m.patch_embed(x)
        for block in m.blocks:
            x = block(x)
        return m.head(m.norm(m.merge(x)).mean(1))

    return Net(run, patch_embed=PatchEmbed(s, d, 4), blocks=layers, merge=Merge(s, d),
               norm=s.norm(d), head=nn.Linear(d, 10)), (IMAGE,)


class TokenMix(nn.Module):
    def __init__(self, s, n):
        super().__init__()
        self.mlp = Mlp(s, n)

    def forward(self, x):
        return self.mlp(x.transpose(1, 2)).transpose(1, 2)


class SpatialGate(nn.Module):
    def __init__(self, s, d, n):
        super().__init__()
        self.proj_in, self.proj_out = nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.norm, self.spatial = s.norm(d), nn.Linear(n, n)
        self.style = s

    def forward(self, x):
        u, v = self.style.activate(self.proj_in(x)).chunk(2, dim=-1)
        v = self.spatial(self.norm(v).transpose(1, 2)).transpose(1, 2)
        return self.proj_out(u * v)


class Pooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool1d(3, 1, 1)

    def forward(self, x):
        return self.pool(x.transpose(1, 2)).transpose(1, 2) - x


def mixer(s):
    d, n = s.dim, 16
    kind = s.pick("token", "gate", "pool")
    make = {"token": lambda: TokenMix(s, n), "gate": lambda: SpatialGate(s, d, n),
            "pool": Pooling}[kind]
    s.mlp = "plain" if s.mlp == "conv" else s.mlp
    return Net(lambda m, x: m.head(m.body(m.embed(x)).mean(1)), embed=PatchEmbed(s, d),
               body=Stack(s, d, make=lambda: Block(s, d, mixer=make())),
               head=nn.Linear(d, 10)), (IMAGE,)


class Experts(nn.Module):
    def __init__(self, s, d):
        super().__init__()
        self.gate = nn.Linear(d, 4, bias=False)
        self.experts = nn.ModuleList(Mlp(s, d) for _ in range(4))
        self.shared = Mlp(s, d) if s.layer_scale else None

    def forward(self, x):
        weights = self.gate(x).softmax(-1)
        out = sum(weights[..., i:i + 1] * expert(x) for i, expert in enumerate(self.experts))
        return out + self.shared(x) if self.shared is not None else out


def moe(s):
    s.position = s.pick("none", "rotary")
    body = Stack(s, s.dim, causal=True, make=lambda: Block(s, s.dim, mlp=Experts(s, s.dim)))
    return Net(lambda m, ids: m.lm_head(m.model(m.embed_tokens(ids))),
               embed_tokens=nn.Embedding(50, s.dim), model=body,
               lm_head=nn.Linear(s.dim, 50, bias=False)), (IDS,)


class ConvModule(nn.Module):
    def __init__(self, s, d):
        super().__init__()
        self.style = s
        self.norm = s.norm(d)
        self.pointwise1, self.pointwise2 = nn.Conv1d(d, 2 * d, 1), nn.Conv1d(d, d, 1)
        self.depthwise = nn.Conv1d(d, d, 5, padding=2, groups=d)
        self.bn = nn.BatchNorm1d(d)

    def forward(self, x):
        x = F.glu(self.pointwise1(self.norm(x).transpose(1, 2)), dim=1)
        x = self.style.activate(self.bn(self.depthwise(x)))
        return self.pointwise2(x).transpose(1, 2)


class ConformerBlock(nn.Module):
    def __init__(self, s, d):
        super().__init__()
        self.ff1, self.ff2 = (nn.Sequential(s.norm(d), Mlp(s, d)) for _ in range(2))
        self.norm_attn, self.attn = s.norm(d), Attention(s, d)
        self.conv, self.norm = ConvModule(s, d), s.norm(d)

    def forward(self, x, *unused):
        x = x + 0.5 * self.ff1(x)
        x = x + self.attn(self.norm_attn(x))
        x = x + self.conv(x)
        return self.norm(x + 0.5 * self.ff2(x))


def conformer(s):
    d = s.dim
    s.position = "none"
    subsample = nn.Sequential(nn.Conv1d(20, d, 3, 2, 1), nn.ReLU(), nn.Conv1d(d, d, 3, 2, 1))
    return Net(lambda m, x: m.ctc(m.encoder(m.subsample(x).transpose(1, 2))).log_softmax(-1),
               subsample=subsample, encoder=Stack(s, d, make=lambda: ConformerBlock(s, d)),
               ctc=nn.Linear(d, 30)), (torch.rand(1, 20, 32),)


class GatedResidual(nn.Module):
    """WaveNet's layer."""

    def __init__(self, s, c, dilation):
        super().__init__()
        self.style = s
        if s.norm_first:
            self.filter = nn.Conv1d(c, c, 3, padding=dilation, dilation=dilation)
            self.gate = nn.Conv1d(c, c, 3, padding=dilation, dilation=dilation)
        else:
            self.dilated = nn.Conv1d(c, 2 * c, 3, padding=dilation, dilation=dilation)
        self.res, self.skip = nn.Conv1d(c, c, 1), nn.Conv1d(c, c, 1)

    def forward(self, x):
        if self.style.norm_first:
            y = torch.tanh(self.filter(x)) * torch.sigmoid(self.gate(x))
        else:
            a, b = self.dilated(x).chunk(2, dim=1)
            y = a.tanh() * b.sigmoid()
        return x + self.res(y), self.skip(y)


def wavenet(s):
    c = s.dim
    layers = nn.ModuleList(GatedResidual(s, c, 2**i) for i in range(s.depth))

    def run(m, x):
        x = m.start(x)
        total = 0
        for layer in m.layers:
            x, skip = layer(x)
            total = total + skip
        return m.end2(F.relu(m.end1(F.relu(total))))

    return Net(run, start=nn.Conv1d(1, c, 1), layers=layers, end1=nn.Conv1d(c, c, 1),
               end2=nn.Conv1d(c, 4, 1)), (torch.rand(1, 1, 32),)


class TemporalBlock(nn.Module):
    def __init__(self, s, cin, cout, dilation):
        super().__init__()
        pad = 2 * dilation
        self.cut = pad
        self.conv1 = nn.Conv1d(cin, cout, 3, padding=pad, dilation=dilation)
        self.conv2 = nn.Conv1d(cout, cout, 3, padding=pad, dilation=dilation)
        self.drop = nn.Dropout(0.1)
        self.act = s.act() if s.act_module else s.activate
        self.downsample = nn.Conv1d(cin, cout, 1) if cin != cout else None

    def forward(self, x):
        y = self.drop(self.act(self.conv1(x)[:, :, :-self.cut]))
        y = self.drop(self.act(self.conv2(y)[:, :, :-self.cut]))
        return self.act(y + (x if self.downsample is None else self.downsample(x)))


def tcn(s):
    c = s.dim
    net = Many(s, [TemporalBlock(s, 4 if not i else c, c, 2**i) for i in range(s.depth)], "network")
    return Net(lambda m, x: m.linear(m.tcn(x)[:, :, -1]), tcn=net,
               linear=nn.Linear(c, 3)), (torch.rand(1, 4, 24),)


def recurrent(s):
    d = s.dim
    kind = s.pick(nn.LSTM, nn.GRU)
    both = s.pick(True, False)
    rnn = kind(d, d, num_layers=s.pick(1, 2), batch_first=True, bidirectional=both)
    width = 2 * d if both else d

    def run(m, ids):
        x, _ = m.rnn(m.embedding(ids))
        weights = m.attention(torch.tanh(x)).softmax(1)
        return m.fc(s.activate(m.norm((weights * x).sum(1))))

    return Net(run, embedding=nn.Embedding(50, d), rnn=rnn, attention=nn.Linear(width, 1),
               norm=nn.LayerNorm(width), fc=nn.Linear(width, 4)), (IDS,)


class ResBlock1d(nn.Module):
    def __init__(self, c, k):
        super().__init__()
        self.convs1 = nn.ModuleList(
            nn.Conv1d(c, c, k, padding=d * (k - 1) // 2, dilation=d) for d in (1, 3))
        self.convs2 = nn.ModuleList(nn.Conv1d(c, c, k, padding=k // 2) for _ in range(2))

    def forward(self, x):
        for c1, c2 in zip(self.convs1, self.convs2):
            x = c2(F.leaky_relu(c1(F.leaky_relu(x, 0.1)), 0.1)) + x
        return x


def vocoder(s):
    c = s.dim
    ups = nn.ModuleList(nn.ConvTranspose1d(c // 2**i, c // 2 ** (i + 1), 4, 2, 1) for i in range(2))
    blocks = nn.ModuleList(ResBlock1d(c // 2 ** (i // 2 + 1), k)
                           for i, k in enumerate((3, 5, 3, 5)))

    def run(m, x):
        x = m.conv_pre(x)
        for i, up in enumerate(m.ups):
            x = up(F.leaky_relu(x, 0.1))
            x = (m.resblocks[2 * i](x) + m.resblocks[2 * i + 1](x)) / 2
        return torch.tanh(m.conv_post(F.leaky_relu(x)))

    return Net(run, conv_pre=nn.Conv1d(10, c, 7, padding=3), ups=ups, resblocks=blocks,
               conv_post=nn.Conv1d(c // 4, 1, 7, padding=3)), (torch.rand(1, 10, 8),)


# Others.


class CrossNetwork(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.w = nn.ModuleList(nn.Linear(d, 1, bias=False) for _ in range(n))
        self.b = nn.ParameterList(nn.Parameter(torch.rand(d)) for _ in range(n))

    def forward(self, x):
        x0 = x
        for w, b in zip(self.w, self.b):
            x = x0 * w(x) + b + x
        return x


def mlp_layers(s, *widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), s.act()] + ([nn.Dropout(0.1)] if s.drop else [])
    return nn.Sequential(*layers)


def recommend(s):
    d = s.dim
    tables = nn.ModuleList(nn.Embedding(20, d) for _ in range(4))
    interacts = s.pick("dot", "cross", "fm")

    def run(m, ids, features):
        x = m.bottom(features)
        embedded = [table(ids[:, i]) for i, table in enumerate(m.embeddings)]
        if interacts == "dot":
            stacked = torch.stack([x] + embedded, dim=1)
            z = torch.cat([x, (stacked @ stacked.transpose(1, 2)).flatten(1)], dim=1)
        elif interacts == "cross":
            z = m.cross(torch.cat([x] + embedded, dim=1))
        else:
            stacked = torch.stack(embedded, dim=1)
            z = torch.cat([x, 0.5 * (stacked.sum(1).pow(2) - stacked.pow(2).sum(1))], dim=1)
        return torch.sigmoid(m.out(m.top(z)))

    width = {"dot": d + 25, "cross": 5 * d, "fm": 2 * d}[interacts]
    return Net(run, embeddings=tables, bottom=mlp_layers(s, 6, d, d), cross=CrossNetwork(5 * d, 2),
               top=mlp_layers(s, width, d, d), out=nn.Linear(d, 1)), (
                   torch.tensor([[1, 2, 3, 4]]), torch.rand(1, 6))


class GraphLayer(nn.Module):
    def __init__(self, s, a, b, attend):
        super().__init__()
        self.attend = attend
        self.lin = nn.Linear(a, b, bias=False)
        self.bias = nn.Parameter(torch.rand(b))
        if attend:
            self.att_src, self.att_dst = nn.Linear(b, 1), nn.Linear(b, 1)

    def forward(self, x, adj):
        h = self.lin(x)
        if self.attend:
            e = F.leaky_relu(self.att_src(h) + self.att_dst(h).transpose(-1, -2), 0.2)
            adj = torch.softmax(e + (1 - adj) * -1e4, dim=-1)
        return adj @ h + self.bias


def graphs(s):
    d = s.dim
    attend = s.pick(True, False)
    convs = nn.ModuleList(GraphLayer(s, d, d, attend) for _ in range(s.depth))
    norms = nn.ModuleList(s.norm(d) for _ in range(s.depth))

    def run(m, x, adj):
        x = m.encode(x)
        for layer, norm in zip(m.convs, m.norms):
            y = s.activate(norm(layer(x, adj)))
            x = x + y if s.norm_first else y
        return m.readout(x.mean(1))

    return Net(run, encode=nn.Linear(7, d), convs=convs, norms=norms,
               readout=mlp_layers(s, d, d, 3)), (torch.rand(1, 6, 7), torch.ones(1, 6, 6))


class TNet(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv1d(k, 16, 1), nn.BatchNorm1d(16)
        self.fc1, self.fc2, self.k = nn.Linear(16, 16), nn.Linear(16, k * k), k

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x))).max(2)[0]
        y = self.fc2(F.relu(self.fc1(y))).view(-1, self.k, self.k)
        return y + torch.eye(self.k, device=x.device)


def points(s):
    c = s.dim
    layers = nn.Sequential(nn.Conv1d(3, c, 1), nn.BatchNorm1d(c), s.act(), nn.Conv1d(c, c, 1))

    def run(m, x):
        x = torch.bmm(x.transpose(1, 2), m.stn(x)).transpose(1, 2)
        x = m.features(x)
        return m.head(torch.max(x, 2)[0]).log_softmax(-1)

    return Net(run, stn=TNet(3), features=layers,
               head=mlp_layers(s, c, c, 5)), (torch.rand(1, 3, 12),)


class NBeatsBlock(nn.Module):
    def __init__(self, s, n, d):
        super().__init__()
        self.layers = mlp_layers(s, n, d, d)
        self.backcast, self.forecast = nn.Linear(d, n), nn.Linear(d, 4)

    def forward(self, x):
        h = self.layers(x)
        return self.backcast(h), self.forecast(h)


class Decomposition(nn.Module):
    def __init__(self):
        super().__init__()
        self.avg = nn.AvgPool1d(5, 1, 2)

    def forward(self, x):
        trend = self.avg(x)
        return x - trend, trend


def forecast(s):
    n, d = 16, s.dim
    kind = s.pick("nbeats", "linear", "patch")
    if kind == "nbeats":
        stacks = nn.ModuleList(nn.ModuleList(NBeatsBlock(s, n, d) for _ in range(2))
                               for _ in range(2))

        def run(m, x):
            x = x.squeeze(1)
            total = torch.zeros(1, 4)
            for stack in m.stacks:
                for block in stack:
                    back, ahead = block(x)
                    x = x - back
                    total = total + ahead
            return total

        return Net(run, stacks=stacks), (torch.rand(1, 1, n),)
    if kind == "linear":
        def run(m, x):
            mean = x.mean(-1, keepdim=True)
            season, trend = m.decomp(x - mean)
            return m.seasonal(season) + m.trend(trend) + mean

        return Net(run, decomp=Decomposition(), seasonal=nn.Linear(n, 4),
                   trend=nn.Linear(n, 4)), (torch.rand(1, 3, n),)
    s.position = "none"

    def run(m, x):
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True) + 1e-5
        patches = ((x - mean) / std).reshape(3, 4, 4)
        y = m.encoder(m.value_embedding(patches) + m.position)
        return m.head(y.flatten(1)).reshape(1, 3, 4) * std + mean

    net = Net(run, value_embedding=nn.Linear(4, d), encoder=Stack(s, d), head=nn.Linear(4 * d, 4))
    net.position = nn.Parameter(torch.rand(1, 4, d))
    return net, (torch.rand(1, 3, n),)


def clip(s):
    d = s.dim
    s.position = "learned" if s.position == "relative" else s.position
    vision = Net(lambda m, x: m.post(m.encoder(m.patch(x)))[:, 0], patch=PatchEmbed(s, d),
                 encoder=Stack(s, d), post=nn.LayerNorm(d))
    text = Net(lambda m, ids: m.post(m.encoder(m.embeddings(ids)))[:, -1],
               embeddings=Embeddings(s, d), encoder=Stack(s, d, causal=True), post=nn.LayerNorm(d))

    def run(m, x, ids):
        a, b = m.visual_projection(m.vision_model(x)), m.text_projection(m.text_model(ids))
        a, b = a / a.norm(dim=-1, keepdim=True), b / b.norm(dim=-1, keepdim=True)
        return m.logit_scale.exp() * (a @ b.t())

    net = Net(run, vision_model=vision, text_model=text, visual_projection=nn.Linear(d, d, False),
              text_projection=nn.Linear(d, d, False))
    net.logit_scale = nn.Parameter(torch.ones(()))
    return net, (IMAGE, IDS)


def detr(s):
    d = s.dim
    s.position = "none"

    def run(m, x):
        feats = m.input_proj(m.backbone(x)[-1]).flatten(2).transpose(1, 2)
        memory = m.encoder(feats + m.pos)
        hs = m.decoder(m.query_embed.weight[None], memory)
        return m.class_embed(hs), m.bbox_embed(hs).sigmoid()

    net = Net(run, backbone=Backbone(s, [d, d, d]), input_proj=nn.Conv2d(d, d, 1),
              encoder=Stack(s, d), decoder=Stack(s, d, cross=True), query_embed=nn.Embedding(5, d),
              class_embed=nn.Linear(d, 4), bbox_embed=mlp_layers(s, d, d, 4))
    net.pos = nn.Parameter(torch.rand(1, 16, d))
    return net, (IMAGE,)


class SrBlock(nn.Module):
    def __init__(self, s, c):
        super().__init__()
        self.style = s
        self.body = nn.Sequential(nn.Conv2d(c, c, 3, padding=1), s.act(),
                                  nn.Conv2d(c, c, 3, padding=1))
        self.ca = SqueezeExcite(s, c) if s.layer_scale else None

    def forward(self, x):
        y = self.body(x)
        if self.ca is not None:
            y = self.ca(y)
        return x + (y * 0.2 if self.style.drop else y)


def superres(s):
    c = s.dim
    groups = [nn.Sequential(*(SrBlock(s, c) for _ in range(2)), nn.Conv2d(c, c, 3, padding=1))
              for _ in range(s.depth)]
    body = Many(s, [Residual(g) for g in groups], "body")
    tail = nn.Sequential(nn.Conv2d(c, 4 * c, 3, padding=1), nn.PixelShuffle(2),
                         nn.Conv2d(c, 3, 3, padding=1))

    def run(m, x):
        x = m.head(x)
        return m.tail(m.body(x) + x)

    return Net(run, head=nn.Conv2d(3, c, 3, padding=1), body=body, tail=tail), (IMAGE,)


class Aspp(nn.Module):
    def __init__(self, s, cin, c):
        super().__init__()
        self.convs = nn.ModuleList(nn.Sequential(
            nn.Conv2d(cin, c, 3, padding=r, dilation=r, bias=False), s.norm2d(c), s.act())
            for r in (1, 2, 4))
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(cin, c, 1), nn.ReLU())
        self.project = conv(s, 4 * c, c, 1)

    def forward(self, x):
        size = x.shape[-2:]
        out = [f(x) for f in self.convs]
        out.append(F.interpolate(self.pool(x), size=size, mode="bilinear", align_corners=False))
        return self.project(torch.cat(out, dim=1))


def segment(s):
    c = s.dim

    def run(m, x):
        low, _, high = m.backbone(x)
        y = m.decode_head(m.aspp(high))
        y = F.interpolate(y, size=low.shape[-2:], mode="bilinear", align_corners=False)
        return m.classifier(torch.cat([y, m.low_proj(low)], 1))

    return Net(run, backbone=Backbone(s, [c, c, c]), aspp=Aspp(s, c, c), decode_head=conv(s, c, c),
               low_proj=conv(s, c, c, 1), classifier=nn.Conv2d(2 * c, 5, 1)), (IMAGE,)


class Fuse(nn.Module):
    """Two resolutions that exchange what they know, as in HRNet."""

    def __init__(self, s, c):
        super().__init__()
        self.branches = nn.ModuleList(nn.Sequential(BasicBlock(s, w, w)) for w in (c, 2 * c))
        self.down = nn.Sequential(nn.Conv2d(c, 2 * c, 3, 2, 1, bias=False), s.norm2d(2 * c))
        self.up = nn.Sequential(nn.Conv2d(2 * c, c, 1, bias=False), s.norm2d(c))
        self.relu = s.act() if s.act_module else s.activate

    def forward(self, a, b):
        a, b = self.branches[0](a), self.branches[1](b)
        high = self.relu(a + F.interpolate(self.up(b), scale_factor=2.0))
        return high, self.relu(b + self.down(a))


def pose(s):
    c = s.dim
    stages_ = nn.ModuleList(Fuse(s, c) for _ in range(s.depth))

    def run(m, x):
        a = m.stem(x)
        b = m.transition(a)
        for stage in m.stages:
            a, b = stage(a, b)
        return m.final(a)

    return Net(run, stem=conv(s, 3, c, 3, 2), transition=conv(s, c, 2 * c, 3, 2), stages=stages_,
               final=nn.Conv2d(c, 4, 1)), (IMAGE,)


class StyleConv(nn.Module):
    def __init__(self, s, a, b, z):
        super().__init__()
        self.affine = nn.Linear(z, 2 * a)
        self.conv = nn.Conv2d(a, b, 3, padding=1)
        self.noise = nn.Parameter(torch.rand(1))
        self.act = nn.LeakyReLU(0.2) if s.act_module else F.leaky_relu

    def forward(self, x, w):
        scale, shift = self.affine(w)[:, :, None, None].chunk(2, dim=1)
        x = (x - x.mean((2, 3), keepdim=True)) * (1 + scale) + shift
        return self.act(self.conv(x) + self.noise)


def generator(s):
    c, z = s.dim, 8
    blocks = nn.ModuleList(StyleConv(s, c, c, z) for _ in range(s.depth))
    rgbs = nn.ModuleList(nn.Conv2d(c, 3, 1) for _ in range(s.depth))

    def run(m, z_):
        w = m.mapping(z_)
        x = m.const.expand(z_.shape[0], -1, -1, -1)
        image = 0
        for block, rgb in zip(m.blocks, m.to_rgbs):
            x = block(F.interpolate(x, scale_factor=2.0), w)
            image = F.interpolate(image, scale_factor=2.0) + rgb(x) if torch.is_tensor(
                image) else rgb(x)
        return image

    net = Net(run, mapping=mlp_layers(s, z, z, z), blocks=blocks, to_rgbs=rgbs)
    net.const = nn.Parameter(torch.rand(1, c, 2, 2))
    return net, (torch.rand(1, z),)


class ShuffleUnit(nn.Module):
    def __init__(self, s, c):
        super().__init__()
        self.branch = nn.Sequential(conv(s, c // 2, c // 2, 1), conv(
            s, c // 2, c // 2, 3, groups=c // 2, act=False), conv(s, c // 2, c // 2, 1))

    def forward(self, x):
        b, c, h, w = x.shape
        a, y = x.chunk(2, dim=1)
        x = torch.cat((a, self.branch(y)), dim=1)
        return x.view(b, 2, c // 2, h, w).transpose(1, 2).reshape(b, c, h, w)


class Inception(nn.Module):
    def __init__(self, s, c):
        super().__init__()
        q = c // 4
        self.b1 = conv(s, c, q, 1)
        self.b2 = nn.Sequential(conv(s, c, q, 1), conv(s, q, q))
        self.b3 = nn.Sequential(conv(s, c, q, 1), conv(s, q, q), conv(s, q, q))
        self.b4 = nn.Sequential(nn.MaxPool2d(3, 1, 1), conv(s, c, q, 1))

    def forward(self, x):
        return torch.cat([self.b1(x), self.b2(x), self.b3(x), self.b4(x)], 1)


def shuffle(s):
    c = s.dim
    unit = s.pick(ShuffleUnit, Inception)
    body = Many(s, [unit(s, c) for _ in range(s.depth)], "stages")
    return Net(lambda m, x: m.head(m.body(m.stem(x))), stem=conv(s, 3, c, 3, 2), body=body,
               head=Head(s, c)), (IMAGE,)


class Coupling(nn.Module):
    def __init__(self, s, d):
        super().__init__()
        self.pre, self.net, self.post = nn.Linear(d // 2, d), mlp_layers(s, d, d), nn.Linear(d, d)

    def forward(self, x):
        a, b = x.chunk(2, dim=-1)
        log_scale, shift = self.post(self.net(self.pre(a))).chunk(2, dim=-1)
        return torch.cat([a, b * torch.exp(torch.tanh(log_scale)) + shift], dim=-1)


def flow(s):
    d = s.dim
    layers = nn.ModuleList(Coupling(s, d) for _ in range(s.depth))

    def run(m, x):
        for layer in m.flows:
            x = torch.flip(layer(x), dims=[-1])
        return m.out(x)

    return Net(run, flows=layers, out=nn.Linear(d, d)), (torch.rand(1, d),)


class GatedUnit(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.fc1, self.fc2, self.gate = nn.Linear(a, b), nn.Linear(b, b), nn.Linear(b, 2 * b)
        self.skip = nn.Linear(a, b) if a != b else None
        self.norm = nn.LayerNorm(b)

    def forward(self, x):
        y = F.glu(self.gate(self.fc2(F.elu(self.fc1(x)))), dim=-1)
        return self.norm(y + (x if self.skip is None else self.skip(x)))


def tabular(s):
    d = s.dim
    grns = nn.ModuleList(GatedUnit(1, d) for _ in range(4))

    def run(m, x):
        parts = torch.stack([g(x[:, i:i + 1]) for i, g in enumerate(m.variables)], dim=-1)
        weights = m.selection(parts.flatten(1)).softmax(-1)
        return m.heads["value"](m.post((parts * weights[:, None]).sum(-1))), m.heads["risk"](
            parts.mean(-1)).sigmoid()

    heads = nn.ModuleDict({"value": nn.Linear(d, 1), "risk": nn.Sequential(
        nn.Linear(d, d), s.act(), nn.Linear(d, 1))})
    return Net(run, variables=grns, selection=GatedUnit(4 * d, 4), post=GatedUnit(d, d),
               heads=heads), (torch.rand(1, 4),)


class StateSpace(nn.Module):
    def __init__(self, s, d):
        super().__init__()
        self.in_proj, self.out_proj = nn.Linear(d, 2 * d, bias=False), nn.Linear(d, d, bias=False)
        self.conv1d = nn.Conv1d(d, d, 3, padding=2, groups=d)
        self.x_proj, self.dt_proj = nn.Linear(d, 4 + 8, bias=False), nn.Linear(4, d)
        self.a_log, self.d = nn.Parameter(torch.rand(d, 4)), nn.Parameter(torch.rand(d))

    def forward(self, x):
        n = x.shape[1]
        u, z = self.in_proj(x).chunk(2, dim=-1)
        u = F.silu(self.conv1d(u.transpose(1, 2))[..., :n].transpose(1, 2))
        dt, b, c = self.x_proj(u).split([4, 4, 4], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        decay = torch.exp(dt[..., None] * -torch.exp(self.a_log))
        put = (dt * u)[..., None] * b[:, :, None]
        state, out = 0, []
        for i in range(4):
            state = decay[:, i] * state + put[:, i]
            out.append((state * c[:, i, None]).sum(-1))
        y = torch.stack(out, dim=1) + u[:, :4] * self.d
        return self.out_proj(y * F.silu(z[:, :4]))


def mamba(s):
    d = s.dim
    blocks = nn.ModuleList(Sublayer(s, d, StateSpace(s, d)) for _ in range(s.depth))

    def run(m, ids):
        x = m.embedding(ids)
        for block in m.layers:
            x = block(x)
        return m.lm_head(m.norm_f(x))

    return Net(run, embedding=nn.Embedding(50, d), layers=blocks, norm_f=s.norm(d),
               lm_head=nn.Linear(d, 50, bias=False)), (IDS[:, :4],)


FAMILIES = (resnet, mobilenet, convnext, dense, yolo, retina, unet, diffusion, encoder, decoder,
            translate, vit, swin, mixer, moe, conformer, wavenet, tcn, recurrent, vocoder,
            recommend, graphs, points, forecast, clip, detr, superres, segment, pose, generator,
            shuffle, flow, tabular, mamba)


def export(model, inputs, path):
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(model.eval(), inputs, str(path), opset_version=17)


def owners(tool, path):
    """The module of each node, by its name; in the form of the corpora of this project."""
    sidecar = subprocess.run([tool, "tag", "--sidecar-only", "--sidecar", "-", "-q", str(path)],
                             check=True, capture_output=True).stdout
    document = json.loads(sidecar)
    names = {module["path"]: module["qualified_name"] for module in document["modules"]}
    return [{"path": [int(step) if step.isdigit() else step for step in node["id"].split("/")],
             "module": names[node["tag"]]}
            for node in document["nodes"] if node["method"] in ("node_name", "value_name")]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="onnx-hier")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=4, help="exports of a family (default: 4)")
    parser.add_argument("--untrained", action="store_true",
                        help="weights as torch initialises them, many of which are equal")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        for number in range(arguments.each):
            torch.manual_seed(number)
            model, inputs = family(Style(f"{family.__name__} {number}"))
            if not arguments.untrained:
                # No two parameters of a trained model are alike.
                for parameter in model.parameters():
                    nn.init.normal_(parameter, std=0.1)
            path = arguments.folder / f"{family.__name__}_{number}.onnx"
            export(model, inputs, path)
            truth = {"nodes": owners(arguments.tool, path)}
            path.with_suffix(".truth.json").write_text(json.dumps(truth) + "\n", "utf-8")


if __name__ == "__main__":
    main()
