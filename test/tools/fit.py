"""`filum fit` from outside: known keys are found again from noisy curves, by every method; what cannot be fitted is refused.

fit.py CLI                       a few fits
fit.py CLI --repeats [SEED [N]]  twenty of the cable, the capstan and the soft arm of examples/python/fits.py each, of which 19 shall have each key within
                                 two standard errors; from other seeds, more: the share that has (two standard errors hold 0.954 of a normal law)
"""

import csv
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest

CLI = sys.argv.pop(1)
REPEATS = [int(word) for word in sys.argv[2:]] if "--repeats" in sys.argv else None
SCENE = """
parameters: {young: 3e6, damping: 0.02}
duration: 0.8
output_period: 0.02
world: {dt: 0.004}
materials: {rubber: {young: $(young), poisson: 0.5, density: 1100}}
rods: [{name: cable, material: rubber, section: {circle: {radius: 0.004}}, damping: {stiffness: $(damping)},
  shape: {straight: {from: [0, 0, 0], to: [0.4, 0, 0], nodes: 15}}}]
attachments: [{name: wall, clamp: {rod: cable, node: 0}}]
probes: {tip_x: {position: {rod: cable, node: -1, component: x}}, tip_z: {position: {rod: cable, node: -1, component: z}}}
"""
TRUTH = {"young": 3e6, "damping": 0.02}
NOISE = 0.003  # m
VARY = ["--vary", "young=3e5:3e7", "--vary", "damping=0.001:0.1"]


class Fits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.old = os.getcwd()
        os.chdir(self.folder.name)
        with open("cable.yaml", "w") as file:
            file.write(SCENE)
        subprocess.run([CLI, "run", "cable.yaml", "--csv", "clean.csv", "--quiet"], check=True)
        with open("clean.csv", newline="") as file:
            self.clean = list(csv.reader(file))

    def tearDown(self):
        os.chdir(self.old)
        self.folder.cleanup()

    def write(self, rows):
        with open("data.csv", "w", newline="") as file:
            csv.writer(file).writerows(rows)

    def measure(self, seed, columns=("tip_x", "tip_z"), noise=NOISE):
        rng = random.Random(seed)
        places = [self.clean[0].index(name) for name in columns]
        self.write([["t", *columns]] + [[row[0]] + [repr(float(row[k]) + rng.gauss(0, noise)) for k in places] for row in self.clean[1:]])

    def fit(self, *options, code=0, scene="cable.yaml"):
        done = subprocess.run([CLI, "fit", scene, "--data", "data.csv", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def errors(self, report, truth=None):
        """How many standard errors each key is off."""
        return {key: (report["keys"][key]["value"] - true) / report["keys"][key]["standard_error"] for key, true in (truth or TRUTH).items()}

    def test_every_method_finds_the_same(self):
        self.measure(0)
        values = []
        for method in ("bobyqa", "lbfgs", "gauss_newton"):
            report = json.loads(self.fit(*VARY, "--json", "--method", method, "--plot", "fit.svg").stdout)
            for key, off in self.errors(report).items():
                self.assertLess(abs(off), 3, key)
            for deviation in report["deviations"].values():
                self.assertAlmostEqual(deviation, NOISE, delta=0.3 * NOISE)  # of 41 numbers: 11 %
            values.append([report["keys"][key]["value"] for key in TRUTH])
        for other in values[1:]:
            for a, b in zip(values[0], other):
                self.assertAlmostEqual(a / b, 1, 5)
        self.assertTrue(os.path.exists("fit.svg"))

    def test_without_noise_the_keys_come_back(self):
        # with cells that are empty, and from one curve
        self.write([["t", "tip_z"]] + [[row[0], row[2] if k % 3 else ""] for k, row in enumerate(self.clean[1:])])
        report = json.loads(self.fit(*VARY, "--json").stdout)
        for key, true in TRUTH.items():
            self.assertAlmostEqual(report["keys"][key]["value"] / true, 1, 5)

    def test_refusals(self):
        self.write(self.clean)
        for options, message in [
                (["--vary", "young=1"], "bounds low:high are needed"),
                (["--vary", "yuong=1:2"], "did you mean 'young'"),
                ([], "1 to 8 keys"),
                ([*VARY, "--method", "guess"], "no method 'guess'"),
                ([*VARY, "--method", "gauss_newton", "--contact", "lcp"], "gauss_newton needs gradients of steps")]:
            self.assertIn(message, self.fit(*options, code=2).stderr)
        self.assertIn("do not tell these keys apart", self.fit("--vary", "young=1e6:1e7", "--vary", "materials.rubber.density=500:2000", code=1).stderr)
        for rows, message in [
                ([["t", "tip_q"], [0, 1], [1, 2], [2, 2]], "no probe 'tip_q'"),
                ([["time", "tip_x"], [0, 1]], "data.csv:1: the first line names the columns"),
                ([["t", "tip_x"], [0, 1], [1, "x"]], "data.csv:3: 'x' is no number"),
                ([["t", "tip_x"], [0, 1], [0, 1]], "data.csv:3: times begin at 0"),
                ([["t", "tip_x"], [0, 1, 2]], "data.csv:2: 2 columns are needed"),
                ([["t", "tip_x"], [0, 1], [1, 2]], "too few for 2 keys"),
                ([["t", "tip_x"]], "no rows")]:
            self.write(rows)
            self.assertIn(message, self.fit(*VARY, code=2).stderr)

    def repeat(self, name, truth, scene, options, **noise):
        first, count = (REPEATS + [0, 20][len(REPEATS):])[:2]
        inside, runs = {key: 0 for key in truth}, 0
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        for seed in range(first, first + count):
            self.measure(seed, **noise)
            report = json.loads(self.fit(*options, "--json", scene=scene).stdout)
            runs += report["runs"]
            for key, off in self.errors(report, truth).items():
                inside[key] += abs(off) <= 2
        print(name, inside, "of", count, "from seed", first, runs, "runs,", round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 2), "s of CPU")
        if first == 0:
            self.assertGreaterEqual(min(inside.values()), 0.95 * count)

    @unittest.skipUnless(REPEATS is not None, "long")
    def test_nineteen_of_twenty(self):
        for method in ("bobyqa", "gauss_newton"):
            with self.subTest(method):
                self.repeat("cable, " + method, TRUTH, "cable.yaml", [*VARY, "--method", method])
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/python/fits.py"), encoding="utf-8") as file:
            arm = re.search('ARM = """(.*?)"""', file.read(), re.DOTALL)[1]
        with open("arm.yaml", "w") as file:
            file.write(arm)
        coarse = ["--set", "capstan.segments=10", "--set", "capstan.wrap=4.71"]
        for scene, truth, vary, options, noise in (
                ("capstan", {"capstan.mu": 0.27}, "0.05:0.6", [*coarse, "--scouts", "8"], {"columns": ["hold"], "noise": 0.002}),
                ("arm.yaml", {"gain_low": 1.15, "gain_high": 0.85}, "0.5:2", [], {"columns": ["tip_x", "tip_y"], "noise": 0.001})):
            known = [word for key, value in truth.items() for word in ("--set", f"{key}={value}")]
            subprocess.run([CLI, "run", scene, "--csv", "clean.csv", "--quiet", *(coarse if scene == "capstan" else []), *known], check=True)
            with open("clean.csv", newline="") as file:
                self.clean = list(csv.reader(file))
            with self.subTest(scene):
                self.repeat(scene, truth, scene, [*options, *(word for key in truth for word in ("--vary", f"{key}={vary}"))], **noise)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] if REPEATS is not None else sys.argv)
