#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small network and its checkpoint: make_recogniser.py FOLDER

recogniser.onnx, as torch 1.13 (Debian's python3-torch) exports it, with norms folded into
convolutions, gates in ONNX's order, matrices transposed; and recogniser.safetensors, which holds
its state_dict. Weights are random numbers.
"""

import json
import os
import struct
import sys

import torch
from torch import nn


class ConvNorm(nn.Module):
    def __init__(self, inputs, outputs, groups=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class Recogniser(nn.Module):
    """Convolutions, a recurrent network and attention over what it gives."""

    def __init__(self):
        super().__init__()
        self.stem = ConvNorm(3, 8)
        self.blocks = nn.ModuleList([ConvNorm(8, 8), ConvNorm(8, 8, groups=8)])
        self.rnn = nn.LSTM(32, 8, bidirectional=True, batch_first=True)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.norm = nn.LayerNorm(16)
        self.letters = nn.Embedding(12, 16)
        self.head = nn.Linear(16, 12, bias=False)
        self.head.weight = self.letters.weight

    def forward(self, image, letter):
        x = self.stem(image)
        for block in self.blocks:
            x = block(x)
        x, _ = self.rnn(x.permute(0, 3, 1, 2).flatten(2))
        x = x + self.letters(letter)
        return self.head(self.norm(x + self.attention(x, x, x, need_weights=False)[0]))


def main():
    folder = sys.argv[1]
    torch.manual_seed(0)
    network = Recogniser().eval()
    for name, tensor in network.state_dict().items():
        if name.endswith("running_var"):
            tensor.uniform_(0.2, 3)
        elif tensor.is_floating_point() and tensor.dim() == 1:
            tensor.uniform_(0.3, 2)
    given = (torch.zeros(1, 3, 4, 4), torch.zeros(1, 4, dtype=torch.long))
    torch.onnx.export(network, given, os.path.join(folder, "recogniser.onnx"), opset_version=14,
                      input_names=["image", "letter"], output_names=["scores"])
    types = {torch.float32: "F32", torch.int64: "I64"}
    header, blobs, at = {}, [], 0
    for name, tensor in network.state_dict().items():
        blob = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": types[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [at, at + len(blob)]}
        at += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "recogniser.safetensors"), "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        out.writelines(blobs)


if __name__ == "__main__":
    main()
