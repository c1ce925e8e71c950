#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of 'report' in a browser: pages.py --tool ONNX-HIER --testdata DIR

A headless Chromium opens them and uses them as people do:

- what the page says of modules, nodes and parameters is what the sidecar says, for each model of
  testdata and for a folded one;
- the picture and the table are drawn; clicks, keys and searches do what they should;
- times and changes are there where they were asked for;
- texts of a model that look like HTML or script, or steer terminals, are text;
- no page raises an error, or asks anybody for anything.

Exit code: 0 all well, 1 not, 77 no browser.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
from chromium import Browser, Unavailable

TESTS = Path(__file__).resolve().parent.parent
sys.path.append(str(TESTS / "hostile"))
import evil_models  # noqa: E402

sys.path.append(str(TESTS / "support"))
from with_bodies import with_bodies  # noqa: E402

SKIPPED = 77
HTML = (
    "<img src=x onerror=document.title='taken'>",
    "</script><script>document.title='taken'</script>",
    "<!--<script>",
    "]]>&lt;b&gt;'\"`${document.title='taken'}",
    "\\u003cb\\@~%#&",
)
NODES = """modules.flatMap((module) => module.ownNodes().map((node) => [node.id, node.name,
    node.op, node.outputs[0], module.path, node.method, node.confidence, node.containment, node.call,
    node.reason]))"""
MODULES = """modules.map((module) => [module.path, module.className, module.value("calls"),
    module.nodes, module.totalNodes, module.parameters, module.totalParameters,
    module.totalBytes])"""
STATE = """({focus: state.focus.path, measure: state.measure.label, rows:
    [...document.querySelectorAll("#tree .space .row")].map((row) => row.id), active:
    tree.active.path, found: byId("found").value, crumbs: byId("crumbs").textContent,
    listed: document.querySelectorAll("#nodes .item").length,
    cells: document.querySelectorAll(".cell").length})"""


class Pages:
    def __init__(self, tool, testdata, folder, browser):
        self.tool = tool
        self.testdata = testdata
        self.folder = folder
        self.browser = browser
        self.problems = []
        self.checks = 0

    def run(self, *arguments):
        subprocess.run([self.tool, *arguments, "--quiet"], check=True, cwd=self.folder)

    def open(self, model, *arguments, **options):
        """The page of a model, opened."""
        self.run("report", model, "-o", "page.html", "--force", "--no-sync", *arguments)
        return self.browser.open(self.folder / "page.html", **options)

    def check(self, what, found, wanted=True):
        self.checks += 1
        if found != wanted:
            self.problems.append(f"{what}: {str(found)[:300]}, not {str(wanted)[:300]}")

    def finish(self, what, page):
        self.check(f"{what}: problems", page.problems, [])

    # What the page says.

    def as_in_sidecar(self, model, tagged=None):
        self.run("tag", tagged or model, "--sidecar-only", "--sidecar", "s.json", "-f", "--no-sync")
        sidecar = json.loads((self.folder / "s.json").read_text("utf-8"))
        page = self.open(model)
        keys = ("path", "class", "calls", "nodes", "total_nodes", "parameters", "total_parameters")
        modules = [
            [module[key] or "" if key == "class" else module[key] for key in keys]
            + [module["total_parameter_bytes"]]
            for module in sidecar["modules"]
        ]
        self.check(f"{model}: modules", page.evaluate(MODULES), modules)
        keys = ("id", "name", "op_type", "output", "tag", "method", "confidence", "containment")
        nodes = [
            [node[key] for key in keys] + [node["call"], node.get("reason", "")]
            for node in sidecar["nodes"]
        ]
        self.check(f"{model}: nodes", sorted(page.evaluate(NODES)), sorted(nodes))
        own = page.evaluate("modules.map((m) => m.ownParameters().map((p) => [p.name, p.bytes]))")
        held = sum(size for module in own for _, size in module)
        self.check(f"{model}: parameters", held, sidecar["modules"][0]["total_parameter_bytes"])
        self.finish(model, page)

    def types(self):
        page = self.open(self.testdata / "bert_tiny.onnx")
        query = "modules.find((m) => m.path == '/bert/encoder/layer.0/attention/self/query')"
        self.check("types", page.evaluate(f"{query}.ownNodes()[0].types[0].startsWith('float32')"))
        parameters = [["bert.encoder.layer.0.attention.self.query.bias", "float32[32]", 128]]
        listed = page.evaluate(f"{query}.ownParameters().map((p) => [p.name, p.type, p.bytes])")
        self.check("named parameters", [row for row in listed if row[0].startswith("bert")], parameters)

    # What it does.

    def use(self):
        page = self.open(self.testdata / "bert_tiny.onnx")
        state = page.evaluate(STATE)
        self.check("drawn cells", state["cells"] > 20)
        self.check("drawn rows", len(state["rows"]), 6)
        page.click('.cell[aria-label^="/bert/encoder/layer.[0-1] "]')
        self.check("a click opens what is alike", page.evaluate(STATE)["focus"], "/")
        page.click('.cell[aria-label^="/bert/encoder/layer.1 "]')
        state = page.evaluate(STATE)
        self.check("a click zooms", state["focus"], "/bert/encoder/layer.1")
        self.check("crumbs", state["crumbs"], "bert_tinybertencoderlayer.1")
        self.check("the table follows", state["active"], "/bert/encoder/layer.1")
        page.press("Escape", "Escape")
        self.check("Escape zooms out", page.evaluate(STATE)["focus"], "/bert")
        page.evaluate(
            "new Promise((done) => { const from = location.hash; history.back();"
            "const look = () => location.hash !== from ? done() : requestAnimationFrame(look);"
            "look(); }).then(() => 0)"
        )
        page.settle()
        self.check("back goes back", page.evaluate(STATE)["focus"], "/bert/encoder")
        page.click("#crumbs button")
        self.check("a crumb zooms out", page.evaluate(STATE)["focus"], "/")
        page.click("#measures label:nth-of-type(3)")
        self.check("the measure", page.evaluate(STATE)["measure"], "Nodes")
        self.finish("use", page)

    def search(self):
        page = self.open(self.testdata / "bert_tiny.onnx")
        page.press("/")
        page.type("self.query")
        state = page.evaluate(STATE)
        self.check("found", state["found"], "2 modules, 4 nodes, 2 parameters")
        self.check("found with what is around", len(state["rows"]), 11)
        dim = page.evaluate("document.querySelectorAll('.cell:not(.dim)').length")
        self.check("found in the picture, where alike ones are one", dim, 1)
        page.press("Enter")
        focus = page.evaluate(STATE)["focus"]
        self.check("Enter takes the first", focus, "/bert/encoder/layer.0/attention/self/query")
        self.check("its nodes are listed", page.evaluate(STATE)["listed"], 2)
        page.press("Escape")
        self.check("Escape ends the search", page.evaluate(STATE)["found"], "")
        page.click("#search")
        page.type("no such module")
        self.check("nothing found", page.evaluate(STATE)["found"], "nothing found")
        self.finish("search", page)

    def finds_everything(self):
        page = self.open(self.testdata / "bert_tiny.onnx")
        layer = "/bert/encoder/layer.1/attention/self"
        for words, found, focus in (
            (f"{layer}/MatMul", "2 nodes", layer),
            ("softmax layer.1", "1 node", layer),
            ("layer.1.attention.self.query.bias", "1 parameter", f"{layer}/query"),
            ("attention_mask", "1 input", "/"),
            ("**.layer.[1-1].*.{self,output}", "2 modules", layer),
            ("bert.encoder.layer.*", "2 modules", "/bert/encoder/layer.0"),
        ):
            page.evaluate("(byId('search').value = '', look(), zoomTo(root), 1)")
            page.click("#search")
            page.type(words)
            self.check(f"{words}: found", page.evaluate("byId('found').value"), found)
            page.press("Enter")
            self.check(f"{words}: gone to", page.evaluate(STATE)["focus"], focus)
        page.evaluate("(byId('search').value = 'Softmax', look(), show(), 1)")
        page.click("#hits .item")
        told = page.evaluate("byId('node').innerText")
        for part in ("Softmax", "/bert/encoder/layer.0/attention/self/Softmax", "axis: -1",
                     "node_name 100 %", "/bert/encoder/layer.0/attention/self/Add"):
            self.check(f"told of a node: {part}", part in told)
        page.click("#node dd:last-of-type button, #node li:last-child button")
        self.check("to who reads it", page.evaluate(
            "nodeAt(wiring().placeOf('64')).op !== '' && !byId('node').hidden"))
        self.check("the address says it", page.evaluate("location.hash").endswith("?find=Softmax"))
        self.finish("finds everything", page)

    def wires(self):
        """Who makes and reads what, as the model itself has it."""
        for name in ("bert_tiny", "resnet", "scripted_loop_if"):
            path = self.testdata / f"{name}.onnx"
            nodes = onnx.load(path, load_external_data=False).graph.node
            maker = {out: i for i, node in enumerate(nodes) for out in node.output if out}
            wanted = sorted([str(i), str(maker[value])] for i, node in enumerate(nodes)
                            for value in node.input if value in maker)
            page = self.open(path)
            found = page.evaluate("""(() => { const ids = [];
                modules.forEach((m) => m.ownNodes().forEach((n) => { ids[n.place] = n.id; }));
                return ids.flatMap((id, place) => wiring().inputs(place)
                    .filter(({maker}) => maker >= 0).map(({maker}) => [id, ids[maker]]))
                    .filter((pair) => pair.every((id) => /^[0-9]+$/.test(id))); })()""")
            self.check(f"{name}: wires", sorted(found), wanted)
            self.finish(f"{name}: wires", page)

    def flow(self):
        page = self.open(self.testdata / "bert_tiny.onnx")
        page.evaluate("(zoomTo(byPath.get('/bert/encoder/layer.0/attention/self')), 1)")
        drawn = page.evaluate("[...document.querySelectorAll('#flow .box text:first-of-type')]"
                              ".map((box) => box.textContent)")
        self.check("boxes", sorted(drawn),
                   ["Add", "MatMul", "MatMul", "in", "key", "out", "query", "value"])
        self.check("arrows", page.evaluate("document.querySelectorAll('#flow .arrow').length"), 10)
        values = page.evaluate("byId('module-values').innerText")
        self.check("what comes in", "float32[batch,seq,32] from /bert/embeddings/LayerNorm" in values)
        self.check("what goes out", "/bert/encoder/layer.0/attention/output/dense" in values)
        page.evaluate("(zoomTo(byPath.get('/bert/encoder')), 1)")
        page.click("#flow .box.module")
        self.check("a list opens", page.evaluate("document.querySelectorAll('#flow .module').length"), 2)
        page.click("#flow .box.module")
        self.check("a box is entered", page.evaluate(STATE)["focus"], "/bert/encoder/layer.0")
        self.finish("flow", page)

    def alike(self):
        """Rows that stand for several have what 'tree' has there."""
        page = self.open(self.testdata / "bert_tiny.onnx")
        page.evaluate("(zoomTo(byPath.get('/bert/encoder')), 1)")
        page.press("Tab")
        page.evaluate("byId('tree').focus()")
        page.press("ArrowRight")
        row = "document.querySelector('#tree [id$=-run]')"
        cells = page.evaluate(f"[...{row}.children].map((cell) => cell.textContent)")
        self.check("alike", cells, ["layer.[0-1] ×2", "17,088", "63.6 %", "218", "68.4 kB"])
        self.check("each", page.evaluate(f"{row}.children[1].title"), "17,088, each 8,544")
        self.finish("alike", page)

    def sorts(self):
        page = self.open(self.testdata / "resnet.onnx")
        names = ("[...document.querySelectorAll('#tree .space .row[aria-level=\"2\"] .label')]"
                 ".map((row) => row.textContent)")
        usual = page.evaluate(names)
        for kind, wanted in (("descending", sorted(usual, reverse=True)), ("ascending", usual)):
            page.click("#tree .titles .figure:nth-of-type(2) button")
            self.check(kind, page.evaluate("document.querySelector('[aria-sort]').ariaSort"), kind)
        page.click("#tree .titles .figure:nth-of-type(2) button")
        self.check("as data flows", page.evaluate(names), usual)
        page.click("#tree .titles span:first-of-type button")
        self.check("by name", page.evaluate(names), sorted(usual))
        self.check("the address says so", page.evaluate("location.hash"), "#/?sort=name")
        self.finish("sorts", page)

    def whole_numbers(self):
        """Of 109 million parameters, at each width."""
        weight = onnx.TensorProto(name="encoder.layer.0.weight", dims=[30522, 3586], data_type=1,
                                  data_location=onnx.TensorProto.EXTERNAL)
        weight.external_data.add(key="location", value="weights")
        nodes = [onnx.helper.make_node("MatMul", ["x", weight.name], ["y"], "/encoder/layer.0/MatMul")]
        value = onnx.helper.make_tensor_value_info
        graph = onnx.helper.make_graph(nodes, "g", [value("x", 1, [1, 30522])],
                                       [value("y", 1, [1, 3586])], [weight])
        (self.folder / "large.onnx").write_bytes(onnx.helper.make_model(graph).SerializeToString())
        (self.folder / "times.csv").write_text("name,time_us\n/encoder/layer.0/MatMul,4125044.5\n")
        for width in (1280, 1000, 390):
            page = self.open("large.onnx", "--profile", "times.csv", width=width)
            page.click("#expand")
            cut = page.evaluate("""[...document.querySelectorAll(".figure, .share, dd, dt, #legend li")]
                .filter((cell) => cell.scrollWidth > cell.clientWidth && cell.clientWidth > 0)
                .map((cell) => cell.textContent)""")
            self.check(f"{width} pixels: cut", cut, [])
            seen = page.evaluate("""[...document.querySelectorAll("#tree .space .row")].every((row) =>
                row.children[1].getBoundingClientRect().right <= byId("tree").getBoundingClientRect().right)""")
            self.check(f"{width} pixels: the measure is in sight", seen)
            first = page.evaluate("""[...document.querySelectorAll("#tree .space .row")][0].innerText""")
            self.check(f"{width} pixels: short", "109 M" in first)
            self.finish("whole numbers", page)

    def colors(self):
        profile = self.testdata / "bert_tiny.profile.json"
        page = self.open(self.testdata / "bert_tiny.onnx", "--profile", profile, "--columns", "operators")
        painted = """(key) => { setColoring(key); change({});
            return [document.querySelectorAll("#legend li").length,
                new Set([...document.querySelectorAll(".cell")].map((cell) =>
                    getComputedStyle(cell).backgroundColor)).size > 1]; }"""
        for key, legend in (("time", 3), ("confidence", 3), ("type", 1), ("operators", 2)):
            listed, differs = page.evaluate(f"({painted})('{key}')")
            self.check(f"{key}: legend", listed >= legend)
            if key != "type":
                self.check(f"{key}: colours", differs or key == "confidence")
        self.check("the address says so", page.evaluate("location.hash"), "#/?color=operators")
        saved = """new Promise((done) => { saveFile = (name, content) => done([name, content.size ??
            new DOMParser().parseFromString(content, "image/svg+xml").querySelectorAll("svg svg").length]);
            savePicture("%s"); })"""
        name, boxes = page.evaluate(saved % "svg")
        self.check("SVG", [name, boxes == page.evaluate(STATE)["cells"]], ["bert_tiny_modules.svg", True])
        name, size = page.evaluate(saved % "png")
        self.check("PNG", [name, size > 5000], ["bert_tiny_modules.png", True])
        self.finish("colours", page)

    def address(self):
        self.open(self.testdata / "bert_tiny.onnx")
        address = "#/bert/encoder?size=nodes&color=confidence&sort=-size&find=query"
        page = self.browser.open(f"{self.folder / 'page.html'}{address}")
        state = page.evaluate(STATE)
        self.check("as the address says", [state["focus"], state["measure"], page.evaluate(
            "state.coloring.key"), page.evaluate("state.sort"), page.evaluate("byId('search').value")],
            ["/bert/encoder", "Nodes", "confidence", "-size", "query"])
        copies = page.evaluate("[...document.querySelectorAll('.copies button')].map((b) => b.title)")
        self.check("to copy", copies, [
            "bert.encoder", "onnx-hier select bert_tiny.onnx bert.encoder",
            "onnx-hier extract bert_tiny.onnx bert.encoder -o part.onnx"])
        self.finish("address", page)

    def keys(self):
        page = self.open(self.testdata / "bert_tiny.onnx")
        page.evaluate("byId('tree').focus()")
        page.press("ArrowDown", "ArrowRight", "ArrowDown")
        self.check("down, in", page.evaluate(STATE)["active"], "/bert/encoder")
        active = "document.querySelector('#tree .row.active').id"
        described = "byId('tree').getAttribute('aria-activedescendant')"
        self.check("the active row is told", page.evaluate(f"{active} == {described}"))
        page.press("ArrowLeft")
        self.check("out", page.evaluate(STATE)["active"], "/bert")
        page.press("ArrowLeft")
        self.check("closed", len(page.evaluate(STATE)["rows"]), 4)
        page.press("ArrowRight", "End", "Enter")
        self.check("Enter zooms", page.evaluate(STATE)["focus"], "/cls/predictions")
        page.evaluate("byId('icicle').focus()")
        page.press("ArrowDown", "ArrowRight", "Enter")
        self.check("keys in the picture", page.evaluate(STATE)["focus"], "/cls/predictions/decoder")
        outline = "getComputedStyle(document.querySelector('.cell.active')).outlineStyle"
        self.check("the focus is visible", page.evaluate(outline), "solid")
        page.click("#expand")
        # The titles, and the two layers together.
        rows = page.evaluate("byId('tree').getAttribute('aria-rowcount') == modules.length + 2")
        self.check("all rows", rows)
        self.finish("keys", page)

    def times(self):
        profile = self.testdata / "bert_tiny.profile.json"
        page = self.open(self.testdata / "bert_tiny.onnx", "--profile", profile)
        self.check("time is a measure", page.evaluate(STATE)["measure"], "Time")
        times = page.evaluate("[profiled.of(root), modules.reduce((sum, m) => sum + profiled.own(m), 0)]")
        self.check("times add up", times, [844000, 844000])
        self.finish("times", page)
        (self.folder / "t.csv").write_text(
            "name,time_us\n/bert/encoder/layer.1/attention/self/query/MatMul,3\n<b>x,1\n"
        )
        page = self.open(self.testdata / "bert_tiny.onnx", "--profile", "t.csv")
        notes = page.evaluate("byId('notes').textContent")
        self.check("not placed", "Not placed: 1.0 µs (25.0 %) in 1 kernel1.0 µs  <b>x" in notes)
        label = page.evaluate("document.querySelector('.cell.merged').getAttribute('aria-label')")
        self.check("not placed is drawn", label, "(not placed)   1.0 µs, 25.0 %")
        self.finish("not placed", page)

    def changes(self):
        page = self.open(
            self.testdata / "bert_tiny.onnx", "--compare", self.testdata / "bert_dynamo.onnx"
        )
        change = "changeText(modules.find((m) => m.path == '/bert/embeddings/LayerNorm'))"
        self.check("changes", page.evaluate(change), "operators, weights")
        self.check("only there", "/lm_head/dense" in page.evaluate("byId('notes').textContent"))
        told = subprocess.run([self.tool, "diff", "bert_tiny.onnx", "bert_dynamo.onnx"], check=False,
                              cwd=self.testdata, capture_output=True, text=True).stdout
        self.check("what 'diff' says", page.evaluate("data.comparison.text"), told)
        self.check("coloured by change", page.evaluate("state.coloring.key"), "change")
        page.click("#only-changed")
        shown = page.evaluate("[...state.shown].every((m) => m.change || m.changesInside)")
        self.check("only what changed", shown)
        facts = page.evaluate("(zoomTo(byPath.get('/bert/embeddings')), byId('module-facts').innerText)")
        self.check("before and after", "23 → 16" in facts)
        self.finish("changes", page)

    def two_profiles(self):
        (self.folder / "t2.csv").write_text(
            "name,time_us\n/bert/encoder/layer.1/attention/self/query/MatMul,600\n"
            "/cls/predictions/decoder/MatMul,12\n")
        page = self.open(self.testdata / "bert_tiny.onnx", "--profile",
                         self.testdata / "bert_tiny.profile.json", "--compare-profile", "t2.csv")
        notes = page.evaluate("byId('notes').textContent")
        self.check("both are told", "Compared with t2.csv: 844.0 µs → 612.0 µs" in notes)
        self.check("coloured by the difference", page.evaluate("state.coloring.key"), "difference")
        told = page.evaluate("[root, byPath.get('/cls')].map(differenceKind)")
        self.check("differences", told, ["less by a fifth", "less by a fifth"])
        facts = page.evaluate("(zoomTo(byPath.get('/cls')), byId('module-facts').innerText)")
        self.check("before and after", "66.0 µs → 12.0 µs" in facts)
        self.finish("two profiles", page)

    def questions(self):
        model = self.testdata / "bert_without_names.onnx"
        page = self.open(model, "--review")
        asked = page.evaluate("review.questions.map((q) => [q.ids, q.choices[0].modules])")
        self.check("there are questions", len(asked) > 1)
        self.check("nothing to save", page.evaluate("review.save.disabled"))
        page.click("#review .question input")
        self.check("no answer to others", page.evaluate("review.answers.filter(Boolean)"), [])
        self.check("an answer to save", page.evaluate("!review.save.disabled"))
        (self.folder / "page.rules").write_text(page.evaluate("review.rules()"))
        self.run("tag", model, "--rules", "page.rules", "--sidecar-only", "--sidecar", "s.json",
                 "-f", "--no-sync")
        nodes = json.loads((self.folder / "s.json").read_text("utf-8"))["nodes"]
        said = {node["id"]: node["tag"] for node in nodes if node["method"] == "rule"}
        self.check("answers are rules", said, dict(zip(*asked[0], strict=True)))
        self.finish("questions", page)

    def on_paper(self):
        page = self.open(self.testdata / "resnet.onnx")
        self.check("a PDF", page.printed()[:5], b"%PDF-")
        self.finish("on paper", page)

    # What it does not.

    def hostile(self):
        f, node = evil_models.field, evil_models.node
        names = [f"/{HTML[i % len(HTML)]}/{HTML[(i + 1) % len(HTML)]}" for i in range(9)]
        nodes = [node([f"v{i}"], [f"v{i + 1}"], name, HTML[0]) for i, name in enumerate(names)]
        html = f(2, HTML[1]) + f(7, b"".join(f(1, item) for item in nodes) + f(2, HTML[0]))
        for name, content in (
            ("html.onnx", html),
            (f"{HTML[0]}.onnx", html),
            ("evil.onnx", evil_models.model()),
            (f"{evil_models.EVIL}.onnx", evil_models.model(tags=True)),
        ):
            (self.folder / name.replace("/", "")).write_bytes(content)
            page = self.open(name.replace("/", ""), "--review", "--below", "1")
            page.click("#expand")
            page.evaluate("modules.forEach((module) => { state.focus = module; show(); })")
            page.settle()
            made = page.evaluate("document.querySelectorAll('img, script, iframe').length")
            self.check(f"{ascii(name)}: elements", made, 2)
            self.check(f"{ascii(name)}: title", page.evaluate("document.title").endswith("onnx-hier"))
            text = page.evaluate("document.body.innerText")
            evil = [char for char in text if evil_models.is_evil(char) and char not in "\n\t"]
            self.check(f"{ascii(name)}: text", evil, [])
            self.finish(ascii(name), page)
        page = self.open("html.onnx")
        shown = [row[1] for row in page.evaluate(NODES)]
        self.check("names that look like HTML", sorted(shown), sorted(names))

    def test(self):
        for model in sorted(self.testdata.glob("*.onnx")):
            self.as_in_sidecar(with_bodies(self.tool, model, self.folder))
        flat = self.testdata / "bert_tiny.onnx"
        self.run("fold", flat, "-o", "bert_tiny.onnx", "--no-sync")
        self.as_in_sidecar("bert_tiny.onnx", tagged=flat)
        for part in ("types", "use", "search", "finds_everything", "wires", "flow", "alike", "sorts",
                     "whole_numbers", "colors", "address", "keys", "times", "changes", "two_profiles", "questions",
                     "on_paper", "hostile"):
            getattr(self, part)()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tool", required=True, type=Path)
    parser.add_argument("--testdata", required=True, type=Path)
    options = parser.parse_args()
    try:
        browser = Browser()
    except Unavailable as error:
        print(error)
        return SKIPPED
    with browser, tempfile.TemporaryDirectory(prefix="onnx-hier-pages-") as folder:
        pages = Pages(options.tool.resolve(), options.testdata.resolve(), Path(folder), browser)
        pages.test()
    for problem in pages.problems:
        print(problem)
    print(f"{pages.checks} checks, {len(pages.problems)} problems")
    return 1 if pages.problems else 0


if __name__ == "__main__":
    sys.exit(main())
