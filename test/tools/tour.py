"""docs/tour.md does what it says: its scene is read, and its commands, those of the node apart, run in a folder of their own."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

CLI = sys.argv.pop(1)
PAGE = (pathlib.Path(__file__).resolve().parent.parent.parent / "docs/tour.md").read_text(encoding="utf-8")


def numbers_of(text):
    """The probes that `filum run` prints."""
    rows = text[text.index("  probes"):].removeprefix("  probes").split("```")[0].splitlines()
    return {name: float(value) for name, value in (row.split() for row in rows if len(row.split()) == 2)}


class Tour(unittest.TestCase):
    def test_commands(self):
        commands = re.findall(r"^    filum ((?:list|run|info|sweep|bag) .*?)(?: {2,}#.*)?$", PAGE, re.M)
        self.assertGreaterEqual(len(commands), 8)
        scene = re.search(r"^```yaml\n(.*?)^```", PAGE, re.S | re.M)[1]
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "cable.yaml").write_text(scene, encoding="utf-8")
            recorded = True
            for command in commands:
                if "bag" in command and not recorded:
                    continue
                run = subprocess.run([CLI, *shlex.split(command)], cwd=folder, capture_output=True, text=True, env=dict(os.environ, COLUMNS="120"))
                if "--bag" in command and run.returncode == 2:
                    recorded = False  # built without messages
                    continue
                self.assertEqual(run.returncode, 0, f"{command}: {run.stderr}")
                if command.startswith("run cantilever"):
                    printed = PAGE[PAGE.index("```\ncantilever:"):]
                    for name, value in numbers_of(printed).items():
                        self.assertAlmostEqual(numbers_of(run.stdout)[name], value, delta=1e-6, msg=name)
            self.assertTrue(pathlib.Path(folder, "mu.csv").exists())


if __name__ == "__main__":
    unittest.main()
