"""A robot swings the tip of a rope up: 64 worlds at a time look for the carriage's way, by the cross-entropy method.

    PYTHONPATH=build/dev/python python3 examples/python/swing_up.py [picture.svg]

A gantry carries a rope of 0.5 m that hangs straight down. Wanted is the tip as high above the carriage as it gets within 1.2 s, though the carriage may
only go along x, 0.4 m either way: it has to swing the rope up. The way is a row of positions that the robot's motor follows.
"""

import os
import sys

import numpy

import filum

here = os.path.dirname(os.path.abspath(__file__))
scene = filum.Scene(world={"dt": 0.004, "contact": "sap"})
scene.material("rubber", young=2e6, poisson=0.5, density=1100)
scene.robot("gantry", urdf=os.path.join(here, "../../config/robots/gantry.urdf"), position=[0, 0, 1],
            joints=[{"gains": {"stiffness": 2e4, "damping": 2e3}}])
scene.rod("rope", material="rubber", section={"circle": {"radius": 0.006}}, damping={"mass": 0.2}, collision={"self": False},
          shape={"straight": {"from": [0, 0, 1], "to": [0, 0, 0.5], "nodes": 12}})
scene.joint("grip", pin={"a": {"rod": "rope", "node": 0}, "b": {"link": "tip"}})
scene.probe("tip", position={"rod": "rope", "node": -1, "component": "z"})
scene.probe("carriage", axis_position={"robot": "gantry", "joint": "along"})

COUNT, ELITE, KNOTS, PERIODS, STEPS = 64, 8, 8, 60, 5  # 1.2 s, a command every 20 ms
batch = filum.Batch(scene, COUNT)
for joint in "along", "across", "lift":  # the last two stay where they are
    batch.add_joint("gantry", joint, "position")
tip = batch.probe_names.index("tip")


def way(knots):
    """Positions at all periods, from places every 0.15 s; the first one is where it stands."""
    at = numpy.linspace(0, KNOTS, PERIODS)
    smooth = numpy.array([numpy.interp(at, range(KNOTS + 1), [0, *row]) for row in numpy.clip(knots, -0.4, 0.4)])
    return numpy.stack([smooth, 0 * smooth, 0 * smooth], axis=2)


def height(knots):
    """How high the tip comes above the carriage, at most; -1 where a world failed."""
    batch.reset()
    outputs = batch.rollout(PERIODS, STEPS, way(knots), strict=False)
    return numpy.nan_to_num(outputs[:, :, tip].max(axis=1) - 1, nan=-1.0)


random = numpy.random.default_rng(1)
mean, spread = numpy.zeros(KNOTS), numpy.full(KNOTS, 0.3)
best, top = mean, -1.0
for generation in range(6):
    knots = mean + spread * random.standard_normal((COUNT, KNOTS))
    heights = height(knots)
    order = numpy.argsort(-heights)[:ELITE]
    mean, spread = knots[order].mean(axis=0), knots[order].std(axis=0) + 0.01
    if heights[order[0]] > top:
        top, best = heights[order[0]], knots[order[0]]
    print(f"generation {generation}: the tip comes to {top:+.3f} m of the carriage's height")
assert top > 0.2, "the rope was not swung up"

if len(sys.argv) > 1:  # the moment when it is highest
    rows = numpy.tile(best, (COUNT, 1))
    batch.reset()
    outputs = batch.rollout(PERIODS, STEPS, way(rows))
    batch.reset()
    batch.rollout(int(outputs[0, :, tip].argmax()), STEPS, way(rows)[:, :int(outputs[0, :, tip].argmax())])
    batch.world(0).show(view=[0, -1, 0]).save(sys.argv[1])
