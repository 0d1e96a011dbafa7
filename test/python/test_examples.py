"""The examples: each runs, draws its picture, and prints what its twin in C prints."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ["FILUM_SOURCE_DIR"]
PROGRAMS = os.environ.get("FILUM_EXAMPLES", "")
TWINS = ["hanging_cable", "knot_pull", "arm_contact", "rings_on_cable", "rollouts", "robot_rope"]


class Examples(unittest.TestCase):
    def run_python(self, name):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "picture.svg")
            text = subprocess.run([sys.executable, os.path.join(ROOT, "examples/python", name + ".py"), picture],
                                  check=True, capture_output=True, text=True).stdout
            with open(picture, encoding="utf-8") as file:
                self.assertIn("<svg", file.read(1000))
        return text

    def test_twins_agree(self):
        for name in TWINS:
            with self.subTest(name):
                text = self.run_python(name)
                program = os.path.join(PROGRAMS, "example_" + name)
                other = subprocess.run([program], check=True, capture_output=True, text=True).stdout
                self.assertEqual(text, other)


if __name__ == "__main__":
    unittest.main()
