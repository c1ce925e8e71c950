#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GitHub Action does what it says, and its example fits it: action.py --tool ONNX-HIER --action FOLDER --testdata FOLDER

Reads action.yml as a runner does, puts in the inputs, runs its steps, and looks at what they print
and tell the runner. Needs python3-yaml.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

SKIPPED = 77
EXPRESSION = re.compile(r"\$\{\{\s*([a-z.]+)\s*\}\}")


class Runner:
    """As much of a runner as a composite action of shell steps needs."""

    def __init__(self, action, work):
        self.action, self.work = action, work
        self.document = yaml.safe_load((action / "action.yml").read_text("utf-8"))

    def run(self, **given):
        """Exit code, what was printed, the outputs and the summary."""
        inputs = {}
        for name, about in self.document["inputs"].items():
            if about.get("required") and name not in given:
                raise ValueError(f"the input {name} is required")
            inputs[name] = given.get(name, about.get("default", ""))
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        printed, code = "", 0
        summary, output = self.work / "summary", self.work / "output"
        for step in self.document["runs"]["steps"]:
            output.write_text("", "utf-8")
            summary.write_text("", "utf-8")
            variables = {key: self._fill(value, known) for key, value in step["env"].items()}
            environment = {
                **os.environ, **variables, "GITHUB_ACTION_PATH": str(self.action),
                "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary),
                "RUNNER_TEMP": str(self.work),
            }
            line = [step["shell"], "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(line, env=environment, capture_output=True, check=False,
                                  encoding="utf-8", errors="surrogateescape", cwd=self.work)
            printed, code = printed + done.stdout, done.returncode
            for told in output.read_text("utf-8").splitlines():
                key, _, value = told.partition("=")
                known[f"steps.{step['id']}.outputs.{key}"] = value
            if code:
                break
        outputs = {
            name: self._fill(about["value"], known)
            for name, about in self.document["outputs"].items()
        }
        return code, printed, outputs, summary.read_text("utf-8", "surrogateescape")

    @staticmethod
    def _fill(text, known):
        return EXPRESSION.sub(lambda found: known.get(found[1], ""), str(text))


def unknown_inputs(runner):
    """Of the workflow in the README beside the action."""
    readme = (runner.action.parent / "README.md").read_text("utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    steps = [s for job in yaml.safe_load(example)["jobs"].values() for s in job["steps"]]
    (given,) = (s["with"] for s in steps if s["uses"].endswith("tools/recipes/action"))
    return [name for name in given if name not in runner.document["inputs"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--action", required=True, type=Path)
    parser.add_argument("--testdata", required=True, type=Path)
    options = parser.parse_args()
    if yaml is None:
        print("skipped: python3-yaml is not installed")
        return SKIPPED
    failures = []

    def check(what, value, expected):
        if value != expected:
            failures.append(f"{what}: {value!r}, not {expected!r}")

    with tempfile.TemporaryDirectory(prefix="onnx-hier-action-") as folder:
        work = Path(folder)
        (work / "models").symlink_to(options.testdata.resolve())
        runner = Runner(options.action.resolve(), work)
        program = str(options.tool.resolve())

        code, printed, outputs, summary = runner.run(
            models="models/tags_*.onnx\n", program=program, options="--max 2")
        check("exit code of a check that finds something", code, 1)
        check("annotations", printed.count("::warning file=models/tags_wrong_odd.onnx::"), 5)
        check("counts", [outputs[k] for k in ("models", "found", "failed")], ["3", "2", "0"])
        check("the log's lines", len(Path(outputs["log"]).read_text("utf-8").splitlines()), 4)
        check("rows of the summary", summary.count("\n| `models/tags_"), 3)
        check("tables of the summary", summary.count("<details><summary>Nodes"), 2)

        code, printed, outputs, _ = runner.run(
            models="models/bert_tiny.onnx\nmodels/**/lstm.onnx", command="tag", program=program,
            options="--output-dir 'tagged models'")
        check("exit code of tag", code, 0)
        check("tagged", sorted(p.name for p in (work / "tagged models").glob("*.onnx")),
              ["bert_tiny_tagged.onnx", "lstm_tagged.onnx"])
        lines = Path(outputs["log"]).read_text("utf-8").splitlines()
        code, printed, outputs, summary = runner.run(
            models="models/bert_tiny.onnx", command="tree", program=program, options="--depth 1")
        check("modules in the summary", "\n| `/bert` | 277 | 22,464 | 89.9 kB |\n" in summary, True)
        check("lines of tag", [json.loads(line).get("status") for line in lines],
              ["ok", "ok", None])

        (work / "no, model.onnx").write_text("text", "utf-8")
        code, printed, outputs, _ = runner.run(models="no*.onnx", command="tree", program=program)
        check("exit code of a failure", code, 2)
        check("its annotation", printed.startswith("::error file=no%2C model.onnx::"), True)
        odd = os.fsdecode(b"odd_\xff\xe9.onnx")
        (work / odd).write_bytes((options.testdata / "tags_wrong_odd.onnx").read_bytes())
        code, printed, outputs, summary = runner.run(models="odd_*.onnx", program=program)
        check("exit code with a name that is no text", code, 1)
        check("its counts", [outputs[k] for k in ("models", "found", "failed")], ["1", "1", "0"])
        check("its annotations", "::warning file=odd_" in printed, True)
        check("its row", "| `odd_" in summary, True)
        lines = "l\x1b[2J`|\n| a row of its own | .onnx"
        (work / lines).write_bytes((options.testdata / "tags_wrong_odd.onnx").read_bytes())
        _, printed, _, summary = runner.run(models="l*.onnx", program=program)
        check("control characters", [c for c in printed + summary if c < " " and c != "\n"], [])
        check("rows of a name with a line break", summary.count("\n| a row"), 0)
        (work / lines).unlink()
        (work / "a[1]\u2028.onnx").write_bytes((options.testdata / "tags_wrong_odd.onnx").read_bytes())
        code, printed, outputs, _ = runner.run(models="a[1]\u2028.onnx", program=program)
        check("a name that looks like a pattern", (code, outputs["found"]), (1, "1"))
        code, printed, _, _ = runner.run(models="models/lstm.onnx\nnone.onnx", program=program)
        check("a name that means nothing beside one that does", (code, printed),
              (2, "::error::no model is named so: none.onnx\n"))
        code, printed, _, _ = runner.run(models="none/*.onnx", program=program)
        check("without models", (code, printed.startswith("::error::")), (2, True))
        code, printed, _, _ = runner.run(models="no*.onnx", program=program, options="'open")
        check("options that are no line", (code, printed.startswith("::error::")), (2, True))
        code, printed, _, _ = runner.run(models="no*.onnx", program=program + "-none")
        check("without the program", (code, printed.startswith("::error::")), (2, True))
        check("unknown inputs of the example", unknown_inputs(runner), [])

    for failure in failures:
        print(failure)
    print(f"{len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
