# SPDX-License-Identifier: Apache-2.0
"""Models, sidecars and module maps whose every text tries to steer a terminal."""

import json

from hostile_models import field, node, tensor

# Escape sequences of one and two bytes, line ends, what turns and what hides text, no UTF-8.
EVIL = (
    "\x1b[31mE\x1b]0;t\x07\x08\r\n>\x7f\x9b2J\u061c\u200b\u200d\u200e\u200f\u2028\u2029\u202a\u202e"
    "\u2060\u2066\u2069\ufeff\ufffe\uffff\U000e0001\U000e0041\U000e007f"
)
RAW = EVIL.encode() + b"\xff\xc2\xfe"


def is_evil(char):
    """Whether a character of what was printed steers a terminal; line ends are judged elsewhere."""
    code = ord(char)
    return (
        (code < 0x20 and char != "\n")
        or 0x7F <= code < 0xA0
        or code == 0x61C
        or 0x200B <= code <= 0x200F
        or 0x2028 <= code <= 0x202E
        or 0x2060 <= code <= 0x2069
        or code in (0xFEFF, 0xFFFE, 0xFFFF)
        or 0xE0000 <= code < 0xE0080
    )


def evil(text):
    """`text` between evil; a line that starts with what was meant for its middle is seen."""
    return RAW + text.encode() + RAW


def entry(key, value):
    return field(1, key) + field(2, value)


def doc(tag):
    """As another tool writes it: JSON can hold any text, but for bytes that are no UTF-8."""
    return field(6, json.dumps({"hierarchy_tags": [tag, EVIL], "hierarchy_path": tag}))


def scope(layer, part):
    return b"/" + evil("net") + f"/layer.{layer}/".encode() + evil(part) + b"/"


def chain(tags):
    """Three layers of three nodes; with `tags`, all are tagged, some as of another layer."""
    for layer in range(3):
        for i in range(3):
            wrong = tags and i == 1 and layer == 2
            tag = f"/{EVIL}net{EVIL}/layer.{0 if wrong else layer}/{EVIL}act{i}{EVIL}"
            at = 3 * layer + i
            extra = doc(tag) if tags else field(6, RAW)
            extra += field(8, RAW) + field(9, entry(RAW, RAW))
            name = b"" if at == 4 else scope(layer, f"act{i}") + evil("Relu")
            inputs = [evil(f"v{at}"), f"net.layer.{layer}.".encode() + evil("weight")]
            yield node(inputs, [evil(f"v{at + 1}")], name, evil("Op"), extra, evil("domain"))


def body():
    """The nodes of a nested graph; one has no name that tells anything."""
    inner = [
        node([evil("v1")], [evil("a")], scope(0, "if") + evil("Relu"), evil("Op")),
        node([evil("a")], [evil("b")], "", evil("Op")),
    ]
    return b"".join(field(1, item) for item in inner) + field(2, RAW)


def graph(tags):
    nodes = list(chain(tags))
    attribute = field(5, field(1, evil("then_branch")) + field(6, body()))
    nodes.append(node([evil("v1")], [evil("y")], "If", "If", attribute))
    # Malformed, unplaced, and of a module that nothing knows.
    nodes.append(node([evil("y")], [evil("z")], "", evil("Op"), field(6, b'{"hierarchy_tags":' + RAW)))
    if tags:
        nodes.append(node([evil("z")], [evil("w")], "", evil("Op"), doc(f"/{EVIL}/AuxiliaryOperations")))
        nodes.append(node([evil("w")], [evil("u")], "", evil("Op"), doc(f"/{EVIL}/nowhere")))
    text = b"".join(field(1, item) for item in nodes) + field(2, RAW) + field(10, RAW)
    for layer in range(3):
        text += field(5, tensor(f"net.layer.{layer}.".encode() + evil("weight"), [4]))
    return text


def function():
    inner = field(7, node([RAW], [evil("f")], evil("in_function"), evil("Op")))
    return field(25, field(1, evil("F")) + inner + field(8, RAW) + field(10, evil("d")) + field(13, RAW))


def model(tags=False, rest=b""):
    text = field(1, 8) + field(2, RAW) + field(3, RAW) + field(4, RAW) + field(6, RAW)
    text += field(7, graph(tags) + rest) + field(8, field(1, RAW) + field(2, 17))
    return text + field(14, entry(RAW, RAW)) + field(20, field(2, body())) + function()


def external():
    """A weight in a file of a name that is refused."""
    place = field(13, entry("location", b"../" + RAW))
    return model(rest=field(5, tensor(evil("far"), [4]) + field(14, 1) + place))


def damaged():
    """Its last node is cut short, behind its name."""
    broken = field(3, evil("broken")) + b"\x22\x7f"
    return field(1, 8) + field(7, field(1, node(["a"], ["b"])) + field(1, broken))


def sidecar():
    """Ours, wrong in every way that is complained of; one entry is of a node of the model."""
    nodes = [
        {"id": "If", "name": "If", "op_type": EVIL, "output": EVIL, "tag": f"/{EVIL}//If"},
        {"id": EVIL, "name": EVIL, "op_type": EVIL, "output": EVIL, "tag": f"/{EVIL}//", "method": EVIL},
        {"id": "0", "name": "", "output": EVIL, "tag": f"/{EVIL}", "confidence": 7, "call": -1},
        {"id": "9", "name": "", "op_type": EVIL, "output": EVIL + "y" + EVIL, "tag": f"/{EVIL}/x"},
    ]
    modules = [{"path": f"/{EVIL}", "parent": EVIL}, {"path": f"/{EVIL}"}, {"path": EVIL}]
    return json.dumps(
        {"schema": "onnx-hier/sidecar", "model": {"graph_name": EVIL}, "modules": modules, "nodes": nodes}
    )


def other_tags():
    """Another tool's."""
    return json.dumps({"nodes": {"If": f"/{EVIL}//If", EVIL: f"/{EVIL}/a", EVIL + "y": {"tag": f"/{EVIL}//b/"}}})


def module_map():
    return json.dumps({"": EVIL, f"{EVIL}net{EVIL}": f"torch.{EVIL}.{EVIL}", EVIL: EVIL})
