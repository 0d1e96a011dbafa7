"""Puts ros2_control in front of a simulated robot: the simulation, a controller manager that talks to it by topics, and controllers.

ros2 launch filum ros2_control.launch.py scene:=two_arms_knot urdf:=arm6.urdf prefix:=left_

The hardware is topic_based_ros2_control (or joint_state_topic_hardware_interface, which has taken its place; the argument `plugin`): it
writes `joint_commands`, which the simulation takes, and reads what the simulation tells, here on `simulated_joint_states`;
`joint_states` is joint_state_broadcaster's.
"""

import tempfile
from pathlib import Path
from xml.etree import ElementTree

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

ARGUMENTS = {
    'scene': ('two_arms_knot', 'a path, or the name of a scene in config/scenes'),
    'urdf': ('arm6.urdf', 'of the robot: a path, or the name of a file in config/robots'),
    'prefix': ('left_', "in front of the names of links and joints, as the scene's `prefix` has it"),
    'plugin': ('topic_based_ros2_control/TopicBasedSystem', 'hardware interface that talks by topics'),
    'update_rate': ('100', 'Hz, of the controller manager'),
    'real_time_factor': ('1.0', 'simulated seconds per second'),
}

CONTROLLER = 'joint_trajectory_controller'
STATES = 'simulated_joint_states'


def describe(text, prefix, plugin):
    """The URDF with prefix and hardware put in, and its joints that take positions.

    Joints are those of the file's own <ros2_control> that have a position command, or, without one, all that turn or slide and
    follow no other.
    """
    robot = ElementTree.fromstring(text)
    for element in robot.iter():
        for attribute in ('link', 'joint', 'name') if element.tag in ('parent', 'child', 'mimic', 'link', 'joint') else ():
            if attribute in element.attrib:
                element.set(attribute, prefix + element.get(attribute))
    own = robot.find('ros2_control')
    if own is not None:
        robot.remove(own)
        moved = [joint.get('name') for joint in own.findall('joint')
                 if any(command.get('name') == 'position' for command in joint.findall('command_interface'))]
    else:
        moved = [joint.get('name') for joint in robot.findall('joint')
                 if joint.get('type') in ('revolute', 'continuous', 'prismatic') and joint.find('mimic') is None]
    control = ElementTree.SubElement(robot, 'ros2_control', name='filum', type='system')
    hardware = ElementTree.SubElement(control, 'hardware')
    ElementTree.SubElement(hardware, 'plugin').text = plugin
    for name, value in (('joint_commands_topic', 'joint_commands'), ('joint_states_topic', STATES)):
        ElementTree.SubElement(hardware, 'param', name=name).text = value
    for name in moved:
        joint = ElementTree.SubElement(control, 'joint', name=name)
        ElementTree.SubElement(joint, 'command_interface', name='position')
        for state in ('position', 'velocity', 'effort'):
            ElementTree.SubElement(joint, 'state_interface', name=state)
    return ElementTree.tostring(robot, encoding='unicode'), moved


def controller_parameters(moved):
    """What the spawner tells the controllers, as text of a parameter file."""
    return (
        f'{CONTROLLER}:\n'
        '  ros__parameters:\n'
        f'    joints: [{", ".join(moved)}]\n'
        '    command_interfaces: [position]\n'
        '    state_interfaces: [position, velocity]\n'
        '    open_loop_control: true\n'
        '    use_sim_time: true\n'
    )


def find_file(name, folder):
    """A path as it is, or a file of the package."""
    path = Path(name)
    return path if path.exists() else Path(get_package_share_directory('filum'), 'config', folder, name)


def start(context):
    """Makes the actions once the arguments are known."""
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    text = find_file(given['urdf'], 'robots').read_text(encoding='utf-8')
    description, moved = describe(text, given['prefix'], given['plugin'])
    with tempfile.NamedTemporaryFile('w', suffix='.yaml', delete=False, encoding='utf-8') as file:
        file.write(controller_parameters(moved))
    simulation = Node(
        package='filum',
        executable='filum_node',
        name='filum',
        parameters=[{'scene': given['scene'], 'real_time_factor': float(given['real_time_factor']), 'publish_rate': float(given['update_rate'])}],
        remappings=[('joint_states', STATES)],
        output='screen',
        sigterm_timeout='10',
    )
    manager = Node(
        package='controller_manager',
        executable='ros2_control_node',
        parameters=[{'robot_description': description, 'update_rate': int(given['update_rate']), 'use_sim_time': True}],
        output='screen',
    )
    spawners = [
        Node(package='controller_manager', executable='spawner',
             arguments=['joint_state_broadcaster', '--controller-type', 'joint_state_broadcaster/JointStateBroadcaster']),
        Node(package='controller_manager', executable='spawner',
             arguments=[CONTROLLER, '--controller-type', 'joint_trajectory_controller/JointTrajectoryController', '--param-file', file.name]),
    ]
    return [simulation, manager, *spawners]


def generate_launch_description():
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, (default, description) in ARGUMENTS.items()
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=start)])
