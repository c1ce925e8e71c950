# SPDX-License-Identifier: Apache-2.0
"""The modules of a model, and what is in them."""

import ctypes
import json
import os
import warnings as python_warnings
from dataclasses import dataclass, field, fields
from html import escape
from typing import (TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence,
                    Tuple, Union, overload)

from ._arguments import whole_number, words_of
from ._memory import HeldBytes
from ._source import SIDECAR, Source, write_to_memory

if TYPE_CHECKING:
    import pandas

Words = Union[str, Iterable[str]]


class _Group:
    """What one module and several have in common."""

    _hierarchy: "Hierarchy"

    def _places(self) -> List[int]:
        raise NotImplementedError

    @property
    def nodes(self) -> List["Node"]:
        """Of the modules and all that is inside them, in the order of the file."""
        return self._hierarchy._pick_nodes(self._places(), own=False)

    @property
    def own_nodes(self) -> List["Node"]:
        """Of the modules themselves."""
        return self._hierarchy._pick_nodes(self._places(), own=True)

    @property
    def parameters(self) -> List["Parameter"]:
        """Of the modules and all that is inside them."""
        return self._hierarchy._pick_parameters(self._places(), own=False)

    @property
    def own_parameters(self) -> List["Parameter"]:
        """Of the modules themselves."""
        return self._hierarchy._pick_parameters(self._places(), own=True)

    def node_names(self, *op_types: Words) -> List[str]:
        """Names of the nodes, each once; of these operators only, if any are given.

        Nodes without a name are left out: `tag(model, name_nodes=True)` gives them one. ValueError:
        an operator is one of the model's but for its case.

        >>> h = onnx_hier.hierarchy("bert.onnx")
        >>> h["bert.encoder.layer.0.output"].node_names(["MatMul", "Gemm"])
        ['/bert/encoder/layer.0/output/dense/MatMul']
        """
        asked = operators_of(op_types)
        nodes = self.nodes
        known = {node.op_type for node in self._hierarchy.nodes}
        for op_type in asked:
            near = next((each for each in known if each.lower() == op_type.lower()), op_type)
            if near != op_type:
                raise ValueError(f"no node of the model is a '{op_type}'; did you mean '{near}'?")
        if asked and not any(node.op_type in asked for node in nodes):
            python_warnings.warn(f"no node here is a {' or '.join(asked)}", stacklevel=2)
        return each_once(node.name for node in nodes if not asked or node.op_type in asked)

    def __getitem__(self, pattern: Words) -> "Modules":
        """What a pattern means inside of them."""
        around = [self._hierarchy.modules[number].qualified_name for number in self._places()]
        found: List[int] = []
        for word in words_of("patterns", pattern):
            inner = [".".join(filter(None, (name, word.lstrip("/").replace("/", "."))))
                     for name in around]
            meant = [each for each in inner if each in self._hierarchy]
            if not meant:
                raise KeyError(f"no module in {self!r} is meant by '{word}'")
            found += self._hierarchy[tuple(meant)]._numbers
        return Modules(self._hierarchy, list(dict.fromkeys(found)))


def operators_of(op_types: Sequence[Words]) -> List[str]:
    """"MatMul", ["MatMul", "Gemm"] and "MatMul,Gemm", as one list."""
    words = [word for each in op_types for word in words_of("op_types", each)]
    return [name.strip() for word in words for name in word.split(",") if name.strip()]


@dataclass(frozen=True)
class Module(_Group):
    """A module of the network.

    Counts with `own` leave out the modules inside it. Parameters are counted by their elements.
    `level` is 0 for the root; a `leaf` has no modules inside; `library` ("torch.nn") is known where
    the class is. `state` is "no nodes" for a module of the module map that was folded away or is
    never called, else None. `read_in` is known of a module that holds parameters and no node: the
    module that contains all nodes that read them.

    >>> self_attention = onnx_hier.hierarchy("bert.onnx")["bert.encoder.layer.0.attention.self"]
    >>> [child.path.split("/")[-1] for child in self_attention.children]
    ['query', 'key', 'value']
    >>> self_attention.parent.path
    '/bert/encoder/layer.0/attention'
    """

    path: str
    qualified_name: str
    class_name: str
    parent_path: Optional[str]
    calls: int
    own_node_count: int
    node_count: int
    own_parameter_count: int
    parameter_count: int
    parameter_bytes: int
    level: int
    leaf: bool
    library: Optional[str]
    state: Optional[str]
    read_in: Optional[str]
    _hierarchy: "Hierarchy" = field(repr=False, compare=False)
    _place: int = field(repr=False, compare=False)

    def _places(self) -> List[int]:
        return [] if self._place < 0 else [self._place]

    @property
    def parent(self) -> Optional["Module"]:
        return self._hierarchy._module_at(self.parent_path)

    @property
    def children(self) -> List["Module"]:
        return [module for module in self._hierarchy.modules if module.parent_path == self.path]

    def __repr__(self) -> str:
        return f"Module({self.path})"

    def to_dict(self) -> Dict[str, Any]:
        """As JSON has it."""
        return {each.name: getattr(self, each.name) for each in fields(self)
                if not each.name.startswith("_")}


@dataclass(frozen=True)
class Node:
    """A node of the model, and the module that owns it.

    `id` is its place in the file: "12", or "1045/then_branch/0" in a graph inside of a node.
    `auxiliary` are the other modules whose values meet in it; with `by_call` it is in the body of a
    function that stands for a module in each call, and these own it in further calls.
    """

    id: str
    name: str
    op_type: str
    domain: str
    module: str
    auxiliary: Tuple[str, ...]
    method: str
    confidence: float
    containment: float
    call: int
    by_call: bool
    outputs: Tuple[str, ...]


@dataclass(frozen=True)
class Parameter:
    """An initializer, or a constant that holds weights. `data_type` is that of a TensorProto, and
    `dtype` its name: "float32"."""

    name: str
    module: str
    data_type: int
    shape: Tuple[int, ...]
    elements: int
    bytes: int

    @property
    def dtype(self) -> str:
        known = self.data_type < len(_DATA_TYPES)
        return _DATA_TYPES[self.data_type] if known else f"type {self.data_type}"


# TensorProto.DataType, onnx.proto of ONNX 1.20.
_DATA_TYPES = ("undefined", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string",
               "bool", "float16", "float64", "uint32", "uint64", "complex64", "complex128",
               "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
               "uint4", "int4", "float4e2m1", "float8e8m0")


@dataclass(frozen=True)
class Measure:
    """Numbers by module: what `h.measure(...)` gives.

    `own` leaves out the modules inside a module, `totals` have them; both go by its path, and are
    None where nothing is known. `unknown` counts amounts that are not known: a total is at least
    what it says. Where `unit` is "words", `words` says how often which word was said in a module
    and inside it. What no module is known of is `not_placed`.
    """

    id: str
    title: str
    unit: str
    adds: str
    total: float
    not_placed: float
    own: Dict[str, Optional[float]]
    totals: Dict[str, Optional[float]]
    unknown: Dict[str, int]
    words: Dict[str, Dict[str, float]]


class Modules(_Group):
    """Some modules of a hierarchy: `hierarchy["encoder.layer.*"]`.

    One that is alone may be asked what a Module is: `hierarchy["encoder.layer.3"].path`.
    """

    if TYPE_CHECKING:
        path: str
        qualified_name: str
        class_name: str
        parent: Optional[Module]
        children: List[Module]
        node_count: int
        parameter_count: int
        parameter_bytes: int

    def __init__(self, hierarchy: "Hierarchy", numbers: Sequence[int]) -> None:
        self._hierarchy = hierarchy
        self._numbers = list(numbers)

    def _places(self) -> List[int]:
        return self._numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Module]:
        return (self._hierarchy.modules[number] for number in self._numbers)

    def __repr__(self) -> str:
        return f"Modules({', '.join(module.path for module in self)})"

    @overload
    def __getitem__(self, key: int) -> Module: ...
    @overload
    def __getitem__(self, key: slice) -> List[Module]: ...
    @overload
    def __getitem__(self, key: Words) -> "Modules": ...

    def __getitem__(self, key: Any) -> Any:
        """The module at a place, or what a pattern means inside of them."""
        if isinstance(key, (int, slice)):
            return self.modules[key]
        return super().__getitem__(key)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in (*Module.__dataclass_fields__, "parent", "children",
                                                "to_dict"):
            raise AttributeError(name)
        if len(self._numbers) != 1:
            raise AttributeError(f"{name} is of one module, and these are {len(self._numbers)}: "
                                 "[0] is the first")
        return getattr(self._hierarchy.modules[self._numbers[0]], name)

    @property
    def modules(self) -> List[Module]:
        return list(self)


def each_once(names: Iterable[str]) -> List[str]:
    """In their order, without empty ones."""
    return [name for name in dict.fromkeys(names) if name]


class Hierarchy:
    """The module hierarchy of a model: what `hierarchy(model)` gives.

    >>> h = onnx_hier.hierarchy("bert.onnx")
    >>> h["/bert/encoder/layer.*"]
    Modules(/bert/encoder/layer.0, /bert/encoder/layer.1)
    >>> sum(p.elements for p in h["bert.encoder.layer.1"].parameters)
    8544
    >>> print(h.tree(depth=1))
    module   nodes  parameters      size
    /          300      26,884  107.5 kB
    ├─ bert    277      22,464   89.9 kB
    └─ cls      23       4,420   17.7 kB
    <BLANKLINE>
    """

    def __init__(self, annotated: Any, source: Source, options: Dict[str, Any]) -> None:
        self._annotated = annotated
        self._source = source
        self._options = options  # of hierarchy()
        self._modules: Optional[List[Module]] = None
        self._by_path: Dict[str, Module] = {}
        self._by_name: Dict[str, Node] = {}
        self._nodes: Optional[List[Node]] = None
        self._parameters: Optional[List[Parameter]] = None

    @property
    def dialect(self) -> str:
        """How the file's names are written: "torchscript-scoped", "dynamo" ..."""
        return self._annotated.ask(b"facts")["dialect"]

    @property
    def modules(self) -> List[Module]:
        """All modules, the root first, each before those inside it."""
        if self._modules is None:
            self._modules = self._list_modules(all=False)
        return self._modules

    @property
    def network(self) -> List[Module]:
        """Likewise, with the modules of the module map in which nothing computes."""
        return self._list_modules(all=True)

    @property
    def nodes(self) -> List[Node]:
        """All nodes, in the order of the file."""
        if self._nodes is None:
            columns = self._annotated.ask(b"nodes")
            auxiliary: List[Tuple[str, ...]] = [()] * len(columns["id"])
            for number, modules in columns["auxiliary"]:
                auxiliary[number] = tuple(modules)
            columns["auxiliary"] = auxiliary
            columns["outputs"] = map(tuple, columns["outputs"])
            self._nodes = _rows(Node, columns)
        return self._nodes

    @property
    def parameters(self) -> List[Parameter]:
        if self._parameters is None:
            columns = self._annotated.ask(b"parameters")
            columns["shape"] = map(tuple, columns["shape"])
            self._parameters = _rows(Parameter, columns)
        return self._parameters

    def __getitem__(self, patterns: Words) -> Modules:
        """The modules that a pattern means, or several with commas between.

        Patterns are those of the command line: a path ("/encoder/layer.1") or qualified name
        ("encoder.layer.1") in which "*" is any part of one name, "**" any number of names, "[2-5]"
        a number, "{a,b}" either, "@Name" a class. The name of a list means its members. KeyError:
        one of them means no module; it names the nearest ones.
        """
        if isinstance(patterns, (int, slice)):
            raise TypeError("patterns: a str or several are wanted, not int; h.modules[0] is a module, "
                            "h.node(0) a node")
        return Modules(self, self._annotated.ask(b"find", pattern=words_of("patterns", patterns)))

    def __contains__(self, pattern: object) -> bool:
        try:
            return isinstance(pattern, str) and len(self[pattern]) > 0
        except KeyError:
            return False

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)

    @property
    def root(self) -> Module:
        return self.modules[0]

    def node(self, which: Any) -> Node:
        """A node, by its name, its id, a value that it makes, its place, or as a NodeProto.

        >>> onnx_hier.hierarchy("bert.onnx").node("/bert/encoder/layer.1/output/Add").module
        '/bert/encoder/layer.1/output'
        """
        if isinstance(which, int):
            return self.nodes[which]
        if isinstance(which, Node):
            return which
        if not self._by_name:
            for node in self.nodes:
                for name in filter(None, (node.name, *node.outputs, node.id)):
                    self._by_name.setdefault(name, node)
            self._by_name.update({node.name: node for node in reversed(self.nodes) if node.name})
        key = which
        if not isinstance(which, str):  # what has no name is known by what it makes
            key = which.name or next(filter(None, which.output), "")
        if key not in self._by_name:
            raise KeyError(f"there is no node with the id or name '{key}', nor one that makes it")
        return self._by_name[key]

    def __repr__(self) -> str:
        return self.tree()

    def _repr_html_(self) -> str:
        """For notebooks: the page, in a frame of its own."""
        page = self.report()
        return ('<iframe sandbox="allow-scripts" style="width:100%;height:720px;border:0" '
                f'srcdoc="{escape(page)}"></iframe>')

    def report(self, **options: Any) -> str:
        """The page that `onnx-hier report` writes; options as of onnx_hier.report()."""
        return self._annotated.text(b"report", **column_options(**options))

    def to_dict(self) -> Dict[str, Any]:
        """The same as sidecar()."""
        return self.sidecar()

    def to_pandas(self, what: str = "modules") -> "pandas.DataFrame":
        """The "modules", "nodes" or "parameters" as a table."""
        import pandas

        if what not in ("modules", "nodes", "parameters"):
            raise ValueError(f"what is modules, nodes or parameters, not '{what}'")
        rows = getattr(self, what)
        names = [each.name for each in fields({"modules": Module, "nodes": Node}.get(what, Parameter))
                 if not each.name.startswith("_")]
        return pandas.DataFrame({name: [getattr(row, name) for row in rows] for name in names})

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        """Of a file, its path and size; of what was in memory, that without weights."""
        from ._api import _again

        held = self._source.model.needs
        if self._source.is_file:
            path = os.path.abspath(self._source.path)
            return _again, (path, os.path.getsize(path), self._options)
        if not isinstance(held, HeldBytes):
            raise TypeError("a hierarchy of an open file cannot be pickled: give its path or bytes")
        return _again, (ctypes.string_at(held.address, held.size), None, self._options)

    def __copy__(self) -> "Hierarchy":
        return self  # nothing changes it

    def __deepcopy__(self, _: Any) -> "Hierarchy":
        return self

    def __str__(self) -> str:
        return self.tree()

    def tree(self, depth: Optional[int] = None, *, columns: Union[str, Sequence[str]] = (),
             sort: Optional[str] = None) -> str:
        """The picture that `onnx-hier tree` draws, of so many levels.

        >>> print(onnx_hier.hierarchy("bert.onnx").tree(depth=1, columns=["nodes", "unsure"]))
        module   nodes  unsure
        /          300       0
        ├─ bert    277       0
        └─ cls      23       0
        <BLANKLINE>
        """
        return self._annotated.text(b"tree", depth=whole_number("depth", depth, 0),
                                    columns=words_of("columns", columns), sort=sort)

    def measure(self, column: Optional[str] = None, *, profile: Union[str, "os.PathLike[str]", None] = None,
                key: Optional[str] = None, value: Optional[str] = None,
                adds: Optional[str] = None) -> Measure:
        """A number by module: a column of `onnx-hier tree` ("nodes", "operators", "confidence"
        ...), or what a profile or any table by node comes to: CSV, TSV or JSON, whose columns `key`
        and `value` are meant, its rows added up as `adds` says: "sum", "mean", "most" or "count".

        >>> h = onnx_hier.hierarchy("bert.onnx")
        >>> h.measure("nodes").totals["/bert/encoder"]
        218
        >>> h.measure("operators").words["/cls/predictions/decoder"]
        {'Add': 1, 'MatMul': 1}
        """
        return self._measure(column=column, key=key, value=value, adds=adds,
                             profile=None if profile is None else os.fsencode(profile))

    def cost(self, *, shapes: Optional[Mapping[str, Sequence[int]]] = None,
             dims: Optional[Mapping[str, int]] = None,
             device: Optional[str] = None) -> Dict[str, Measure]:
        """What a run costs, by module: multiply-accumulates ("macs"), "operations" of other kinds,
        bytes of activations "read" and "written", the most that are "alive" at a time, "intensity"
        (multiply-accumulates a byte), and for a `device` ("2000:50": 10^9 operations and bytes a
        second at most) the least time ("bound"). `shapes` are those of inputs; `dims` are sizes by
        the names that inputs have for them, of which a batch is 1 if nothing else is said.

        >>> cost = onnx_hier.hierarchy("bert.onnx").cost(dims={"seq": 16})
        >>> cost["macs"].totals["/bert/encoder"]
        294912
        """
        ids = ["macs", "operations", "read", "written", "alive", "intensity"]
        given = column_options(shapes=shapes, dims=dims, device=device)
        del given["columns"]
        return {column: self._measure(column=column, **given)
                for column in ids + ["bound"] * (device is not None)}

    def _measure(self, **options: Any) -> Measure:
        told = self._annotated.ask(b"measure", **options)
        paths = [module.path for module in self.modules]
        told["words"] = told.get("words", [{}] * len(paths))
        for name in ("own", "totals", "unknown", "words"):
            told[name] = dict(zip(paths, told[name]))
        return Measure(**told)

    def sidecar(self) -> Dict[str, Any]:
        """The whole hierarchy as the sidecar has it (schemas/sidecar.schema.json)."""
        return json.loads(write_to_memory(self._annotated.make(b"tag"), SIDECAR))

    def _list_modules(self, all: bool) -> List[Module]:
        columns = self._annotated.ask(b"modules", all=all)
        paths = columns["path"]
        names = {"parent_path": "parent", "own_node_count": "nodes", "node_count": "total_nodes",
                 "own_parameter_count": "parameters", "parameter_count": "total_parameters",
                 "parameter_bytes": "total_parameter_bytes"}
        columns["parent"] = [None if number is None else paths[number]
                             for number in columns["parent"]]
        columns = {each.name: columns.get(names.get(each.name, each.name))
                   for each in fields(Module)}
        columns["_hierarchy"] = [self] * len(paths)
        # Those that only a module map tells of hold nothing.
        places = {module.path: module._place for module in self.modules} if all else {}
        columns["_place"] = [places.get(path, -1) for path in paths] if all else range(len(paths))
        return _rows(Module, columns)

    def _module_at(self, path: Optional[str]) -> Optional[Module]:
        if not self._by_path:
            self._by_path = {module.path: module for module in self.modules}
        return None if path is None else self._by_path[path]

    def _pick_nodes(self, modules: Sequence[int], own: bool) -> List[Node]:
        nodes = self.nodes
        return [nodes[number] for number in self._numbers(b"nodes_of", modules, own)]

    def _pick_parameters(self, modules: Sequence[int], own: bool) -> List[Parameter]:
        parameters = self.parameters
        return [parameters[number] for number in self._numbers(b"parameters_of", modules, own)]

    def _numbers(self, question: bytes, modules: Sequence[int], own: bool) -> List[int]:
        return self._annotated.ask(question, modules=" ".join(map(str, modules)), own=own)


def column_options(*, columns: Words = (), profile: Union[str, "os.PathLike[str]", None] = None,
                   key: Optional[str] = None, value: Optional[str] = None,
                   adds: Optional[str] = None,
                   shapes: Optional[Mapping[str, Sequence[int]]] = None,
                   dims: Optional[Mapping[str, int]] = None,
                   device: Optional[str] = None) -> Dict[str, Any]:
    """What figures of modules are asked for, as the library takes it."""
    return dict(
        columns=words_of("columns", columns), key=key, value=value, adds=adds, device=device,
        profile=None if profile is None else os.fsencode(profile),
        shape=[f"{name}={'x'.join(str(whole_number('a size', size, 0)) for size in shape)}"
               for name, shape in (shapes or {}).items()],
        dim=[f"{name}={whole_number('a size', size, 0)}" for name, size in (dims or {}).items()])


def _rows(row: Any, columns: Dict[str, Any]) -> List[Any]:
    """The library's lists as objects, an item of each list in an object."""
    return list(map(row, *(columns[each.name] for each in fields(row))))
