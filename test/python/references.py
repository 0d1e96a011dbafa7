"""Whatever the module is asked for, no object, reference or memory is left over."""

import ctypes
import gc
import sys

import numpy

import filum
from common import NAME, TEXT
from filum import calls


def refused(call):
    try:
        call()
    except (filum.Error, LookupError, TypeError, ValueError, BufferError):
        return
    raise AssertionError("not refused")


def use_gradient():
    world = filum.World(text="rigid_bodies: [{name: a, shapes: [{sphere: {radius: 0.1}}]}]", contact="none")
    gradient = world.gradient()
    refused(lambda: gradient.forward(numpy.zeros(16)))
    seen = (gradient.step(), gradient.forward(numpy.zeros(16), numpy.zeros(8)), gradient.backward(numpy.zeros(16)), gradient.size, gradient.world)
    refused(lambda: gradient.forward(numpy.zeros(3)))
    refused(lambda: gradient.backward("x"))
    refused(world.close)
    world.vary(numpy.zeros(16))
    refused(lambda: world.vary([1]))
    del seen, gradient
    world.close()


def use_world():
    world = filum.World(NAME, text=TEXT, set={"friction": 0.2}, seed=3, dt=0.001, contact="sap")
    info = world.step(2)
    rope, pull = world.find("rod", "rope"), world.find("drive", "pull")
    arrays = [world.positions, world.velocities, rope.positions, rope.velocities, world.contacts, world.patches]
    pull.set([0, 0, 0.1])
    pull.release()
    rope.set_points(rope.positions, rope.velocities)
    world.find("robot", "bar").set_joint("swing", effort=0.1)
    seen = (world.probes, world.energy, world.hash, world.gravity, world.momentum, world.objects, rope.measure("position", 2), rope.name,
            repr(rope), rope.world, world.contact_wrench(rope), world.last_step, world.name, world.find("robot", "bar").joints)
    world.gravity = (0, 0, -9)
    world.add_probe("x", "position", rope)
    world.restore(world.save())
    use_gradient()
    world.reset()
    world.show()
    refused(world.close)
    refused(lambda: world.find("rod", "x"))
    refused(lambda: rope.set_points(numpy.zeros((2, 3))))
    refused(lambda: pull.set([1]))
    refused(lambda: world.measure("position"))
    refused(lambda: world.restore(b"x"))
    refused(lambda: setattr(world, "dt", -1))
    del arrays, info, seen
    world.close()
    refused(lambda: rope.positions)


def use_scenes():
    refused(lambda: filum.World("a.yaml", text="rods: [{nam: a}]\n"))
    refused(lambda: filum.World("hanging_rodd"))
    refused(lambda: filum.World(NAME, text=TEXT, set={"x": 1}))
    refused(lambda: filum.World(NAME, text=TEXT, set=3))
    refused(lambda: filum.World(3))
    filum.scenes(), filum.quantities(), filum.contact_models()
    refused(lambda: filum.World(filum.Scene(world={"dt": 0.01})))


def use_batch():
    batch = filum.Batch(NAME, 3, text=TEXT, vary={"friction": numpy.array([0.1, 0.2, 0.3])}, seeds=[1, 2, 3], threads=2)
    batch.add_drive("pull")
    batch.add_joint("bar", "swing", "effort")
    batch.rollout(2, 1, numpy.zeros((3, 2, 4)), states=True, active=[1, 0, 1])
    batch.rollout(2, 1, control=lambda period, outputs: numpy.zeros((3, 4)))
    world = batch.world(1)
    array = world.positions
    batch.step()
    batch.restore(batch.save())
    batch.reset([1, 1, 0])
    seen = batch.hashes, batch.statuses, batch.probe_names, batch.threads, batch.outputs, len(batch)
    refused(lambda: batch.rollout(1, 1, numpy.zeros((3, 1, 2))))
    refused(lambda: batch.add_drive("x"))
    refused(lambda: batch.restore(b""))
    refused(lambda: batch.world(7))
    refused(lambda: filum.Batch(NAME, 2, text=TEXT, vary={"friction": [1]}))
    refused(lambda: filum.Batch(NAME, 2, text=TEXT, seeds=[1]))
    refused(lambda: filum.Batch("a.yaml", 2, text="rods: [{nam: a}]\n"))
    del batch, seen
    world.step()
    del array


def use_calls():
    world = calls.world_create(calls.world_def_default())
    shape = calls.shape_def_default()
    shape.type, shape.radius = calls.FIL_SHAPE_SPHERE, 0.1
    body = calls.rigid_def_default()
    body.name, body.shapes, body.shape_count = "ball", [shape], 1
    ball = calls.world_add_rigid(world, body)
    drive = calls.drive_def_default()
    drive.kind, drive.object, drive.times, drive.values, drive.knot_count = calls.FIL_DRIVE_FORCE, ball, [0, 1], [[0, 0, 1], [0, 0, 2]], 2
    made = calls.world_add_drive(world, drive)
    seen = (calls.rigid_get_pose(world, ball), calls.drive_value(world, made), calls.world_energy(world), calls.rigid_shape(world, ball, 0),
            calls.solid_mesh_brick([1, 1, 1], [2, 2, 2], 0), calls.scene_folders(), calls.world_step(world), repr(body))
    refused(lambda: calls.rigid_mass(world, (9, 9)))
    refused(lambda: calls.world_add_drive(world, drive, 3))
    refused(lambda: calls.plan_solve(world, calls.plan_def_default()))
    del seen
    world.close()
    refused(lambda: calls.world_time(world))


class Malloc(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
                                                     "fordblks", "keepcost")]


def heap():
    """Bytes that C has in use: worlds are among them."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Malloc
    info = libc.mallinfo2()
    return info.uordblks + info.hblkhd


# shared by all, so that a reference too many leaves no object behind: None, and the module's own types
SHARED = [None, filum._filum.World, filum.World, filum._filum.Batch, filum.Batch, filum.Object, filum.StepInfo, filum.Energy,
          filum.SceneError, filum.InputError, numpy.float64, numpy.asarray, numpy.empty]
ROUNDS = 10


def measure(use, rounds):
    for _ in range(rounds):
        use()
    gc.collect()
    sys._clear_type_cache()  # which keeps names
    return numpy.array([sys.getallocatedblocks(), heap() / 1000, *(sys.getrefcount(item) for item in SHARED)])


failed = False
for use in (use_world, use_scenes, use_batch, use_calls):
    measure(use, 5)  # caches fill
    marks = [measure(use, ROUNDS) for _ in range(4)]
    growth = numpy.diff(marks, axis=0)
    growth = growth[numpy.abs(growth).argmin(axis=0), numpy.arange(growth.shape[1])]  # a leak is one in every part; the allocator jumps
    names = ["objects", "kB of C"] + [getattr(item, "__name__", "None") for item in SHARED]
    # half of what one leak a round would leave
    wrong = [f"{name} {number:+g}" for name, number in zip(names, growth) if number > ROUNDS / 2 or number < -ROUNDS / 2]
    print(f"{use.__name__}: {growth[0] / ROUNDS:g} objects and {growth[1] / ROUNDS:.3g} kB a round", *wrong)
    failed = failed or bool(wrong)
sys.exit(failed)
