# SPDX-License-Identifier: Apache-2.0
"""What the commands draw and print: a function for each."""

import json
import os
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, overload

from ._api import (Patterns, _annotate, _compared, _Files, _flat, _modules, _only_for_files,
                   _path_or_none, _stem)
from ._arguments import whole_number
from ._core import Annotated, diff as _diff
from ._forms import AnyModel, Path, Told, told_by_form
from ._hierarchy import column_options
from ._source import open_source, write_to_memory

if TYPE_CHECKING:
    from typing_extensions import Literal

    from ._api import ExternalData

    Json = Literal["json"]
    TreeText = Literal["text", "markdown", "csv"]
    ProfileText = Literal["table", "markdown", "csv", "folded", "speedscope", "trace"]
    ExportText = Literal["graphml", "dot"]


@overload
def tree(model: AnyModel, *, form: "Json", **options: Any) -> Told: ...
@overload
def tree(model: AnyModel, *, form: "TreeText" = "text", **options: Any) -> str: ...


def tree(model: AnyModel, *, form: str = "text", depth: Optional[int] = None,
         module: Optional[Patterns] = None, graph: Optional[str] = None, sort: Optional[str] = None,
         module_map: Optional[Path] = None, rules: Optional[Path] = None, **columns: Any) -> Any:
    """The modules as `onnx-hier tree` draws them: text, or of form="json" what it prints so.

    >>> print(onnx_hier.tree("bert.onnx", depth=1))
    module   nodes  parameters      size
    /          300      26,884  107.5 kB
    ├─ bert    277      22,464   89.9 kB
    └─ cls      23       4,420   17.7 kB
    <BLANKLINE>

    `module`: only these, `depth` levels of them. `graph`: of one branch of an If or one body of a
    loop alone ("then_branch", "1045/then_branch"). Of what is shown: `columns` ("nodes", "macs" ...)
    with `shapes`, `dims` and `device` as of Hierarchy.cost(); `profile` with `key`, `value` and
    `adds` as of Hierarchy.measure().
    """
    return _said(_measured(model, module_map, rules), b"tree", form, sort=sort,
                 **{"in": graph}, **_rows(depth, module, columns))


@overload
def cost(model: AnyModel, *, form: "Json" = "json", **options: Any) -> Told: ...
@overload
def cost(model: AnyModel, *, form: "TreeText", **options: Any) -> str: ...


def cost(model: AnyModel, *, form: str = "json", depth: Optional[int] = None,
         module: Optional[Patterns] = None, sort: Optional[str] = None,
         module_map: Optional[Path] = None, **columns: Any) -> Any:
    """What a run costs by module: what `onnx-hier cost --json` prints. Options as of tree().

    >>> onnx_hier.cost("bert.onnx", dims={"seq": 16})["measures"][0]["total"]
    362496
    """
    usual = ["macs", "bytes", "read", "written", "alive", "intensity"]
    columns.setdefault("columns", usual + ["bound"] * (columns.get("device") is not None))
    return _said(_measured(model, module_map), b"tree", form, sort=sort,
                 **_rows(depth, module, columns))


@overload
def profile(model: AnyModel, profile: Path, *, form: "Json" = "json", **options: Any) -> Told: ...
@overload
def profile(model: AnyModel, profile: Path, *, form: "ProfileText", **options: Any) -> str: ...


def profile(model: AnyModel, profile: Path, *, form: str = "json",
            compare: Optional[Path] = None, depth: Optional[int] = None,
            module: Optional[Patterns] = None, graph: Optional[str] = None, sort: Optional[str] = None,
            module_map: Optional[Path] = None, **columns: Any) -> Any:
    """Where the time goes, or what any table by node comes to: what `onnx-hier profile --json`
    prints. `compare`: another profile. Other options as of tree().

    >>> onnx_hier.profile("bert.onnx", "bert.profile.json")["profile"]["total"]
    844000
    """
    return _said(_measured(model, module_map), b"profile", form, sort=sort,
                 compare=_path_or_none(compare), **{"in": graph},
                 **_rows(depth, module, {**columns, "profile": profile}))


@overload
def export(model: AnyModel, output: Path, **options: Any) -> str: ...
@overload
def export(model: AnyModel, output: None = None, *, form: "ExportText", **options: Any) -> str: ...
@overload
def export(model: AnyModel, output: None = None, *, form: "Literal['model-explorer']" = "model-explorer",
           **options: Any) -> Told: ...


def export(model: AnyModel, output: Optional[Path] = None, *,
           form: str = "model-explorer", depth: Optional[int] = None,
           module: Optional[Patterns] = None, force: bool = False,
           module_map: Optional[Path] = None, **columns: Any) -> Any:
    """The modules for programs that draw graphs: Model Explorer's objects, or text.

    `output`: written there, and its path returned. Other options as of tree().

    >>> onnx_hier.export("bert.onnx", form="dot", depth=1).split()[0]
    'digraph'
    """
    text = _measured(model, module_map).text(
        b"export", **{"as": form}, **_rows(depth, module, columns))
    if output is not None:
        return _write_text(output, text, force)
    return json.loads(text) if form == "model-explorer" else text


def report(model: AnyModel, output: Optional[Path] = None, *, compare: Optional[AnyModel] = None,
           force: bool = False, module_map: Optional[Path] = None, rules: Optional[Path] = None,
           **columns: Any) -> str:
    """The page that `onnx-hier report` writes. A path: writes IN_report.html and returns its path;
    of what is in memory, returns the page.

    >>> onnx_hier.report("bert.onnx", profile="bert.profile.json")
    'bert_report.html'

    `compare`: another model: what it has in each module's place. Other options as of tree().
    """
    options = column_options(**columns)
    if compare is not None:
        page = _diff(*_compared(model, compare, True), **{"as": "page"}, **options)
    else:
        page = _measured(model, module_map, rules).text(b"report", **options)
    if output is None:
        if not isinstance(model, (str, os.PathLike)):
            return page
        output = _stem(os.fspath(model)) + "_report.html"
    return _write_text(output, page, force)


@told_by_form
def place(model: Any, output: Optional[Path] = None, *, rules: Mapping[str, str],
          in_place: bool = False, force: bool = False, module_map: Optional[Path] = None,
          external_data: "ExternalData" = "refuse", sync: bool = True) -> Any:
    """Labels modules for the devices of onnxruntime's session.

    A path: writes IN_placed.onnx and returns what `onnx-hier place --json` prints. Bytes: returns
    the bytes. An onnx.ModelProto: returns a new one. `rules`: devices by patterns, of which the
    first one that means a module counts.

    >>> onnx_hier.place("bert.onnx", rules={"bert": "gpu", "cls": "cpu"})["setting"]
    'gpu(=onnx_hier.gpu);cpu(=onnx_hier.cpu)'
    """
    files = _Files(force, in_place, external_data, sync, None)
    source = open_source(model, contents_of_nodes=True)
    _only_for_files(source, output=output, in_place=in_place)
    target = files.target(source, output, "_placed") if source.is_file else None
    placed = _annotate(source, module_map).make(
        b"place", rule=[f"{pattern}={device}" for pattern, device in rules.items()],
        output=_path_or_none(target))
    if target is None:
        return source.result(write_to_memory(placed))
    placed.told["warnings"] += files.write(placed, [target], [module_map])
    return placed.told


def _measured(model: Any, module_map: Optional[Path], rules: Optional[Path] = None) -> Annotated:
    """Shapes, and so costs, may be made of weights."""
    source = _flat(open_source(model, contents=True), weights=True)
    return _annotate(source, module_map, rules=rules)


def _rows(depth: Optional[int], module: Optional[Patterns],
          columns: Dict[str, Any]) -> Dict[str, Any]:
    return dict(depth=whole_number("depth", depth, 0), **column_options(**columns),
                pattern=None if module is None else _modules("module", module))


def _said(annotated: Annotated, question: bytes, form: str, **options: Any) -> Any:
    """What a command prints, in a form; JSON as objects."""
    text = annotated.text(question, **{"as": form, **options})
    return json.loads(text) if form == "json" else text


def _write_text(output: Path, text: str, force: bool) -> str:
    """Whole, or not at all."""
    path = os.fspath(output)
    if not force and os.path.lexists(path):
        raise FileExistsError(f"{path}: exists already; use --force to replace it")
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "x", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
    return path
