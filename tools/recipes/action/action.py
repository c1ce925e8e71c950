# SPDX-License-Identifier: Apache-2.0
"""The step of the GitHub Action: runs the program on the models, and says in a workflow's own words
what came of it. Inputs come in HIER_... variables; see action.yml."""

import glob
import itertools
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# Names of files are bytes, and go through as they are.
TEXT = {"encoding": "utf-8", "errors": "surrogateescape"}
MOST_SHOWN = 10  # annotations a model; a workflow shows few
MOST_TABLES = 15  # of models in a summary, which may have 1 MiB; one has at most 60 kB
FAILED = 2


def shown(text):
    """A text without characters that steer a terminal or break a line."""
    return "".join(c if c.isprintable() or is_byte(c) else f"\\x{ord(c):02x}" for c in text)


def is_byte(character):
    """Of a file's name that is not UTF-8."""
    return "\udc80" <= character <= "\udcff"


def cell(text):
    """A text as code in a row of a table: of backticks the mark around it has one more."""
    mark = "`"
    while mark in text:
        mark += "`"
    space = " " if "`" in text else ""
    return f"{mark}{space}{shown(text)}{space}{mark}".replace("|", "\\|")


def escaped(text):
    """A text as it may stand in a line for the runner."""
    for character, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(character, code)
    return text


def models_of(pattern):
    """The file of that name, also where it could be a pattern, or those that a pattern means."""
    return [pattern] if os.path.lexists(pattern) else glob.glob(pattern, recursive=True)


def annotation(kind, path, text):
    """A line that the runner shows beside the file."""
    path = escaped(shown(path)).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} file={path}::{escaped(shown(text))}"


def words_of(result):
    """(kind, text) of what a model's line of JSON tells."""
    if result["status"] == "error":
        yield "error", result["error"]
    for warning in result["warnings"]:
        yield "warning", warning
    for finding in (result.get("report") or {}).get("findings", [])[:MOST_SHOWN]:
        where = finding["name"] or finding["node"]
        yield "warning", f"{where}: tagged {finding['actual']}, belongs to {finding['expected']}"


def table_of(program, command, options, result):
    """The model's table for the summary: of its modules, or of what was found in it; or ""."""
    worth = result["status"] == "found" if command == "check" else result["status"] != "error"
    if command not in ("check", "tree") or not worth:
        return ""
    line = [program, command, result["input"], "--format", "markdown", *options]
    done = subprocess.run(line, capture_output=True, check=False, **TEXT)
    # Options may be for machines alone, or have written something that is there now.
    return done.stdout + "\n" if done.returncode < FAILED else ""


def append(variable, text):
    if os.environ.get(variable):
        with open(os.environ[variable], "a", **TEXT) as file:
            file.write(text)


def main():
    sys.stdout.reconfigure(**TEXT)
    patterns = [line.strip(" \t\r") for line in os.environ["HIER_MODELS"].split("\n")]
    named = {pattern: models_of(pattern) for pattern in patterns if pattern}
    models = sorted({model for found in named.values() for model in found})
    here = Path(__file__).resolve().parent
    program = os.environ.get("HIER_PROGRAM") or str(here.parents[1] / "run")
    line = [program, os.environ["HIER_COMMAND"], "--files-from", "-", "--json-lines"]
    options = shlex.split(os.environ.get("HIER_OPTIONS", ""))
    line += options
    missing = [pattern for pattern, found in named.items() if not found]
    if missing or not models:
        print("::error::no model is named so: " + escaped(", ".join(missing)))
        return FAILED
    given = "\0".join(models) + "\0"
    done = subprocess.run(line, input=given, stdout=subprocess.PIPE, check=False, **TEXT)
    results = [json.loads(text) for text in done.stdout.split("\n") if text]
    if not results or "models" not in results[-1]:
        print(f"::error::onnx-hier ended with {done.returncode} before all models were done")
        return done.returncode or FAILED
    *results, counts = results
    rows = ["| model | status |", "|---|---|"]
    results.sort(key=lambda result: result["input"])
    for result in results:
        for kind, text in words_of(result):
            print(annotation(kind, result["input"], text))
        rows.append(f"| {cell(result['input'])} | {result['status']} |")
    append("GITHUB_STEP_SUMMARY", "\n".join(rows) + "\n\n")
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        tables = (table_of(program, os.environ["HIER_COMMAND"], options, each) for each in results)
        for table in itertools.islice(filter(None, tables), MOST_TABLES):
            append("GITHUB_STEP_SUMMARY", table)
    folder = os.environ.get("RUNNER_TEMP") or tempfile.mkdtemp()
    log = Path(folder) / "onnx-hier.jsonl"
    log.write_text(done.stdout, **TEXT)
    told = {"log": log, **{key: counts[key] for key in ("models", "found", "failed")}}
    append("GITHUB_OUTPUT", "".join(f"{key}={value}\n" for key, value in told.items()))
    return done.returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:  # no program, options that are no line of a shell
        print("::error::" + escaped(str(error)))
        sys.exit(FAILED)
