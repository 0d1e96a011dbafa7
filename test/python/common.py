"""What the tests of the Python module share."""

import json
import os
import subprocess

SOURCE = os.environ["FILUM_SOURCE_DIR"]
CLI = os.environ["FILUM_CLI"]

# a rope that is pulled over the ground, a soft arm and a pendulum
TEXT = """
parameters: {nodes: 12, friction: 0.3}
world: {dt: 0.002, contact: sap}
materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000, friction: $(friction)}}
rods:
  - {name: rope, material: rubber, section: {circle: {radius: 0.01}},
     shape: {straight: {from: [0, 0, 0.012], to: [0.5, 0, 0.012], nodes: $(nodes)}}}
arms: [{name: trunk, position: [0, 2, 2], sections: [{}]}]
robots: [{name: bar, urdf: ../robots/pendulum.urdf, position: [0, -3, 3]}]
rigid_bodies:
  - {name: ground, motion: static, shapes: [{half_space: {}}]}
  - {name: ball, position: [0, 5, 3], shapes: [{sphere: {radius: 0.1}}]}
attachments: [{name: end, pin: {rod: rope, node: -1}}]
drives: [{name: pull, attachment: end, velocity: [0.1, 0, 0]}]
probes: {tip: {position: {rod: rope, node: 0}}, swing: {axis_position: {robot: bar, joint: swing}},
         disk: {disk_position: {arm: trunk, disk: -1}}, energy: total_energy}
"""
NAME = os.path.join(SOURCE, "config/scenes/python.yaml")


def run(scene, *options):
    """What `filum run --json` says."""
    done = subprocess.run([CLI, "run", scene, "--json", *options], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)
