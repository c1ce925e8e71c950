# SPDX-License-Identifier: Apache-2.0
"""The shared library, as the package's own files use it: its C API (onnx_hier/c.h) through ctypes."""

import atexit
import ctypes
import json
import os
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

from ._c import ERRORS, OK, RUNNING, Output, Source, Value, load, option_array
from ._memory import HeldBytes, NewBytes

_Path = Union[bytes, str]
_Progress = Callable[[int, int], None]

_library = load(Path(__file__).with_name("libonnx_hier_c.so"))
__version__ = _library.onnx_hier_version().decode()

_BETWEEN_LOOKS = 50  # milliseconds: short enough for whoever watches, long enough to cost nothing
_BETWEEN_LOOKS_AT_END = 0.001  # seconds


class _Call:
    """What stops a function of the library, how far it is, and what came of it."""

    def __init__(self) -> None:
        self._as_parameter_ = _library.onnx_hier_call_new()
        if not self._as_parameter_:
            raise MemoryError

    def __del__(self) -> None:
        _library.onnx_hier_call_free(self)

    def cancel(self) -> None:
        _library.onnx_hier_call_cancel(self)

    @property
    def progress(self) -> int:
        return _library.onnx_hier_call_progress(self)

    @property
    def text(self) -> bytes:
        size = ctypes.c_size_t()
        return ctypes.string_at(_library.onnx_hier_call_text(self, ctypes.byref(size)), size.value)


# When the interpreter ends while (daemon) threads work, what they work with would be torn down under
# them. So its end cancels their work and waits for it, and they sleep for good.
_working: set = set()
_ender: Optional[int] = None  # the thread that ends the interpreter


class _AtWork:
    """As long as it is entered, the interpreter does not end."""

    def __init__(self, call: _Call) -> None:
        self.call = call

    def __enter__(self) -> None:
        _working.add(self.call)
        self._stay_behind()

    def __exit__(self, *_: Any) -> None:
        _working.discard(self.call)
        self._stay_behind()

    def _stay_behind(self) -> None:
        """Does not return when the interpreter ends, but in the thread that ends it."""
        if _ender is None or threading.get_ident() == _ender:
            return
        _working.discard(self.call)
        threading.Event().wait()  # only the end of the process ends this


def _await_end_of_work() -> None:
    global _ender
    _ender = threading.get_ident()
    while _working:
        for call in list(_working):
            call.cancel()
        threading.Event().wait(_BETWEEN_LOOKS_AT_END)


atexit.register(_await_end_of_work)
# A child of a fork has none of the other threads.
os.register_at_fork(after_in_child=_working.clear)


def _run(function: Any, *arguments: Any, options: Optional[Dict[str, Value]] = None,
         makes: Optional["_Handle"] = None, reads: Sequence["Model"] = (),
         meanwhile: Optional[Callable[[_Call], None]] = None, waits: bool = False) -> bytes:
    """The answer of a function of the library; its error as an exception.

    `makes`: what it gives besides. `reads`: models whose sources may fail. It goes on in a thread of
    the library's, and meanwhile signals are looked after, so that Ctrl-C stops it; `meanwhile` is
    called from time to time, and what that raises stops it, too. `waits`: it is over at once.
    """
    call = _Call()
    if options is not None:
        given = option_array(options)
        arguments += (given, len(given))
    if makes is not None:
        arguments += (makes.place,)
    with _AtWork(call):
        if not waits:
            _library.onnx_hier_call_in_background(call)
        code = function(call, *arguments)
        stopped: Optional[BaseException] = None
        while code == RUNNING:
            try:
                code = _library.onnx_hier_call_wait(call, _BETWEEN_LOOKS)
                if code == RUNNING and stopped is None and meanwhile is not None:
                    meanwhile(call)
            except BaseException as error:
                stopped = stopped or error
                call.cancel()
    if stopped is not None:
        raise stopped
    if code == OK:
        if meanwhile is not None:
            meanwhile(call)  # how it ended
        return call.text
    kind = next((model.source.failure for model in reads
                 if model.source is not None and model.source.failure is not None), ERRORS[code])
    raise kind(call.text.decode("utf-8", "surrogateescape"))


class _Handle:
    """Something of the library's, which is freed with it."""

    _free: Any = None

    def __init__(self) -> None:
        self._as_parameter_ = ctypes.c_void_p()

    @property
    def place(self) -> Any:
        """Where a function of the library puts it."""
        return ctypes.byref(self._as_parameter_)

    def __del__(self) -> None:
        type(self)._free(self)


class _FileObject:
    """A binary file of Python's, of which the library reads what it needs."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.failure: Optional[type] = None  # the exception that a reading ended with
        self.error = ctypes.create_string_buffer(b"")
        self.source = Source(None, file.seek(0, os.SEEK_END), Source.READ(self._read),
                             Source.CLOSE())

    def _read(self, _context: None, out: int, size: int, offset: int) -> Optional[int]:
        try:
            self.file.seek(offset)
            # A raw file may give less than it is asked for.
            done = 0
            while done < size:
                piece = self.file.read(size - done)
                if not isinstance(piece, bytes):
                    return self._fail(ValueError, "gives no bytes; open the file in binary mode")
                if not 0 < len(piece) <= size - done:
                    return self._fail(RuntimeError, f"the file ends at byte {offset + done}: it "
                                                    "became shorter")
                ctypes.memmove(out + done, piece, len(piece))
                done += len(piece)
            return None
        except BaseException as error:
            return self._fail(OSError, f"{type(error).__name__}: {error}")

    def _fail(self, kind: type, text: str) -> int:
        self.failure = kind
        self.error = ctypes.create_string_buffer(text.encode("utf-8", "surrogateescape"))
        return ctypes.addressof(self.error)


class Product(_Handle):
    """What was made of a model: outputs by their numbers."""

    _free = _library.onnx_hier_product_free

    def __init__(self, model: "Model") -> None:
        super().__init__()
        self.model = model
        self.told: Any = None  # the answer when it was made

    @property
    def outputs(self) -> int:
        return _library.onnx_hier_product_outputs(self)

    def all_in_memory(self) -> List[bytes]:
        """The bytes of all outputs."""
        contents, _ = self.write([(number, None) for number in range(self.outputs)], None,
                                 force=True, sync=False, external_data="keep")
        return contents

    def describe(self, output: Optional[_Path], warnings: Sequence[str], **options: Value) -> Any:
        """What the command prints with --json, of an output that was written there."""
        return json.loads(_run(_library.onnx_hier_ask_product, self, b"describe", waits=True,
                               options={"output": output, "warning": warnings, **options}))

    def texts(self) -> List[Tuple[int, bool, Optional[str]]]:
        """(node, whether it is a name, the text or None)"""
        return json.loads(_run(_library.onnx_hier_ask_product, self, b"texts", options={},
                               waits=True))

    def write(self, outputs: Sequence[Tuple[int, Optional[_Path]]], progress: Optional[_Progress],
              **options: Value) -> Tuple[List[bytes], List[str]]:
        """Outputs and where to, None for memory. Their bytes, and what could not be kept."""
        memory = [NewBytes() for _, path in outputs if path is None]
        rooms = iter(memory)
        listed = (Output * len(outputs))(*(
            Output(number, path, None, Output.ALLOCATE() if path is not None else next(rooms).callback)
            for number, path in outputs))

        # Asked before: whoever asks about a model that is being written waits for the end of that.
        size = 0 if progress is None else self.model.size

        def tell(call: _Call) -> None:
            progress(call.progress, size)

        answer = _run(_library.onnx_hier_write, self, listed, len(listed), options=options,
                      reads=[self.model], meanwhile=None if progress is None else tell)
        return [room.contents for room in memory], json.loads(answer)["warnings"]


class Annotated(_Handle):
    """A model with the modules of its nodes."""

    _free = _library.onnx_hier_annotation_free

    def __init__(self, model: "Model") -> None:
        super().__init__()
        self.model = model

    def ask(self, question: bytes, **options: Value) -> Any:
        return json.loads(self._ask(question, options).decode())

    @property
    def warnings(self) -> List[str]:
        return self.ask(b"facts")["warnings"]

    def _ask(self, question: bytes, options: Dict[str, Value]) -> bytes:
        return _run(_library.onnx_hier_ask, self, question, options=options, reads=[self.model],
                    waits=question not in (b"explain", b"report", b"profile"))

    def text(self, question: bytes, **options: Value) -> str:
        return self._ask(question, options).decode()

    def make(self, what: bytes, **options: Value) -> Product:
        product = Product(self.model)
        product.told = json.loads(_run(_library.onnx_hier_make, self, what, options=options,
                                       makes=product, reads=[self.model]))
        return product


class Model(_Handle):
    """A model that is open."""

    _free = _library.onnx_hier_model_free

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.source: Optional[_FileObject] = None
        self.needs: Any = None  # what the library reads it from
        self._facts: Any = None

    @classmethod
    def open(cls, path: bytes) -> "Model":
        model = cls(os.fsdecode(path))
        _run(_library.onnx_hier_open, path, makes=model)
        return model

    @classmethod
    def from_bytes(cls, contents: Any, name: str) -> "Model":
        model = cls(name)
        model.needs = held = HeldBytes(contents)
        _run(_library.onnx_hier_open_bytes, held.address, held.size, _bytes_of(name), makes=model)
        return model

    @classmethod
    def from_file_object(cls, file: Any, name: str) -> "Model":
        model = cls(name)
        model.needs = model.source = _FileObject(file)
        _run(_library.onnx_hier_open_source, ctypes.byref(model.source.source), _bytes_of(name),
             makes=model, reads=[model])
        return model

    @property
    def facts(self) -> Dict[str, Any]:
        if self._facts is None:
            self._facts = json.loads(_run(_library.onnx_hier_ask_model, self, b"facts", options={},
                                          waits=True))
        return self._facts

    @property
    def size(self) -> int:
        return self.facts["bytes"]

    @property
    def nodes(self) -> int:
        return self.facts["nodes"]

    def nodes_with_graphs(self) -> Set[int]:
        return set(self.facts["nodes_with_graphs"])

    def flat(self, copies_weights: bool) -> "Model":
        """As it was before it was folded."""
        model = Model(self.name)
        model.needs, model.source = self.needs, self.source
        _run(_library.onnx_hier_unfolded, self, int(copies_weights), makes=model, reads=[self])
        return model

    def check(self, **options: Value) -> Any:
        return json.loads(_run(_library.onnx_hier_ask_model, self, b"check", options=options,
                               reads=[self]))

    def weights(self, **options: Value) -> Any:
        return json.loads(_run(_library.onnx_hier_ask_model, self, b"weights", options=options,
                               reads=[self]))

    def annotate(self, original: Optional["Model"] = None, **options: Value) -> Annotated:
        annotated = Annotated(self)
        _run(_library.onnx_hier_annotate, self, original, options=options, makes=annotated,
             reads=[self] if original is None else [self, original])
        return annotated

    def make(self, what: bytes, **options: Value) -> Product:
        product = Product(self)
        answer = _run(_library.onnx_hier_make_of_model, self, what, options=options, makes=product,
                      reads=[self])
        product.told = json.loads(answer) if answer else None
        return product


def diff(a: Annotated, b: Annotated, **options: Value) -> str:
    return _run(_library.onnx_hier_diff, a, b, options=options, reads=[a.model, b.model]).decode()


def numerics(a: Annotated, b: Annotated, **options: Value) -> Any:
    return json.loads(_run(_library.onnx_hier_numerics, a, b, options=options,
                           reads=[a.model, b.model]))


def probe(annotated: Annotated, like: Optional[Annotated], **options: Value) -> Product:
    product = Product(annotated.model)
    product.told = json.loads(_run(_library.onnx_hier_probe, annotated, like, options=options,
                                   makes=product, reads=[annotated.model]))
    return product


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape").replace(b"\0", b"")
