# SPDX-License-Identifier: Apache-2.0
"""onnx_hier/c.h for ctypes: the types and functions of the C API."""

import ctypes
from ctypes import c_char_p, c_int, c_size_t, c_uint64, c_void_p
from typing import Any, Dict, Iterator, Sequence, Tuple, Union

C_VERSION = 1
OK = 0
# By the code that a function returns.
ERRORS = {
    1: ValueError,
    2: FileNotFoundError,
    3: FileExistsError,
    4: PermissionError,
    5: KeyError,
    6: KeyboardInterrupt,
    7: OSError,
    8: RuntimeError,
}
RUNNING = 9

# An option without a value is not given; of one with several, each is.
Value = Union[None, bool, int, float, str, bytes, Sequence[Union[str, bytes]]]


class Option(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p), ("size", c_size_t)]


class Source(ctypes.Structure):
    READ = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_uint64, c_uint64)
    CLOSE = ctypes.CFUNCTYPE(None, c_void_p)
    _fields_ = [("context", c_void_p), ("size", c_uint64), ("read", READ), ("close", CLOSE)]


class Output(ctypes.Structure):
    ALLOCATE = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_uint64)
    _fields_ = [("number", c_size_t), ("path", c_char_p), ("context", c_void_p),
                ("allocate", ALLOCATE)]


def _texts(value: Value) -> Iterator[bytes]:
    if value is None:
        return
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, str):
        yield value.encode("utf-8", "surrogateescape")
    elif isinstance(value, bool):
        yield b"%d" % value
    elif isinstance(value, (int, float)):
        yield repr(value).encode()
    else:
        for each in value:
            yield from _texts(each)


def option_array(options: Dict[str, Value]) -> Any:
    pairs = [(name.encode(), text) for name, value in options.items() for text in _texts(value)]
    return (Option * len(pairs))(*((name, text, len(text)) for name, text in pairs))


_CALL = c_void_p
_PLACE = ctypes.POINTER(c_void_p)
_OPTIONS = (ctypes.POINTER(Option), c_size_t)
_FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "c_version": (c_int, ()),
    "version": (c_char_p, ()),
    "call_new": (c_void_p, ()),
    "call_free": (None, (_CALL,)),
    "call_in_background": (None, (_CALL,)),
    "call_wait": (c_int, (_CALL, c_int)),
    "call_cancel": (None, (_CALL,)),
    "call_progress": (c_uint64, (_CALL,)),
    "call_text": (c_void_p, (_CALL, ctypes.POINTER(c_size_t))),
    "open": (c_int, (_CALL, c_char_p, _PLACE)),
    "open_bytes": (c_int, (_CALL, c_void_p, c_size_t, c_char_p, _PLACE)),
    "open_source": (c_int, (_CALL, ctypes.POINTER(Source), c_char_p, _PLACE)),
    "unfolded": (c_int, (_CALL, c_void_p, c_int, _PLACE)),
    "model_free": (None, (c_void_p,)),
    "ask_model": (c_int, (_CALL, c_void_p, c_char_p, *_OPTIONS)),
    "annotate": (c_int, (_CALL, c_void_p, c_void_p, *_OPTIONS, _PLACE)),
    "annotation_free": (None, (c_void_p,)),
    "ask": (c_int, (_CALL, c_void_p, c_char_p, *_OPTIONS)),
    "diff": (c_int, (_CALL, c_void_p, c_void_p, *_OPTIONS)),
    "numerics": (c_int, (_CALL, c_void_p, c_void_p, *_OPTIONS)),
    "probe": (c_int, (_CALL, c_void_p, c_void_p, *_OPTIONS, _PLACE)),
    "make_of_model": (c_int, (_CALL, c_void_p, c_char_p, *_OPTIONS, _PLACE)),
    "make": (c_int, (_CALL, c_void_p, c_char_p, *_OPTIONS, _PLACE)),
    "product_outputs": (c_size_t, (c_void_p,)),
    "product_free": (None, (c_void_p,)),
    "ask_product": (c_int, (_CALL, c_void_p, c_char_p, *_OPTIONS)),
    "write": (c_int, (_CALL, c_void_p, ctypes.POINTER(Output), c_size_t, *_OPTIONS)),
}


def load(path: Any) -> Any:
    """The library, with what its functions take and return."""
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, "onnx_hier_" + name)
        function.restype = result
        function.argtypes = arguments
    if library.onnx_hier_c_version() != C_VERSION:
        raise ImportError(f"{path}: is version {library.onnx_hier_c_version()} of the C API, not "
                          f"{C_VERSION}")
    return library
