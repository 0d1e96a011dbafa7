"""Parameters from measurements, by `filum fit`: friction from a capstan's curve, gains of a soft arm's chambers from its tip's path.

    python3 fits.py [path of the program filum]

The measurements are made here: simulated with known values, with noise added. Each fit prints what it found beside what is true.
"""

import csv
import json
import subprocess
import sys
import tempfile

import numpy

FILUM = sys.argv[1] if len(sys.argv) > 1 else "filum"

# two sections whose chambers push with other areas than written on them
ARM = """
title: A soft arm whose chambers are to be found
duration: 1.2
output_period: 0.02
parameters: {gain_low: 1, gain_high: 1}
world: {dt: 4e-3, contact: none}
arms:
  - name: arm
    rotation: [3.141592653589793, 0, 0]
    sections:
      - {chamber_area: $(4e-4 * gain_low)}
      - {chamber_area: $(4e-4 * gain_high), mass: 0.3}
drives:
  - {name: low, arm: arm, chambers: [0, 2], pressure: [[0, 0], [0.3, 3e4], [0.8, 1e4]]}
  - {name: high, arm: arm, chambers: [4, 2], pressure: [[0.2, 0], [0.6, 2e4]]}
probes:
  tip_x: {disk_position: {arm: arm, disk: -1, component: x}}
  tip_y: {disk_position: {arm: arm, disk: -1, component: y}}
"""


def measure(scene, options, columns, noise, path):
    """Runs the scene and writes some of its probes with noise, as a measurement."""
    subprocess.run([FILUM, "run", scene, "--csv", path, "--quiet", *options], check=True)
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    random = numpy.random.default_rng(1)
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["t", *columns])
        for row in rows:
            table.writerow([row["t"], *(float(row[c]) + noise * random.standard_normal() for c in columns)])


def fit(scene, data, vary, options=()):
    """Keys of the scene with their standard errors."""
    arguments = [option for key, bounds in vary.items() for option in ("--vary", f"{key}={bounds}")]
    done = subprocess.run([FILUM, "fit", scene, "--data", data, "--json", "--quiet", *arguments, *options], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def show(title, truth, found):
    print(title)
    for key, row in found["keys"].items():
        away = (row["value"] - truth[key]) / row["standard_error"]
        print(f"  {key}: {row['value']:.5g} +- {row['standard_error']:.2g}, true {truth[key]:g}: {away:+.1f} standard errors")
        assert abs(away) < 3, "a fit that misses by so much is wrong"


with tempfile.TemporaryDirectory() as folder:
    # a rope that slides around a post: how much the held end bears while the other one is pulled tells the friction
    coarse = ["--set", "capstan.segments=10", "--set", "capstan.wrap=4.71"]
    data = folder + "/capstan.csv"
    measure("capstan", [*coarse, "--set", "capstan.mu=0.27"], ["hold"], 0.002, data)
    show("friction from a capstan's curve", {"capstan.mu": 0.27}, fit("capstan", data, {"capstan.mu": "0.05:0.6"}, [*coarse, "--scouts", "8"]))

    scene, data = folder + "/arm.yaml", folder + "/arm.csv"
    with open(scene, "w") as file:
        file.write(ARM)
    truth = {"gain_low": 1.15, "gain_high": 0.85}
    measure(scene, [option for key, value in truth.items() for option in ("--set", f"{key}={value}")], ["tip_x", "tip_y"], 0.001, data)
    show("gains of a soft arm's chambers from its tip's path", truth, fit(scene, data, {"gain_low": "0.5:2", "gain_high": "0.5:2"}))
