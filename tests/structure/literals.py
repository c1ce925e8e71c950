#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library knows no model: literals.py ROOT

No string in lib/ may hold a word from names of architectures or of their modules. Comments may,
as examples, and so may the tables of the operators that the ONNX standard names (LabelEncoder)
and of those that onnxruntime makes of them (SkipLayerNormalization).
"""

import re

from sources import files, literals, report, root_argument

WORDS = frozenset(
    """
    albert attention attn backbone bart bert bottleneck convnext decoder densenet distilbert
    embedding embeddings encoder ffn fpn gpt llama lora mistral mlp mobilenet pooler qwen resnet
    roberta squeezenet swin t5 unet vit wav2vec whisper yolo
    """.split()
)
OPERATOR_TABLES = (
    "lib/cost/operations.cc",
    "lib/names/standard_operators.cc",
    "lib/onnx/type_rules.cc",
    "lib/profile/fused_operators.cc",
    "lib/shapes/shape_rules.cc",
    "lib/tree/module_roles.cc",  # and what patterns call modules that run these
)
# Pieces of names, split at signs and where capitals begin: "BertModel_2" -> Bert, Model.
PIECE = re.compile(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*")


def model_words(text):
    """The forbidden words in a text, in order."""
    pieces = (piece.lower() for piece in PIECE.findall(text))
    return [p for p in pieces if p in WORDS or p.rstrip("0123456789") in WORDS]


def main():
    root = root_argument(__doc__)
    problems = []
    sources = files(root, "lib")
    for source in sources:
        path = source.relative_to(root).as_posix()
        if path in OPERATOR_TABLES:
            continue
        for line, text in literals(source.read_text("utf-8")):
            for word in model_words(text):
                problems.append(f'{path}:{line}: "{text}" names a part of a model: {word}')
    report(problems, f"string literals of {len(sources)} files")


if __name__ == "__main__":
    main()
