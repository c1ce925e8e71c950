# SPDX-License-Identifier: Apache-2.0
"""The functions of the package: one for each command."""

import json
import os
import time
import warnings as python_warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from ._arguments import share, whole_number, words_of
from ._core import Annotated, Model, Product, diff as _diff
from ._forms import AnyModel, Path, Told, applied_by_form, parts_by_form, path_by_form, told_by_form
from ._hierarchy import Hierarchy, column_options, each_once, operators_of
from ._source import SIDECAR, Bytes, Source, open_source, path_bytes, write_to_memory

if TYPE_CHECKING:
    from typing_extensions import Literal

    ExternalData = Literal["refuse", "copy", "keep"]
    PartData = Literal["cut", "copy", "keep", "refuse"]

Progress = Callable[[int, int], None]
Patterns = Union[str, Sequence[str]]
Checkpoint = Union[Path, Sequence[Path]]

_EXTERNAL_DATA = ("refuse", "copy", "keep")
_PART_DATA = ("cut", "copy", "keep", "refuse")


class _Files:
    """How files are written, and what only files have."""

    def __init__(self, force: bool, in_place: bool, external_data: str, sync: bool,
                 progress: Optional[Progress], known: Sequence[str] = _EXTERNAL_DATA) -> None:
        if external_data not in known:
            raise ValueError(f"external_data is one of {', '.join(known)}, not "
                             f"'{external_data}'")
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is a function of two numbers, not {type(progress).__name__}")
        self.force = force
        self.in_place = in_place
        self.progress = progress
        self.options = dict(force=bool(force), sync=bool(sync), external_data=external_data)

    @classmethod
    def of_parts(cls, force: bool, external_data: Optional[str], sync: bool) -> "_Files":
        """How parts are written; None: each has its own data where it is not beside the model."""
        files = cls(force, False, external_data or "cut", sync, None, _PART_DATA)
        if external_data is None:
            files.options["external_data"] = "cut elsewhere"
        return files

    def write(self, product: Product, paths: Sequence[Optional[Path]],
              reads: Sequence[Optional[Path]] = (), makes_new: bool = False) -> List[str]:
        """Each output of a product to its path, unless that is None. Returns what could not be
        kept."""
        outputs = [(number, path_bytes(path)) for number, path in enumerate(paths)
                   if path is not None]
        _, lost = product.write(
            outputs, self.progress, reads=[path_bytes(path) for path in reads if path],
            in_place=bool(self.in_place) and not makes_new, offers_in_place=not makes_new,
            **self.options)
        return lost

    def target(self, source: Source, output: Optional[Path], suffix: str) -> str:
        if self.in_place and output is not None:
            raise ValueError("output and in_place exclude each other")
        if self.in_place:
            return source.path
        return os.fspath(output) if output is not None else _stem(source.path) + suffix + ".onnx"


def _stem(path: str) -> str:
    return path[:-len(".onnx")] if path.endswith(".onnx") else path


def _only_for_files(source: Source, **given: Any) -> None:
    """What says something of files has no meaning for a model that is in memory."""
    if source.is_file:
        return
    for name, value in given.items():
        if value:
            raise TypeError(f"{name} is for models that are files; this one is in memory")


def _path_or_none(path: Optional[Path]) -> Optional[bytes]:
    return None if path is None else path_bytes(path)


def _modules(name: str, patterns: Patterns) -> List[str]:
    """Of what cannot be done for no module at all."""
    words = words_of(name, patterns)
    if not words:
        raise ValueError(f"{name}: name at least one module")
    return words


def _text_or_none(path: Optional[Path]) -> Optional[bytes]:
    if path is None:
        return None
    with open(path, "rb") as file:
        return file.read()


def _listed(paths: Union[None, Path, Sequence[Path]]) -> List[Path]:
    if paths is None:
        return []
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _paths(name: str, paths: Union[None, Path, Sequence[Path]]) -> Optional[List[bytes]]:
    if paths is None:
        return None
    listed = _listed(paths)
    if not listed:
        raise ValueError(f"{name}: name at least one file")
    return [path_bytes(path) for path in listed]


def _annotate(source: Source, module_map: Optional[Path], min_confidence: float = 0.0,
              rules: Optional[Path] = None,
              checkpoint: Optional[Checkpoint] = None) -> Annotated:
    annotated = source.model.annotate(module_map=_path_or_none(module_map),
                                      checkpoint=_paths("checkpoint", checkpoint),
                                      min_confidence=share("min_confidence", min_confidence),
                                      rules=_text_or_none(rules))
    if rules is not None or checkpoint is not None:
        for warning in annotated.warnings:
            python_warnings.warn(warning, stacklevel=3)
    return annotated


def _flat(source: Source, weights: bool) -> Source:
    """A folded model as it was before, for questions that are asked of that."""
    source.model = source.model.flat(weights)
    return source


@told_by_form
def tag(model: Any, output: Optional[Path] = None, *, sidecar: Union[Path, bool] = True,
        sidecar_only: bool = False, in_place: bool = False, force: bool = False,
        name_nodes: "Union[bool, Literal['unique']]" = False, module_map: Optional[Path] = None,
        min_confidence: float = 0.0, rules: Optional[Path] = None,
        checkpoint: Optional[Checkpoint] = None,
        external_data: "ExternalData" = "refuse", sync: bool = True,
        progress: Optional[Progress] = None) -> Any:
    """Writes each node's module into its doc_string.

    A path: writes the files that `onnx-hier tag` writes, IN_tagged.onnx and
    IN_tagged_hierarchy.json, and returns what that prints with --json of one file. Bytes: returns
    the tagged bytes. An onnx.ModelProto or onnx_ir.Model: sets the doc_strings of its nodes and
    returns it; its weights are not looked at.

    >>> onnx_hier.tag("bert.onnx")["output"]
    'bert_tagged.onnx'
    >>> onnx_hier.tag(onnx.load("bert.onnx")).graph.node[5].doc_string[:26]
    '{"hierarchy_path":"/bert",'

    `sidecar`: its path, or False for none. `sidecar_only`: no model. `name_nodes`: gives each node
    without a name one; "unique": also each one whose name others have, too. `module_map`: JSON with
    the classes of modules. `min_confidence`: each node gets a module that holds it with this
    probability. `rules`: a file of what you know better. `checkpoint`: where the weights come from
    (safetensors, an index of several, GGUF, ONNX; a path or several): they are found there by what
    they hold, and their names tell. `progress`: is called with the bytes written and those there
    are.
    """
    started = time.monotonic()
    files = _Files(force, in_place, external_data, sync, progress)
    source = open_source(model, contents=checkpoint is not None)
    _only_for_files(source, output=output, in_place=in_place, sidecar_only=sidecar_only,
                    sidecar=None if isinstance(sidecar, bool) else sidecar)
    annotated = _annotate(source, module_map, min_confidence, rules, checkpoint)
    return _finish_tagging(source, annotated, files, started, output=output, sidecar=sidecar,
                           sidecar_only=sidecar_only, name_nodes=name_nodes,
                           reads=[module_map, rules, *_listed(checkpoint)])


def _finish_tagging(source: Source, annotated: Annotated, files: _Files, started: float, *,
                    output: Optional[Path], sidecar: Union[Path, bool], sidecar_only: bool,
                    name_nodes: Union[bool, str], reads: Sequence[Optional[Path]]) -> Any:
    if sidecar_only and (output is not None or files.in_place or sidecar is False or name_nodes):
        raise ValueError("sidecar_only writes no model: it goes with none of output, in_place, "
                         "name_nodes and sidecar=False")
    if name_nodes not in (True, False, "unique"):
        raise ValueError("name_nodes is True, False or 'unique'")
    tagged = annotated.make(b"tag", name_nodes=bool(name_nodes),
                            unique_names=name_nodes == "unique")
    if not source.is_file:
        for warning in annotated.warnings:
            python_warnings.warn(warning, stacklevel=4)
        return source.edited(tagged)
    target = files.target(source, output, "_tagged")
    beside = _stem(target) + "_hierarchy.json" if sidecar is True else sidecar
    paths = [None if sidecar_only else target, None if beside is False else beside]
    lost = files.write(tagged, paths, reads)
    told = tagged.describe(
        _path_or_none(paths[0]), lost, sidecar=_path_or_none(paths[SIDECAR]),
        named=tagged.told["named"] if name_nodes else None,
        milliseconds=(time.monotonic() - started) * 1000)
    return told["files"][0]


@path_by_form
def strip(model: Any, output: Optional[Path] = None, *, in_place: bool = False,
          force: bool = False, external_data: "ExternalData" = "refuse", sync: bool = True,
          progress: Optional[Progress] = None) -> Any:
    """Takes the tags out again: a file or bytes are as they were before `tag`, byte for byte.

    A path: writes IN_stripped.onnx and returns its path. Bytes: returns the stripped bytes. An
    onnx.ModelProto or onnx_ir.Model: gives the nodes their doc_strings back and returns it.

    >>> contents = open("bert.onnx", "rb").read()
    >>> onnx_hier.strip(onnx_hier.tag(contents)) == contents
    True
    """
    files = _Files(force, in_place, external_data, sync, progress)
    source = open_source(model)
    _only_for_files(source, output=output, in_place=in_place)
    stripped = source.model.make(b"strip")
    if not source.is_file:
        return source.edited(stripped)
    target = files.target(source, output, "_stripped")
    files.write(stripped, [target])
    return target


def check(model: AnyModel, *, tags: Optional[Path] = None, fresh: bool = False,
          contamination: bool = True, coverage: bool = False,
          module_map: Optional[Path] = None, rules: Optional[Path] = None,
          checkpoint: Optional[Checkpoint] = None) -> Told:
    """Finds tags that name a wrong layer or module; returns what `onnx-hier check --json` prints.

    `tags`: a sidecar whose tags are checked instead of those in the model. `fresh`: checks what
    `tag` would write. `coverage`: looks for missing tags and unknown modules. `rules`: a file of
    what you know better than names do, and of what must hold. `checkpoint`: as of tag().

    >>> onnx_hier.check("bert.onnx", fresh=True)["findings"]
    []
    """
    source = open_source(model, contents=checkpoint is not None)
    return source.model.check(sidecar=_text_or_none(tags), rules=_text_or_none(rules),
                              fresh=bool(fresh), contamination=bool(contamination),
                              coverage=bool(coverage), module_map=_path_or_none(module_map),
                              checkpoint=_paths("checkpoint", checkpoint))


def weights(model: AnyModel, checkpoint: Checkpoint, *, require: Optional[Patterns] = None,
            tolerance: Optional[float] = None, module_map: Optional[Path] = None,
            rules: Optional[Path] = None) -> Told:
    """Which initializer is which tensor of the checkpoint that the model comes from.

    Returns what `onnx-hier weights --json` prints: "weights" has an object for each initializer,
    "missing" the tensors that the model does not hold. `checkpoint`: safetensors, an index of
    several, GGUF or an ONNX model; a path or several. `require`: "all", or patterns of modules:
    "unmet" lists those of their tensors that the model does not hold, or with a larger error than
    `tolerance`.

    >>> onnx_hier.weights("bert.onnx", "bert.onnx", require="all")["tensors"]
    {'found': 43, 'folded': 0, 'missing': 0}
    """
    source = open_source(model, contents=True)
    return source.model.weights(checkpoint=_paths("checkpoint", checkpoint), tolerance=tolerance,
                                require=None if require is None else _modules("require", require),
                                module_map=_path_or_none(module_map), rules=_text_or_none(rules))


def hierarchy(model: AnyModel, *, module_map: Optional[Path] = None, min_confidence: float = 0.0,
              rules: Optional[Path] = None,
              checkpoint: Optional[Checkpoint] = None) -> Hierarchy:
    """The modules of a model, with their nodes and parameters. `rules`: of what you know better.
    `checkpoint`: as of tag().

    >>> h = onnx_hier.hierarchy("bert.onnx")
    >>> len(h["bert.encoder.layer.*"].nodes)
    218
    """
    return _hierarchy(open_source(model, contents=checkpoint is not None), dict(
        module_map=module_map, min_confidence=min_confidence, rules=rules, checkpoint=checkpoint))


def _hierarchy(source: Source, options: Dict[str, Any]) -> Hierarchy:
    source = _flat(source, weights=options.get("checkpoint") is not None)
    return Hierarchy(_annotate(source, **options), source, options)


def _again(model: Any, size: Optional[int], options: Dict[str, Any]) -> Hierarchy:
    """One that was pickled: of a path and the size of the file, or of bytes."""
    if size is None:
        return _hierarchy(Bytes(Model.from_bytes(model, "<bytes>")), options)
    if os.path.getsize(model) != size:
        raise ValueError(f"{model}: is another file than when its hierarchy was pickled")
    return _hierarchy(open_source(model), options)


def explain(model: AnyModel, *nodes: Any, module: Optional[Patterns] = None,
            module_map: Optional[Path] = None) -> List[Dict[str, Any]]:
    """Why nodes have their modules: an object for each, as `onnx-hier explain --json` prints them.

    Nodes are named by their ids, their names, values that they make, what `hierarchy` gives, or
    NodeProtos; a pattern of modules means all of their nodes, as `module` does. KeyError: there is
    no such node or module.

    >>> onnx_hier.explain("bert.onnx", "/bert/Gather_1")[0]["method"]
    'node_name'
    """
    h = _hierarchy(open_source(model), dict(module_map=module_map))
    places = {node.id: number for number, node in enumerate(h.nodes)}
    numbers: List[int] = []
    for word in _each(nodes):
        try:
            numbers.append(places[h.node(str(word) if isinstance(word, int) else word).id])
        except KeyError:
            if not isinstance(word, str) or word not in h:
                raise
            numbers += (places[node.id] for node in h[word].nodes)
    if module is not None:
        numbers += (places[node.id] for node in h[words_of("module", module)].nodes)
    return h._annotated.ask(b"explain", nodes=" ".join(map(str, dict.fromkeys(numbers))))["nodes"]


def _each(words: Sequence[Any]) -> List[Any]:
    """Of words and lists of words."""
    return [each for word in words for each in (word if isinstance(word, (list, tuple)) else [word])]


def select(model: AnyModel, *patterns: Patterns, op_types: Patterns = (), exclude: Patterns = (),
           own: bool = False, below: Optional[float] = None, values: "Optional[Literal['inputs', 'outputs', 'all']]" = None,
           ids: bool = False, module_map: Optional[Path] = None) -> List[str]:
    """Names of the nodes in some modules, for tools that go by names.

    Without a pattern, of all modules. `op_types`: of these operators only. `exclude`: without the
    nodes of these modules. `own`: not those of modules inside. `below`: whose module is less sure
    than this. `values`: names of values instead, "inputs", "outputs" or "all" of the nodes. `ids`:
    places in the file. Nodes without a name are left out with a warning. KeyError: a pattern means
    no module.

    >>> onnx_hier.select("bert.onnx", "**.intermediate", op_types=["MatMul"])
    ['/bert/encoder/layer.0/intermediate/dense/MatMul', '/bert/encoder/layer.1/intermediate/dense/MatMul']
    """
    if values not in (None, "inputs", "outputs", "all"):
        raise ValueError(f"values is inputs, outputs or all, not '{values}'")
    if values is not None and ids:
        raise ValueError("values have no ids")
    annotated = _annotate(open_source(model), module_map)
    words = [*words_of("patterns", _each(patterns)),
             *("!" + pattern for pattern in words_of("exclude", exclude))]
    found = annotated.ask(b"select", pattern=words, op_type=operators_of([op_types]),
                          own=bool(own), below=None if below is None else share("below", below),
                          **{"as": values or ("ids" if ids else "names")})
    if not found["nodes"]:
        for op_type in found["unknown_operators"]:
            python_warnings.warn(f"no node of the model is a '{op_type}'", stacklevel=2)
    names = found["names"]
    if values is not None:
        return names
    if ids:
        return names
    nameless = names.count("")
    if nameless:
        python_warnings.warn(
            f"{nameless} of {len(names)} nodes have no name and are left out; tag(model, "
            "name_nodes=True) gives them names", stacklevel=2)
    return each_once(names)


@told_by_form
def extract(model: Any, patterns: Optional[Patterns] = None, output: Optional[Path] = None, *,
            inputs: Optional[Patterns] = None, outputs: Optional[Patterns] = None,
            call: Optional[int] = None, graph: Optional[str] = None, reach: "Literal['modules', 'up_to', 'from']" = "modules",
            force: bool = False, module_map: Optional[Path] = None,
            external_data: "Optional[PartData]" = None, sync: bool = True) -> Any:
    """Makes modules, or what lies between values, a model of their own.

    A path: writes the part, by the name that `onnx-hier extract` would give it, and returns what
    that prints with --json. Bytes: returns the part's bytes. An onnx.ModelProto: returns a new one.

    >>> layer = onnx_hier.extract(onnx.load("bert.onnx"), "bert.encoder.layer.1")
    >>> [value.name for value in layer.graph.output]
    ['/bert/encoder/layer.1/output/LayerNorm/Add_1_output_0']

    A pattern that means no module may be the id or name of a node, or the name of a value.
    `inputs`, `outputs`: instead of patterns, names of values that the part is given and gives out;
    without `outputs`, what of the model's outputs needs `inputs`.

    `call`: of a module that runs several times, which run (from 0). `graph`: of what is in both
    branches of an If, which ("then_branch", "1045/then_branch"). `reach`: "up_to" with all that
    the modules need, "from" with all that needs them. `external_data`: "cut" writes what the part
    reads of the model's data files beside it, as "part.data" (what happens in another folder than
    the model's if nothing is said); "copy" copies these files; "keep" leaves them where they are.
    """
    if reach not in ("modules", "up_to", "from"):
        raise ValueError(f"reach is modules, up_to or from, not '{reach}'")
    has_values = inputs is not None or outputs is not None
    if patterns is None and not has_values:
        raise ValueError("patterns: name at least one module")
    if has_values and (patterns is not None or reach != "modules"):
        raise TypeError("extract takes patterns, or else inputs, outputs or both, without reach")
    files = _Files.of_parts(force, external_data, sync)
    source = _flat(open_source(model), weights=True)
    _only_for_files(source, output=output)
    annotated = _annotate(source, module_map)
    part = annotated.make(b"extract",
                          pattern=None if patterns is None else _modules("patterns", patterns),
                          inputs=None if inputs is None else _modules("inputs", inputs),
                          outputs=None if outputs is None else _modules("outputs", outputs),
                          call=whole_number("call", call, 0), reach=reach,
                          **({} if graph is None else {"in": graph}))
    if not source.is_file:
        return source.result(write_to_memory(part))
    target = files.target(source, output, part.told["suffix"])
    lost = files.write(part, [target], [module_map], makes_new=True)
    return part.describe(path_bytes(target), lost)


@parts_by_form
def split(model: Any, output_dir: Optional[Path] = None, *, at: Optional[Patterns] = None,
          parts: Optional[int] = None, by: str = "bytes", max_bytes: Optional[int] = None,
          force: bool = False, module_map: Optional[Path] = None,
          external_data: "Optional[PartData]" = None, sync: bool = True, **columns: Any) -> Any:
    """Cuts a model into parts that run one after the other, by its layers if not told otherwise.

    A path: writes the parts and their manifest into `output_dir`, which is made if it is missing,
    and returns the manifest. Bytes: returns a list of bytes. An onnx.ModelProto: a list of them.

    >>> head, *layers, tail = onnx_hier.split(onnx.load("bert.onnx"))
    >>> len(layers)
    2

    `at`: modules or nodes to cut at, or values to cut behind. `parts`: so many, the largest as
    small as can be, `by` "bytes", "nodes", "parameters", a cost such as "macs", or the column of a
    `profile`; with options as of Hierarchy.cost() and Hierarchy.measure(). `max_bytes`: as few as have no more weights each. `external_data`: as
    of extract().
    """
    if sum(rule is not None for rule in (at, parts, max_bytes)) > 1:
        raise ValueError("at, parts and max_bytes exclude each other")
    parts = whole_number("parts", parts, 2)
    max_bytes = whole_number("max_bytes", max_bytes, 0, 2**64 - 1)
    files = _Files.of_parts(force, external_data, sync)
    source = _flat(open_source(model), weights=True)
    _only_for_files(source, output_dir=output_dir)
    if source.is_file and output_dir is None:
        raise TypeError("name the folder for the parts: output_dir")
    annotated = _annotate(source, module_map)
    made = annotated.make(b"split", pattern=None if at is None else _modules("at", at), parts=parts,
                          by=by, max_bytes=max_bytes, **column_options(**columns))
    manifest = made.told
    if source.is_file:
        _write_parts(source, os.fspath(output_dir), made, files, module_map)
        manifest = made.describe(None, [])
    for warning in manifest["warnings"]:
        python_warnings.warn(warning, stacklevel=2)
    if not source.is_file:
        return [source.result(part) for part in made.all_in_memory()[:-1]]
    return manifest


def _write_parts(source: Source, folder: str, made: Product, files: _Files,
                 module_map: Optional[Path]) -> None:
    names = [part["file"] for part in made.told["parts"]]
    names.append(_stem(os.path.basename(source.path)) + "_split.json")
    is_new = not os.path.isdir(folder)
    if is_new:
        os.mkdir(folder)
    try:
        files.write(made, [os.path.join(folder, name) for name in names], [module_map],
                    makes_new=True)
    except BaseException:
        if is_new:
            os.rmdir(folder)
        raise


@told_by_form
def fold(model: Any, output: Optional[Path] = None, *, only: Optional[Patterns] = None,
         repeated: bool = False, min_nodes: Optional[int] = 3, depth: Optional[int] = None,
         in_place: bool = False, force: bool = False, module_map: Optional[Path] = None,
         external_data: "ExternalData" = "refuse", sync: bool = True,
         progress: Optional[Progress] = None) -> Any:
    """Makes modules local functions of the model; alike layers share one.

    A path: writes IN_folded.onnx and returns what `onnx-hier fold --json` prints. Bytes: returns
    the folded bytes. An onnx.ModelProto: returns a new one.

    >>> onnx_hier.fold("bert.onnx", repeated=True)["nodes_after"]
    106

    `only`: these modules. `repeated`: only what shares a function with another run. `min_nodes`:
    of a run. `depth`: so many levels of modules.
    """
    files = _Files(force, in_place, external_data, sync, progress)
    # What unfolding is to give is told by the nodes' bytes.
    source = open_source(model, contents_of_nodes=True)
    _only_for_files(source, output=output, in_place=in_place)
    annotated = _annotate(source, module_map)
    least = 1 if min_nodes is None else whole_number("min_nodes", min_nodes, 1)
    folded = annotated.make(b"fold", pattern=None if only is None else _modules("only", only),
                            repeated=bool(repeated), min_nodes=least,
                            depth=whole_number("depth", depth, 0))
    if not source.is_file:
        return source.result(write_to_memory(folded))
    target = files.target(source, output, "_folded")
    lost = files.write(folded, [target], [module_map])
    return folded.describe(path_bytes(target), lost)


@told_by_form
def unfold(model: Any, output: Optional[Path] = None, *, all_functions: bool = False,
           in_place: bool = False, force: bool = False, external_data: "ExternalData" = "refuse",
           sync: bool = True, progress: Optional[Progress] = None) -> Any:
    """Puts the bodies of functions in the place of their calls: takes back `fold`.

    A path: writes IN_unfolded.onnx and returns {"output", "exact", "functions", ...}; `exact`: it
    is the model that was folded, byte for byte. Bytes: returns the bytes. An onnx.ModelProto:
    returns a new one. `all_functions`: those that others made, too, and those of a model that was
    changed since it was folded, as they are now; without it such a model is a ValueError.

    >>> contents = open("bert.onnx", "rb").read()
    >>> onnx_hier.unfold(onnx_hier.fold(contents)) == contents
    True
    """
    files = _Files(force, in_place, external_data, sync, progress)
    source = open_source(model, contents_of_nodes=True)
    _only_for_files(source, output=output, in_place=in_place)
    unfolded = source.model.make(b"unfold", all=bool(all_functions))
    if not source.is_file:
        return source.result(write_to_memory(unfolded))
    target = files.target(source, output, "_unfolded")
    lost = files.write(unfolded, [target])
    return {"input": source.path, "output": target, **unfolded.told, "warnings": lost}


@applied_by_form
def apply(tags: Any, model: Any, output: Optional[Path] = None, *,
          sidecar: Union[Path, bool] = False, strict: bool = False, in_place: bool = False,
          force: bool = False, module_map: Optional[Path] = None,
          checkpoint: Optional[Checkpoint] = None, external_data: "ExternalData" = "refuse",
          sync: bool = True, progress: Optional[Progress] = None) -> Any:
    """Writes the tags of a sidecar, or of the original, into a model.

    `tags` is a sidecar (a path, or the object that it holds), or the model that the other one was
    made from (a path, bytes, onnx.ModelProto; contents of its weights are compared). A path for
    `model`: writes IN_tagged.onnx and returns what became of it. Bytes: returns the tagged bytes.
    An onnx.ModelProto or onnx_ir.Model: is tagged itself.

    >>> onnx_hier.apply("bert.onnx", "bert_optimised.onnx")["output"]
    'bert_optimised_tagged.onnx'

    ValueError if the original seems to have been made from the model: `force` takes them as they
    are. `strict`, of a sidecar: ValueError unless every entry and every node matches. `sidecar`, of an
    original: where to write one; True for beside the model. `checkpoint`, of an original: as of tag().
    """
    files = _Files(force, in_place, external_data, sync, progress)
    if not isinstance(tags, dict) and not _is_sidecar(tags):
        return _apply_original(tags, model, files, output, sidecar, module_map, checkpoint)
    if checkpoint is not None:
        raise ValueError("checkpoint is for an original: a sidecar says all that it did")
    if sidecar is not False:
        raise ValueError("sidecar is for an original: of a sidecar, there is one")
    text, name = _sidecar_text(tags)
    source = open_source(model)
    _only_for_files(source, output=output, in_place=in_place)
    tagged = source.model.make(b"apply", sidecar=text, name=name)
    problems = tagged.told["problems"]
    if strict and problems:
        raise ValueError(f"{name}: does not match in {len(problems)} places, the first: "
                         f"{problems[0]}")
    if not source.is_file:
        return source.edited(tagged)
    target = files.target(source, output, "_tagged")
    lost = files.write(tagged, [target], [] if isinstance(tags, dict) else [tags])
    return {"input": source.path, "output": target, "nodes": source.model.nodes,
            "tagged": tagged.told["matched"], "problems": problems, "warnings": lost}


# Of a model: the field with which exporters begin, the IR version, is no character of a text.
_FIRST_BYTE = b"\x08"


def _is_sidecar(tags: Any) -> bool:
    if not isinstance(tags, (str, os.PathLike)):
        return False
    if os.fspath(tags).endswith(".onnx"):
        return False
    with open(tags, "rb") as file:
        return file.read(1) != _FIRST_BYTE


def _sidecar_text(tags: Any) -> Tuple[Any, str]:
    if isinstance(tags, dict):
        return json.dumps(tags), "<sidecar>"
    with open(tags, "rb") as file:
        return file.read(), os.fspath(tags)


def _apply_original(original: Any, model: Any, files: _Files, output: Optional[Path],
                    sidecar: Union[Path, bool], module_map: Optional[Path],
                    checkpoint: Optional[Checkpoint]) -> Any:
    started = time.monotonic()
    made_from = _flat(open_source(original, contents=True), weights=True)
    source = open_source(model, contents=True)
    _only_for_files(source, output=output, in_place=files.in_place, sidecar=sidecar)
    annotated = source.model.annotate(made_from.model, module_map=_path_or_none(module_map),
                                      checkpoint=_paths("checkpoint", checkpoint),
                                      any_order=bool(files.force))
    reads = [module_map, original if made_from.is_file else None, *_listed(checkpoint)]
    return _finish_tagging(source, annotated, files, started, output=output, sidecar=sidecar,
                           sidecar_only=False, name_nodes=False, reads=reads)


def diff(a: AnyModel, b: AnyModel, *, structure: bool = True, weights: bool = True,
         depth: Optional[int] = None) -> Told:
    """Which modules changed from one model to another: what `onnx-hier diff --json` prints.

    Members of lists that were inserted or removed are in `only_in_one`, those that have other
    numbers since in `renumbered`; `difference` of a module says how far its weights are apart.
    `weights=False`: operators, wiring and shapes only, and no weights are read.
    `structure=False`: what parameters hold only. `depth`: so many levels of modules.

    >>> onnx_hier.diff("bert.onnx", "bert_optimised.onnx")["same"] > 0
    True
    """
    if not structure and not weights:
        raise ValueError("structure or weights: something must be compared")
    return json.loads(_diff(*_compared(a, b, weights), structure=bool(structure),
                            weights=bool(weights), depth=whole_number("depth", depth, 0)))


def _compared(a: Any, b: Any, weights: bool) -> List[Annotated]:
    return [_annotate(_flat(open_source(model, contents=weights, contents_of_nodes=True),
                            weights=True), None) for model in (a, b)]
