# SPDX-License-Identifier: Apache-2.0
"""The modules of a model, and what is in them."""

import json
import os
from dataclasses import dataclass, fields
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._arguments import whole_number, words_of
from ._source import SIDECAR, write_to_memory


@dataclass(frozen=True)
class Module:
    """A module of the network, as its sidecar has it.

    `nodes` and `parameters` count its own; totals count what is in the modules inside it, too.
    Parameters are counted by their elements. `level` is 0 for the root; a `leaf` has no modules
    inside; `library` ("torch.nn") is known where the class is. `state` is "no nodes" for a module of
    the module map that was folded away or is never called, else None. `read_in` is known of a module
    that holds parameters and no node: the module that contains all nodes that read them.
    """

    path: str
    qualified_name: str
    class_name: str
    parent: Optional[str]
    calls: int
    nodes: int
    total_nodes: int
    parameters: int
    total_parameters: int
    total_parameter_bytes: int
    level: int
    leaf: bool
    library: Optional[str]
    state: Optional[str]
    read_in: Optional[str]


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


@dataclass(frozen=True)
class Parameter:
    """An initializer, or a constant that holds weights. `data_type` is that of a TensorProto."""

    name: str
    module: str
    data_type: int
    shape: Tuple[int, ...]
    elements: int
    bytes: int


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


class Modules:
    """Some modules of a hierarchy: `hierarchy["encoder.layer.*"]`."""

    def __init__(self, hierarchy: "Hierarchy", numbers: Sequence[int]) -> None:
        self._hierarchy = hierarchy
        self._numbers = list(numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Module]:
        return (self._hierarchy.modules[number] for number in self._numbers)

    def __repr__(self) -> str:
        return f"Modules({', '.join(module.path for module in self)})"

    @property
    def modules(self) -> List[Module]:
        return list(self)

    @property
    def nodes(self) -> List[Node]:
        """Of the modules and all that is inside them, in the order of the file."""
        return self._hierarchy._pick_nodes(self._numbers, own=False)

    @property
    def own_nodes(self) -> List[Node]:
        """Of the modules themselves."""
        return self._hierarchy._pick_nodes(self._numbers, own=True)

    @property
    def parameters(self) -> List[Parameter]:
        """Of the modules and all that is inside them."""
        return self._hierarchy._pick_parameters(self._numbers, own=False)

    @property
    def own_parameters(self) -> List[Parameter]:
        """Of the modules themselves."""
        return self._hierarchy._pick_parameters(self._numbers, own=True)

    def node_names(self, *op_types: str) -> List[str]:
        """Names of the nodes, each once; of these operators only, if any are given.

        Nodes without a name are left out: `tag(model, name_nodes=True)` gives them one.

        >>> h = onnx_hier.hierarchy("bert.onnx")
        >>> h["bert.encoder.layer.0.output"].node_names("MatMul")
        ['/bert/encoder/layer.0/output/dense/MatMul']
        """
        return each_once(node.name for node in self.nodes
                         if not op_types or node.op_type in op_types)


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

    def __init__(self, annotated: Any) -> None:
        self._annotated = annotated
        self._modules: Optional[List[Module]] = None
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
            self._nodes = _rows(Node, columns)
        return self._nodes

    @property
    def parameters(self) -> List[Parameter]:
        if self._parameters is None:
            columns = self._annotated.ask(b"parameters")
            columns["shape"] = map(tuple, columns["shape"])
            self._parameters = _rows(Parameter, columns)
        return self._parameters

    def __getitem__(self, patterns: Union[str, Tuple[str, ...]]) -> Modules:
        """The modules that a pattern means, or several with commas between.

        Patterns are those of the command line: a path ("/encoder/layer.1") or qualified name
        ("encoder.layer.1") in which "*" is any part of one name, "**" any number of names, "[2-5]"
        a number, "{a,b}" either, "@Name" a class. KeyError: one of them means no module; it names
        the nearest ones.
        """
        return Modules(self, self._annotated.ask(b"find", pattern=words_of("patterns", patterns)))

    def __contains__(self, pattern: str) -> bool:
        try:
            return len(self[pattern]) > 0
        except KeyError:
            return False

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
        return self._annotated.tree(depth=whole_number("depth", depth, 0),
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
        given = [f"{name}={'x'.join(str(whole_number('a size', size, 0)) for size in shape)}"
                 for name, shape in (shapes or {}).items()]
        sizes = [f"{name}={whole_number('a size', size, 0)}" for name, size in (dims or {}).items()]
        return {column: self._measure(column=column, shape=given, dim=sizes, device=device)
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
        columns["parent"] = [None if number is None else paths[number]
                             for number in columns["parent"]]
        return _rows(Module, columns)

    def _pick_nodes(self, modules: Sequence[int], own: bool) -> List[Node]:
        nodes = self.nodes
        return [nodes[number] for number in self._numbers(b"nodes_of", modules, own)]

    def _pick_parameters(self, modules: Sequence[int], own: bool) -> List[Parameter]:
        parameters = self.parameters
        return [parameters[number] for number in self._numbers(b"parameters_of", modules, own)]

    def _numbers(self, question: bytes, modules: Sequence[int], own: bool) -> List[int]:
        return self._annotated.ask(question, modules=" ".join(map(str, modules)), own=own)


def _rows(row: Any, columns: Dict[str, Any]) -> List[Any]:
    """The library's lists as objects, an item of each list in an object."""
    return list(map(row, *(columns[each.name] for each in fields(row))))
