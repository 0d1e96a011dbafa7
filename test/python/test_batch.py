"""Batches and environments from Python."""

import threading
import unittest

import numpy

import filum
from common import NAME, TEXT

COUNT, PERIODS, STEPS = 5, 4, 3
FRICTIONS = numpy.linspace(0.1, 0.5, COUNT)


def make(threads=2, **keys):
    batch = filum.Batch(NAME, COUNT, text=TEXT, vary={"friction": FRICTIONS}, threads=threads, **keys)
    batch.add_drive("pull")
    batch.add_joint("bar", "swing", "effort")
    batch.add_chamber("trunk", 1)
    return batch


def commands():
    random = numpy.random.default_rng(3)
    return random.uniform(-1, 1, (COUNT, PERIODS, 5)) * [0.1, 0.1, 0, 0.3, 1e4] + [0, 0, 0, 0, 1e4]


def alone(k, rows):
    """World k by plain calls: its hash and its probes after each period."""
    world = filum.World(NAME, text=TEXT, set={"friction": FRICTIONS[k]})
    pull, bar, trunk = world.find("drive", "pull"), world.find("robot", "bar"), world.find("arm", "trunk")
    outputs = [list(world.probes.values())]
    for row in rows:
        pull.set(row[:3])
        bar.set_joint("swing", effort=row[3])
        trunk.set_pressure(1, row[4])
        world.step(STEPS)
        outputs.append(list(world.probes.values()))
    return world.hash, outputs


class Batches(unittest.TestCase):
    def test_bits_of_single_worlds(self):
        rows = commands()
        single = [alone(k, rows[k]) for k in range(COUNT)]
        for threads in (1, 2, 4, 8):
            batch = make(threads)
            self.assertEqual(batch.threads, min(threads, COUNT))
            outputs = batch.rollout(PERIODS, STEPS, rows)
            self.assertEqual(batch.hashes, [hash for hash, _ in single])
            numpy.testing.assert_array_equal(outputs, [values for _, values in single])
            batch.reset()
            again = batch.rollout(PERIODS, STEPS, control=lambda period, outputs: rows[:, period])
            numpy.testing.assert_array_equal(outputs, again)
            self.assertEqual(batch.hashes, [hash for hash, _ in single])
        self.assertEqual(batch.probe_names[0], "tip_x")

    def test_states(self):
        batch = make()
        world = batch.world(2)
        self.assertIs(world, batch.world(2))
        nodes = world.find("rod", "rope").positions
        outputs, positions, velocities = batch.rollout(PERIODS, 10, states=True)
        self.assertEqual(positions.shape, (COUNT, PERIODS + 1, len(world.positions)))
        numpy.testing.assert_array_equal(positions[2, -1], world.positions)
        numpy.testing.assert_array_equal(velocities[2, -1], world.velocities)
        self.assertEqual(nodes[0, 0], outputs[2, -1, 0])  # views follow rollouts too
        saved, hashes = batch.save(), batch.hashes
        batch.step()
        batch.restore(saved)
        self.assertEqual(batch.hashes, hashes)
        batch.restore(world.save(), [1, 1, 1, 0, 1])
        self.assertEqual([hash == hashes[2] for hash in batch.hashes], [True, True, True, False, True])
        batch.reset([0, 0, 1, 0, 0])
        self.assertEqual([batch.world(k).time > 0 for k in range(COUNT)], [True, True, False, True, True])
        self.assertEqual(len(batch), COUNT)
        del batch
        world.step()  # a world keeps its batch

    def test_failures(self):
        batch = make()
        batch.world(1).time_limit = 1e-9
        with self.assertRaisesRegex(filum.Interrupted, "^world 1: "):
            batch.step()
        outputs = batch.step(strict=False)
        self.assertEqual(batch.statuses, ["ok", "interrupted", "ok", "ok", "ok"])
        self.assertEqual(numpy.isnan(outputs).any(axis=1).tolist(), [False, True, False, False, False])

    def test_refusals(self):
        batch = make()
        for call, message in [
                (lambda: batch.rollout(2, 1, numpy.zeros((COUNT, 2, 4))), r"\(5, 2, 5\) is needed, not \(5, 2, 4\)"),
                (lambda: batch.rollout(2, 1, control=lambda p, o: numpy.zeros(3)), r"\(5, 5\) is needed, not \(3,\)"),
                (lambda: batch.rollout(-1), "periods"),
                (lambda: batch.step(active=[1, 1]), r"\(5,\) is needed"),
                (lambda: batch.add_drive("push"), "no drive 'push'"),
                (lambda: batch.add_joint("bar", "swing", "colour"), "position, velocity or effort"),
                (lambda: batch.add_chamber("trunk", 9), "no chamber 9"),
                (lambda: batch.restore(b"123"), "bytes of one snapshot"),
                (lambda: batch.world(0).add_probe("x", "position"), "take no probes"),
                (lambda: filum.Batch(NAME, 3, text=TEXT, vary={"friction": [1, 2]}), "each of 3 worlds"),
                (lambda: filum.Batch(NAME, 3, text=TEXT, seeds=[1, 2]), "each of 3 worlds"),
                (lambda: filum.Batch(NAME, 0, text=TEXT), "1 to 1000000 worlds"),
                (lambda: filum.Batch(NAME, 1, text=TEXT, threads=999), "1 to 256 threads")]:
            with self.assertRaisesRegex(filum.Error, message):
                call()
        with self.assertRaises(IndexError):
            batch.world(COUNT)
        with self.assertRaises(filum.SceneError) as caught:
            filum.Batch("a.yaml", 3, text="rods: [{nam: $(x)}]\nparameters: {x: 1}\n", vary={"x": [1, 2, 3]})
        self.assertEqual((caught.exception.world, caught.exception.line), (0, 1))

    def test_a_busy_batch_refuses(self):
        batch = filum.Batch("ring_chain", 2, set={"chain.rings": 20}, threads=1)
        world, seen = batch.world(0), set()
        thread = threading.Thread(target=lambda: batch.rollout(1, 60))
        thread.start()
        while thread.is_alive():
            for call in (lambda: world.hash, lambda: batch.hashes):
                try:
                    call()
                except filum.Error as error:
                    seen.add(str(error))
        thread.join()
        self.assertEqual(seen, {"this world is at work in another thread", "this batch is at work in another thread"})


PENDULUM = """
world: {dt: 0.005, integrator: midpoint}
robots: [{name: bar, urdf: ../robots/pendulum.urdf, joints: [{joint: swing, position: 0.3}]}]
probes: {angle: {axis_position: {robot: bar, joint: swing}}, rate: {axis_velocity: {robot: bar, joint: swing}}}
"""
KEYS = dict(text=PENDULUM, inputs=[("joint", "bar", "swing", "effort")], low=-5, high=5, steps=2, horizon=7)


class Environments(unittest.TestCase):
    def test_one_world(self):
        env = filum.Env(NAME, reward=lambda o, a: -o[0]**2, terminated=lambda o: abs(o[1]) > 100.0, **KEYS)
        self.assertEqual((env.observation_space.shape, env.action_space.shape), ((2,), (1,)))
        first, info = env.reset(seed=1)
        self.assertEqual((first.tolist(), info), ([0.3, 0.0], {}))
        for k in range(7):
            action = env.action_space.sample()
            self.assertTrue(env.action_space.contains(action))
            observation, reward, terminated, truncated, info = env.step(action)
            self.assertEqual((type(reward), terminated, truncated), (float, False, k == 6))
            self.assertAlmostEqual(reward, -observation[0]**2)
        with self.assertRaises(RuntimeError):
            env.step([0.0])
        again, _ = env.reset()
        numpy.testing.assert_array_equal(again, first)
        self.assertEqual(env.render().svg[:4], "<svg")
        env.close()

    def test_many_worlds(self):
        def begin(world, random):
            world.find("robot", "bar").set_joint_state("swing", random.uniform(-1, 1))

        env = filum.VectorEnv(NAME, 6, reward=lambda o, a: -o[:, 0]**2, terminated=lambda o: o[:, 0] > 0.9, begin=begin, **KEYS)
        first, _ = env.reset(seed=4)
        self.assertEqual(len(set(first[:, 0])), 6)
        numpy.testing.assert_array_equal(first, env.reset(seed=4)[0])
        ended = numpy.zeros(6, bool)
        for k in range(20):
            before = ended
            observation, reward, terminated, truncated, info = env.step(numpy.full((6, 1), 9.0))  # cut to 5
            self.assertFalse((reward[before] != 0).any())
            numpy.testing.assert_array_equal(observation[before, 1], 0.0)  # begun anew
            ended = terminated | truncated
        self.assertFalse(info["failed"].any())
        with self.assertRaises(ValueError):
            env.step(numpy.zeros((6, 2)))

    def test_a_controller_learns(self):
        """Cross-entropy over two gains: the pendulum comes to rest sooner than without control."""
        count, random = 16, numpy.random.default_rng(0)
        batch = filum.Batch(NAME, count, text=PENDULUM)
        batch.add_joint("bar", "swing", "effort")
        mean, spread = numpy.zeros(2), numpy.array([5.0, 5.0])
        free = (batch.rollout(40, 2)[0]**2).sum()
        for _ in range(4):
            gains = mean + spread * random.standard_normal((count, 2))
            batch.reset()
            outputs = batch.rollout(40, 2, control=lambda p, o: numpy.clip(-(gains * o).sum(axis=1), -5, 5)[:, None])
            cost = (outputs**2).sum(axis=(1, 2))
            best = numpy.argsort(cost)[:4]
            mean, spread = gains[best].mean(axis=0), gains[best].std(axis=0) + 0.1
        self.assertLess(cost[best].mean(), 0.2 * free)


if __name__ == "__main__":
    unittest.main()
