"""An overhand knot is pulled tight: a scene by its name, changed by settings, and the force at one end. As examples/knot_pull.c.

    PYTHONPATH=build/dev/python python3 examples/python/knot_pull.py [picture.svg]
"""

import sys

import filum

world = filum.World("knot_tightening", set={"knot.n": 1, "speed": 1})
rope = world.find("rod", "rope").positions  # follows every step
for period in range(4):
    force = 0.0
    for _ in range(800):
        world.step()
        force += world.probes["pull"] / 800  # its mean: the rope swings as it is pulled
    print(f"{world.time:.2f} s: ends {rope[-1][1] - rope[0][1]:.3f} m apart, pull {force:.2f} N")
if len(sys.argv) > 1:
    world.show(view=[1, -0.15, 0.35]).save(sys.argv[1])
