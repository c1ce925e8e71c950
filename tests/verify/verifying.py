# SPDX-License-Identifier: Apache-2.0
"""What the tests of onnx-hier-verify share: small models, runs of the program, tables of cases.

A case says what is done to a copy of a model, and what the program must say of the copy:

    ("an attribute", change, "different: node 0 'a', attribute 'alpha': f was 0.5, is 0.25")

A script's main() goes through its tables with `Verifying`, which counts what is wrong.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("skipped: python3-onnx is not installed")
    sys.exit(77)

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
SECONDS = 120


def value(name, element=FLOAT, shape=(4,)):
    return helper.make_tensor_value_info(name, element, shape)


def weight(name, numbers=(1.0, 2.0, 3.0, 4.0)):
    return helper.make_tensor(name, FLOAT, [len(numbers)], list(numbers))


def node(op, inputs, outputs, name="", **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=name, **attributes)


def graph(nodes, inputs, outputs, name="g", weights=(), infos=()):
    """Inputs and outputs are names of float values, or values."""
    values = [[value(v) if isinstance(v, str) else v for v in some] for some in (inputs, outputs)]
    return helper.make_graph(nodes, name, *values, initializer=weights, value_info=infos)


def model(main, functions=(), opsets=(("", 15),), ir=8, metadata=()):
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets]
    made = helper.make_model(main, functions=functions, opset_imports=imports, ir_version=ir)
    for key, text in metadata:
        made.metadata_props.add(key=key, value=text)
    return made


def function(name, inputs, outputs, nodes, attributes=(), domain="m", opsets=(("", 15), ("m", 1))):
    imports = [helper.make_opsetid(*opset) for opset in opsets]
    return helper.make_function(
        domain, name, inputs.split(), outputs.split(), nodes, imports, list(attributes)
    )


def call(name, inputs, outputs, node_name="", **attributes):
    return node(name, inputs, outputs, node_name, domain="m", **attributes)


def refers(made, name, to, kind=onnx.AttributeProto.FLOAT):
    """`made` with an attribute that the call of its function gives."""
    made.attribute.add(name=name, ref_attr_name=to, type=kind)
    return made


def raw(message, *fields):
    """`message` with fields that onnx 1.12 does not know: (number, bytes or message)."""
    for number, content in fields:
        content = content if isinstance(content, bytes) else content.SerializeToString()
        key, size = number << 3 | 2, len(content)
        message.MergeFromString(varint(key) + varint(size) + content)
    return message


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def changed(base, change):
    """A copy of a model to which something was done."""
    copy = onnx.ModelProto()
    copy.CopyFrom(base)
    change(copy)
    return copy


class Verifying:
    """Runs of the program in a folder that is thrown away; counts what is wrong."""

    def __init__(self, program, folder, version):
        self.program, self.folder, self.version = program.resolve(), Path(folder), version
        self.checks = self.wrong = 0

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
        return name

    def run(self, *words):
        done = subprocess.run(
            [self.program, *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=SECONDS,
        )
        return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")

    def expect(self, what, got, expected):
        self.checks += 1
        if got != expected:
            self.wrong += 1
            print(f"WRONG {what}:\n  got      {got!r}\n  expected {expected!r}")

    def says(self, what, before, after, line, *options, code=None):
        """The line about a model, without its name; the exit code is 1 for a difference."""
        names = [self.write("in.onnx", before), self.write("out.onnx", after)]
        got, out, err = self.run(*options, *names)
        if code is None:
            code = 1 if line.startswith("different") or ", not " in line.split(":")[0] else 0
        self.expect(what, (got, out, err), (code, f"out.onnx: {line}\n", ""))

    def table(self, base, cases, *options):
        for what, change, line in cases:
            self.says(what, base, changed(base, change), line, *options)

    def json(self, *words):
        code, out, err = self.run("--json", *words)
        return code, json.loads(out) if out else None, err


def main(*parts):
    """Each part is a function of a Verifying."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--verify", type=Path, required=True)
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="onnx-hier-verify-") as folder:
        verifying = Verifying(options.verify, folder, options.version)
        for part in parts:
            part(verifying)
    print(f"{verifying.checks} checks, {verifying.wrong} wrong")
    sys.exit(1 if verifying.wrong else 0)
