# SPDX-License-Identifier: Apache-2.0
"""What the tool's JSON promises, as checks that tests share.

A JSON Schema sees one value at a time. The promises that span values (sums that
add up, a doc_string that says what the sidecar says, key order) are checked
here in plain Python, so that they hold even where jsonschema is not installed.
Every check returns a list of problems, one line each; an empty list is a pass.
"""

import json
from pathlib import Path

try:
    import jsonschema
except ImportError:  # The callers decide whether that skips a test.
    jsonschema = None

DEFAULT_SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
SCHEMA_NAMES = (
    "sidecar",
    "doc_string",
    "tree",
    "tag_result",
    "explain",
    "check_report",
    "verify",
    "formulas",
    "shapes",
    "extract_result",
    "fold_result",
    "numerics",
    "placement",
    "probe",
    "plan",
    "review",
    "verified_placement",
    "profile",
    "diff",
    "split",
    "version",
    "weights",
    "result_line",
)

# More problems of one kind say nothing new.
MAX_PROBLEMS = 5


def load_schemas(folder=DEFAULT_SCHEMAS):
    """Schema documents by name: {"sidecar": {...}, ...}."""
    return {
        name: json.loads((Path(folder) / f"{name}.schema.json").read_text("utf-8"))
        for name in SCHEMA_NAMES
    }


def validators(schemas):
    """A reusable validator for each schema; needs jsonschema."""
    return {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.items()}


def schema_problems(validator, value):
    """Where `value` breaks the schema, most telling first."""
    errors = sorted(validator.iter_errors(value), key=lambda e: list(map(str, e.absolute_path)))
    return [
        f"{'/'.join(map(str, e.absolute_path)) or 'the object'}: {e.message[:300]}"
        for e in errors[:MAX_PROBLEMS]
    ]


def _unique_keys(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result


def _refuse_constant(name):
    raise ValueError(f"{name} is no JSON number")


def parse_json(text):
    """json.loads without Python's leniency: no repeated keys, no NaN."""
    return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)


def every_nth(items, count):
    """At most `count` items, spread evenly, the first and the last among them."""
    items = list(items)
    if len(items) <= count:
        return items
    step = (len(items) - 1) / (count - 1)
    return [items[round(i * step)] for i in range(count)]


def thinned(sidecar, count):
    """The sidecar with at most `count` nodes and modules, for a schema check in
    reasonable time. The root module stays: it comes first."""
    return {
        **sidecar,
        "nodes": every_nth(sidecar["nodes"], count),
        "modules": every_nth(sidecar["modules"], count),
    }


def module_problems(modules):
    """Depth-first order and totals of a sidecar's or a tree's module list."""
    problems = []
    by_path = {}
    ancestors = []  # Paths from the root to the module before.
    child_totals = {}
    for module in modules:
        path, parent = module["path"], module["parent"]
        if path in by_path:
            problems.append(f"module {path} is listed twice")
        by_path[path] = module
        while ancestors and ancestors[-1] != parent:
            ancestors.pop()
        if parent is not None:
            if not ancestors:
                problems.append(f"module {path} does not follow its parent {parent} depth first")
            name = module["qualified_name"]
            if parent in by_path and parent != "/":
                above = by_path[parent]["qualified_name"] + "."
                if not name.startswith(above):
                    problems.append(f"module {path}: {name} does not begin with {above}")
            sums = child_totals.setdefault(parent, dict.fromkeys(("nodes", "parameters"), 0))
            sums["nodes"] += module["total_nodes"]
            sums["parameters"] += module["total_parameters"]
        ancestors.append(path)
    for path, module in by_path.items():
        below = child_totals.get(path, {"nodes": 0, "parameters": 0})
        if module["total_nodes"] != module["nodes"] + below["nodes"]:
            problems.append(f"module {path}: total_nodes is not its own and its children's sum")
        # A parameter shared by two children counts once, so the sum is a bound.
        low, high = module["parameters"], module["parameters"] + below["parameters"]
        if not low <= module["total_parameters"] <= high:
            problems.append(f"module {path}: total_parameters is not within [{low}, {high}]")
    return problems[:MAX_PROBLEMS]


def sidecar_problems(sidecar):
    """Agreement of the sidecar's three parts: modules, nodes and summary."""
    nodes, summary = sidecar["nodes"], sidecar["summary"]
    modules = {module["path"]: module for module in sidecar["modules"]}
    problems = module_problems(sidecar["modules"])

    own = dict.fromkeys(modules, 0)
    by_method = {}
    for node in nodes:
        where = f"node {node['id']}"
        if node["tag"] not in modules:
            problems.append(f"{where}: tag {node['tag']} is not in the module list")
            continue
        own[node["tag"]] += 1
        by_method[node["method"]] = by_method.get(node["method"], 0) + 1
        for path in node["auxiliary"]:
            if path not in modules or path == node["tag"]:
                problems.append(f"{where}: auxiliary {path} is the tag itself or no module")
        if node["call"] >= max(1, modules[node["tag"]]["calls"]):
            problems.append(f"{where}: call {node['call']} of a module with fewer calls")
    for path, count in own.items():
        if count != modules[path]["nodes"]:
            problems.append(f"module {path}: says {modules[path]['nodes']} nodes, {count} carry it")

    if len({node["id"] for node in nodes}) != len(nodes):
        problems.append("two nodes have the same id")
    main_graph = [int(node["id"]) for node in nodes if node["id"].isdecimal()]
    if main_graph != sorted(main_graph):
        problems.append("nodes of the main graph are not in graph order")
    if summary["nodes"] != len(nodes):
        problems.append(f"summary says {summary['nodes']} nodes, {len(nodes)} are listed")
    if summary["by_method"] != by_method:
        problems.append(f"summary.by_method {summary['by_method']} against {by_method}")
    for node in sidecar["nodes"]:
        if node["containment"] < node["confidence"]:
            problems.append(f"node {node['id']} is surer to be there than to be inside")
    unsure = sum(node["confidence"] < 0.5 for node in sidecar["nodes"])
    if summary["unsure"] != unsure:
        problems.append(f"{summary['unsure']} nodes unsure, not {unsure}")
    found = summary["contamination"]
    if found["found"] != found["resolved"] + found["unresolved"]:
        problems.append("contamination found is not resolved + unresolved")
    return problems[:MAX_PROBLEMS]


def explanation_problems(explained, node):
    """An explanation against the same node of a sidecar: it must tell what decided."""
    problems = [
        f"{key} is {explained[key]!r}, the sidecar's {node.get(key, '')!r}"
        for key in ("tag", "auxiliary", "method", "confidence", "containment", "call", "reason")
        if explained[key] != node.get(key, "")
    ]
    reason, grounds = explained["reason"], explained["grounds"]
    if explained["retreat"] == "none" and explained["candidates"] and grounds:
        if explained["candidates"][0]["tag"] != explained["tag"]:
            problems.append("another module was the most likely")
    if grounds:
        decisive = grounds[0]
        if decisive["method"] != explained["method"] or decisive["contribution"] <= 0:
            problems.append(f"{explained['method']} decided, not {decisive}")
        if explained["retreat"] == "none" and f"node {decisive.get('node')}" not in reason:
            if "node " in reason or "node" in decisive:
                problems.append(f"{reason!r} does not name the node of {decisive}")
    else:
        said = [w for w in explained["witnesses"] if w["method"] == explained["method"]]
        said_so = any(w["tag"] == explained["tag"] for w in said)
        follows = explained["method"] in ("readers", "none")
        if not (said_so or follows):
            problems.append(f"nothing that {explained['method']} says decided")
    return problems


def coverage_problems(summary):
    """Every node is tagged. Holds for a sidecar's summary and a tag result."""
    nodes, tagged, coverage = summary["nodes"], summary["tagged"], summary["coverage"]
    if tagged != nodes or coverage != 1:
        return [f"coverage {coverage}: {tagged} of {nodes} nodes have a tag"]
    return []


def doc_string_problems(text, node, module, key_order):
    """One written doc_string against the sidecar's `node` and its `module`.

    `key_order`: the keys in the order of the contract, which is that of the
    schema's `properties`.
    """
    try:
        value = parse_json(text)
    except ValueError as error:
        return [f"doc_string is no JSON: {error}"]
    problems = []
    if "\n" in text:
        problems.append("doc_string has more than one line")
    if list(value) != [key for key in key_order if key in value]:
        problems.append(f"doc_string keys in the order {list(value)}")
    expected = {
        "hierarchy_path": node["tag"],
        "hierarchy_method": node["method"],
        "hierarchy_confidence": node["confidence"],
        "hierarchy_tags": [node["tag"], *node["auxiliary"]],
        "hierarchy_count": 1 + len(node["auxiliary"]),
    }
    if module["calls"] > 1:
        expected["hierarchy_call"] = node["call"]
    for key in (*expected, "hierarchy_call"):
        if value.get(key) != expected.get(key):
            problems.append(
                f"doc_string {key} is {value.get(key)!r}, the sidecar says {expected.get(key)!r}"
            )
    return problems


def extract_problems(result, module):
    """A part that was taken of a module of the sidecar, all its runs."""
    problems = []
    if result["modules"] != [module["path"]]:
        problems.append(f"is of {result['modules']}, not of {module['path']}")
    if result["nodes"] - result["copied"] > module["total_nodes"]:
        problems.append(f"has {result['nodes']} nodes of a module with {module['total_nodes']}")
    if result["copied"] + result["between"] > result["nodes"]:
        problems.append("has more nodes of others than nodes")
    problems += doubled_values(result)
    if bool(result["reentrant"]) != any("come back" in line for line in result["warnings"]):
        problems.append("does not warn of what leaves it and comes back")
    return problems


def doubled_values(part):
    problems = []
    for side in ("inputs", "outputs"):
        names = [value["name"] for value in part[side]]
        if len(set(names)) != len(names):
            problems.append(f"lists one of its {side} twice")
    return problems


def split_problems(split, modules):
    """Parts that run one after the other, of a model with these modules."""
    problems = []
    known = {}  # Type of what earlier parts give.
    modules_seen = set()
    files = [part["file"] for part in split["parts"]]
    if files != sorted(set(files)):
        problems.append("its files are not in the order of the parts")
    for part in split["parts"]:
        problems += [f"{part['file']} {problem}" for problem in doubled_values(part)]
        for value in part["inputs"]:
            if value["module"] is not None and known.get(value["name"]) != value["type"]:
                problems.append(f"{part['file']} reads {value['name']}, which no part before gives")
        known.update({value["name"]: value["type"] for value in part["outputs"]})
        problems += [f"there is no module {path}" for path in part["modules"] if path not in modules]
        if modules_seen & set(part["modules"]):
            problems.append(f"{part['file']} has a module that is whole in another part")
        modules_seen |= set(part["modules"])
        if bool(part["data"]) < bool(part["data_bytes"]):
            problems.append(f"{part['file']} has data in no file")
        if part["copied"] > part["nodes"]:
            problems.append(f"{part['file']} has more copied nodes than nodes")
    if bool(split["shared_parameters"]) < bool(split["shared_bytes"]):
        problems.append("shares bytes but no parameter")
    return problems[:MAX_PROBLEMS]
