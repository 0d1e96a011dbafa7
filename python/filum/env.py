"""Environments for learning, in the form of gymnasium's API; gymnasium itself is used where it is installed, and not needed."""

import numpy

from .batch import Batch

try:
    import gymnasium
    from gymnasium.spaces import Box
    _Base = gymnasium.Env
except ImportError:
    _Base = object

    class Box:
        """A box of numbers: what of gymnasium.spaces.Box these environments need."""

        def __init__(self, low, high, shape=None, dtype=numpy.float64):
            shape = numpy.broadcast(numpy.asarray(low), numpy.asarray(high)).shape if shape is None else tuple(shape)
            self.low = numpy.broadcast_to(numpy.asarray(low, dtype), shape).copy()
            self.high = numpy.broadcast_to(numpy.asarray(high, dtype), shape).copy()
            self.shape, self.dtype = shape, numpy.dtype(dtype)
            self._random = numpy.random.default_rng()

        def seed(self, seed=None):
            self._random = numpy.random.default_rng(seed)

        def sample(self):
            low = numpy.where(numpy.isfinite(self.low), self.low, -1.0)
            high = numpy.where(numpy.isfinite(self.high), self.high, 1.0)
            return self._random.uniform(low, high).astype(self.dtype)

        def contains(self, x):
            x = numpy.asarray(x)
            return x.shape == self.shape and bool(numpy.all(x >= self.low) and numpy.all(x <= self.high))


class VectorEnv:
    """VectorEnv(scene, count, *, inputs, low, high, reward, terminated=None, steps=1, horizon=None, begin=None, **batch)

    `count` worlds of a scene as one environment. Observations are the scene's probes, actions the inputs, in the order given: ("drive",
    name), ("joint", robot, joint, mode) or ("chamber", arm, number). An action holds for `steps` steps.

    reward(observations, actions) and terminated(observations) get arrays with a row per world, and give a number per world. An
    episode is cut off (truncated) after `horizon` actions. begin(world, random) may change a world that has been reset. A world whose
    episode has ended, or whose step failed (infos["failed"]), is reset by the next step(), which ignores its action.
    Further keywords are Batch's: threads, set, vary, seeds, ...
    """

    def __init__(self, scene, count, *, inputs, low, high, reward, terminated=None, steps=1, horizon=None, begin=None, **batch):
        self.batch = Batch(scene, count, **batch)
        for kind, *what in inputs:
            {"drive": self.batch.add_drive, "joint": self.batch.add_joint, "chamber": self.batch.add_chamber}[kind](*what)
        self.num_envs = count
        self.single_action_space = Box(low, high, shape=(self.batch.input_size,), dtype=numpy.float64)
        self.single_observation_space = Box(-numpy.inf, numpy.inf, shape=(self.batch.output_size,), dtype=numpy.float64)
        self.action_space = Box(low, high, shape=(count, self.batch.input_size), dtype=numpy.float64)
        self.observation_space = Box(-numpy.inf, numpy.inf, shape=(count, self.batch.output_size), dtype=numpy.float64)
        self._reward, self._terminated, self._begin = reward, terminated, begin
        self._steps, self._horizon = steps, horizon
        self._ages = numpy.zeros(count, int)
        self._ended = numpy.ones(count, bool)
        self._random = numpy.random.default_rng()

    def _restart(self, which):
        self.batch.reset(which)
        if self._begin is not None:
            for k in numpy.flatnonzero(which):
                self._begin(self.batch.world(int(k)), self._random)
        self._ages[which] = 0

    def reset(self, *, seed=None, options=None):
        """All worlds back to their starts; observations and infos."""
        if seed is not None:
            self._random = numpy.random.default_rng(seed)
        self._restart(numpy.ones(self.num_envs, bool))
        self._ended[:] = False
        return self.batch.outputs, {}

    def step(self, actions):
        """Observations, rewards, terminated, truncated, infos: a row per world."""
        actions = numpy.asarray(actions, dtype=float)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions of shape {self.action_space.shape} are needed, not {actions.shape}")
        fresh = self._ended.copy()
        if fresh.any():
            self._restart(fresh)
        before = self.batch.outputs
        after = self.batch.step(numpy.clip(actions, self.action_space.low, self.action_space.high), self._steps, ~fresh, strict=False)
        failed = numpy.array([status != "ok" for status in self.batch.statuses])
        observations = numpy.where((fresh | failed)[:, None], before, after)
        self._ages[~fresh] += 1
        rewards = numpy.where(fresh | failed, 0.0, self._reward(observations, actions))
        ended = numpy.zeros(self.num_envs, bool) if self._terminated is None else numpy.asarray(self._terminated(observations), bool)
        ended = ended & ~fresh & ~failed
        cut = failed.copy() if self._horizon is None else failed | (~fresh & (self._ages >= self._horizon))
        self._ended = ended | cut
        return observations, rewards, ended, cut, {"failed": failed}

    def render(self):
        """A picture of world 0."""
        return self.batch.world(0).show()

    def close(self):
        self.batch = None


class Env(_Base):
    """Env(scene, *, inputs, low, high, reward, ...): one world, with the keywords of VectorEnv.

    reward(observation, action) and terminated(observation) get and give what is of the one world.
    """

    metadata = {"render_modes": []}

    def __init__(self, scene, *, reward, terminated=None, **keys):
        ended = None if terminated is None else lambda observations: [terminated(observations[0])]
        self._all = VectorEnv(scene, 1, reward=lambda observations, actions: [reward(observations[0], actions[0])], terminated=ended, **keys)
        self.action_space = self._all.single_action_space
        self.observation_space = self._all.single_observation_space

    @property
    def world(self):
        return self._all.batch.world(0)

    def reset(self, *, seed=None, options=None):
        observations, infos = self._all.reset(seed=seed, options=options)
        return observations[0], infos

    def step(self, action):
        if self._all._ended[0]:
            raise RuntimeError("the episode has ended: reset() begins the next one")
        observations, rewards, terminated, truncated, infos = self._all.step(numpy.asarray(action, dtype=float)[None])
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {"failed": bool(infos["failed"][0])}

    def render(self):
        return self._all.render()

    def close(self):
        self._all.close()
