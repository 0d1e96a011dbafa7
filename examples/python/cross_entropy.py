"""A controller trained by the cross-entropy method on 64 worlds: a cable hangs from a slide and swings; the slide learns to calm it.

    PYTHONPATH=build/dev/python python3 examples/python/cross_entropy.py
"""

import numpy

import filum

scene = filum.Scene(world={"dt": 0.005})
scene.material("rubber", young=1e6, poisson=0.5, density=1000)
scene.rod("cable", material="rubber", section={"circle": {"radius": 0.004}},
          shape={"straight": {"from": [0, 0, 0], "to": [0.2, 0, -0.35], "nodes": 12}})
scene.attachment("slide", pin={"rod": "cable", "node": 0})
scene.drive("move", attachment="slide", velocity=[0, 0, 0])
scene.probe("tip", position={"rod": "cable", "node": -1, "component": "x"})
scene.probe("tip_rate", velocity={"rod": "cable", "node": -1, "component": "x"})
scene.probe("slide", position={"rod": "cable", "node": 0, "component": "x"})

COUNT, ELITE, PERIODS, STEPS = 64, 8, 100, 4  # 2 s, a command every 20 ms
batch = filum.Batch(scene, COUNT)
batch.add_drive("move")
tip, rate, slide = (batch.probe_names.index(name) for name in ("tip", "tip_rate", "slide"))


def roll_out(gains):
    """Costs of one controller per world: the slide's velocity is a gain each times the tip's lead, its rate and the slide's place."""
    def control(period, outputs):
        commands = numpy.zeros((COUNT, 3))
        seen = numpy.stack([outputs[:, tip] - outputs[:, slide], outputs[:, rate], outputs[:, slide]], axis=1)
        commands[:, 0] = numpy.clip((gains * seen).sum(axis=1), -1, 1)
        return commands

    batch.reset()
    outputs = batch.rollout(PERIODS, STEPS, control=control, strict=False)
    cost = (outputs[:, :, tip]**2 + 0.1 * outputs[:, :, rate]**2 + outputs[:, :, slide]**2).mean(axis=1)
    return numpy.where(numpy.isnan(cost), numpy.inf, cost)


random = numpy.random.default_rng(1)
mean, spread = numpy.zeros(3), numpy.array([3.0, 1.0, 3.0])
free = roll_out(numpy.zeros((COUNT, 3)))[0]
for generation in range(8):
    gains = mean + spread * random.standard_normal((COUNT, 3))
    cost = roll_out(gains)
    best = numpy.argsort(cost)[:ELITE]
    mean, spread = gains[best].mean(axis=0), gains[best].std(axis=0) + 0.01
    print(f"generation {generation}: best {cost[best[0]] / free:.3f} of the free swing's cost, gains {numpy.round(mean, 2)}")
