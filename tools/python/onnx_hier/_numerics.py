# SPDX-License-Identifier: Apache-2.0
"""Values of modules: models that give them out, and which module loses the accuracy."""

import os
import tempfile
import warnings as python_warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

from ._api import Patterns, _annotate, _Files, _flat, _modules, _only_for_files, _stem
from ._arguments import whole_number
from ._core import Product, numerics as _compare, probe as _probe
from ._forms import AnyModel, Path, told_by_form
from ._source import open_source, path_bytes, write_to_memory

if TYPE_CHECKING:
    from ._api import ExternalData

Feeds = Mapping[str, Any]


@told_by_form
def probe(model: Any, output: Optional[Path] = None, *, patterns: Optional[Patterns] = None,
          depth: Optional[int] = None, like: Any = None, isolated: bool = False,
          force: bool = False, module_map: Optional[Path] = None, external_data: "ExternalData" = "refuse",
          sync: bool = True) -> Any:
    """Lets the whole model also give out what goes into its modules and comes out of them.

    A path: writes IN_probed.onnx and returns what `onnx-hier probe --json` prints. Bytes: returns
    the bytes of that model. An onnx.ModelProto: returns a new one.

    >>> [run["path"] for run in onnx_hier.probe("bert.onnx", depth=1)["modules"]]
    ['/', '/bert', '/cls']

    `patterns`: of these modules, `depth` levels of them. `like`: the modules are of this model,
    which the other one was made from: what says the same there is given out. `isolated`: each
    module runs for itself, on values that are given to the model.
    """
    files = _Files(force, False, external_data, sync, None)
    source = _flat(open_source(model), weights=True)
    _only_for_files(source, output=output)
    annotated = _annotate(source, module_map if like is None else None)
    original = None if like is None else _annotate(
        _flat(open_source(like, contents=True), weights=True), module_map)
    made = _probe(annotated, original, depth=whole_number("depth", depth, 0),
                  isolated=bool(isolated),
                  pattern=None if patterns is None else _modules("patterns", patterns))
    for warning in made.told["warnings"]:
        python_warnings.warn(warning, stacklevel=2)
    if not source.is_file:
        return source.result(write_to_memory(made))
    target = os.fspath(output) if output is not None else (
        _stem(source.path) + ("_isolated" if isolated else "_probed") + ".onnx")
    made.told["warnings"] += files.write(made, [target], [module_map])
    values = [value["output"] for value in made.told["isolated"]] if isolated else [
        name for run in made.told["modules"] for name in (*run["inputs"], *run["outputs"])]
    made.told["files"] = [{"file": target, "bytes": None, "values": list(dict.fromkeys(values))}]
    return made.told


def numerics(a: AnyModel, b: AnyModel, feeds: Union[None, Feeds, Sequence[Feeds]] = None, *,
             a_values: Optional[Path] = None, b_values: Optional[Path] = None,
             isolated: Union[None, bool, Path] = None, depth: Optional[int] = None,
             patterns: Optional[Patterns] = None, suggest: Optional[str] = None,
             precision: Optional[str] = None, least: Optional[float] = None,
             module_map: Optional[Path] = None,
             providers: Sequence[str] = ("CPUExecutionProvider",)) -> Dict[str, Any]:
    """Which module of `b` loses accuracy against `a`, which it was made from.

    Returns what `onnx-hier numerics --json` prints: "modules" has what lost most first.

    `feeds`: inputs by name, or a list of such for several runs; both models are run on them by
    onnxruntime, which must be installed then, as they are, without optimisation. `isolated=True`
    runs `b` once more, each module on the values of `a`: what each lost is exact. Or else
    `a_values`, `b_values` (and `isolated`): files of values, as the command takes them.

    `depth`: rows for so many levels of modules. `patterns`: rows for these modules. `suggest`: what
    to keep in higher precision until the outputs have `least` dB, as a list in a form of select(),
    or "plan".
    """
    if (feeds is None) == (a_values is None) or (a_values is None) != (b_values is None):
        raise TypeError("numerics takes feeds, or else a_values and b_values")
    originals, others = (
        _annotate(_flat(open_source(model, contents=True), weights=True), given)
        for model, given in ((a, module_map), (b, None)))
    options = dict(depth=whole_number("depth", depth, 0), suggest=suggest, precision=precision,
                   least=least,
                   pattern=None if patterns is None else _modules("patterns", patterns))
    if feeds is None:
        return _compare(originals, others, a_values=path_bytes(a_values),
                        b_values=path_bytes(b_values),
                        isolated=None if isolated is None else path_bytes(isolated), **options)
    runs = [feeds] if isinstance(feeds, Mapping) else list(feeds)
    if not runs:
        raise ValueError("feeds: at least one run is wanted")
    with tempfile.TemporaryDirectory(prefix="onnx-hier-") as folder:
        first = _run(_probe(originals, None), runs, folder, "a", providers)
        second = _run(_probe(others, originals), runs, folder, "b", providers)
        third = None
        if isolated:
            given = [{**values, **run} for values, run in zip(_loaded(first), runs)]
            third = _run(_probe(others, originals, isolated=True), given, folder, "made", providers)
        return _compare(originals, others, a_values=path_bytes(first),
                        b_values=path_bytes(second),
                        isolated=None if third is None else path_bytes(third), **options)


def _run(made: Product, runs: Sequence[Feeds], folder: str, name: str,
         providers: Sequence[str]) -> str:
    """Runs the model that was made, and returns the folder with what it gave out."""
    import numpy  # not needed by anything else here
    import onnxruntime

    path = os.path.join(folder, name + ".onnx")
    made.write([(0, path_bytes(path))], None, force=True, sync=False, external_data="copy")
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, settings, providers=list(providers))
    outputs = [each.name for each in session.get_outputs()]
    values = os.path.join(folder, name)
    os.mkdir(values)
    for number, run in enumerate(runs):
        given = {}
        for each in session.get_inputs():
            known = each.name if each.name in run else each.name[:-len("/given")]
            if known not in run:
                raise ValueError(f"feeds: the input '{each.name}' is not there")
            given[each.name] = run[known]
        made_values = dict(zip(outputs, session.run(outputs, given)))
        numpy.savez(os.path.join(values, f"{number:06}.npz"),
                    **{key: value for key, value in made_values.items()
                       if isinstance(value, numpy.ndarray)})
    return values


def _loaded(folder: str) -> List[Feeds]:
    import numpy

    return [dict(numpy.load(os.path.join(folder, name))) for name in sorted(os.listdir(folder))]
