#!/usr/bin/env python3
"""The check of copies finds what it is there to find."""

import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_copies.py")
HEAD = "# How\n\n## What stands twice\n\n| where | lines at most | why |\n|---|---|---|\n"

WORK = """static double %s(const double* %s, int count)
{
    double sum = %s, largest = 0.0;
    for (int k = 0; k < count; k++) {
        sum += %s[k] * weight(k);
        largest = fmax(largest, fabs(%s[k]));
    }
    if (largest > limit(count)) {
        note(largest, %s);
    }
    return sum / largest;
}
"""


def work(name, array, number="0.0", text='"far"'):
    return WORK % (name, array, number, array, array, text)


def run_on(files, rows="", *more):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**files, "docs/architecture.md": HEAD + rows}.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, CHECK, root, *more], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


class CheckCopies(unittest.TestCase):
    def assert_found(self, a, b, lines):
        code, out = run_on({"sim_core/src/base/a.c": a, "test/base/b.c": b})
        self.assertEqual(code, 1, out)
        self.assertIn(f"{lines} lines alike", out)

    def assert_clean(self, a, b):
        code, out = run_on({"sim_core/src/base/a.c": a, "test/base/b.c": b})
        self.assertEqual(code, 0, out)

    def test_the_same_lines(self):
        self.assert_found(work("total", "x"), work("total", "x"), 8)
        code, out = run_on({"tools/a.c": work("one", "x") + work("other", "x")})
        self.assertEqual(code, 1)
        self.assertIn("tools/a.c:1-11 and tools/a.c:13-23", out)

    def test_other_names_numbers_strings_and_comments(self):
        self.assert_found(work("total", "x"), work("mean", "speeds", "1e-9", '"too fast"').replace("    for", "    // each\n\n      for"), 8)

    def test_names_that_are_mixed_up_are_other_work(self):
        self.assert_clean(work("total", "x"), work("total", "x").replace("sum / largest", "largest / sum").replace("sum += x", "largest += x"))

    def test_five_lines_are_no_copy(self):
        five = "static int a(int n)\n{\n    int sum = start(n);\n    sum += first(n) * n;\n    sum -= second(n, sum);\n    return sum + n;\n}\n"
        self.assert_clean(five, five)
        six = five.replace("    return", "    sum /= third(n);\n    return")
        self.assert_found(six, six, 6)

    def test_what_does_not_count(self):
        for text in (
            "int fil_a(int x);\nint fil_b(int x, int y);\nint fil_c(int x);\nint fil_d(int x);\nint fil_e(int x,\n          int y);\nint fil_f(int y);\n",
            "typedef struct A {\n    int a;\n    int* b;\n    double c;\n    char d[3];\n    int e;\n    B f;\n    C g;\n} A;\n",
            "static const A table[] = {\n" + "".join(f'    {{"{k}", find_{k}, {k}}},\n' for k in range(9)) + "};\n",
            "A fil_a(void)\n{\n    return (A){.a = 1,\n               .b = &c,\n               .d = e(f),\n               .g = 2,\n               .h = i,\n               .j = 3};\n}\n",
            "void f(A* a)\n{\n" + "".join(f"    put(a, x{k});\n" for k in range(9)) + "}\n",
            "".join(f"int get_{k}(const A* a)\n{{\n    return a->x{k};\n}}\n\n" for k in range(9)),
            "void end(A* a)\n{\n    free(a->b);\n    fil_free(a->c);\n    fil_d_destroy(a->d);\n    free(a->e);\n    free(a->f);\n    free(a->g);\n    free(a);\n}\n",
            "#define A(x)      \\\n    do {          \\\n        one(x);   \\\n        two = x;  \\\n        three(2); \\\n        x = four; \\\n        five(x);  \\\n    } while (0)\n",
        ):
            self.assert_clean(text, text)

    def test_a_row_explains_its_files_up_to_its_length(self):
        files = {"sim_core/src/base/a.c": work("total", "x"), "test/base/b.c": work("total", "x")}
        code, out = run_on(files, "| `base/a.c`, `test/base/b.c` | 8 | tested apart |\n")
        self.assertEqual(code, 0, out)
        code, out = run_on(files, "| `base/a.c`, `test/base/b.c` | 8 | tested apart |\n", "--all")
        self.assertIn("explained", out)
        code, out = run_on(files, "| `base/a.c`, `test/base/b.c` | 7 | tested apart |\n")
        self.assertEqual(code, 1)
        code, out = run_on(files, "| `base/a.c`, `base/c.c` | 8 | others |\n| `test/base/b.c` | 8 | alone |\n")
        self.assertEqual(code, 1)
        self.assertIn("merge them or explain them", out)

    def test_rows_that_explain_nothing(self):
        code, out = run_on({"tools/a.c": work("total", "x")}, "| `tools/a.c`, `tools/b.c` | 9 | was so once |\n")
        self.assertEqual(code, 1)
        self.assertIn("nothing is alike any more in tools/a.c, tools/b.c", out)


if __name__ == "__main__":
    unittest.main()
