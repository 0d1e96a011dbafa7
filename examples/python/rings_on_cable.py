"""Three rings slide on a cable between two pins, which sags under them. As examples/rings_on_cable.c.

    PYTHONPATH=build/dev/python python3 examples/python/rings_on_cable.py [picture.svg]
"""

import sys

import filum

NODES = 31


def place(x):
    """On a parabola of 1 m span and 0.15 m sag."""
    return [x, 0, 0.6 * x * (x - 1)]


scene = filum.Scene(world={"contact": "ipc"})  # rings are its barriers
scene.material("cord", young=1e8, poisson=0.3, density=1000)
scene.rod("cable", material="cord", section={"circle": {"radius": 2e-3}}, rest="initial", damping={"stiffness": 0.01},
          shape={"polyline": {"points": [place(i / (NODES - 1)) for i in range(NODES)]}})
scene.attachment("left", pin={"rod": "cable", "node": 0})
scene.attachment("right", pin={"rod": "cable", "node": -1})
for k in range(3):
    scene.ring(f"ring{k}", rod="cable", range=0.01, stiffness=100, friction=0.1, point={"mass": 0.02, "position": place(0.1 + 0.1 * k)})
    scene.probe(f"travel{k}", ring_travel={"ring": f"ring{k}"})
    scene.probe(f"force{k}", ring_force={"ring": f"ring{k}"})
world = filum.World(scene)
world.step(2000)
for k in range(3):
    print(f"ring {k} is {world.probes[f'travel{k}']:.3f} m along the cable and presses on it with {world.probes[f'force{k}']:.2f} N")
if len(sys.argv) > 1:
    world.show().save(sys.argv[1])
