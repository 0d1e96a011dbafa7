"""Gradients of trajectories."""

import math

import numpy


def trajectory_gradient(world, steps, cost, control=None):
    """A sum of costs over the next steps of a world, and its derivatives.

    cost(step, world) is asked after steps 1 to `steps`: its number and its derivatives by the state there, 2 n of them or None;
    control(step, world) commands before each. Returns the sum, its derivatives by the state at the start (a variation) and by
    generalised forces in every step (steps, n). About 2 sqrt(steps) states are kept; the world ends at the trajectory's end.
    """
    gradient = world.gradient()
    stride = max(1, math.isqrt(steps))
    total, outer = 0.0, []

    def advance(step, how):
        if control is not None:
            control(step, world)
        how()

    for step in range(steps):
        if step % stride == 0:
            outer.append(world.save())
        advance(step, world.step)
        total += cost(step + 1, world)[0]
    end = world.save()
    adjoint, forces = numpy.zeros(gradient.variation_size), numpy.zeros((steps, gradient.size))
    for first in reversed(range(0, steps, stride)):
        last = min(first + stride, steps)
        world.restore(outer.pop())
        inner = []
        for step in range(first, last):
            inner.append(world.save())
            if step + 1 < last:
                advance(step, world.step)
        for step in reversed(range(first, last)):
            world.restore(inner.pop())
            advance(step, gradient.step)
            slope = cost(step + 1, world)[1]
            if slope is not None:
                adjoint[: len(slope)] += slope
            adjoint, forces[step] = gradient.backward(adjoint)
    world.restore(end)
    return total, adjoint, forces
