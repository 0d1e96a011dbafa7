"""filum.calls: every public call is there, takes what it should, and refuses the rest."""

import glob
import os
import re
import sys
import tempfile
import threading
import unittest

import numpy

import filum
from common import NAME, SOURCE, TEXT
from filum import calls
from every_call import *  # noqa: F403 cases of this file too

count_calls()


# kinds that TEXT lacks
MORE = TEXT.replace("poisson: 0.5", "poisson: 0.4") + """
shells: [{name: cloth, material: rubber, thickness: 0.001, sheet: {corner: [5, 0, 1], along: [0.2, 0, 0], across: [0, 0.2, 0], columns: 2, rows: 2}}]
solids: [{name: jelly, material: rubber, position: [7, 0, 1], brick: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}]
"""


def resolve(path):
    found = filum
    for word in path.split(".")[1:]:
        found = getattr(found, word)
    return found


class Covered(unittest.TestCase):
    def test_every_public_call_is_there(self):
        """By names in the headers, which are looked for without the module's own reader of them."""
        names = set()
        for path in glob.glob(os.path.join(SOURCE, "sim_core/include/filum/*.h")):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"/\*(?:.|\n)*?\*/|^#.*$", "", file.read(), flags=re.M)
            names |= set(re.findall(r"\b(fil_\w+)\(", text))
        self.assertGreater(len(names), 380)
        self.assertEqual(sorted(name for name in names if name not in calls.ELSEWHERE and not hasattr(calls, name[4:])), [])
        for name, where in calls.ELSEWHERE.items():
            self.assertIn(name, names)
            self.assertIsNotNone(resolve(where), name)
        self.assertLess(len([name for name in calls.ELSEWHERE if not re.match("fil_(batch|gradient)_", name)]), 16)


class Worlds(unittest.TestCase):
    def setUp(self):
        self.world = filum.World(NAME, text=MORE)
        self.world.step(3)

    def test_getters_answer_and_refuse(self):
        """Whatever asks for something by its id and numbers of parts: all calls of that form, with ids that are right and with those that are not."""
        world, other = self.world, filum.World(NAME, text=MORE)
        kinds = {"rod": "rope", "arm": "trunk", "robot": "bar", "body": "ball", "attachment": "end", "drive": "pull", "link": None, "object": "rope", "shell": "cloth", "solid": "jelly"}
        asked = 0
        for name in calls.__all__:
            call = getattr(calls, name)
            match = re.match(r"(\w+)\(world, (\w+)((?:, (?:index|node|edge|vertex|triangle|section|chamber|disk|joint|link|shape|s))*)\): ", getattr(call, "__doc__", None) or "")
            if match is None or match[2] not in kinds or re.search("set|release|_at$|measure|reach|move|find|robot_shape$|world_body|(shell|solid)_chamber_[pv]", name):
                continue
            kind = match[2]
            word = {"object": "rod"}.get(kind, kind)
            thing = world.find(word, kinds[kind]) if kinds[kind] else calls.robot_link(world, world.find("robot", "bar"), 0)
            numbers = [0] * match[3].count(",")
            call(world, thing, *numbers)
            asked += 1
            if name.endswith("_name") or name in ("world_visual", "world_visual_count", "world_look"):
                continue
            with self.assertRaises(filum.InputError, msg=name):
                call(world, other.find(word, kinds[kind]).id if kinds[kind] else (77, 1), *numbers)
        self.assertGreater(asked, 60)

    def test_rays(self):
        """Down at the cloth, which has fallen for three steps, and up into the air."""
        height = float(calls.shell_get_positions(self.world, self.world.find("shell", "cloth"))[0][2])
        rays = [calls.FilRay(origin=(5.13, 0.04, 3), direction=(0, 0, -1), reach=10), calls.FilRay(origin=(5.13, 0.04, 3), direction=(0, 0, 2), reach=10)]
        down, up = calls.world_cast_rays(self.world, rays, (0, 0))
        self.assertEqual(calls.object_name(self.world, down.object), "cloth")
        self.assertAlmostEqual(down.distance, 3 - height - 0.0005, 9)
        self.assertEqual(up.distance, numpy.inf)
        with self.assertRaises(filum.InputError):
            calls.world_cast_rays(self.world, [calls.FilRay(reach=1)], (0, 0))

    def test_numbers_are_those_of_the_classes(self):
        world, rope = self.world, self.world.find("rod", "rope")
        self.assertTrue((calls.rod_get_positions(world, rope) == rope.positions).all())
        self.assertTrue((calls.rod_get_position(world, rope, 2) == rope.positions[2]).all())
        self.assertEqual(calls.rod_get_frames(world, rope).shape, (11, 9))
        self.assertEqual(calls.world_time(world), world.time)
        self.assertEqual(f"{calls.world_hash(world):016x}", world.hash[-16:])
        self.assertEqual(calls.world_find(world, "rod", "rope"), rope.id)
        self.assertEqual(calls.drive_value(world, world.find("drive", "pull")).tolist(), [0.1, 0, 0])
        self.assertEqual(calls.world_energy(world).kinetic, world.energy.kinetic)
        position, orientation = calls.rigid_get_pose(world, world.find("body", "ball"))
        self.assertEqual((len(position), len(orientation)), (3, 4))
        lower, upper = calls.robot_joint_limits(world, world.find("robot", "bar"), 0)
        self.assertLess(lower, upper)
        self.assertEqual(calls.world_step(world).step, 4)
        self.assertIsNone(calls.arm_name(world, (0, 0)))

    def test_arrays_follow_what_calls_change(self):
        world, rope = self.world, self.world.find("rod", "rope")
        seen, wanted = rope.positions, rope.positions + [0, 0, 0.5]
        calls.rod_set_state(world, rope, wanted, None, angles=None, spins=None)
        self.assertTrue((seen == wanted).all())
        with self.assertRaisesRegex(filum.InputError, "nodes: 12 x 3 are needed, not 11 x 3"):
            calls.rod_set_state(world, rope, wanted[1:], None, None, None)
        with self.assertRaises(BufferError):  # they would look at memory that is gone
            calls.world_add_rigid(world, calls.rigid_def_default())

    def test_efforts_hold_what_inverse_dynamics_says(self):
        bar = self.world.find("robot", "bar")
        rest = calls.robot_inverse_dynamics(self.world, bar, [0.5], None, None, True)
        self.assertEqual(calls.robot_inverse_dynamics(self.world, bar, [0.5], None, None, False).tolist(), [0])
        self.assertNotEqual(rest[0], 0)

    def test_wrong_arguments_raise(self):
        world = self.world
        for wrong in (lambda: calls.rod_length(world), lambda: calls.rod_length(world, (1, 2), 3), lambda: calls.rod_length(world, (1, 2, 3)),
                      lambda: calls.rod_length("world", (1, 2)), lambda: calls.world_set_sap_settings(world, calls.world_lcp_settings(world)),
                      lambda: calls.world_time(world, world=world), lambda: calls.world_time(planet=world), lambda: calls.plan_info(world)):
            with self.assertRaises((TypeError, filum.Error)):
                wrong()
        with self.assertRaises(AttributeError):
            calls.rod_def_default().lenght = 1
        with self.assertRaises(filum.InputError):
            calls.world_set_dt(world, -1)
        world.close()
        with self.assertRaisesRegex(filum.Error, "closed"):
            calls.world_time(world)

    def test_a_world_at_work_refuses(self):
        world = filum.World("hanging_rod", set={"nodes": 400})
        thread = threading.Thread(target=lambda: world.step(200))
        thread.start()
        refused = 0
        while thread.is_alive():
            try:
                calls.world_time(world)
            except filum.Error as error:
                self.assertIn("at work", str(error))
                refused += 1
        thread.join()
        self.assertGreater(refused, 0)
        self.assertGreater(calls.world_time(world), 0)


class Making(unittest.TestCase):
    def test_a_world_made_by_calls_is_that_of_a_scene(self):
        definition = calls.world_def_default()
        definition.dt, definition.contact_model = 0.001, "none"
        world = calls.world_create(definition)
        rod = calls.rod_def_default()
        rod.name, rod.node_count = "cable", 20
        rod.nodes = numpy.linspace([0, 0, 0], [1, 0, 0], 20)
        section = calls.FilSection(shape=calls.FIL_SECTION_CIRCLE, radius=0.002, young=1e6, poisson=0.4, density=1100)
        rod.section = section
        rod.spins = numpy.zeros(18)
        with self.assertRaisesRegex(filum.InputError, "FilRodDef.spins: 19 are needed, not 18"):
            calls.world_add_rod(world, rod)
        rod.spins = None
        made = calls.world_add_rod(world, rod)
        pin = calls.attachment_def_default()
        pin.object, pin.name = made, "hook"
        calls.world_add_attachment(world, pin)
        world.step(50)
        scene = filum.World(text="""
world: {dt: 0.001, contact: none}
materials: {m: {young: 1e6, poisson: 0.4, density: 1100}}
rods: [{name: cable, material: m, section: {circle: {radius: 0.002}}, shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 20}}}]
attachments: [{name: hook, pin: {rod: cable, node: 0}}]
""")
        scene.step(50)
        self.assertLess(abs(calls.rod_get_positions(world, made) - scene.find("rod", "cable").positions).max(), 1e-9)

    def test_drives_robots_and_meshes(self):
        world = calls.world_create(calls.world_def_default())
        ball = calls.shape_def_default()
        ball.type, ball.radius = calls.FIL_SHAPE_SPHERE, 0.1
        body = calls.rigid_def_default()
        body.shapes, body.shape_count = [ball], 2
        with self.assertRaisesRegex(filum.InputError, "FilRigidDef.shapes: 2 are needed, not 1"):
            calls.world_add_rigid(world, body)
        body.shape_count = 1
        made = calls.world_add_rigid(world, body)
        drive = calls.drive_def_default()
        drive.kind, drive.object, drive.times, drive.knot_count = calls.FIL_DRIVE_FORCE, made, [0, 1], 2
        drive.values = [[0, 0, 1]]
        with self.assertRaisesRegex(filum.InputError, "2 x 3 are needed"):
            calls.world_add_drive(world, drive)
        drive.values = [[0, 0, 1], [0, 0, 2]]
        self.assertEqual(calls.drive_value(world, calls.world_add_drive(world, drive)).tolist(), [0, 0, 1])
        mesh = calls.solid_mesh_brick([1, 2, 3], [1, 1, 1], 0)
        self.assertEqual((mesh.vertices.shape, mesh.tets.shape), ((8, 3), (5, 4)))
        self.assertEqual(numpy.ptp(mesh.vertices, axis=0).tolist(), [1, 2, 3])
        solid = calls.solid_def_default()
        solid.vertices, solid.vertex_count, solid.tets, solid.tet_count = mesh.vertices, mesh.vertex_count, mesh.tets, mesh.tet_count
        solid.young, solid.poisson, solid.density = 1e5, 0.3, 1000
        self.assertAlmostEqual(calls.solid_mass(world, calls.world_add_solid(world, solid)), 6000)

    def test_scenes_without_some_objects(self):
        options = calls.FilSceneOptions(without=["cable"], without_count=1)
        with self.assertRaisesRegex(filum.InputError, "cable"):  # which a pin holds
            calls.scene_load(filum.scenes()["hanging_rod"], options)
        options.without_count = 2
        with self.assertRaisesRegex(filum.InputError, "FilSceneOptions.without: 2 are needed, not 1"):
            calls.scene_load(filum.scenes()["hanging_rod"], options)

    def test_plans(self):
        world, info = calls.scene_load(filum.scenes()["ball_rotation"], None)
        plan = info.plan
        plan.nodes, plan.max_iterations, plan.meshes, plan.seeds = 4, 2, 1, 1
        found = calls.plan_solve(world, plan)
        outcome = calls.plan_info(found)
        self.assertEqual(outcome.stages, 4)
        self.assertEqual(calls.plan_verdict_name(outcome.verdict), calls.plan_verdict_name(calls.FIL_PLAN_UNFINISHED))
        self.assertEqual(calls.plan_coordinates(found, 0).shape, (outcome.coordinates,))
        self.assertEqual(len(calls.plan_command(found, 0.0)), calls.plan_channel_count(found))
        time, command = calls.plan_knot(found, 0, 0)
        self.assertEqual((time, type(command)), (0, calls.FilPlanCommand))
        tracker = calls.plan_tracker_create(found, 0.01)
        calls.plan_follow(tracker, world)
        task = calls.plan_task_begin(world, plan)
        calls.plan_task_cancel(task)
        self.assertEqual(calls.plan_info(calls.plan_task_end(task)).verdict in calls.__dict__.values(), True)
        with self.assertRaisesRegex(filum.Error, "has ended"):
            calls.plan_task_poll(task)
        with self.assertRaises(filum.InputError):
            calls.plan_solve(filum.World("hanging_rod"), calls.plan_def_default())

    def test_bags(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.mcap")
            recorder = calls.recorder_create(path, calls.recorder_options_default())
            channel = calls.FilBagChannel(topic="/words", type="std_msgs/msg/String", encoding="cdr", schema_encoding="ros2msg", schema=b"string data")
            number = calls.recorder_add_channel(recorder, channel)
            calls.recorder_describe(recorder, "who", [calls.FilBagPair(key="a", value="b")])
            for k in range(3):
                calls.recorder_write(recorder, calls.FilBagMessage(channel=number, sequence=k, log_time=10 * k, publish_time=k, data=bytes([k]) * 9))
            self.assertEqual(calls.recorder_close(recorder).written, 3)
            with self.assertRaisesRegex(filum.Error, "has ended"):
                calls.recorder_flush(recorder)
            with self.assertRaises((OSError, filum.Error)):  # it exists
                calls.recorder_create(path, calls.recorder_options_default())
            for wrong in ((path, None), (None, calls.recorder_options_default())):
                with self.assertRaises(TypeError):
                    calls.recorder_create(*wrong)
            reader = calls.reader_open(path, calls.reader_options_default())
            self.assertEqual(calls.reader_channel(reader, 0).channel.topic, "/words")
            data = []
            while True:
                message, found = calls.reader_next(reader)
                if not found:
                    break
                data.append(message.data)
            self.assertEqual(data, [bytes([k]) * 9 for k in range(3)])
            self.assertEqual([(pair.key, pair.value) for pair in calls.reader_metadata(reader, 0).pairs], [("a", "b")])


if __name__ == "__main__":
    program = unittest.main(exit=False)
    left_out = sorted(set(NAMES) - made)
    if len(sys.argv) == 1 and left_out:
        sys.exit(f"calls that no case makes: {left_out}")
    sys.exit(not program.result.wasSuccessful())
