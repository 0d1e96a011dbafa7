"""A client of rclpy leads the arms of two_arms_knot, started by demo.launch.py, by the action follow_joint_trajectory.

Goals that succeed, are rejected, preempted, cancelled and aborted by a tolerance, as any client of ROS 2 sees them.
"""

import os
import time
import unittest

import launch_testing.actions
import launch_testing.asserts
import rclpy
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from ament_index_python.packages import get_package_share_directory
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectoryPoint

PATIENCE = 120.0  # s: the arms may be far slower than real time
LEFT, RIGHT = 'left_shoulder_lift', 'right_shoulder_lift'
CODES = FollowJointTrajectory.Result


def generate_test_description():
    path = os.path.join(get_package_share_directory('filum'), 'launch', 'demo.launch.py')
    demo = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path),
        launch_arguments={'scene': 'two_arms_knot', 'namespace': 'lab', 'log_level': 'warn'}.items(),
    )
    return LaunchDescription([demo, launch_testing.actions.ReadyToTest()])


def duration(seconds):
    return Duration(sec=int(seconds), nanosec=round(1e9 * (seconds % 1.0)))


def tolerance(joint, position):
    return JointTolerance(name=joint, position=position)


class Goals(unittest.TestCase):
    """Each test begins where the one before has left the arms."""

    @classmethod
    def setUpClass(cls):
        rclpy.init()
        cls.node = rclpy.create_node('leader')
        cls.states = []
        cls.node.create_subscription(JointState, '/lab/joint_states', cls.states.append, 10)
        cls.client = ActionClient(cls.node, FollowJointTrajectory, '/lab/follow_joint_trajectory')
        assert cls.client.wait_for_server(PATIENCE)

    @classmethod
    def tearDownClass(cls):
        cls.client.destroy()
        cls.node.destroy_node()
        rclpy.shutdown()

    def spin_until(self, done):
        limit = time.monotonic() + PATIENCE
        while not done() and time.monotonic() < limit:
            rclpy.spin_once(self.node, timeout_sec=0.1)
        self.assertTrue(done())

    def wait(self, future):
        rclpy.spin_until_future_complete(self.node, future, timeout_sec=PATIENCE)
        self.assertTrue(future.done())
        return future.result()

    def state(self):
        """The time (s) and positions by name of a state that is published from now on."""
        self.states.clear()
        self.spin_until(lambda: self.states)
        stamp = self.states[-1].header.stamp
        return stamp.sec + 1e-9 * stamp.nanosec, dict(zip(self.states[-1].name, self.states[-1].position))

    def goal(self, joint, move, seconds, **more):
        """A goal that moves a joint by so many radians from where it is."""
        position = self.state()[1].get(joint, 0.0) + move
        goal = FollowJointTrajectory.Goal(**more)
        goal.trajectory.joint_names = [joint]
        goal.trajectory.points = [JointTrajectoryPoint(positions=[position], time_from_start=duration(seconds))]
        return goal

    def send(self, goal, heard=None):
        """The handle of a goal; with a list for feedback, once it has some."""
        hear = None if heard is None else lambda message: heard.append(message.feedback)
        handle = self.wait(self.client.send_goal_async(goal, feedback_callback=hear))
        if heard is not None:
            self.assertTrue(handle.accepted)
            self.spin_until(lambda: heard)
        return handle

    def expect(self, handle, status, code):
        end = self.wait(handle.get_result_async())
        self.assertEqual((end.status, end.result.error_code), (status, code), end.result.error_string)
        return end.result.error_string

    def test_succeeded(self):
        heard = []
        goal = self.goal(LEFT, 0.05, 0.5, goal_tolerance=[tolerance(LEFT, 0.02)], goal_time_tolerance=duration(1.0))
        self.expect(self.send(goal, heard), GoalStatus.STATUS_SUCCEEDED, CODES.SUCCESSFUL)
        self.assertGreater(len(heard), 5)  # 20 a second
        self.assertTrue(all(list(feedback.joint_names) == [LEFT] for feedback in heard))
        wanted = goal.trajectory.points[0].positions[0]
        self.assertLess(abs(self.state()[1][LEFT] - wanted), 0.02)

    def test_rejected(self):
        unknown = self.goal('left_tail', 0.1, 0.5)
        empty = self.goal(LEFT, 0.1, 0.5)
        empty.trajectory.points = []
        foreign = self.goal(LEFT, 0.1, 0.5, path_tolerance=[tolerance(RIGHT, 0.1)])
        past = self.goal(LEFT, 0.1, 1e-3)
        past.trajectory.header.stamp.nanosec = 1
        for goal in (unknown, empty, foreign, past):
            self.assertFalse(self.send(goal).accepted)

    def test_preempted(self):
        heard = []
        first = self.send(self.goal(LEFT, 0.2, 10.0), heard)
        other = self.send(self.goal(RIGHT, 0.03, 0.3))  # of the other arm: both are pursued
        second = self.send(self.goal(LEFT, 0.03, 0.3))
        self.expect(first, GoalStatus.STATUS_ABORTED, CODES.INVALID_GOAL)
        self.expect(second, GoalStatus.STATUS_SUCCEEDED, CODES.SUCCESSFUL)
        self.expect(other, GoalStatus.STATUS_SUCCEEDED, CODES.SUCCESSFUL)

    def test_cancelled(self):
        heard = []
        handle = self.send(self.goal(LEFT, 1.0, 10.0), heard)
        answer = self.wait(handle.cancel_goal_async())
        self.assertEqual(answer.return_code, CancelGoal.Response.ERROR_NONE)
        self.assertEqual([list(info.goal_id.uuid) for info in answer.goals_canceling], [list(handle.goal_id.uuid)])
        self.expect(handle, GoalStatus.STATUS_CANCELED, CODES.SUCCESSFUL)
        began, before = self.state()
        now, after = self.state()
        while now < began + 0.5:
            now, after = self.state()
        self.assertLess(abs(after[LEFT] - before[LEFT]), 0.02)  # on the way it would have gone 0.05
        again = self.wait(handle.cancel_goal_async())
        self.assertEqual(again.return_code, CancelGoal.Response.ERROR_GOAL_TERMINATED)

    def test_aborted_on_the_way(self):
        goal = self.goal(LEFT, 0.2, 2.0, path_tolerance=[tolerance(LEFT, 1e-6)])
        reason = self.expect(self.send(goal), GoalStatus.STATUS_ABORTED, CODES.PATH_TOLERANCE_VIOLATED)
        self.assertIn(LEFT, reason)

    def test_aborted_at_the_end(self):
        goal = self.goal(RIGHT, 0.05, 0.3, goal_tolerance=[tolerance(RIGHT, 1e-9)], goal_time_tolerance=duration(0.1))
        reason = self.expect(self.send(goal), GoalStatus.STATUS_ABORTED, CODES.GOAL_TOLERANCE_VIOLATED)
        self.assertIn(RIGHT, reason)


@launch_testing.post_shutdown_test()
class End(unittest.TestCase):
    """After Ctrl-C."""

    def test_clean(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
