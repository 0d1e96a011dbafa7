"""Filum: rods, soft arms, robots, rigid bodies and cloth in contact.

    import filum
    world = filum.World("hanging_rod", set={"nodes": 50})
    tip = world.find("rod", "cable").positions[-1]   # follows every step, without a copy
    world.step(1000)
    print(tip, world.probes, world.hash)

docs/python.md has more.
"""

import os

from ._filum import (Energy, Error, Gradient, InputError, Interrupted, NotConverged, Object, SceneError, StepInfo, View, __version__,
                     contact_models, quantities, scenes)
from .batch import Batch
from .env import Box, Env, VectorEnv
from .gradient import trajectory_gradient
from .scene import Scene
from .world import Picture, World

# scenes by name: those that came with the module, after those that FILUM_SCENE_PATH has
for _folder in ("config/scenes", "../../../../share/filum/config/scenes"):
    _folder = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), _folder))
    if os.path.isdir(_folder):
        os.environ["FILUM_SCENE_PATH"] = ":".join(filter(None, [os.environ.get("FILUM_SCENE_PATH"), _folder]))

__all__ = ["Batch", "Box", "Energy", "Env", "Error", "Gradient", "InputError", "Interrupted", "NotConverged", "Object", "Picture", "Scene",
           "SceneError", "StepInfo", "VectorEnv", "View", "World", "contact_models", "quantities", "scenes",
           "trajectory_gradient"]
