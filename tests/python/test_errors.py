# SPDX-License-Identifier: Apache-2.0
"""Errors are exceptions with the library's texts; work can be watched and stopped."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import onnx_hier
import pytest
from conftest import TESTDATA
from onnx_hier._wire import field, number_field

BERT = TESTDATA / "bert_tiny.onnx"


def test_each_kind_of_error_has_its_exception(bert):
    with pytest.raises(FileNotFoundError, match="^none.onnx: cannot open: No such file"):
        onnx_hier.tag("none.onnx")
    onnx_hier.tag("bert.onnx")
    with pytest.raises(FileExistsError, match="^bert_tagged.onnx: exists already, .*; use --force"):
        onnx_hier.tag("bert.onnx")
    onnx_hier.tag("bert.onnx", force=True)
    with pytest.raises(ValueError, match="^<bytes>: is text, not an ONNX model"):
        onnx_hier.tag(b"no model")
    with pytest.raises(ValueError, match="^<bytes>: .*byte"):
        onnx_hier.tag(bert.read_bytes()[:-5])
    with pytest.raises(ValueError, match="is the input itself"):
        onnx_hier.strip("bert.onnx", "bert.onnx", force=True)
    with pytest.raises(ValueError, match="has no tags to check"):
        onnx_hier.check("bert.onnx")
    with pytest.raises(KeyError, match="no node with the id or name 'Nothing'"):
        onnx_hier.explain("bert.onnx", "Nothing")
    with pytest.raises(KeyError, match="nearest"):
        onnx_hier.select("bert.onnx", "bert.decoder")
    with pytest.raises(TypeError, match="a path, bytes, a binary file, onnx.ModelProto or onnx_ir.Model"):
        onnx_hier.tag(3)
    with pytest.raises(TypeError, match="output is for models that are files"):
        onnx_hier.tag(bert.read_bytes(), "out.onnx")
    with pytest.raises(ValueError, match="exclude each other"):
        onnx_hier.tag("bert.onnx", "out.onnx", in_place=True)
    with pytest.raises(ValueError, match="external_data is one of"):
        onnx_hier.tag("bert.onnx", external_data="move")
    if os.geteuid() != 0:  # whom no mode keeps out
        bert.chmod(0)
        with pytest.raises(PermissionError):
            onnx_hier.hierarchy("bert.onnx")


def test_arguments_that_mean_nothing_are_told_in_words(bert):
    contents = bert.read_bytes()
    assert len(onnx_hier.select("bert.onnx", op_types="MatMul")) > 10
    with pytest.warns(UserWarning, match="no node of the model is a 'Mat'"):
        assert onnx_hier.select("bert.onnx", op_types=["Mat"]) == []
    for nothing in ([], None, ()):
        with pytest.raises(ValueError, match="patterns: name at least one module"):
            onnx_hier.extract("bert.onnx", nothing)
    with pytest.raises(ValueError, match="at: name at least one module"):
        onnx_hier.split("bert.onnx", "out", at=[])
    with pytest.raises(TypeError, match="sidecar is for models that are files"):
        onnx_hier.tag(contents, sidecar="out.json")
    assert onnx_hier.tag(contents, sidecar=False)
    with pytest.raises(TypeError, match="progress is a function of two numbers, not int"):
        onnx_hier.tag("bert.onnx", progress=5)
    assert not os.path.exists("bert_tagged.onnx")
    for below, kind in ((float("nan"), ValueError), (2, ValueError), ("x", TypeError)):
        with pytest.raises(kind, match="^below is "):
            onnx_hier.select("bert.onnx", below=below)
    for depth, kind in ((-1, ValueError), (2**40, ValueError), ("x", TypeError), (1.5, TypeError)):
        with pytest.raises(kind, match="^depth is "):
            onnx_hier.diff("bert.onnx", "bert.onnx", depth=depth)
        with pytest.raises(kind, match="^depth is "):
            onnx_hier.hierarchy("bert.onnx").tree(depth)
    with pytest.raises(TypeError, match="^patterns: a str is wanted, not int"):
        onnx_hier.extract("bert.onnx", [3])
    with pytest.raises(TypeError, match="^patterns: a str or several are wanted, not int"):
        onnx_hier.hierarchy("bert.onnx")[3]
    with pytest.raises(ValueError, match="^call is from 0 to 4294967295, not -1"):
        onnx_hier.extract("bert.onnx", "bert", call=-1)
    with pytest.raises(ValueError, match="^parts is from 2 to 4294967295, not 1"):
        onnx_hier.split("bert.onnx", "out", parts=1)


def test_daemon_threads_may_work_while_the_program_ends(bert):
    program = """
import onnx_hier, sys, threading, time
contents = open("bert.onnx", "rb").read()
began = threading.Barrier(3)
def work():
    began.wait()
    while True:
        onnx_hier.tag(contents)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
began.wait()
time.sleep(0.1)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")


def test_work_at_exit(bert):
    program = """
import atexit, os, sys, threading

def at_exit():
    sys.stdout.write(f"{len(onnx_hier.hierarchy('bert.onnx').nodes)} nodes\\n")
    sys.stdout.flush()

atexit.register(at_exit)  # called last
import onnx_hier
def work():
    while True:
        onnx_hier.hierarchy("bert.onnx")
threading.Thread(target=work, daemon=True).start()
if os.fork() != 0:
    os.wait()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"300 nodes\n" * 2, b"")


def test_bytes_must_lie_one_after_the_other():
    contents = BERT.read_bytes()
    assert onnx_hier.hierarchy(memoryview(contents)).nodes
    with pytest.raises(TypeError, match="one after the other"):
        onnx_hier.hierarchy(memoryview(contents)[::2])


def test_odd_names_come_back():
    name = b"/enc/\xff\xfeAdd"
    node = b"".join([field(1, "x"), field(2, "y"), field(3, name), field(4, "Neg")])
    contents = number_field(1, 8) + field(7, field(1, node))
    (found,) = onnx_hier.hierarchy(contents).nodes
    assert found.name.encode("utf-8", "surrogateescape") == name


def long_model(nodes):
    """A chain of so many nodes."""
    return number_field(1, 8) + field(7, b"".join(
        field(1, b"".join([field(1, f"v{i}"), field(2, f"v{i + 1}"), field(3, f"/m{i % 99}/Neg"),
                           field(4, "Neg")]))
        for i in range(nodes)))


def test_other_threads_run_meanwhile():
    contents = long_model(30_000)
    looks, done = [], threading.Event()

    def look():
        while not done.is_set():
            looks.append(time.monotonic())
            time.sleep(0.001)

    def looked_while_it_tagged():
        began = time.monotonic()
        onnx_hier.tag(contents)
        ended = time.monotonic()
        return any(began < at < ended for at in looks)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(100)  # the lock goes to another thread only when it is given away
    thread = threading.Thread(target=look)
    try:
        thread.start()
        # A busy machine may have no time for the other thread, but not each time.
        assert any(looked_while_it_tagged() for _ in range(100))
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(usual)


@pytest.fixture
def large(tmp_path):
    """A file of 400 MB, most of it a hole, which takes a while to copy."""
    size = 400 << 20
    tensor = number_field(1, size // 4) + number_field(2, 1) + field(8, "w")
    tensor += b"\x4A" + _varint(size)  # raw_data, which follows
    node = field(1, "w") + field(2, "y") + field(3, "/m/Neg") + field(4, "Neg")
    rest = field(1, node) + b"\x2A" + _varint(len(tensor) + size) + tensor
    path = tmp_path / "large.onnx"
    with open(path, "wb") as file:
        file.write(number_field(1, 8) + b"\x3A" + _varint(len(rest) + size) + rest)
        file.truncate(file.tell() + size)
    return path


def _varint(number):
    return number_field(0, number)[1:]


def test_ctrl_c_ends_the_work_and_leaves_nothing(large):
    output = large.parent / "out.onnx"
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            onnx_hier.tag(large, output, sidecar=False, sync=False)
            time.sleep(1)
    finally:
        signal.signal(signal.SIGALRM, previous)
    if output.exists():
        pytest.skip("the file system copies faster than one can press a key")
    assert list(large.parent.iterdir()) == [large]


def test_progress_is_told_and_can_stop_the_work(large):
    steps = []
    told = onnx_hier.tag(BERT, large.parent / "small.onnx", sidecar=False, sync=False,
                         progress=lambda done, of: steps.append((done, of)))
    assert told["tagged"] == 300
    assert steps[-1][0] >= steps[-1][1] == BERT.stat().st_size
    assert steps[-1][0] == (large.parent / "small.onnx").stat().st_size

    class Enough(Exception):
        pass

    def stop(done, of):
        raise Enough(f"{done} of {of}")

    with pytest.raises(Enough):
        onnx_hier.tag(large, large.parent / "out.onnx", sidecar=False, sync=False, progress=stop)


def test_the_order_of_original_and_model(tmp_path):
    exported, optimised = (tmp_path / name for name in ("bert_dynamo.onnx",
                                                      "bert_dynamo_optimised.onnx"))
    for path in (exported, optimised):
        shutil.copy(TESTDATA / path.name, path)
    with pytest.raises(ValueError, match="seems to be what the original was made from"):
        onnx_hier.apply(optimised, exported, tmp_path / "out.onnx")
    assert not (tmp_path / "out.onnx").exists()
    onnx_hier.apply(optimised, exported, tmp_path / "out.onnx", force=True)


def test_names_that_lead_nowhere_say_what_was_meant(tmp_path):
    (tmp_path / "hub").mkdir()
    for path in (tmp_path / "bert.onnx", tmp_path / "hub" / "model.onnx"):
        shutil.copy(TESTDATA / "bert_tiny.onnx", path)
    with pytest.raises(OSError, match="did you mean '.*bert.onnx'"):
        onnx_hier.hierarchy(tmp_path / "Bert.onnx")
    with pytest.raises(ValueError, match="it holds 'model.onnx'"):
        onnx_hier.hierarchy(tmp_path / "hub")


def test_no_path_ends_at_a_null_character(bert):
    before = sorted(bert.parent.iterdir())
    for call in (
            lambda: onnx_hier.tag("bert.onnx\0.txt"),
            lambda: onnx_hier.tag("bert.onnx", "out\0.onnx"),
            lambda: onnx_hier.tag("bert.onnx", module_map="map\0"),
            lambda: onnx_hier.tag("bert.onnx", sidecar="s\0.json"),
            lambda: onnx_hier.split("bert.onnx", "parts\0x", parts=2),
            lambda: onnx_hier.apply("tags\0", "bert.onnx"),
            lambda: onnx_hier.diff("bert.onnx", "bert.onnx\0")):
        with pytest.raises(ValueError, match="null"):
            call()
    assert sorted(bert.parent.iterdir()) == before


def test_a_folded_model_that_was_changed_is_refused(bert):
    folded = onnx_hier.fold(bert.read_bytes()).replace(b"Softmax", b"Sigmoid")
    with pytest.raises(ValueError, match="was changed since it was folded: function"):
        onnx_hier.unfold(folded)
    assert b"Sigmoid" in onnx_hier.unfold(folded, all_functions=True)


def test_errors_tell_names_that_are_no_text(bert):
    with pytest.raises(FileNotFoundError, match="^\udcff.onnx: cannot open"):
        onnx_hier.tag("\udcff.onnx")
    with pytest.raises(KeyError, match="b"):
        onnx_hier.select(bert, "a\0b")
