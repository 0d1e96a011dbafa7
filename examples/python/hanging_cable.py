"""A cable, clamped at one end, falls and swings for a second; where is its tip? As examples/hanging_cable.c.

    PYTHONPATH=build/dev/python python3 examples/python/hanging_cable.py [picture.svg]
"""

import sys

import filum

scene = filum.Scene()
scene.material("rubber", young=1e7, poisson=0.5, density=1100)
scene.rod("cable", material="rubber", section={"circle": {"radius": 2e-3}},
          shape={"straight": {"from": [0, 0, 0], "to": [0.3, 0, 0], "nodes": 4}})
scene.attachment("hook", clamp={"rod": "cable", "node": 0})
world = filum.World(scene)
world.step(1000)
x, y, z = world.find("rod", "cable").positions[-1]
print(f"tip at {x:g} {y:g} {z:g} m after {world.time:g} s")
if len(sys.argv) > 1:
    world.show().save(sys.argv[1])
