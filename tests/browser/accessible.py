#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What axe-core finds against pages of 'report': accessible.py --tool ONNX-HIER --work FOLDER

Pages of a model, of a comparison, and of one with times and a module in focus, light and dark.
axe-core comes from npm, into the work folder. Exit code: 0 nothing, 1 something, 77 where there is
no browser, no npm or no package to be had.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from chromium import Browser, Unavailable

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/onnxruntime"))
from harness import SKIPPED, installed  # noqa: E402

TESTDATA = ROOT / "testdata"
PAGES = (
    ("a model", (), "/"),
    ("a comparison", ("--compare", TESTDATA / "bert_dynamo.onnx"), "/bert/embeddings"),
    ("times", ("--profile", TESTDATA / "bert_tiny.profile.json"), "/bert/encoder/layer.0/attention"),
)
FOUND = """axe.run().then(({violations}) => violations.map(({id, help, nodes}) =>
    `${id}: ${help}: ${nodes.map(({target}) => target.join(" ")).slice(0, 3).join(", ")}`))"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    options = parser.parse_args()
    axe = (installed(options.work, "axe-core") / "axe.min.js").read_text("utf-8")
    try:
        browser = Browser()
    except Unavailable as error:
        print(error)
        return SKIPPED
    found = 0
    with browser:
        for what, arguments, focus in PAGES:
            page_file = options.work / "page.html"
            command = [options.tool, "report", TESTDATA / "bert_tiny.onnx", "-o", page_file, "-f"]
            subprocess.run([*command, "--quiet", *arguments], check=True)
            for dark in (False, True):
                page = browser.open(page_file, dark=dark, width=1280, height=900)
                page.evaluate(f"zoomTo(byPath.get('{focus}'))")
                page.settle()
                page.evaluate(axe + "; 0")
                for violation in page.evaluate(FOUND):
                    found += 1
                    print(f"{what}, {'dark' if dark else 'light'}: {violation}")
    print(f"{2 * len(PAGES)} pages, {found} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
