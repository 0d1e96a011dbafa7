#!/usr/bin/env python3
"""The check of the house finds what it is there to find."""

import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "check_house.py")


def run_on(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


class CheckHouse(unittest.TestCase):
    def test_a_sound_tree(self):
        code, out = run_on({
            "sim_core/src/base/a.h": "int fil_a(void);\n",
            "sim_core/src/base/a.c": '#include "base/a.h"\n\nint fil_a(void)\n{\n    return 1;\n}\n',
            "sim_core/src/linalg/b.c": '#include "base/a.h"\n\nint fil_b(void)\n{\n    return fil_a();\n}\n',
        })
        self.assertEqual(code, 0, out)

    def test_a_circle_of_calls(self):
        code, out = run_on({
            "sim_core/src/base/a.c": "int fil_a(void)\n{\n    return fil_b();\n}\n",
            "sim_core/src/base/b.c": "int fil_b(void)\n{\n    return fil_a();\n}\n",
        })
        self.assertEqual(code, 1)
        self.assertIn("2 files in a circle", out)

    def test_a_circle_through_a_table(self):
        code, out = run_on({
            "sim_core/src/body/a.c": "const FilOps fil_ops = {.run = fil_b};\n",
            "sim_core/src/body/b.c": "int fil_b(void)\n{\n    return fil_ops.run();\n}\n",
        })
        self.assertEqual(code, 1)
        self.assertIn("circle", out)

    def test_an_arrow_upwards(self):
        for text in ('#include "world/world.h"\n', "int fil_b(void)\n{\n    return fil_up();\n}\n"):
            code, out = run_on({
                "sim_core/src/base/a.c": text,
                "sim_core/src/world/world.h": "int fil_up(void);\n",
                "sim_core/src/world/world.c": "int fil_up(void)\n{\n    return 1;\n}\n",
            })
            self.assertEqual(code, 1)
            self.assertIn("must not use sim_core/src/world", out)

    def test_numbers_without_a_word(self):
        code, out = run_on({"sim_core/src/base/a.c": "/* Measured on ropes. */\nstatic const double NEAR = 1e-4;\nenum { TRIES = 5 };\n\n#define FAR 8.0 /* chosen */\n"
                                                     "enum { NOTHING = 0 };\n"})
        self.assertEqual(code, 0, out)
        for text in ("#define FAR 8.0\n", "static const double NEAR = 1e-4;\n", "/* Of two. */\nint x;\nenum { TRIES = 5 };\n", "void fil_a(void)\n{\n    enum { TRIES = 5 };\n}\n"):
            code, out = run_on({"sim_core/src/base/a.c": text})
            self.assertEqual(code, 1, text)
            self.assertIn("no comment says where the number comes from", out)

    def test_what_is_too_long(self):
        code, out = run_on({"sim_core/src/base/a.c": "void fil_a(void)\n{\n" + "    ;\n" * 90 + "}\n" + "\n" * 600})
        self.assertEqual(code, 1)
        self.assertIn("lines, more than 600", out)
        self.assertIn("fil_a has 93 lines, more than 80", out)

    def test_names_in_comments_and_strings_do_not_count(self):
        code, out = run_on({
            "sim_core/src/base/a.c": '/* fil_up() */\nconst char* fil_a(void)\n{\n    return "fil_up"; // fil_up\n}\n',
            "sim_core/src/world/w.c": "int fil_up(void)\n{\n    return 1;\n}\n",
        })
        self.assertEqual(code, 0, out)


if __name__ == "__main__":
    unittest.main()
