#!/usr/bin/env python3
"""check_links finds dead links, headings, files and functions, and leaves alone what is there."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_links

PAGE = """# A page
[fine](other.md#a-heading), [no heading](other.md#none), [no file](none.md)
[`solve`](../sim_core/src/contact/a.c), [`lost`](../sim_core/src/contact/a.c)
`contact/a.c`, `contact/*.c`, `contact/b.c`, `sim_core/src/contact/a.c`, `sim_core/src/c.c`
`grep -rn "int solve" sim_core`, `grep -rn "eq. 17" sim_core`
`fil_solve`, `fil_solve()`, `fil_family`, `fil_lost()`
```
`contact/in_code.c`
```
"""


class Links(unittest.TestCase):
    def test_a_tree(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "docs").mkdir()
            (root / "sim_core/src/contact").mkdir(parents=True)
            (root / "docs/page.md").write_text(PAGE, encoding="utf-8")
            (root / "docs/other.md").write_text("## A heading\n", encoding="utf-8")
            (root / "sim_core/src/contact/a.c").write_text("int fil_solve(void); int fil_family_one(void); static int solve(void);", encoding="utf-8")
            faults, pages, links = check_links.check(root)
            self.assertEqual((pages, links), (2, 5))
            self.assertEqual(faults, [
                "docs/page.md: there is no file contact/b.c",
                "docs/page.md: there is no file sim_core/src/c.c",
                'docs/page.md: nothing is found by grep -rn "eq. 17" sim_core',
                "docs/page.md: no source has fil_lost",
                "docs/page.md: other.md has no heading #none",
                "docs/page.md: there is no none.md",
                "docs/page.md: ../sim_core/src/contact/a.c has no lost",
            ])


if __name__ == "__main__":
    unittest.main()
