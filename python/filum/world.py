"""Worlds, with what notebooks show of them."""

import math

from . import _filum


class Picture:
    """A drawing of a world as it was: notebooks show it, save() writes it."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes the drawing as an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


class World(_filum.World):
    """World(scene=None, *, text=None, set=None, seed=None, dt=None, contact=None)

    A simulated world, made of a scene: a path, a name of config/scenes, a mapping, a filum.Scene, or YAML text.
    """

    def show(self, view=None):
        """The world as it is now, seen from the direction `view` (three numbers), as a Picture."""
        return Picture(self._svg(view))

    def _repr_svg_(self):
        return self._svg()

    def run(self, duration=None):
        """Steps for `duration` s, or the scene's own, as `filum run` counts them; returns the last StepInfo."""
        ratio = (self.duration if duration is None else duration) / self.dt
        steps = math.ceil(ratio - 1e-9 * max(1.0, ratio))
        return self.step(steps) if steps > 0 else self.last_step
