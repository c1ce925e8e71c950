#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exit codes, what is printed where, JSON, and files that are none."""

import subprocess
import sys
from pathlib import Path

from verifying import changed, graph, main, model, node

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "schemas"))
import contract  # noqa: E402

PLAIN = model(graph([node("Relu", "x", "y", "only")], ["x"], ["y"]))
OTHER = changed(PLAIN, lambda made: setattr(made.graph.node[0], "op_type", "Tanh"))
SEE = "; see 'onnx-hier-verify --help'\n"


def files(verifying):
    verifying.write("in.onnx", PLAIN)
    verifying.write("same.onnx", PLAIN)
    verifying.write("other.onnx", OTHER)
    verifying.write("empty.onnx", b"")
    verifying.write("cut.onnx", PLAIN.SerializeToString()[:-3])
    verifying.write("text.onnx", b"version https://git-lfs.github.com/spec/v1\n")


def wrong_usage(verifying):
    for words, text in [
        ([], "name a model and one or more to compare"),
        (["in.onnx"], "name a model and one or more to compare"),
        (["--as", "equal", "in.onnx", "same.onnx"],
         "--as takes same, tags, named, probe, part or folded, not 'equal'"),
        (["--as", "different", "in.onnx", "same.onnx"],
         "--as takes same, tags, named, probe, part or folded, not 'different'"),
        (["--sa", "in.onnx"], "unknown option '--sa'"),
        (["--chek", "in.onnx"], "unknown option '--chek' (did you mean '--check'?)"),
        (["--json", "-q", "in.onnx", "same.onnx"], "--json and --quiet exclude each other"),
    ]:
        expected = (2, "", f"onnx-hier-verify: {text}{SEE}")
        verifying.expect(" ".join(words), verifying.run(*words), expected)


def unreadable(verifying):
    damaged = (
        "protobuf cannot parse it as an ONNX model: it is damaged, or its messages lie more than "
        "100 deep"
    )
    for name, text in [
        ("missing.onnx", "No such file or directory"),
        (".", "Is a directory"),
        ("empty.onnx", "is empty"),
        ("cut.onnx", damaged),
        ("text.onnx", damaged),
    ]:
        expected = (2, "", f"onnx-hier-verify: {name}: {text}\n")
        verifying.expect(f"IN {name}", verifying.run(name, "same.onnx"), expected)
        verifying.expect(f"OUT {name}", verifying.run("in.onnx", name), expected)


def too_large(verifying):
    """A hole of 2 GiB takes no room, and is not read."""
    path = verifying.folder / "large.onnx"
    with open(path, "wb") as stream:
        stream.truncate(1 << 31)
    text = "large.onnx: is larger than 2 GiB, which protobuf cannot hold\n"
    expected = (2, "", f"onnx-hier-verify: {text}")
    verifying.expect("too large", verifying.run("in.onnx", "large.onnx"), expected)
    path.unlink()


def several(verifying):
    """All are looked at; the worst decides."""
    same, other = "same.onnx: same: 1 node\n", "other.onnx: different: "
    other += "node 0 'only': op_type was 'Relu', is 'Tanh'\n"
    error = "onnx-hier-verify: empty.onnx: is empty\n"
    for names, expected in [
        (["same.onnx", "same.onnx"], (0, same * 2, "")),
        (["other.onnx", "same.onnx"], (1, other + same, "")),
        (["other.onnx", "empty.onnx", "same.onnx"], (2, other + same, error)),
    ]:
        verifying.expect(" ".join(names), verifying.run("in.onnx", *names), expected)
        quiet = (expected[0], "", expected[2])
        verifying.expect("quiet", verifying.run("-q", "in.onnx", *names), quiet)


def as_json(verifying):
    names = ("in.onnx", "same.onnx", "other.onnx", "cut.onnx")
    code, result, error = verifying.json("--check", *names)
    if contract.jsonschema:
        validator = contract.validators(contract.load_schemas())["verify"]
        verifying.expect("the schema", contract.schema_problems(validator, result), [])
    verifying.expect("JSON's exit code", code, 2)
    verifying.expect("JSON's error", error.startswith("onnx-hier-verify: cut.onnx: "), True)
    same, other, cut = result["results"]
    figures = {"nodes": 1, "doc_strings": 0, "nameless": 0, "main_graph_nodes": 1, "functions": 0}
    found = {
        "error": None,
        "metadata": [],
        "probes": [],
        "check": {"result": "passed", "text": None},
    }
    expected = {"file": "same.onnx", "relation": "same", "holds": True, "difference": None}
    verifying.expect("JSON of the same", same, expected | figures | found)
    text = "node 0 'only': op_type was 'Relu', is 'Tanh'"
    expected = {"file": "other.onnx", "relation": "different", "holds": False, "difference": text}
    verifying.expect("JSON of another", other, expected | figures | found)
    reason = cut.pop("error")
    verifying.expect("JSON's reason", reason.startswith("cut.onnx: protobuf cannot parse"), True)
    expected = {"file": "cut.onnx", "relation": None, "holds": False, "difference": None}
    verifying.expect("JSON of none", cut, expected)
    verifying.expect("JSON of IN", result["input"], {"file": "in.onnx"} | figures)


def strange_names(verifying):
    """Names that are no UTF-8, or steer a terminal, make valid JSON and tame lines."""
    odd = b"\xff\x1b[31m"
    content = PLAIN.SerializeToString().replace(b"only", odd[:4])
    verifying.write("odd.onnx", content)
    code, result, _ = verifying.json("--as", "tags", "in.onnx", "odd.onnx")
    text = "node 0 'only': name was 'only', is '\\xff\\x1b[3'"
    verifying.expect("odd names", (code, result["results"][0]["difference"]), (1, text))
    path = verifying.folder / "\x1b]0;t\x07.onnx"
    path.write_bytes(PLAIN.SerializeToString())
    _, out, _ = verifying.run("in.onnx", path.name)
    verifying.expect("a file that steers", out, "\\x1b]0;t\\x07.onnx: same: 1 node\n")
    _, _, err = verifying.run("in.onnx", path.name + "2")
    verifying.expect("an error that would", err[:-1].isprintable(), True)


def texts(verifying):
    code, out, err = verifying.run("--version")
    verifying.expect(
        "--version",
        (code, out, err),
        (0, f"onnx-hier-verify {verifying.version}\n", ""),
    )
    code, out, err = verifying.run("--help")
    verifying.expect("--help", (code, err), (0, ""))
    code, page, err = verifying.run("--man")
    verifying.expect("--man", (code, err), (0, ""))
    for option in ("as", "check", "json", "quiet", "help", "version"):
        verifying.expect(f"help on --{option}", f"--{option}" in out, True)
        verifying.expect(f"manual on --{option}", f"\\-\\-{option}" in page, True)
    verifying.expect("help's width", max(map(len, out.splitlines())) <= 100, True)


def full(verifying):
    """What cannot be printed is a failure."""
    if not Path("/dev/full").exists():
        return
    with open("/dev/full", "wb") as stream:
        done = subprocess.run(
            [verifying.program, "in.onnx", "same.onnx"],
            cwd=verifying.folder,
            stdout=stream,
            stderr=subprocess.PIPE,
            check=False,
        )
    text = b"onnx-hier-verify: cannot write to standard output: No space left on device\n"
    verifying.expect("a full disk", (done.returncode, done.stderr), (2, text))


if __name__ == "__main__":
    main(files, wrong_usage, unreadable, too_large, several, as_json, strange_names, texts, full)
