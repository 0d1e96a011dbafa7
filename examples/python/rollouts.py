"""Where a cable's tip swings to depends on how its hook is moved: a state is saved, and many motions are tried from it. As examples/rollouts.c.

    PYTHONPATH=build/dev/python python3 examples/python/rollouts.py [picture.svg]
"""

import sys

import numpy

import filum

WORLDS, PERIODS, STEPS = 8, 20, 10
scene = filum.Scene(world={"dt": 0.002})
scene.material("rubber", young=1e7, poisson=0.5, density=1100)
scene.rod("cable", material="rubber", section={"circle": {"radius": 0.002}},
          shape={"straight": {"from": [0, 0, 0], "to": [0, 0, -0.5], "nodes": 11}})
scene.attachment("hook", pin={"rod": "cable", "node": 0})
scene.drive("move", attachment="hook", velocity=[0, 0, 0])
scene.probe("tip", position={"rod": "cable", "node": -1, "component": "x"})

first = filum.World(scene)
first.step(100)
batch = filum.Batch(scene, WORLDS)
batch.add_drive("move")
for k in range(WORLDS):
    batch.world(k).restore(first.save())
speeds = 0.25 * numpy.arange(WORLDS)
commands = numpy.zeros((WORLDS, PERIODS, 3))  # each moves its hook at another speed, and holds it for the second half
commands[:, : PERIODS // 2, 0] = speeds[:, None]
outputs = batch.rollout(PERIODS, STEPS, commands)
for speed, output in zip(speeds, outputs):
    print(f"hook moved at {speed:.2f} m/s: the tip is {output[-1, 0] - 0.2 * speed:.3f} m ahead of it")
if len(sys.argv) > 1:
    batch.world(WORLDS - 1).show().save(sys.argv[1])
