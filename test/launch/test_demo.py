"""demo.launch.xml with real launch: the simulation runs, answers, takes parameters, and closes its recording on Ctrl-C."""

import os
import tempfile
import time
import unittest

import launch_testing.actions
import launch_testing.asserts
import rclpy
from ament_index_python.packages import get_package_share_directory
from filum.msg import RodStates, StepInfo
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool, Trigger

PATIENCE = 60.0  # s
FOLDER = tempfile.TemporaryDirectory(prefix='filum_launch_')
BAG = os.path.join(FOLDER.name, 'run')


def generate_test_description():
    path = os.path.join(get_package_share_directory('filum'), 'launch', 'demo.launch.xml')
    demo = IncludeLaunchDescription(
        AnyLaunchDescriptionSource(path),
        launch_arguments={'scene': 'hanging_rod', 'namespace': 'lab', 'record': BAG}.items(),
    )
    return LaunchDescription([demo, launch_testing.actions.ReadyToTest()])


class Running(unittest.TestCase):
    """A client of rclpy beside it."""

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node('visitor')

    @classmethod
    def tearDownClass(cls):
        cls.node.destroy_node()
        rclpy.shutdown()

    def hear(self, kind, topic, count):
        """The first messages of a topic."""
        heard = []
        subscription = self.node.create_subscription(kind, topic, heard.append, 10)
        limit = time.monotonic() + PATIENCE
        while len(heard) < count and time.monotonic() < limit:
            rclpy.spin_once(self.node, timeout_sec=0.1)
        self.node.destroy_subscription(subscription)
        self.assertGreaterEqual(len(heard), count, topic)
        return heard

    def call(self, kind, name, request):
        client = self.node.create_client(kind, name)
        self.assertTrue(client.wait_for_service(PATIENCE), name)
        future = client.call_async(request)
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=PATIENCE)
        self.node.destroy_client(client)
        self.assertTrue(future.done(), name)
        return future.result()

    def test_topics(self):
        clocks = self.hear(Clock, '/clock', 3)
        stamps = [(message.clock.sec, message.clock.nanosec) for message in clocks]
        self.assertEqual(stamps, sorted(set(stamps)))
        (rod,) = self.hear(RodStates, '/lab/rod_states', 1)[0].rods
        self.assertEqual(len(rod.positions) % 3, 0)

    def test_parameters(self):
        (scene,) = self.call(GetParameters, '/lab/filum/get_parameters', GetParameters.Request(names=['scene'])).values
        self.assertEqual(scene.string_value, 'hanging_rod')
        for rate, taken in ((25.0, True), (-1.0, False)):
            value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=rate)
            request = SetParameters.Request(parameters=[Parameter(name='publish_rate', value=value)])
            (result,) = self.call(SetParameters, '/lab/filum/set_parameters', request).results
            self.assertEqual(result.successful, taken, result.reason)

    def test_steps(self):
        self.assertTrue(self.call(SetBool, '/lab/filum/pause', SetBool.Request(data=True)).success)
        for _ in range(3):
            self.assertTrue(self.call(Trigger, '/lab/filum/step', Trigger.Request()).success)
        self.assertTrue(self.call(SetBool, '/lab/filum/pause', SetBool.Request(data=False)).success)
        steps = [message.step for message in self.hear(StepInfo, '/lab/step_info', 2)]
        self.assertLess(steps[0], steps[1])


@launch_testing.post_shutdown_test()
class End(unittest.TestCase):
    """After Ctrl-C."""

    def test_clean(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
        self.assertTrue(os.path.exists(os.path.join(BAG, 'metadata.yaml')))
        FOLDER.cleanup()
