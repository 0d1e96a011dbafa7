"""Worlds from Python: the command line's bits, views without copies, exceptions instead of crashes."""

import ast
import gc
import os
import tempfile
import threading
import unittest
import urllib.request

import numpy

import filum
from common import NAME, SOURCE, TEXT, run


def make(**keys):
    return filum.World(NAME, text=TEXT, **keys)


class SameBits(unittest.TestCase):
    def test_scenes_end_in_the_command_lines_state(self):
        for scene, options, keys in [
                ("hanging_rod", ["--duration", "0.1"], {}),
                ("demo", ["--duration", "0.05", "--set", "nodes=31"], {"set": {"nodes": 31}}),
                ("gripper_pinch", ["--duration", "0.03"], {}),
                ("rope_on_plane", ["--duration", "0.1", "--contact", "ipc", "--dt", "0.002"], {"contact": "ipc", "dt": 0.002}),
                ("hull_heap", ["--duration", "0.05", "--seed", "7"], {"seed": 7})]:
            report = run(scene, *options)
            world = filum.World(scene, **keys)
            look = world.positions  # changes nothing
            world.run(float(options[1]))
            self.assertEqual(world.hash, report["state_hash"], scene)
            self.assertEqual(world.step_count, report["steps"])
            self.assertEqual(world.probes, report["probes"])
            self.assertEqual(world.energy.kinetic, report["energy"]["kinetic"])
            del look

    def test_scenes_built_by_calls(self):
        scene = filum.Scene(world={"dt": 0.001})
        scene.material("rubber", young=1e6, poisson=0.5, density=1000)
        scene.rod("cable", material="rubber", section={"circle": {"radius": 0.002}},
                  shape={"straight": {"from": [0, 0, 0], "to": [1, 0, 0], "nodes": 20}})
        scene.attachment("hook", pin={"rod": "cable", "node": 0}).probe("tip", position={"rod": "cable", "node": -1})
        scene.probe("energy", "total_energy")
        world = filum.World(scene)
        world.step(10)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cable.yaml")
            with open(path, "w") as file:
                file.write("world: {dt: 0.001}\nmaterials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}\n"
                           "rods: [{name: cable, material: rubber, section: {circle: {radius: 0.002}},\n"
                           "  shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 20}}}]\n"
                           "attachments: [{name: hook, pin: {rod: cable, node: 0}}]\n"
                           "probes: {tip: {position: {rod: cable, node: -1}}, energy: total_energy}\n")
            self.assertEqual(run(path, "--duration", "0.01")["state_hash"], world.hash)
        with self.assertRaisesRegex(AttributeError, "no 'rodd'"):
            scene.rodd("x")


class Views(unittest.TestCase):
    def test_views_follow_without_a_copy(self):
        world, other = make(), make()
        q, v = world.positions, world.velocities
        rope = world.find("rod", "rope")
        nodes, rates = rope.positions, rope.velocities
        self.assertEqual(nodes.shape, (12, 3))
        self.assertFalse(q.flags.owndata or nodes.flags.owndata)
        self.assertTrue(numpy.shares_memory(q, nodes) and numpy.shares_memory(v, rates))
        address = q.__array_interface__["data"]
        for count in (1, 1, 1, 2, 5):
            world.step(count)
            other.step(count)
            self.assertEqual(world.positions.__array_interface__["data"], address)
            numpy.testing.assert_array_equal(q, other.positions.copy())
            numpy.testing.assert_array_equal(v, other.velocities.copy())
            self.assertEqual(tuple(nodes[3]), other.find("rod", "rope").measure("position", 3))
            self.assertEqual(tuple(rates[3]), other.find("rod", "rope").measure("velocity", 3))
            self.assertEqual(world.hash, other.hash)
        before = q.copy()
        snapshot = world.save()
        world.step(3)
        self.assertFalse(numpy.array_equal(q, before))
        world.restore(snapshot)
        numpy.testing.assert_array_equal(q, before)
        world.reset()
        self.assertEqual(nodes[0, 2], 0.012)

    def test_views_cannot_be_written_and_keep_their_world(self):
        world = make()
        nodes = world.find("rod", "rope").positions
        with self.assertRaises(ValueError):
            nodes[0, 0] = 1.0
        with self.assertRaises(BufferError):
            world.close()
        del world
        gc.collect()
        self.assertEqual(nodes[0, 2], 0.012)

    def test_arrays_of_every_kind_of_points(self):
        world = filum.World("demo", set={"nodes": 11})
        for item in world.objects:
            if item.kind in ("rod", "shell"):
                array = item.positions
                self.assertEqual(len(array), item.count("node" if item.kind == "rod" else "vertex"))
                for k in range(len(array)):
                    quantity = "position" if item.kind == "rod" else "vertex_position"
                    self.assertEqual(tuple(array[k]), item.measure(quantity, k))
            else:
                with self.assertRaises(filum.InputError):
                    item.positions


class Commands(unittest.TestCase):
    def test_commands_move_what_they_name(self):
        world = make()
        pull, bar, trunk = world.find("drive", "pull"), world.find("robot", "bar"), world.find("arm", "trunk")
        pull.set([0, 0.2, 0])
        self.assertEqual(pull.measure("drive"), (0.0, 0.2, 0.0))
        pull.release()
        self.assertEqual(pull.measure("drive"), (0.1, 0.0, 0.0))
        self.assertEqual(bar.joints, ("swing",))
        bar.set_joint_state("swing", 0.5)
        bar.set_joint("swing", effort=0.1)
        self.assertEqual(bar.joint_state(0)[0], 0.5)
        trunk.set_pressure(1, 2e4)
        trunk.release_pressure(1)
        ball = world.find("body", "ball")
        ball.set_pose((0, 6, 4), velocity=(1, 0, 0))
        world.step()
        self.assertAlmostEqual(ball.measure("body_position")[0], 0.002, 12)
        rope = world.find("rod", "rope")
        rope.set_points(positions=rope.positions + [0, 0, 0.5], velocities=numpy.zeros((12, 3)))
        self.assertGreater(rope.positions[0, 2], 0.5)
        world.find("attachment", "end").set_active(False)
        world.step(20)
        self.assertLess(rope.positions[-1, 2], 0.512)
        world.add_probe("middle", "position", rope, 6, 2)
        self.assertEqual(world.probes["middle"], rope.positions[6, 2])
        contacts = make()
        contacts.step(30)
        array = contacts.contacts
        self.assertGreater(len(array), 0)
        names = [item.name for item in contacts.objects]
        self.assertEqual({names[array[0]["a"] - 1], names[array[0]["b"] - 1]}, {"rope", "ground"})
        force, torque = contacts.contact_wrench(contacts.find("rod", "rope"))
        sign = numpy.where([names[k - 1] == "rope" for k in array["b"]], 1.0, -1.0)
        numpy.testing.assert_allclose((sign[:, None] * array["force"]).sum(axis=0), force, rtol=1e-12, atol=1e-12)
        self.assertEqual(len(contacts.patches), 0)

    def test_settings(self):
        world = make()
        world.dt, world.gravity, world.friction = 0.001, (0, 0, -1), 0.7
        world.contact_model, world.integrator, world.threads = "ipc", "sdirk2", 2
        self.assertEqual((world.dt, world.gravity, world.friction), (0.001, (0, 0, -1), 0.7))
        self.assertEqual((world.contact_model, world.integrator, world.threads), ("ipc", "sdirk2", 2))
        for name, value in [("dt", -1), ("dt", float("nan")), ("friction", float("inf")), ("contact_model", "sapp"),
                            ("integrator", "euler"), ("threads", 1000), ("time_limit", -1)]:
            with self.assertRaises(filum.InputError, msg=name):
                setattr(world, name, value)
        with self.assertRaises(ValueError):
            world.gravity = (1, 2)
        with self.assertRaises(AttributeError):
            del world.dt


class Refusals(unittest.TestCase):
    def test_scenes_name_line_and_key(self):
        with self.assertRaises(filum.SceneError) as caught:
            filum.World("try.yaml", text="world: {dt: 0.01}\nrods:\n  - {nam: a}\n")
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.key), ("try.yaml", 3, "rods.0.nam"))
        self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaisesRegex(filum.InputError, "did you mean 'hanging_rod'"):
            filum.World("hanging_rodd")
        with self.assertRaisesRegex(filum.InputError, "nodes"):
            make(set={"nodez": 3})
        for keys in ({"set": 3}, {"seed": "x"}, {"contact": 5}):
            with self.assertRaises(TypeError):
                make(**keys)
        with self.assertRaises(TypeError):
            filum.World()

    def test_closed_worlds_and_foreign_objects(self):
        world, other = make(), make()
        rope = other.find("rod", "rope")
        for call in (lambda: world.measure("position", rope), lambda: world.contact_wrench(rope), lambda: world.add_probe("x", "position", rope)):
            with self.assertRaises(filum.InputError):
                call()
        with self.assertRaises(LookupError):
            world.find("rod", "cable")
        with self.assertRaises(LookupError):
            world.find("fish", "cable")
        with self.assertRaises(filum.InputError):
            world.measure("colour")
        with self.assertRaises(filum.InputError):
            rope.measure("position", 12)
        with self.assertRaises(filum.InputError):
            rope.set_pressure(0, 1.0)
        with self.assertRaises(filum.InputError):
            world.restore(b"nothing")
        with self.assertRaises(filum.InputError):
            world.step(0)
        other.close()
        other.close()
        self.assertTrue(other.closed)
        for call in (lambda: other.step(), lambda: other.positions, lambda: rope.positions, lambda: rope.name, lambda: other.probes,
                     lambda: other.show(), lambda: other.hash, lambda: other.contacts, lambda: other.patches, lambda: other.energy,
                     lambda: other.save(), lambda: other.reset(), lambda: other.objects, lambda: other.find("rod", "rope"), lambda: other.view(),
                     lambda: rope.measure("position")):
            with self.assertRaisesRegex(filum.Error, "closed"):
                call()
        self.assertIn("closed", repr(rope))
        with make() as third:
            third.step()
        self.assertTrue(third.closed)

    def test_wrong_shapes(self):
        world = make()
        rope = world.find("rod", "rope")
        with self.assertRaisesRegex(filum.InputError, r"\(12, 3\) is needed, not \(3, 12\)"):
            rope.set_points(numpy.zeros((3, 12)))
        with self.assertRaisesRegex(filum.InputError, r"\(3,\) is needed, not \(2,\)"):
            world.find("drive", "pull").set([1, 2])
        with self.assertRaises(filum.InputError):
            world.find("drive", "pull").set([1, 2, numpy.nan])
        with self.assertRaises(ValueError):
            world.find("drive", "pull").set("fast")
        with self.assertRaises(LookupError):
            world.find("robot", "bar").set_joint("elbow", position=1)

    def test_failed_steps_raise(self):
        world = make()
        world.time_limit = 1e-9
        with self.assertRaises(filum.Interrupted):
            world.step()
        self.assertEqual(world.step_count, 0)


class Threads(unittest.TestCase):
    def test_the_lock_is_released_and_a_busy_world_refuses(self):
        world = filum.World("ring_chain", set={"chain.rings": 30})
        seen, thread = [], threading.Thread(target=lambda: world.step(60))
        thread.start()
        turns = 0
        while thread.is_alive():
            turns += 1
            try:
                world.hash
            except filum.Error as error:
                seen.append(str(error))
        thread.join()
        self.assertGreater(turns, 10)
        self.assertIn("this world is at work in another thread", seen)
        self.assertEqual(world.step_count, 60)


class Pictures(unittest.TestCase):
    def test_pictures_and_pages(self):
        world = filum.World("hanging_rod")
        world.step(200)
        picture = world.show(view=(0, -1, 0.2))
        self.assertTrue(picture._repr_svg_().startswith("<svg") and picture.svg.rstrip().endswith("</svg>"))
        self.assertEqual(world._repr_svg_()[:4], "<svg")
        with tempfile.TemporaryDirectory() as folder:
            picture.save(os.path.join(folder, "rod.svg"))
            self.assertEqual(os.listdir(folder), ["rod.svg"])
        try:
            page = world.view()
        except OSError as error:
            self.skipTest(str(error))
        self.assertIn(b"<", urllib.request.urlopen(page.url).read())
        self.assertIn(page.url, page._repr_html_())
        world.step(3)
        with self.assertRaises(BufferError):
            world.close()
        page.close()
        with self.assertRaisesRegex(filum.Error, "closed"):
            page.url
        world.close()

    def test_lists(self):
        self.assertIn("sap", filum.contact_models())
        self.assertIn("hanging_rod", filum.scenes())
        self.assertEqual(filum.quantities()["position"]["components"], 3)


class TypeHints(unittest.TestCase):
    def test_they_name_what_there_is(self):
        with open(os.path.join(SOURCE, "python/filum/_filum.pyi"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        module = filum._filum
        for item in tree.body:
            if isinstance(item, ast.ClassDef):
                names = {part.name if isinstance(part, ast.FunctionDef) else part.target.id for part in item.body
                         if isinstance(part, (ast.FunctionDef, ast.AnnAssign))}
                there = {name for name in vars(getattr(module, item.name)) if not name.startswith("_") and not name.startswith("n_")}
                if item.name not in ("SceneError", "Energy", "StepInfo"):
                    self.assertEqual({name for name in names if not name.startswith("_")}, there, item.name)
        named = {item.name for item in tree.body if isinstance(item, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual({name for name in vars(module) if not name.startswith("_")}, named)
        self.assertTrue(set(filum.__all__) <= set(vars(filum)))


if __name__ == "__main__":
    unittest.main()
