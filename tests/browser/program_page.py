#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page with the program in it, in a browser:
program_page.py --page PAGE.html --tool ONNX-HIER --testdata DIR

A headless Chromium opens it from the disk, and files are chosen and saved as people do it:

- the report that it shows is the one that the program writes, byte for byte: of a model alone, with a
  second one beside it, with a profile;
- what it saves is what 'tag' writes;
- a file that is no model gives the program's error, and the page goes on working;
- it raises no error, and asks nobody for anything.

Exit code: 0 all well, 1 not, 77 no browser or no page.
"""

import argparse
import base64
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from chromium import Browser, Unavailable

SKIPPED = 77
SECONDS = 60
SHOWN = "document.getElementById({id!r}).hidden === false"


class ProgramPage:
    def __init__(self, page, tool, testdata, folder, browser):
        self.tool, self.testdata, self.folder = tool, testdata, folder
        self.browser = browser
        self.problems = []
        self.page = browser.open(page)
        self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def expect(self, what, is_so):
        if not is_so:
            self.problems.append(what)

    def wait_for(self, expression, is_so=lambda answer: answer):
        end = time.monotonic() + SECONDS
        # Asked, the browser also goes on with what it has to do.
        while not is_so(self.page.evaluate(expression)):
            if time.monotonic() > end:
                raise RuntimeError(f"never came: {expression}")
            time.sleep(0.02)

    def choose(self, selector, *files):
        found = self.page.call("Runtime.evaluate", expression=f"document.querySelector('{selector}')")
        self.page.call(
            "DOM.setFileInputFiles",
            files=[str(file) for file in files],
            objectId=found["result"]["objectId"],
        )
        self.wait_for(f"!({SHOWN.format(id='work')})")

    def drop(self, selector, file):
        contents = base64.b64encode(file.read_bytes()).decode()
        self.page.evaluate(
            f"""(() => {{
            const bytes = Uint8Array.from(atob("{contents}"), (letter) => letter.charCodeAt(0));
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([bytes], "{file.name}"));
            const send = (kind, place) => document.querySelector(place).dispatchEvent(
                new DragEvent(kind, {{bubbles: true, cancelable: true, dataTransfer}}));
            send("dragenter", "body");
            if (document.querySelector("#drop").hidden) throw new Error("no place to drop it");
            send("drop", "{selector}");
            }})()"""
        )
        self.wait_for(f"!({SHOWN.format(id='work')})")

    def native(self, *arguments):
        return subprocess.run(
            [self.tool, *arguments], stdout=subprocess.PIPE, check=True, cwd=self.testdata
        ).stdout

    def expect_report(self, what, *arguments):
        shown = self.page.evaluate("document.getElementById('report').srcdoc")
        expected = self.native("report", *arguments, "-q", "-o", "-").decode()
        self.expect(f"{what}: another report than the program writes", shown == expected)

    def saved(self, button, name):
        self.page.click(button)
        path = self.folder / name
        self.wait_for(f"'{name} is saved'", lambda _: path.exists())
        return path.read_bytes()

    def try_all(self):
        bert, resnet = self.testdata / "bert_tiny.onnx", self.testdata / "resnet.onnx"
        self.page.click("#try-example")
        self.wait_for("document.getElementById('report').srcdoc !== ''")
        shown = self.page.evaluate("document.getElementById('report').srcdoc")
        expected = self.native("report", "resnet.onnx", "-q", "-o", "-").decode()
        self.expect("the example is another one",
                    shown == expected.replace('"file":"resnet.onnx"', '"file":"example.onnx"'))
        self.choose("#choose", bert)
        self.expect_report("a model", "bert_tiny.onnx")

        tagged = self.folder / "expected.onnx"
        self.native("tag", "bert_tiny.onnx", "-q", "-o", str(tagged))
        saved = self.saved("#save-model", "bert_tiny_tagged.onnx")
        self.expect("the tagged model is another one", saved == tagged.read_bytes())
        saved = self.saved("#save-hierarchy", "bert_tiny_hierarchy.json")
        expected = (self.folder / "expected_hierarchy.json").read_bytes()
        self.expect("the hierarchy is another one", saved == expected)

        self.choose("#choose-other", tagged)
        self.expect_report("compared", "bert_tiny.onnx", "--compare", str(tagged))
        self.drop("#drop", resnet)
        self.expect_report("another model", resnet.name)
        self.drop("#drop-other", bert)
        self.expect_report("beside it", resnet.name, "--compare", "bert_tiny.onnx")
        self.choose("#choose-another", resnet)
        self.expect_report("another model, chosen", resnet.name)
        profile = self.folder / "times.csv"
        profile.write_text("name,time_us\n/resnet/embedder/pooler/MaxPool,5\n")
        self.choose("#choose-profile", profile)
        self.expect_report("with a profile", resnet.name, "--profile", str(profile))

        text = self.folder / "bad.onnx"
        text.write_text("hello")
        self.choose("#choose-another", text)
        self.wait_for(SHOWN.format(id="error"))
        error = self.page.evaluate("document.getElementById('error').textContent")
        self.expect(f"an odd error: {error}", error.startswith("bad.onnx: is text, not an ONNX model"))
        # It goes on working, with what is shown.
        self.native("tag", resnet.name, "-q", "-o", str(self.folder / "resnet_expected.onnx"))
        saved = self.saved("#save-model", "resnet_tagged.onnx")
        expected = (self.folder / "resnet_expected.onnx").read_bytes()
        self.expect("another model is saved than is shown", saved == expected)
        self.choose("#choose-another", bert)
        self.expect("the error stays", not self.page.evaluate(SHOWN.format(id="error")))
        self.expect_report("after an error", "bert_tiny.onnx")

        # By what it holds, whatever it is called.
        odd = self.folder / "model.pb"
        odd.write_bytes(bert.read_bytes())
        self.drop("#drop", odd)
        self.expect_report("a model by another name", str(odd))
        odd = self.folder / "times.txt"
        odd.write_text("name,time_us\n/bert/encoder/layer.1/attention/self/query/MatMul,3\n")
        self.drop("#drop", odd)
        self.expect_report("a profile by another name", str(self.folder / "model.pb"),
                           "--profile", str(odd))

        self.expect_quiet()

    def try_old_browser(self, path):
        """One that cannot unpack the program says so."""
        self.page.call("Page.addScriptToEvaluateOnNewDocument", source="delete DecompressionStream")
        self.page = self.browser.open(path)
        self.choose("#choose", self.testdata / "bert_tiny.onnx")
        self.wait_for(SHOWN.format(id="error"))
        error = self.page.evaluate("document.getElementById('error').textContent")
        expected = "this browser cannot run the program: DecompressionStream is not defined"
        self.expect(f"an odd error of an old browser: {error}", error == expected)
        self.expect_quiet()

    def expect_quiet(self):
        for problem in self.page.problems:
            # Its own worker, and what it saves.
            self.expect(problem, problem.startswith("request: blob:"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", required=True, type=Path)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--testdata", required=True, type=Path)
    options = parser.parse_args()
    if not options.page.exists():
        print(f"there is no {options.page}; tools/npm/build makes it")
        return SKIPPED
    try:
        browser = Browser()
    except Unavailable as reason:
        print(reason)
        return SKIPPED
    with browser, tempfile.TemporaryDirectory(prefix="onnx-hier-page-") as folder:
        page = ProgramPage(options.page, options.tool, options.testdata, Path(folder), browser)
        page.try_all()
        page.try_old_browser(options.page)
    for problem in page.problems:
        print(problem)
    return 1 if page.problems else 0


if __name__ == "__main__":
    sys.exit(main())
