"""A soft arm hangs above a floor, bends under the pressure of its chambers and pushes a ball away. As examples/arm_contact.c.

    PYTHONPATH=build/dev/python python3 examples/python/arm_contact.py [picture.svg]
"""

import math
import sys

import filum

section = {"length": 0.25, "mass": 0.5, "chamber_area": 4e-4, "disk_radius": 0.03}
scene = filum.Scene(world={"contact": "lcp", "dt": 5e-4})
scene.material("rubber", density=400)
scene.arm("arm", position=[0, 0, 0.6], rotation=[math.pi, 0, 0], sections=[section, section])
scene.rigid_body("floor", motion="static", shapes=[{"half_space": {}}])
scene.rigid_body("ball", material="rubber", position=[0.15, 0, 0.08], shapes=[{"sphere": {"radius": 0.08}}])
scene.probe("ball", body_position={"body": "ball", "component": "x"})
scene.probe("speed", body_velocity={"body": "ball", "component": "x"})
world = filum.World(scene)
arm = world.find("arm", "arm")
for chamber in 1, 2, 4, 5:  # those opposite to the ball: the arm bends towards it
    arm.set_pressure(chamber, 3e4)
number = 1 + [item.name for item in world.objects].index("arm")
push = 0.0  # N, mean of a second
for _ in range(2000):
    world.step()
    for contact in world.contacts:
        if number in (contact["a"], contact["b"]):
            push += abs(contact["force"][0]) / 2000
print(f"pushed with {push:.2f} N the ball is at {world.probes['ball']:.3f} m and rolls at {world.probes['speed']:.2f} m/s")
if len(sys.argv) > 1:
    world.show().save(sys.argv[1])
