"""Batches of worlds, with rollouts that a function commands."""

import numpy

from . import _filum
from .world import World


class Batch(_filum.Batch):
    """Batch(scene, count, *, threads=0, text=None, set=None, vary=None, seed=None, seeds=None, dt=None, contact=None)

    `count` worlds of one scene, stepped together by a pool of threads; `vary` gives paths of the scene a value per world. The bits of
    each world are those of the same run alone, for any number of threads.
    """

    world_type = World  # of what world() gives

    def rollout(self, periods, steps=1, commands=None, control=None, active=None, states=False, strict=True):
        """Steps all worlds through `periods` of `steps` steps; a command holds for a period.

        commands: (count, periods, input_size), or control(period, outputs) that gives (count, input_size) from outputs
        (count, output_size). Returns outputs (count, periods + 1, output_size), with positions and velocities behind if `states`.
        A world that fails stops, and its further numbers are nan: `strict` raises for the first, else `statuses` says.
        """
        if control is None:
            return self._rollout(periods, steps, commands, active, states, strict)
        if commands is not None:
            raise _filum.InputError("a rollout takes its commands from an array or from a function, not from both")
        rows = [self._rollout(0, 1, None, None, states, strict)]
        going = numpy.ones(len(self)) if active is None else numpy.array(active, dtype=float)
        statuses = ["ok"] * len(self)
        for period in range(periods):
            last = rows[-1][0] if states else rows[-1]
            command = numpy.asarray(control(period, last[:, -1]), dtype=float)
            if command.shape != (len(self), self.input_size):
                raise _filum.InputError(f"control: an array of shape {(len(self), self.input_size)} is needed, not {command.shape}")
            row = self._rollout(1, steps, command[:, None], going, states, strict)
            rows.append(tuple(part[:, 1:] for part in row) if states else row[:, 1:])
            for k, status in enumerate(self.statuses):
                if status != "ok":
                    statuses[k], going[k] = status, 0
        self.failures = statuses
        if states:
            return tuple(numpy.concatenate(parts, axis=1) for parts in zip(*rows))
        return numpy.concatenate(rows, axis=1)

    def step(self, commands=None, steps=1, active=None, strict=True):
        """One period of `steps` steps by commands (count, input_size); returns outputs (count, output_size)."""
        if commands is not None:
            commands = numpy.asarray(commands, dtype=float)[:, None]
        return self._rollout(1, steps, commands, active, False, strict)[:, 1]

    @property
    def outputs(self):
        """Probes of all worlds now, (count, output_size)."""
        return self._rollout(0)[:, 0]
