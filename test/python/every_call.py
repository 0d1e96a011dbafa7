"""Calls of `filum.calls` that classes do not use: each is made, and what comes back is compared with what is known. `python.calls` runs these and
fails if a call of the library was made by none of its cases."""

import functools
import math
import os
import re
import tempfile
import unittest

import numpy

import filum
from common import SOURCE
from filum import calls

made = set()
NAMES = [name for name in calls.__all__ if callable(getattr(calls, name)) and not isinstance(getattr(calls, name), type)]


def count_calls():
    """From now on `made` has the names of calls that came back."""
    def counting(name, call):
        @functools.wraps(call)
        def counted(*arguments, **keys):
            answer = call(*arguments, **keys)
            made.add(name)
            return answer
        return counted
    for name in NAMES:
        setattr(calls, name, counting(name, getattr(calls, name)))


WHOLE = """
world: {dt: 0.002, contact: ipc}
materials: {rubber: {young: 1e6, poisson: 0.4, density: 1000}}
rods:
  - {name: rope, material: rubber, section: {circle: {radius: 0.01}}, shape: {straight: {from: [0, 0, 2], to: [0.5, 0, 2], nodes: 6}}}
arms: [{name: trunk, position: [0, 2, 2], sections: [{}]}]
robots: [{name: bar, urdf: robots/pendulum.urdf, position: [0, -3, 3]}]
shells: [{name: cloth, material: rubber, thickness: 0.001, sheet: {corner: [5, 0, 1], along: [0.2, 0, 0], across: [0, 0.2, 0], columns: 2, rows: 2}}]
solids: [{name: jelly, material: rubber, position: [7, 0, 1], brick: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}]
rigid_bodies:
  - {name: ground, motion: static, shapes: [{half_space: {}}]}
  - {name: ball, position: [0, 5, 0.1002], shapes: [{sphere: {radius: 0.1}}]}
  - {name: door, position: [0, 8, 3], shapes: [{box: {size: [1, 0.1, 1]}}]}
rings: [{name: bead, rod: rope, range: 0.01, stiffness: 1000, point: {mass: 0.01, position: [0.25, 0, 2]}}]
joints: [{name: hinge, hinge: {a: {body: door}, axis: [0, 0, 1], point: [0.5, 8, 3]}}]
attachments: [{name: end, pin: {rod: rope, node: 0}}]
drives: [{name: pull, rod: rope, node: -1, force: [0, 0, 1]}]
probes: {tip: {position: {rod: rope, node: -1, component: z}}}
"""


def whole():
    return filum.World(os.path.join(SOURCE, "config/whole.yaml"), text=WHOLE)


def shape(kind, **keys):
    made_shape = calls.shape_def_default()
    made_shape.type = kind
    for name, value in keys.items():
        setattr(made_shape, name, value)
    return made_shape


class Simple(unittest.TestCase):
    """Calls whose form says how to make them."""

    def test_defaults(self):
        for name in NAMES:
            if name.endswith("_default"):
                self.assertIsInstance(getattr(calls, name)(), calls.Struct, name)
        self.assertEqual(calls.world_def_default().gravity, (0, 0, -9.81))

    def test_questions_to_a_world(self):
        world, asked = whole(), 0
        world.step(2)
        for name in NAMES:
            if re.match(r"world_\w+\(world\): ", getattr(calls, name).__doc__ or "") and name not in ("world_step", "world_reset"):
                getattr(calls, name)(world)
                asked += 1
        self.assertGreater(asked, 30)
        self.assertEqual((calls.world_dt(world), calls.world_step_count(world), calls.world_contact_model(world)), (0.002, 2, "ipc"))
        self.assertEqual(calls.world_dofs(world), world.dofs)
        self.assertEqual(tuple(calls.world_momentum(world)), tuple(world.momentum))
        calls.world_reset(world)
        self.assertEqual(world.time, 0)

    def test_every_kind_is_found_and_counted(self):
        world = whole()
        for kind, name in {"rod": "rope", "arm": "trunk", "robot": "bar", "shell": "cloth", "solid": "jelly", "rigid": "ball", "ring": "bead", "joint": "hinge",
                           "attachment": "end", "drive": "pull", "link": calls.robot_link_name(world, world.find("robot", "bar"), 0)}.items():
            found = getattr(calls, "world_find_" + kind)(world, name)
            self.assertNotEqual(found, (0, 0), kind)
            if hasattr(calls, f"world_{kind}_at"):
                count = getattr(calls, f"world_{kind}_count")(world)
                self.assertIn(found, [getattr(calls, f"world_{kind}_at")(world, k) for k in range(count)])
            self.assertEqual(getattr(calls, "world_find_" + kind)(world, "nobody"), (0, 0))
        names = [calls.object_name(world, calls.world_object_at(world, k)) for k in range(calls.world_object_count(world))]
        self.assertEqual(names, [item.name for item in world.objects])
        bodies = {calls.world_body_name(world, k): (calls.world_body_kind(world, k), calls.world_body_dofs(world, k)) for k in range(calls.world_body_count(world))}
        self.assertIn("rope", bodies)
        self.assertEqual(sum(dofs for _, dofs in bodies.values()), calls.world_dofs(world))

    def test_lists_and_names(self):
        self.assertEqual([calls.contact_model_name(k) for k in range(calls.contact_model_count())], list(filum.contact_models()))
        self.assertEqual({calls.quantity_info(k).name for k in range(calls.quantity_count())}, set(filum.quantities()))
        self.assertEqual(calls.status_name(calls.FIL_OK), "ok")
        neo = calls.solid_model_name(0)
        self.assertEqual(calls.solid_model_find(neo), 0)
        known, color = calls.color_parse("#ff0080")
        self.assertEqual([round(255 * share) for share in (color.r, color.g, color.b)], [255, 0, 128])
        self.assertTrue(known)
        self.assertIn("hanging_rod.yaml", str(calls.scene_find("hanging_rod")))
        self.assertIn("scenes", str(calls.scene_folders()))
        a, b = calls.surface_default(), calls.surface_default()
        a.friction, b.friction = 0.25, 1.0
        self.assertAlmostEqual(calls.surface_combine(a, b).friction, 0.4)  # the harmonic mean
        section = calls.FilSection(shape=calls.FIL_SECTION_CIRCLE, radius=0.1, young=2.0, poisson=0.0, density=1.0)
        self.assertAlmostEqual(calls.section_stiffness(section).ea, 2.0 * math.pi * 0.01)


class Settings(unittest.TestCase):
    def test_what_is_set_is_there(self):
        world = whole()
        for name, value in {"dt": 0.001, "friction": 0.3, "integrator": calls.FIL_SDIRK2, "time_limit": 100.0, "contact_model": "ipc"}.items():
            getattr(calls, "world_set_" + name)(world, value)
            self.assertEqual(getattr(calls, "world_" + name)(world), value)
        calls.world_set_threads(world, 2)
        self.assertEqual(calls.world_threads_asked(world), 2)
        calls.world_set_gravity(world, (0, 0, -1))
        self.assertEqual(calls.world_gravity(world), (0, 0, -1))
        for model in ("sap", "lcp", "imc", "ipc"):
            settings = getattr(calls, f"{model}_settings_default")()
            getattr(calls, f"world_set_{model}_settings")(world, settings)
            self.assertEqual(bytes(getattr(calls, f"world_{model}_settings")(world)), bytes(settings), model)
        calls.world_set_error(world, calls.FIL_BAD_INPUT, "as I say")
        self.assertEqual(calls.world_error(world), "as I say")
        calls.world_set_memory_limit(world, 1 << 30, 0)
        calls.world_step(world)
        ball, ground = world.find("body", "ball"), world.find("body", "ground")
        surface = calls.surface_default()
        surface.friction = 0.0
        calls.world_set_pair_surface(world, ball, ground, surface)

    def test_looks(self):
        world = whole()
        ball = world.find("body", "ball")
        look = calls.look_default()
        look.color = calls.color_parse("#00ff00")[1]
        calls.world_set_look(world, ball, look)
        self.assertEqual(calls.world_look(world, ball).color.g, 1.0)
        calls.world_add_visual(world, ball, calls.FilVisual(shape=shape(calls.FIL_SHAPE_SPHERE, radius=0.2)))
        self.assertEqual(calls.world_visual_count(world, ball), 1)
        self.assertEqual(calls.world_visual(world, ball, 0).shape.radius, 0.2)

    def test_probes_and_contacts(self):
        world = whole()
        probe = calls.probe_def_default()
        probe.name, probe.quantity, probe.of, probe.index, probe.component = "x", "position", world.find("rod", "rope"), -1, 0
        calls.world_add_probe(world, probe)
        index = calls.world_probe_count(world) - 1
        self.assertEqual((calls.world_probe_name(world, index), calls.world_probe_value(world, index)), ("x", 0.5))
        self.assertEqual(calls.world_measure(world, "position", world.find("rod", "rope"), 5)[0].tolist(), [0.5, 0, 2])
        self.assertEqual(calls.part_count(world, world.find("rod", "rope"), "node"), 6)
        stack = filum.World("patch_stack")
        stack.step(3)
        self.assertEqual((calls.world_contact_count(stack), calls.world_patch_count(stack)), (len(stack.contacts), len(stack.patches)))
        self.assertEqual(tuple(calls.world_contact(stack, 0).force), tuple(stack.contacts[0]["force"]))
        self.assertGreater(calls.world_patch(stack, 0).area, 0)


class States(unittest.TestCase):
    def test_commands(self):
        world = whole()
        arm, pull, end = world.find("arm", "trunk"), world.find("drive", "pull"), world.find("attachment", "end")
        calls.arm_set_pressure(world, arm, 1, 2e4)
        world.step()
        self.assertEqual(calls.arm_pressure(world, arm, 1), 2e4)
        calls.arm_release_pressure(world, arm, 1)
        calls.arm_set_state(world, arm, [[0.001, 0.002, 0.003]], None)
        self.assertEqual(calls.arm_get_state(world, arm)[0].tolist(), [[0.001, 0.002, 0.003]])
        self.assertFalse(calls.arm_base_moves(world, arm))
        calls.drive_set(world, pull, [0, 0, 5])
        self.assertEqual(calls.drive_value(world, pull).tolist(), [0, 0, 5])
        calls.drive_release(world, pull)
        self.assertEqual(calls.drive_value(world, pull).tolist(), [0, 0, 1])
        calls.attachment_set_active(world, end, False)
        self.assertFalse(calls.attachment_info(world, end).active)

    def test_states(self):
        world = whole()
        ball, cloth, jelly, rope = world.find("body", "ball"), world.find("shell", "cloth"), world.find("solid", "jelly"), world.find("rod", "rope")
        calls.rigid_set_state(world, ball, (1, 2, 3), (0, 0, 0, 1), (4, 5, 6), (0, 0, 1))
        self.assertEqual(calls.rigid_get_pose(world, ball)[0], (1, 2, 3))
        for kind, item in {"shell": cloth, "solid": jelly}.items():
            points = getattr(calls, kind + "_get_positions")(world, item) + [0, 0, 1]
            getattr(calls, kind + "_set_state")(world, item, points, 0 * points)
            self.assertTrue((getattr(calls, kind + "_get_positions")(world, item) == points).all())
        self.assertAlmostEqual(calls.solid_measure(world, jelly).volume, 0.001, 12)
        calls.rod_set_rest_length(world, rope, 0, 5, [0.09] * 5)
        calls.rod_set_rest_curvature(world, rope, 1, 4, [[1, 0]] * 4)
        calls.rod_set_rest_twist(world, rope, 1, 4, [0.5] * 4)
        self.assertGreater(calls.world_energy(world).elastic, 0)
        twin = whole()
        calls.world_take_state(twin, world)
        self.assertEqual(calls.rigid_get_pose(twin, twin.find("body", "ball"))[0], (1, 2, 3))

    def test_chambers(self):
        for kind, scene in {"shell": "bubble_membrane", "solid": "pneumatic_finger"}.items():
            world, other = filum.World(scene), filum.World(scene)
            item = next(item for item in world.objects if item.kind == kind and getattr(calls, kind + "_chamber_count")(world, item) > 0)
            self.assertGreater(getattr(calls, kind + "_chamber_volume")(world, item, 0), 0)
            getattr(calls, kind + "_set_pressure")(world, item, 0, 1e5)
            world.step()
            other.step()
            twin = other.find(kind, item.name)
            self.assertGreater(getattr(calls, kind + "_chamber_pressure")(world, item, 0), getattr(calls, kind + "_chamber_pressure")(other, twin, 0))
            getattr(calls, kind + "_release_pressure")(world, item, 0)

    def test_rings_and_joints(self):
        world = whole()
        world.step(10)
        bead, hinge = calls.world_find_ring(world, "bead"), calls.world_find_joint(world, "hinge")
        self.assertEqual(calls.ring_name(world, bead), "bead")
        self.assertTrue(calls.ring_threaded(world, bead))
        self.assertAlmostEqual(calls.ring_position(world, bead)[0], 0.25, 2)
        self.assertLess(calls.ring_velocity(world, bead)[2], 0)
        self.assertAlmostEqual(abs(calls.ring_axis(world, bead)[0]), 1, 2)
        self.assertEqual(calls.ring_body(world, bead), (0, 0))  # a point of its own
        for name in ("radius", "distance", "travel", "force", "energy_stored"):
            self.assertTrue(math.isfinite(getattr(calls, "ring_" + name)(world, bead)), name)
        weight = 9.81 * calls.rigid_mass(world, world.find("body", "door"))
        self.assertAlmostEqual(calls.joint_force(world, hinge)[2] / weight, -1, 4)  # on the world
        self.assertEqual(len(calls.joint_torque(world, hinge)), 3)
        for name in ("position", "velocity", "effort"):
            self.assertAlmostEqual(getattr(calls, "joint_" + name)(world, hinge), 0, 6)


class Robots(unittest.TestCase):
    def test_robots(self):
        world = whole()
        bar = world.find("robot", "bar")
        joint = calls.robot_find_joint(world, bar, "swing")
        calls.robot_set_joint_state(world, bar, joint, 0.5, 0.25)
        self.assertEqual(calls.robot_joint_state(world, bar, joint).position, 0.5)
        link = calls.robot_joint_link(world, bar, joint)
        place, turn = calls.robot_place_link(world, bar, link, [0.5])
        numpy.testing.assert_allclose(place, calls.robot_link_pose(world, bar, link)[0], atol=1e-12)
        reach = calls.reach_def_default()
        reach.link, reach.position, reach.orientation = link, place, turn
        self.assertAlmostEqual(calls.robot_reach(world, bar, reach, [0.4])[0], 0.5, 4)
        motion = calls.link_motion_def_default()
        motion.link, motion.angular, motion.period = link, calls.robot_link_velocity(world, bar, link)[1], 0.01
        motion.velocity = calls.robot_link_velocity(world, bar, link)[0]
        self.assertAlmostEqual(calls.robot_move_link(world, bar, motion, [0.5])[0], 0.5025, 4)
        calls.robot_set_joint_command(world, bar, joint, calls.FilJointCommand(mode=calls.FIL_JOINT_EFFORT, effort=0.75))
        self.assertEqual(calls.robot_joint_command(world, bar, joint).effort, 0.75)
        way = calls.trajectory_def_default()
        way.point_count, way.times, way.positions, way.joints, way.joint_count = 2, [0.1, 0.2], [[0.5], [0.6]], [joint], 1
        calls.robot_set_trajectory(world, bar, way)
        self.assertGreater(calls.robot_trajectory_left(world, bar), 0)
        with self.assertRaises(filum.Error):  # it does not float
            calls.robot_set_base(world, bar, (0, 0, 5), (0, 0, 0, 1), (0, 0, 0), (0, 0, 0))
        if calls.robot_shape_count(world, bar, link):
            self.assertGreaterEqual(calls.robot_shape(world, bar, link, 0).type, 0)

    def test_robots_made_by_calls(self):
        world = calls.world_create(calls.world_def_default())
        root, hand = calls.link_def_default(), calls.link_def_default()
        root.name, hand.name, root.mass, hand.mass = "root", "hand", 1.0, 2.0
        root.inertia = hand.inertia = [0.1, 0.1, 0.1, 0, 0, 0]
        hand.shapes, hand.shape_count = [shape(calls.FIL_SHAPE_SPHERE, radius=0.1)], 1
        joint = calls.robot_joint_def_default()
        joint.name, joint.type, joint.parent, joint.child, joint.axis = "turn", calls.FIL_ROBOT_REVOLUTE, 0, 1, (0, 0, 1)
        robot = calls.robot_def_default()
        robot.name, robot.floating, robot.links, robot.link_count, robot.joints, robot.joint_count = "r", True, [root, hand], 2, [joint], 1
        made_robot = calls.world_add_robot(world, robot)
        calls.robot_set_base(world, made_robot, (0, 0, 5), (0, 0, 0, 1), (1, 0, 0), (0, 0, 0))
        self.assertEqual(calls.robot_link_pose(world, made_robot, 0)[0], (0, 0, 5))
        self.assertEqual(calls.robot_shape(world, made_robot, 1, 0).radius, 0.1)
        second = calls.robot_def_default()
        second.name, second.position = "bar", (0, 0, 9)
        with open(os.path.join(SOURCE, "config/robots/pendulum.urdf"), encoding="utf-8") as file:
            text = file.read()
        setting = calls.robot_joint_setting_default()
        setting.joint = "swing"
        bar = calls.world_add_robot_urdf(world, second, "pendulum.urdf", text, [setting])
        self.assertEqual(calls.robot_joint_name(world, bar, 0), "swing")


class Adding(unittest.TestCase):
    def test_worlds(self):
        definition = calls.world_def_default()
        definition.contact_model = "ipc"
        world = calls.world_create(definition)
        arm = calls.arm_def_default()
        arm.name, arm.sections, arm.section_count = "arm", [calls.arm_section_default()], 1
        self.assertEqual(calls.arm_section_count(world, calls.world_add_arm(world, arm)), 1)
        rods = [calls.rod_def_default() for _ in range(2)]
        for k, rod in enumerate(rods):
            rod.node_count, rod.nodes = 5, numpy.linspace([k, 0, 1], [k + 1, 0, 1], 5)
            rod.section = calls.FilSection(shape=calls.FIL_SECTION_CIRCLE, radius=0.01, young=1e6, poisson=0.4, density=1000)
        two = calls.world_add_rod_network(world, rods, [calls.FilRodJunction(rod_a=0, node_a=4, rod_b=1, node_b=0)])
        self.assertEqual(len(two), 2)
        ring = calls.ring_def_default()
        ring.rods, ring.rod_count, ring.mass, ring.position = [two[0]], 1, 0.01, (0.5, 0, 1)
        bead = calls.world_add_ring(world, ring)
        self.assertEqual(calls.ring_position(world, bead)[0], 0.5)
        shell = calls.shell_def_default()
        shell.vertex_count, shell.vertices, shell.triangle_count, shell.triangles = 3, [[0, 5, 0], [1, 5, 0], [0, 6, 0]], 1, [[0, 1, 2]]
        shell.thickness, shell.young, shell.density = 0.01, 1e6, 1000
        cloth = calls.world_add_shell(world, shell)
        self.assertAlmostEqual(calls.object_mass(world, cloth), 5)
        joint = calls.joint_def_default()
        joint.kind, joint.a, joint.node_a = calls.FIL_JOINT_PIN, cloth, 0
        calls.world_add_joint(world, joint)
        calls.world_check(world)
        world.step()
        numpy.testing.assert_allclose(calls.shell_get_position(world, cloth, 0), [0, 5, 0], atol=1e-6)

    def test_scenes(self):
        world, info = calls.scene_load_text("a.yaml", "rigid_bodies: [{name: a, shapes: [{sphere: {radius: 0.1}}]}]", calls.FilSceneOptions())
        calls.scene_extend(world, "b.yaml", "rigid_bodies: [{name: b, position: [1, 0, 0], shapes: [{sphere: {radius: 0.1}}]}]", calls.FilSceneOptions())
        self.assertEqual([item.name for item in world.objects], ["a", "b"])

    def test_meshes(self):
        cells = [2, 2, 2]
        hollow = calls.FilSolidHollow(from_=[1, 1, 1], to=[2, 2, 2])
        volumes = {
            "hollow": (calls.solid_mesh_hollow_brick([3, 3, 3], [3, 3, 3], 0, [hollow]), 26),
            "voussoir": (calls.solid_mesh_voussoir(1, 0.2, 0.5, 0, math.pi / 2, [40, 1, 1]), 0.5 * math.pi / 4 * (1.1**2 - 0.9**2)),
            "belt": (calls.solid_mesh_belt(0.2, 1, 0.01, 0.1, [80, 1, 1]), 0.01 * 0.1 * (2 + 2 * math.pi * 0.2)),
            "disc": (calls.solid_mesh_disc(0.5, 0.2, 6, 2), 0.2 * math.pi * 0.25),
            "brick": (calls.solid_mesh_brick([1, 1, 1], cells, 0), 1)}
        for name, (mesh, expected) in volumes.items():
            corners = mesh.vertices[mesh.tets]
            volume = numpy.abs(numpy.linalg.det(corners[:, 1:] - corners[:, :1])).sum() / 6
            self.assertLess(abs(volume / expected - 1), 0.06, name)
        part = calls.FilSolidPart(shape=calls.FIL_SOLID_BALL, size=[0.5, 0.5, 0.5])
        self.assertGreater(calls.solid_mesh_blend(calls.FilSolidBlend(parts=[part], part_count=1, spacing=0.2)).tet_count, 100)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.obj")
            with open(path, "w", encoding="utf-8") as file:
                file.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
            surface = calls.mesh_read(path, 2.0)
            self.assertEqual((surface.triangle_count, surface.vertices.max()), (4, 2.0))
            self.assertEqual(calls.mesh_read_below(path, folder, 1.0).vertex_count, 4)
            self.assertGreater(calls.solid_mesh_fill(surface, 0.5).tet_count, 0)
            path = os.path.join(folder, "a.msh")
            with open(path, "w", encoding="utf-8") as file:
                file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                           "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n")
            self.assertEqual(calls.solid_mesh_read(path, 1.0).tet_count, 1)
            self.assertEqual(calls.solid_mesh_read_below(path, folder, 3.0).vertices.max(), 3.0)
            with self.assertRaises(OSError):
                calls.solid_mesh_read_below(path, "/nowhere", 1.0)


class Plans(unittest.TestCase):
    def test_plans(self):
        world, info = calls.scene_load(filum.scenes()["ball_rotation"], None)
        plan = info.plan
        plan.nodes, plan.max_iterations, plan.meshes, plan.seeds = 4, 2, 1, 1
        self.assertTrue(calls.plan_solver_present(plan.solver))
        found = calls.plan_solve(world, plan)
        self.assertGreater(calls.plan_knot_count(found), 1)
        self.assertGreaterEqual(calls.plan_node(found, 1).time, 0)
        self.assertEqual(type(calls.plan_channel(found, 0)), calls.FilPlanChannel)
        self.assertEqual(len(calls.plan_miss(found, world)), 2)
        calls.plan_tracker_destroy(calls.plan_tracker_create(found, 0.01))
        task = calls.plan_task_begin(world, plan)
        calls.plan_task_poll(task)
        calls.plan_destroy(calls.plan_task_end(task))
        rehearsal = calls.scene_load(filum.scenes()["ball_rotation"], None)[0]
        calls.plan_rehearse(found, rehearsal)
        driven = calls.scene_load(filum.scenes()["ball_rotation"], None)[0]
        calls.plan_add_drives(found, driven)
        calls.plan_destroy(found)

    def test_plans_made_anew(self):
        world, info = calls.scene_load(filum.scenes()["ball_rotation_mpc"], None)
        plan = info.plan
        plan.max_iterations, plan.seeds = 1, 1
        receding = calls.receding_create(world, plan)
        calls.receding_follow(receding, world)
        self.assertGreater(calls.receding_miss(receding, world), 0)
        self.assertGreaterEqual(calls.receding_info(receding).replans, 1)
        calls.receding_destroy(receding)


class Bags(unittest.TestCase):
    def test_bags(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.mcap")
            options = calls.recorder_options_choose(calls.recorder_options_default(), "mcap", "zstd")
            recorder = calls.recorder_create(path, options)
            self.assertTrue(calls.recorder_file(recorder).endswith("a.mcap"))
            self.assertTrue(calls.recorder_attaches(recorder))
            number = calls.recorder_add_channel(recorder, calls.FilBagChannel(topic="/t", type="std_msgs/msg/String", encoding="cdr", schema_encoding="ros2msg",
                                                                            schema=b"string data"))
            calls.recorder_attach(recorder, calls.FilBagAttachment(name="a.txt", media_type="text/plain", data=b"words"))
            for k in range(4):
                calls.recorder_write(recorder, calls.FilBagMessage(channel=number, sequence=k, log_time=10 * k, publish_time=10 * k, data=b"x"))
            calls.recorder_flush(recorder)
            self.assertEqual(calls.recorder_counts(recorder).written, 4)
            calls.recorder_close(recorder)
            reader = calls.reader_open(path, calls.reader_options_default())
            self.assertEqual((calls.reader_channel_count(reader), calls.reader_info(reader).message_count), (1, 4))
            self.assertEqual(calls.reader_attachment(reader, 0).data, b"words")
            calls.reader_select(reader, 10, 30)
            self.assertEqual(calls.reader_next(reader)[0].log_time, 10)
            calls.reader_close(reader)
