"""Gradients from Python: against differences of steps, and against each other."""

import unittest

import numpy

import filum

ROD = """
world: {dt: 2e-3, contact: {model: none}, newton: {tolerance: 1e-13}}
materials: {rubber: {young: 1e6, poisson: 0.4, density: 1100}}
rods: [{name: a, material: rubber, section: {circle: {radius: 0.005}}, twist: 1, damping: {stiffness: 0.002},
        shape: {arc: {center: [0, 0, 0], start: [0.2, 0, 0], normal: [0, 0.3, 1], angle: 1.5, nodes: 8}}}]
attachments: [{name: hook, pin: {rod: a, node: 0}}]
drives: [{name: push, rod: a, node: -1, force: [0, 0, 0]}]
"""


class Gradients(unittest.TestCase):
    def setUp(self):
        self.world = filum.World(text=ROD)
        self.world.step(3)

    def test_parameters(self):
        def world_of(young):
            return filum.World(text=ROD.replace("young: 1e6", f"young: {young!r}"))

        world, more, less = world_of(1e6), world_of(1.01e6), world_of(0.99e6)
        gradient = world.gradient()
        varied = numpy.zeros(2 * gradient.size)
        for _ in range(5):
            gradient.step()
            varied = gradient.forward(varied) + gradient.parameter(more, less, 2e4)
        runs = [world_of(young) for young in (1.0001e6, 0.9999e6)]
        for run in runs:
            run.step(5)
        quotient = (runs[0].velocities - runs[1].velocities) / 200
        self.assertLess(abs(quotient - varied[gradient.size:]).max(), 1e-6 * abs(quotient).max())
        with self.assertRaises(TypeError):
            gradient.parameter(more, 3, 1.0)
        with self.assertRaisesRegex(filum.InputError, "made like the one"):
            gradient.parameter(more, filum.World("hanging_rod"), 1.0)

    def differ(self, text, steps, moving):
        """Forward of a step in contact against differences, backward against forward."""
        world = filum.World(text=text)
        world.step(steps)
        gradient, before = world.gradient(), world.save()
        n, random = gradient.size, numpy.random.default_rng(3)
        start = numpy.zeros(gradient.variation_size)
        moving = n - moving.stop + numpy.array([k for k in moving if k % 4 < 3])
        start[moving], start[n + moving] = random.uniform(-0.5, 0.5, (2, len(moving)))
        gradient.step()
        self.assertGreater(len(world.contacts), 0)
        end, ends = gradient.forward(start), []
        weight = random.uniform(-1, 1, len(start))
        self.assertAlmostEqual(weight @ end, gradient.backward(weight)[0] @ start, delta=1e-10 * abs(weight) @ abs(end))
        for size in 1e-7, -1e-7:
            world.restore(before)
            world.vary(size * start[:2 * n])
            world.step()
            ends.append(world.velocities.copy())
        self.assertLess(abs((ends[0] - ends[1]) / 2e-7 - end[n:2 * n]).max(), 1e-6 * abs(end[n:2 * n]).max())

    def test_contact(self):
        ground = "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}"
        ball = ground + ", {name: a, position: [0, 0, %g], velocity: [1, 0, 0], angular_velocity: [0, 10, 0], shapes: [{sphere: {radius: 0.1}}]}]\n"
        rubber = "materials: {rubber: {young: 1e6, poisson: 0.4, density: 1100}}\n"
        rod = "rods: [{name: a, material: rubber, section: {circle: {radius: 0.006}}, velocity: [0.2, 0.1, -0.2], " \
              "shape: {straight: {from: [0, 0, %g], to: [0.3, 0.1, %g], nodes: 5}}}]\n"
        world = "world: {dt: 2e-3, newton: {tolerance: 1e-13}, contact: {model: %s}%s}\n"
        once = ", ipc: {range: 2e-3, slip_speed: 1e-2, friction_iterations: 1}"
        steady = ", imc: {stiffness: 3, rate: 0, dissipation: 0, reach: 0.4, static_speed: 1e-2, friction_iterations: 1}"
        self.differ(world % ("sap, tolerance: 1e-12", "") + ball % 0.09999, 3, range(8))
        self.differ(world % ("ipc", once) + ball % 0.1018, 3, range(8))
        self.differ(world % ("ipc", ", ipc: {range: 2e-3, slip_speed: 1e-2}") + ball % 0.1018, 3, range(8))
        self.differ(world % ("ipc", once) + rubber + ground + "]\n" + rod % (0.0079, 0.0079), 3, range(20))
        self.differ(world % ("imc", steady) + rubber + ground + "]\n" + rod % (0.0065, 0.0066), 3, range(20))
        self.differ(world % ("imc", ", imc: {static_speed: 1e-2}") + rubber + ground + "]\n" + rod % (0.0065, 0.0066), 3, range(20))
        with self.assertRaisesRegex(filum.InputError, "with one stiffness only"):
            filum.World(text=world % ("imc", ", imc: {local_stiffness: true}") + rubber + rod % (0, 0)).gradient()

    def test_forward_and_backward(self):
        world, gradient = self.world, self.world.gradient()
        n = gradient.size
        before, random = world.save(), numpy.random.default_rng(1)
        start = random.uniform(-1, 1, 2 * n)
        start[[0, 1, 2, n, n + 1, n + 2, n - 1, -1]] = 0  # pinned, idle
        gradient.step()
        end, weight, force = gradient.forward(start), random.uniform(-1, 1, 2 * n), random.uniform(-1, 1, n)
        by_start, by_force = gradient.backward(weight)
        self.assertAlmostEqual(weight @ end, by_start @ start, delta=1e-10 * abs(weight) @ abs(end))
        pushed = gradient.forward(0 * start, force)
        self.assertAlmostEqual(weight @ pushed, by_force @ force, delta=1e-10 * abs(weight) @ abs(pushed))
        ends = []
        for size in 1e-6, -1e-6:
            world.restore(before)
            world.vary(size * start)
            world.step()
            ends.append(world.velocities.copy())
        self.assertLess(numpy.abs((ends[0] - ends[1]) / 2e-6 - end[n:]).max(), 1e-6 * numpy.abs(end[n:]).max())

    def test_trajectories(self):
        world, n = self.world, self.world.gradient().size
        push, before, pushes = world.find("drive", "push"), world.save(), numpy.random.default_rng(2).uniform(-0.1, 0.1, (11, 3))

        def control(step, world):
            push.set(pushes[step])

        def cost(step, world):
            slope = numpy.zeros(2 * n)
            slope[n:] = world.velocities
            return 0.5 * world.velocities @ world.velocities, slope

        total, start, forces = filum.trajectory_gradient(world, len(pushes), cost, control)
        end = world.hash
        world.restore(before)
        for step in range(len(pushes)):
            control(step, world)
            world.step()
        self.assertEqual(world.hash, end)
        for step, axis in (0, 0), (4, 1), (10, 2):
            totals = []
            for size in 1e-4, -1e-4:
                pushes[step, axis] += size
                world.restore(before)
                totals.append(filum.trajectory_gradient(world, len(pushes), cost, control)[0])
                pushes[step, axis] -= size
            self.assertAlmostEqual((totals[0] - totals[1]) / 2e-4, forces[step, n - 4 + axis], delta=1e-6 * abs(forces).max())

    def test_refused(self):
        with self.assertRaisesRegex(filum.InputError, "under the contact model sap_lagged are not known yet"):
            filum.World(text=ROD, contact="sap_lagged").gradient()
        gradient = self.world.gradient()
        with self.assertRaisesRegex(filum.InputError, "no step to differentiate"):
            gradient.backward(numpy.zeros(2 * gradient.size))
        gradient.step()
        with self.assertRaises(filum.InputError):
            gradient.forward(numpy.zeros(3))
        with self.assertRaises(filum.InputError):
            self.world.vary([1])
        with self.assertRaises(BufferError):
            self.world.close()  # the gradient looks at it


if __name__ == "__main__":
    unittest.main()
