# SPDX-License-Identifier: Apache-2.0
"""What functions give back, by the form in which they take a model, for those who check types.

A path: what the command prints with --json; bytes: bytes; a ModelProto or onnx_ir.Model: the same.
"""

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, TypeVar, Union

Path = Union[str, "os.PathLike[str]"]
Told = Dict[str, Any]

if TYPE_CHECKING:
    from typing import BinaryIO, Protocol, overload

    from typing_extensions import Concatenate, ParamSpec

    class HasGraph(Protocol):
        """An onnx.ModelProto or an onnx_ir.Model."""

        @property
        def graph(self) -> Any: ...

    Contents = Union[bytes, bytearray, memoryview, BinaryIO]
    AnyModel = Union[Path, Contents, HasGraph]
    P = ParamSpec("P")
    FileT = TypeVar("FileT", covariant=True)
    GraphT = TypeVar("GraphT", bound=HasGraph)

    class ByForm(Protocol[P, FileT]):
        @overload
        def __call__(self, model: Path, /, *args: P.args, **kwargs: P.kwargs) -> FileT: ...
        @overload
        def __call__(self, model: Contents, /, *args: P.args, **kwargs: P.kwargs) -> bytes: ...
        @overload
        def __call__(self, model: GraphT, /, *args: P.args, **kwargs: P.kwargs) -> GraphT: ...

    class PartsByForm(Protocol[P]):
        @overload
        def __call__(self, model: Path, /, *args: P.args, **kwargs: P.kwargs) -> Told: ...
        @overload
        def __call__(self, model: Contents, /, *args: P.args,
                     **kwargs: P.kwargs) -> List[bytes]: ...
        @overload
        def __call__(self, model: GraphT, /, *args: P.args,
                     **kwargs: P.kwargs) -> List[GraphT]: ...

    class AppliedByForm(Protocol[P]):
        @overload
        def __call__(self, tags: Union[AnyModel, Told], model: Path, /, *args: P.args,
                     **kwargs: P.kwargs) -> Told: ...
        @overload
        def __call__(self, tags: Union[AnyModel, Told], model: Contents, /, *args: P.args,
                     **kwargs: P.kwargs) -> bytes: ...
        @overload
        def __call__(self, tags: Union[AnyModel, Told], model: GraphT, /, *args: P.args,
                     **kwargs: P.kwargs) -> GraphT: ...

    def told_by_form(function: "Callable[Concatenate[Any, P], Any]") -> "ByForm[P, Told]": ...
    def path_by_form(function: "Callable[Concatenate[Any, P], Any]") -> "ByForm[P, str]": ...
    def parts_by_form(function: "Callable[Concatenate[Any, P], Any]") -> "PartsByForm[P]": ...
    def applied_by_form(function: "Callable[Concatenate[Any, Any, P], Any]") -> (
            "AppliedByForm[P]"): ...
else:
    AnyModel = Any

    def told_by_form(function):
        return function

    path_by_form = parts_by_form = applied_by_form = told_by_form
