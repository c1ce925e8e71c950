#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks in this folder find what they look for."""

import tempfile
import unittest
from pathlib import Path

import page
import readme
import rules
from includes import problem_with
from licences import lacks_licence
from literals import model_words
from places import lines_with
from needed_includes import declared, missing, missing_own, owners, precompiled
from silence import problems_of
from sources import includes, literals
from type_names import own_types, types


class Sources(unittest.TestCase):
    def test_includes_in_both_forms(self):
        text = '#include <cxxopts.hpp>\n\n # include "lib/base/hash.h"\n'
        self.assertEqual(includes(text), [(1, "cxxopts.hpp"), (3, "lib/base/hash.h")])

    def test_literals_without_comments_and_includes(self):
        text = """#include "lib/base/bert.h"
// "a comment"
/* "another */ f("one \\" \\\\", '"', R"(two "raw")");"""
        self.assertEqual(list(literals(text)), [(3, 'one \\" \\\\'), (3, 'two "raw"')])


class Licences(unittest.TestCase):
    def test_in_the_first_lines_of_sources(self):
        line = "SPDX-License-Identifier: Apache-2.0"
        self.assertFalse(lacks_licence(Path("a.cc"), f"// {line}\nint x;\n"))
        self.assertFalse(lacks_licence(Path("run"), f"#!/bin/sh\n# {line}\n"))
        self.assertTrue(lacks_licence(Path("run"), f"#!/bin/sh\ntrue\n# {line}\n"))
        self.assertTrue(lacks_licence(Path("a.cc"), "int x;\n"))
        self.assertFalse(lacks_licence(Path("README.md"), "# A page\n"))


class Page(unittest.TestCase):
    def test_what_makes_html_of_text_or_asks_somebody(self):
        def found(name, text):
            return [line for line, _ in page.problems_of(Path(name), text)]

        self.assertEqual(found("a.js", "x.textContent = y;\nx.innerHTML = y;\neval(y);"), [2, 3])
        self.assertEqual(found("a.js", "\nfetch('//example.org/x')"), [2, 2])
        self.assertEqual(found("a.css", "a { background: url(x.png); }"), [1])
        self.assertEqual(found("a.html", '<p class="a">\n<p onclick="b()">'), [2])
        self.assertEqual(found("a.html", " " * 101), [1])


class Rules(unittest.TestCase):
    def test_rules_and_rows_that_do_not_match(self):
        table = "| rule | file | for | lost |\n|---|---|---|---|\n"
        row = "| `layer_lists` | `names/a.cc` | what | -1 |\n"
        used = [("lib/names/a.cc", "if (IsOn(Rule::kLayerLists)) F();")]
        self.assertEqual(rules.problems_of(table + row, ["layer_lists"], used), [])
        for text, listed, sources in (
            (table, ["layer_lists"], used),
            (table + row + row, ["layer_lists"], used),
            (table + row, ["layer_lists", "others"], used),
            (table + row.replace("a.cc", "b.cc"), ["layer_lists"], used[:0]),
        ):
            self.assertTrue(rules.problems_of(text, listed, sources), text)


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "tools").mkdir()
        program = self.folder / "tools/run"
        program.write_text('#!/bin/sh\necho "said $1, 7 ms"\n')
        program.chmod(0o755)

    def page(self, text):
        path = self.folder / "page.md"
        path.write_text(text)
        return readme.Page(path, self.folder, (readme.PROGRAM,))

    def test_what_is_printed_and_what_is_not_run(self):
        text = """```console
$ tools/run a
said a, 12 ms
$ tools/run b; echo "code $?"
said c, 7 ms

$ other | command
```
$ tools/run outside
"""
        page = self.page(text)
        self.assertEqual((page.count, len(page.problems)), (2, 1))
        self.assertEqual(page.now, text.replace("said c, 7 ms", "said b, 7 ms\ncode 0"))

    def test_links(self):
        page = self.page("[a](page.md) [b](page.md#c) [d](none.md) [e](https://example.org)")
        self.assertEqual(len(page.dead_links()), 1)


class TypeNames(unittest.TestCase):
    def test_definitions_that_others_could_know(self):
        text = """struct A;
struct B {
  struct C {};
};
namespace {
struct D {};
}  // namespace
class E final : public B {};
struct E::F {};
"""
        self.assertEqual(types(text), [(2, "B"), (8, "E")])
        self.assertEqual(own_types(text), [(6, "D")])


class Includes(unittest.TestCase):
    def test_back_up_the_list_is_fine(self):
        self.assertIsNone(problem_with("lib/owners/infer.cc", "lib/owners/evidence.h"))
        self.assertIsNone(problem_with("lib/owners/infer.cc", "onnx_hier/graph.h"))
        self.assertIsNone(problem_with("lib/graph/a.cc", "lib/graph/b.h"))
        self.assertIsNone(problem_with("lib/base/hash.h", "absl/strings/string_view.h"))

    def test_down_the_list_is_wrong(self):
        self.assertIn("must not know", problem_with("lib/base/hash.h", "onnx_hier/graph.h"))
        self.assertIn("must not know", problem_with("lib/graph/a.cc", "lib/onnx/scanner.h"))
        header = "lib/include/onnx_hier/graph.h"
        self.assertIn("must not know", problem_with(header, "onnx_hier/model.h"))
        self.assertIn("not installed", problem_with(header, "onnx_hier_program/text.h"))
        self.assertIn("programs", problem_with("lib/api/a.cc", "tools/onnx-hier/cli.h"))

    def test_unknown_places(self):
        self.assertIn("no known room", problem_with("lib/cellar/a.cc", "lib/base/hash.h"))
        self.assertIn("no known room", problem_with("lib/api/a.cc", "onnx_hier/new.h"))

    def test_programs_see_public_headers(self):
        program = "tools/onnx-hier/command_tag.cc"
        self.assertIsNone(problem_with(program, "onnx_hier/onnx_hier.h"))
        self.assertIsNone(problem_with(program, "onnx_hier_program/reports.h"))
        self.assertIsNone(problem_with(program, "tools/onnx-hier/cli.h"))
        self.assertIn("not public", problem_with(program, "lib/base/utf8.h"))
        self.assertIn("not public", problem_with(program, "lib/onnx/scanner.h"))
        self.assertIsNone(problem_with("tools/fit-weights/main.cc", "lib/owners/scorer.h"))

    def test_foreign_formats_stay_in_their_rooms(self):
        self.assertIsNone(problem_with("lib/tags/tag_file.cc", "nlohmann/json.hpp"))
        self.assertIn("belong", problem_with("lib/graph/graph_builder.cc", "nlohmann/json.hpp"))
        self.assertIn("belong", problem_with("lib/onnx/scanner.cc", "onnx/onnx_pb.h"))
        self.assertIn("belong", problem_with("tools/onnx-hier/cli.cc", "google/protobuf/arena.h"))
        self.assertIsNone(problem_with("tools/onnx-hier-verify/part.cc", "onnx/onnx_pb.h"))


class NeededIncludes(unittest.TestCase):
    def test_names_of_the_project(self):
        header = "struct Pen {\n  int Size() const;\n};\nPen MakePen(int);\nint Size(Pen);\n"
        owner = owners({"pen.h": header, "a.cc": "class Ink {\n};\n"})
        self.assertEqual(owner, {"Pen": "pen.h", "MakePen": "pen.h"})
        text = "void Use() { MakePen(1); a.MakePen(2); }  // Pen\n"
        self.assertEqual(missing_own(text, declared(text), owner, set()), [("MakePen", "pen.h")])
        self.assertEqual(missing_own(text, declared(text), owner, {"pen.h"}), [])
        forward = "class Pen;\nPen* Last();\n"
        self.assertEqual(missing_own(forward, declared(forward), owner, set()), [])

    def test_names_without_their_header(self):
        text = "std::vector<int64_t> a;  // std::map\n"
        self.assertEqual(missing(text, set()), ["cstdint", "vector"])
        self.assertEqual(missing(text, {"cstdint", "vector"}), [])

    def test_headers_of_the_list(self):
        text = "f(<a>)\ntarget_precompile_headers(${target} PRIVATE\n  <b> <c/d.h>)\n"
        self.assertEqual(precompiled(text), ["b", "c/d.h"])


class Literals(unittest.TestCase):
    def test_words_inside_names(self):
        self.assertEqual(model_words("/BertModel/self_attn"), ["bert", "attn"])
        self.assertEqual(model_words("gpt2.h.0"), ["gpt2"])

    def test_words_that_only_look_alike(self):
        self.assertEqual(model_words("activity LayerNormalization Embedded encoding"), [])


class Places(unittest.TestCase):
    def test_paths_of_a_checkout(self):
        text = "at /home/me/hier/lib/a.cc\n(/home/me/hier)\n/home/me/hierarchy /x/home/me/hier\n"
        self.assertEqual(lines_with("/home/me/hier", text), [1, 2])


class Silence(unittest.TestCase):
    def test_printing_ending_and_variables(self):
        loud = [
            ("a.o", "U", "printf"),
            ("a.o", "U", "std::cerr@GLIBCXX_3.4"),
            ("a.o", "U", "exit@GLIBC_2.2.5"),
            ("a.o", "b", "onnx_hier::(anonymous namespace)::counter"),
        ]
        for entry in loud:
            self.assertEqual(len(problems_of([entry])), 1, entry)

    def test_what_is_fine(self):
        fine = [
            ("a.o", "U", "snprintf"),
            ("a.o", "U", "absl::lts_20220623::Status::Status()"),
            ("a.o", "d", "onnx_hier::(anonymous namespace)::kNames"),
            ("a.o", "b", "std::__ioinit"),
            ("a.o", "T", "onnx_hier::Annotate(onnx_hier::Model const&)"),
        ]
        self.assertEqual(problems_of(fine), [])


if __name__ == "__main__":
    unittest.main()
