"""A robot lifts a weight by a rope, which is tied to both: the rope's tension is the weight. As examples/robot_rope.c, with a robot from URDF.

    PYTHONPATH=build/dev/python python3 examples/python/robot_rope.py [picture.svg]
"""

import os
import sys

import filum

here = os.path.dirname(os.path.abspath(__file__))
scene = filum.Scene()
scene.material("rubber", young=1e7, poisson=0.5, density=1100)
scene.robot("gantry", urdf=os.path.join(here, "../../config/robots/gantry.urdf"), position=[0, 0, 1])
scene.rod("rope", material="rubber", section={"circle": {"radius": 2e-3}}, damping={"stiffness": 0.01},
          shape={"straight": {"from": [0, 0, 1], "to": [0, 0, 0.6], "nodes": 5}})
scene.rigid_body("weight", mass=0.5, position=[0, 0, 0.57], shapes=[{"sphere": {"radius": 0.03}}])
scene.joint("hand", pin={"a": {"rod": "rope", "node": 0}, "b": {"link": "tip"}})
scene.joint("hook", pin={"a": {"rod": "rope", "node": -1}, "b": {"body": "weight"}})
scene.probe("tension", tension={"rod": "rope", "edge": -1})
world = filum.World(scene)
world.find("robot", "gantry").set_joint("lift", velocity=0.2)
world.step(3000)
print(f"after {world.time:g} s the rope bears {world.probes['tension']:.2f} N")
if len(sys.argv) > 1:
    world.show().save(sys.argv[1])
