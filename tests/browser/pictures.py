#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of README.md and docs/: pictures.py --tool ONNX-HIER --work FOLDER

They are of the pages of two networks that people know, with times that onnxruntime took here: a
BERT-base, as the benchmark makes it, and torchvision's ResNet-50 (Debian's python3-torchvision);
and of the small BERT of testdata. onnxruntime comes from npm, into the work folder. And of the page with the program in it, as
tools/npm/build leaves it.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from chromium import Browser, Unavailable
from program_page import ProgramPage

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/onnxruntime"))
from harness import Runner, runtime  # noqa: E402


def make_bert(folder):
    maker = ROOT / "tests/bench/make_models.py"
    subprocess.run([sys.executable, maker, folder, "bert_438mb"], check=True, capture_output=True)
    return (folder / "bert_438mb.onnx").rename(folder / "bert_base.onnx")


def make_resnet(folder):
    import torch
    import torchvision

    path = folder / "resnet50.onnx"
    image = torch.zeros(1, 3, 224, 224)
    torch.onnx.export(torchvision.models.resnet50().eval(), image, path, opset_version=17)
    return path


def profile_of(model, runner, folder):
    """Of a few runs of the model, as it is."""
    prefix = folder / f"{model.stem}_profile"
    for old in folder.glob(f"{prefix.name}_*.json"):
        old.unlink()
    job = {"model": str(model), "optimization": "disabled", "prefix": str(prefix), "runs": 4}
    answer = runner.ask(job | {"saved": str(folder / "saved.onnx")})
    if answer is None or answer["outcome"] != "ran":
        sys.exit(f"{model.name}: onnxruntime did not run it: {answer}")
    (profile,) = folder.glob(f"{prefix.name}_*.json")
    return profile.rename(folder / f"{model.stem}.profile.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--work", required=True, type=Path)
    options = parser.parse_args()
    tool, work = options.tool.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    small = ROOT / "testdata/bert_tiny.onnx"
    dynamo = ("--compare", ROOT / "testdata/bert_dynamo.onnx")
    runner = Runner("run_profiled.js", runtime(work))
    timed = {}
    for name, make in (("bert", make_bert), ("resnet", make_resnet)):
        model = make(work)
        timed[name] = (model, ("--profile", profile_of(model, runner, work)))
    shown = (
        ("time", *timed["bert"], 800, "/"),
        ("resnet", *timed["resnet"], 800, "/"),
        ("changes", small, dynamo, 900, "/bert/embeddings"),
        ("flow", small, (), 1150, "/bert/encoder/layer.0/attention/self"),
    )
    try:
        browser = Browser()
    except Unavailable as error:
        sys.exit(str(error))
    with browser:
        for name, model, arguments, height, focus in shown:
            page_file = work / "page.html"
            command = [tool, "report", model, "-o", page_file, "--force", "--quiet", *arguments]
            subprocess.run(command, check=True)
            for kind in ("light", "dark"):
                page = browser.open(page_file, dark=kind == "dark", width=1280, height=height)
                page.evaluate(f"zoomTo(byPath.get('{focus}'))")
                page.evaluate("document.activeElement.blur()")
                page.settle()
                (ROOT / f"docs/report_{name}_{kind}.png").write_bytes(page.picture())
        testdata = ROOT / "testdata"
        program = ProgramPage(ROOT / "build/wasm/web/onnx-hier.html", tool, testdata, work, browser)
        program.choose("#choose", testdata / "resnet.onnx")
        program.wait_for("document.getElementById('report').srcdoc !== ''")
        program.page.settle()
        (ROOT / "docs/program_page.png").write_bytes(program.page.picture())


if __name__ == "__main__":
    main()
