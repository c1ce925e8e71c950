# SPDX-License-Identifier: Apache-2.0
"""Bytes of Python's as the library takes and fills them: without copies, where Python is CPython."""

import ctypes
from typing import Any, Optional

from ._c import Output

_python = getattr(ctypes, "pythonapi", None)
if _python is not None:
    _new_bytes = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_char_p, ctypes.c_ssize_t)(
        ("PyBytes_FromStringAndSize", _python))
    _get_buffer = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)(
        ("PyObject_GetBuffer", _python))
    _release_buffer = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyBuffer_Release", _python))


class _Buffer(ctypes.Structure):
    """Py_buffer, which has been the same since Python 3.0."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]


def _address_of(contents: bytes) -> Optional[int]:
    return ctypes.cast(ctypes.c_char_p(contents), ctypes.c_void_p).value


class HeldBytes:
    """The bytes of an object, which stay where they are as long as this lives."""

    def __init__(self, contents: Any) -> None:
        self._buffer = None
        if not memoryview(contents).c_contiguous:
            raise TypeError("the bytes of a model must lie one after the other")
        if _python is None and not isinstance(contents, bytes):
            contents = bytes(contents)
        if isinstance(contents, bytes):
            self._contents = contents
            self.address, self.size = _address_of(contents), len(contents)
            return
        buffer = _Buffer()
        _get_buffer(contents, ctypes.addressof(buffer), 0)
        self._buffer = buffer
        self.address, self.size = buffer.buf, buffer.len

    def __del__(self) -> None:
        if self._buffer is not None:
            _release_buffer(ctypes.addressof(self._buffer))


class NewBytes:
    """Bytes that the library fills, of a size that it tells."""

    def __init__(self) -> None:
        self.contents = b""
        self.callback = Output.ALLOCATE(self._allocate)

    def _allocate(self, _context: None, size: int) -> Optional[int]:
        try:
            self.contents = _new_bytes(None, size) if _python is not None else bytes(size)
        except (MemoryError, OverflowError):
            return None
        return _address_of(self.contents)
