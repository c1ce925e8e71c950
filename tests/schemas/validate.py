#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the schemas sound, and does what the tool writes keep to them?

    validate.py [--schemas DIR] [--tool ONNX-HIER --testdata DIR]

Without --tool: each schema is valid against JSON Schema's metaschema, describes
every key, agrees with the others on the definitions they share, accepts the
examples and refuses every breakage of them (examples.py).

With --tool: for each model below the test data folder, the sidecar, the node
doc_strings, what `tree`, `tag`, `check`, `explain`, `extract` and `split` print with `--json`, and
the manifests of splits, are valid against their schemas, and agree with each other and with the
model.

Exit code: 0 all well, 1 something is wrong, 77 (CTest: skipped) where
python3-jsonschema, or python3-onnx for the doc_strings, is not installed.
"""

import argparse
import copy
import subprocess
import sys
import tempfile
from pathlib import Path

import contract
import examples
import written_model

SKIPPED = 77
# Nodes of one model whose explanations are looked at, spread evenly.
MAX_EXPLAINED = 400
# Modules that are taken out of one model.
MAX_PARTS = 25
# Ways in which one model is split.
SPLITS = ((), ("--parts", "3"), ("--max-bytes", "20kB"))
REFUSED = 2  # exit code


class Report:
    """Counts checks and prints the ones that fail."""

    def __init__(self):
        self.checks = 0
        self.failures = 0

    def check(self, what, problems):
        self.checks += 1
        if problems:
            self.failures += 1
            for problem in problems:
                print(f"WRONG {what}: {problem}")


def changed(instance, place, value):
    """A copy of `instance` with one place set to `value`, or taken away."""
    result = copy.deepcopy(instance)
    holder, step = None, None
    for name in place.split("/"):
        holder = result if holder is None else holder[step]
        step = int(name) if isinstance(holder, list) else name
    if value is examples.ABSENT:
        del holder[step]
    else:
        holder[step] = value
    return result


def undescribed(schema, place=""):
    """Properties that say nothing to the reader of the schema. A constant, an
    enumeration and a reference to something described speak for themselves."""
    if isinstance(schema, list):
        for item in schema:
            yield from undescribed(item, place)
        return
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key == "properties" and "type" in schema:
            for name, property_schema in value.items():
                if not property_schema.keys() & {"description", "const", "enum", "$ref"}:
                    yield f"{place}/{name} has no description"
        yield from undescribed(value, f"{place}/{key}")


def check_schemas(schemas, report):
    """The schemas in themselves."""
    validator_class = contract.jsonschema.Draft202012Validator
    shared = {}
    for name, schema in schemas.items():
        metaschema = validator_class(validator_class.META_SCHEMA)
        report.check(f"{name} schema", contract.schema_problems(metaschema, schema))
        report.check(f"{name} schema", list(undescribed(schema)))
        for definition, body in schema.get("$defs", {}).items():
            first_name, first_body = shared.setdefault(definition, (name, body))
            if body != first_body:
                report.check(f"{name} schema", [f"{definition} is not that of {first_name}"])

    validators = contract.validators(schemas)
    for name, instance in examples.ACCEPTED.items():
        report.check(f"{name} example", contract.schema_problems(validators[name], instance))
    for name, place, value in examples.VARIANTS:
        instance = changed(examples.ACCEPTED[name], place, value)
        what = f"{name} example with another {place}"
        report.check(what, contract.schema_problems(validators[name], instance))
    for name, place, value in examples.REFUSED:
        instance = changed(examples.ACCEPTED[name], place, value)
        accepted = validators[name].is_valid(instance)
        shown = "absent" if value is examples.ABSENT else repr(value)
        report.check(f"{name} schema", [f"accepts {place} = {shown}"] if accepted else [])


def check_version(tool, schemas, report):
    """What `--version --json` prints; its schemas are these."""
    text = subprocess.run([tool, "--version", "--json"], capture_output=True, check=True).stdout
    told = contract.parse_json(text.decode("utf-8"))
    validator = contract.validators(schemas)["version"]
    report.check("version --json", contract.schema_problems(validator, told))
    properties = [schema["properties"] for schema in schemas.values()]
    here = {p["schema"]["const"].partition("/")[2]: p["schema_version"]["const"]
            for p in properties if "schema" in p}
    report.check("version --json", [] if told["schemas"] == here else [
        f"states the schemas {told['schemas']}, which are {here}"])


def check_lines(tool, models, schemas, report):
    """What the tool prints with --json-lines for all models, and one that is none."""
    validators = contract.validators(schemas)
    documents = {"check": ("report", "check_report"), "tree": ("tree", "tree")}
    with tempfile.TemporaryDirectory(prefix="onnx-hier-schemas-") as folder:
        given = [*map(str, models), f"{folder}/missing.onnx"]
        names = Path(folder, "names")
        names.write_text("\n".join(given), "utf-8")
        tagged, stripped = f"{folder}/tagged", f"{folder}/stripped"
        tag = ("tag", "--output-dir", tagged, "--external-data", "keep", "--skip-existing")
        for command, *flags in (
            tag,
            tag,  # All is skipped now.
            ("strip", "--output-dir", stripped, "--external-data", "keep"),
            ("check", "--coverage", "--contamination"),
            ("tree",),
        ):
            line = [str(tool), command, "--json-lines", "--files-from", str(names), *flags]
            done = subprocess.run(line, capture_output=True, check=False, text=True)
            lines = [contract.parse_json(text) for text in done.stdout.splitlines()]
            problems = []
            for value in lines:
                problems += contract.schema_problems(validators["result_line"], value)
                key, schema = documents.get(command, ("", ""))
                if value.get(key):
                    problems += contract.schema_problems(validators[schema], value[key])
            if sorted(value.get("input", "") for value in lines) != sorted(["", *given]):
                problems.append("has not one line for each model and one of counts")
            report.check(f"{command} --json-lines", problems[: contract.MAX_PROBLEMS])


class ToolCheck:
    """What the tool writes for one model."""

    def __init__(self, tool, model, schemas, report):
        self.tool = tool
        self.model = model
        self.validators = contract.validators(schemas)
        self.key_order = list(schemas["doc_string"]["properties"])
        self.report = report

    def run(self):
        with tempfile.TemporaryDirectory(prefix="onnx-hier-schemas-") as folder:
            try:
                self._all(Path(folder))
            except (OSError, ValueError) as error:
                self._check("output", [f"cannot be read: {error}"])

    def _all(self, folder):
        tagged, sidecar_path = folder / "tagged.onnx", folder / "tagged_hierarchy.json"
        arguments = ("-o", str(tagged), "--external-data", "keep", "--json")
        result = self._json("tag", "tag_result", *arguments)
        if result["files"][0]["status"] != "ok":
            return  # Refusing damaged files is what other tests look at.
        sidecar = contract.parse_json(sidecar_path.read_text("utf-8"))
        self._check("sidecar", self._problems("sidecar", sidecar))
        self._check("sidecar", contract.sidecar_problems(sidecar))
        self._check("sidecar", contract.coverage_problems(sidecar["summary"]))
        self._check("tag --json", self._result_problems(result, sidecar, folder))
        tree = self._json("tree", "tree", "--json")
        same = all(tree[key] == sidecar[key] for key in ("model", "modules")) or any(
            node.get("by_call") for node in sidecar["nodes"]  # which the tree counts in each call
        )
        self._check("tree --json", [] if same else ["differs from the sidecar"])
        self._explanations(sidecar)
        self._parts(sidecar, folder / "part.onnx")
        self._splits(sidecar, folder / "parts")
        self._profile()
        self._costs(tree)
        diff = self._json("diff", "diff", str(tagged), "--json")
        self._check("diff of itself, tagged", [str(c) for c in diff["changed"]])
        self._json("check", "check_report", "--fresh", "--contamination", "--coverage", "--json")
        self._doc_strings(tagged, sidecar)
        self._json("place", "placement", "--rule", "**=cpu", "--dry-run", "--json")
        self._json("check", "review", "--review")
        self._probe(folder / "probed.onnx")
        self._weights()

    def _weights(self):
        """With itself for a checkpoint, which a sidecar names then, too."""
        checkpoint = ("--checkpoint", str(self.model))
        self._json("weights", "weights", "--json", *checkpoint)
        result = self._run("tag", "--sidecar-only", "--sidecar", "-", "-q", *checkpoint)
        if result.returncode == 0:
            sidecar = contract.parse_json(result.stdout)
            self._check("tag --checkpoint", self._problems("sidecar", sidecar))

    def _probe(self, output):
        arguments = ("-o", str(output), "--external-data", "keep", "--json")
        result = self._run("probe", *arguments)
        if result.returncode == 0:  # not of a model whose modules all run inside of others
            self._check("probe --json", self._problems("probe", contract.parse_json(result.stdout)))

    def _explanations(self, sidecar):
        nodes = contract.every_nth(sidecar["nodes"], MAX_EXPLAINED)
        # Where bodies are put in, ids are those of the flat model.
        if not nodes or any(node.get("by_call") for node in sidecar["nodes"]):
            return
        ids = [node["id"] for node in nodes]
        explanations = self._json("explain", "explain", "--json", *ids)["nodes"]
        for explained, node in zip(explanations, nodes, strict=True):
            problems = contract.explanation_problems(explained, node)
            self._check(f"explain {node['id']}", problems)

    def _parts(self, sidecar, output):
        if any(node.get("by_call") for node in sidecar["nodes"]):
            return  # Parts have the nodes of each call: what other tests look at.
        modules = [m for m in sidecar["modules"] if m["calls"] == 1 and m["total_nodes"] > 0]
        for module in contract.every_nth(modules, MAX_PARTS):
            arguments = ("-o", str(output), "-f", "--external-data", "keep", "--json")
            done = self._run("extract", module["path"], *arguments)
            if done.returncode == REFUSED:
                continue  # Its nodes are in no main graph: what other tests look at.
            result = contract.parse_json(done.stdout)
            what = f"extract {module['path']}"
            self._check(what, self._problems("extract_result", result))
            self._check(what, contract.extract_problems(result, module))

    def _splits(self, sidecar, folder):
        modules = {module["path"] for module in sidecar["modules"]}
        for way in SPLITS:
            arguments = ("--output-dir", str(folder), "-f", "--external-data", "keep", "--json")
            done = self._run("split", *way, *arguments)
            if done.returncode == REFUSED:
                continue  # It cannot be cut that way: what other tests look at.
            what = " ".join(("split", *way))
            split = contract.parse_json(done.stdout)
            self._check(what, self._problems("split", split))
            self._check(what, contract.split_problems(split, modules))
            manifest = (folder / f"{self.model.stem}_split.json").read_text("utf-8")
            self._check(what, [] if manifest == done.stdout else ["prints another manifest"])

    def _profile(self):
        profile = self.model.with_suffix(".profile.json")
        cost = ("--columns", "macs,achieved", "--dim", "seq=12")
        for more in ((), ("--compare", str(profile)), cost) if profile.exists() else ():
            self._json("profile", "profile", str(profile), "--format", "json", *more)

    def _costs(self, tree):
        formulas = self._json("cost", "formulas", "--symbolic", "--json")
        paths = [module["path"] for module in formulas["modules"]]
        same = paths == [module["path"] for module in tree["modules"]]
        self._check("cost --symbolic", [] if same else ["has other modules than the tree"])
        shapes = self._json("cost", "shapes", "--symbolic", "--values")
        same = shapes["inputs"] == formulas["inputs"]
        self._check("cost --values", [] if same else ["has other inputs"])

    def _check(self, what, problems):
        self.report.check(f"{self.model.name} {what}", problems)

    def _problems(self, name, value):
        return contract.schema_problems(self.validators[name], value)

    def _run(self, command, *arguments):
        line = [str(self.tool), command, str(self.model), *arguments]
        return subprocess.run(line, capture_output=True, check=False, text=True)

    def _json(self, command, schema_name, *arguments):
        """Standard output of a run on the model, held to a schema."""
        value = contract.parse_json(self._run(command, *arguments).stdout)
        self._check(f"{command} --json", self._problems(schema_name, value))
        return value

    def _result_problems(self, result, sidecar, folder):
        (entry,) = result["files"]
        expected = {
            "input": str(self.model),
            "output": f"{folder}/tagged.onnx",
            "sidecar": f"{folder}/tagged_hierarchy.json",
        }
        expected |= {key: sidecar["summary"][key] for key in ("nodes", "tagged", "by_method")}
        return [
            f"{key} is {entry[key]!r}, not {value!r}"
            for key, value in expected.items()
            if entry[key] != value
        ]

    def _doc_strings(self, tagged, sidecar):
        model = written_model.load(tagged) if written_model.onnx else None
        if model is None:
            return
        nodes = {node["id"]: node for node in sidecar["nodes"]}
        modules = {module["path"]: module for module in sidecar["modules"]}
        for node_id, written in written_model.nodes_with_ids(model):
            node = nodes[node_id]
            module = modules[node["tag"]]
            text = written.doc_string
            problems = contract.doc_string_problems(text, node, module, self.key_order)
            problems = problems or self._problems("doc_string", contract.parse_json(text))
            self._check(f"node {node_id}", problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--schemas", type=Path, default=contract.DEFAULT_SCHEMAS)
    parser.add_argument("--tool", type=Path, help="the onnx-hier program")
    parser.add_argument("--testdata", type=Path, help="folder with models; needed with --tool")
    options = parser.parse_args()
    if options.tool and not options.testdata:
        parser.error("--tool needs --testdata")
    if not contract.jsonschema:
        print("skipped: python3-jsonschema is not installed")
        return SKIPPED

    report = Report()
    schemas = contract.load_schemas(options.schemas)
    if options.tool:
        models = sorted(options.testdata.rglob("*.onnx"))
        if not models:
            parser.error(f"no *.onnx file below {options.testdata}")
        for model in models:
            ToolCheck(options.tool.resolve(), model, schemas, report).run()
        check_lines(options.tool.resolve(), models, schemas, report)
        check_version(options.tool.resolve(), schemas, report)
    else:
        check_schemas(schemas, report)
    print(f"{report.checks} checks, {report.failures} wrong")
    if report.failures:
        return 1
    if options.tool and not written_model.onnx:
        print("skipped: doc_strings not checked, python3-onnx is not installed")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
