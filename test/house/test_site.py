#!/usr/bin/env python3
"""The site's script reads every public name, finds names without a comment and links that lead nowhere, and knows equations from code."""

import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOADER = importlib.machinery.SourceFileLoader("site_script", str(ROOT / "scripts/site"))
site = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_script", LOADER))
LOADER.exec_module(site)

HEADER = """/* What it is for. */
#ifndef A_H
#define A_H
FIL_API_BEGIN

/* ---- state ---- */

typedef struct FilThing {
    double x; /* m */
} FilThing;

typedef struct FilBare {
    double x;
} FilBare;

/* Of one. */
double fil_thing_size(const FilThing* thing); /* m */
double fil_thing_mass(const FilThing* thing);

double fil_thing_bare(const FilThing* thing);
FilThing fil_thing_def_default(void);
int fil_thing_long(const FilThing* thing, int (*call)(void* context, int index), /* asked for each */
                   void* context);
FIL_API_END
#endif
"""


class Site(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.h")
            path.write_text(text, encoding="utf-8")
            return site.read_header(path)

    def test_a_header(self):
        head, items = self.read(HEADER)
        self.assertEqual(head, "What it is for.")
        self.assertEqual(items[0], "state")
        entries = {item.name: item.comment for item in items[1:]}
        self.assertEqual(list(entries), ["FilThing", "FilBare", "fil_thing_size", "fil_thing_mass", "fil_thing_bare", "fil_thing_def_default", "fil_thing_long"])
        self.assertEqual([name for name, comment in entries.items() if not comment], ["FilBare", "fil_thing_bare", "fil_thing_long"])
        self.assertEqual(entries["fil_thing_size"], "m Of one.")

    def test_every_name_is_read(self):
        for path in site.HEADERS.glob("*.h"):
            if path.name == "filum.h":
                continue
            text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
            wanted = set(re.findall(r"^(?:FIL_MUST_CHECK )?[\w* ]+?\b(fil_\w+)\(", text, re.M)) | set(re.findall(r"^\} (Fil\w+);", text, re.M))
            read = {item.name for item in site.read_header(path)[1] if isinstance(item, site.Entry)}
            self.assertEqual(wanted - read, set(), path.name)

    def test_equations(self):
        equations = site.Equations()
        text = equations.take("a.md", "of $x_1$ and `$code$`, 5$ or 6$:\n\n$$\na_b < c\n$$\n\n    $indented$\n\n```\n$(pi) $fenced$\n```\n$\\mu$.")
        self.assertEqual(equations.found, [("a.md", "x_1", False), ("a.md", "a_b < c", True), ("a.md", "\\mu", False)])
        equations.html = ["<b>1</b>", "<b>2</b>", "<b>3</b>"]
        self.assertEqual(equations.put(text), "of <b>1</b> and `$code$`, 5$ or 6$:\n\n<b>2</b>\n\n    $indented$\n\n```\n$(pi) $fenced$\n```\n<b>3</b>.")

    def test_rendering(self):
        with tempfile.TemporaryDirectory() as folder:
            packages = pathlib.Path(folder, "katex")
            equations = site.Equations()
            equations.take("a.md", r"$\frac12$ and $\nonsense$")
            faults = equations.render(packages)
            if faults is None:
                self.assertEqual(equations.html[0], r"<code>\frac12</code>")
                self.skipTest("no KaTeX")
            self.assertIn("<math", equations.html[0])
            self.assertEqual(len(faults), 1)
            self.assertRegex(faults[0], r"a\.md: .*\\nonsense")

    def test_dead_links(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "a.html").write_text('<h1 id="top"></h1><a href="#top"></a><a href="b.html#one"></a><a href="b.html#two"></a><a href="c.html"></a><img src="https://x.org/y.png">')
            (folder / "b.html").write_text('<p id="one"></p><a href="https://elsewhere.org"></a>')
            self.assertEqual(site.dead_links(folder), ["a.html: b.html has no #two", "a.html: there is no c.html", "a.html: https://x.org/y.png is fetched from elsewhere"])


if __name__ == "__main__":
    unittest.main()
