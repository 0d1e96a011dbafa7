"""Starts the simulation, and RViz and ros2 bag if asked.

ros2 launch filum demo.launch.py scene:=knot_tightening contact_model:=sap rviz:=true
"""

from datetime import datetime
from shutil import which

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

ARGUMENTS = {
    'scene': ('demo', 'a path, or the name of a scene in config/scenes'),
    'contact_model': ('', "how contact is computed; empty: the scene's own"),
    'time_step': ('', "s; empty: the scene's own"),
    'params_file': ('', 'YAML with more parameters of the node; what is given here by name comes before it'),
    'namespace': ('', 'of the node and its relative topics'),
    'use_sim_time': ('true', 'whether RViz follows /clock; the node itself is the clock'),
    'log_level': ('info', 'debug, info, warn, error or fatal'),
    'rviz': ('false', 'start RViz too'),
    'record': ('', 'true: ros2 bag records all topics; else a new directory into which the node itself records'),
}


def choose_recorder(given):
    """`record:=true` means ros2 bag where it exists; where not, the node records under a name with the time in it."""
    if given['record'].lower() != 'true':
        return []
    given['record'] = ''
    if which('ros2') is not None and find_package('ros2bag'):
        return [ExecuteProcess(cmd=['ros2', 'bag', 'record', '--all'], output='screen', sigterm_timeout='10')]
    given['record'] = datetime.now().strftime('filum_%Y_%m_%d-%H_%M_%S')
    return []


def find_package(name):
    """Whether a package is installed."""
    try:
        get_package_prefix(name)
    except PackageNotFoundError:
        return False
    return True


def start(context):
    """Makes the actions once the arguments are known: those left empty are not passed on."""
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    recorder = choose_recorder(given)
    parameters = {name: given[name] for name in ('scene', 'contact_model', 'record') if given[name]}
    if given['time_step']:
        parameters['time_step'] = float(given['time_step'])
    files = [given['params_file']] if given['params_file'] else []
    node = Node(
        package='filum',
        executable='filum_node',
        name='filum',
        namespace=given['namespace'],
        parameters=[*files, parameters],
        ros_arguments=['--log-level', given['log_level']],
        output='screen',
        sigterm_timeout='10',  # a recording is closed before the end
    )
    if given['rviz'].lower() != 'true':
        return [node, *recorder]
    if not find_package('rviz2'):
        return [node, *recorder, LogInfo(msg='rviz:=true, but rviz2 is not installed: the simulation runs without it')]
    rviz = Node(
        package='rviz2',
        executable='rviz2',
        namespace=given['namespace'],
        arguments=['-d', PathJoinSubstitution([FindPackageShare('filum'), 'config', 'rviz', 'filum.rviz'])],
        parameters=[{'use_sim_time': given['use_sim_time'].lower() == 'true'}],
    )
    return [node, rviz, *recorder]


def generate_launch_description():
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, (default, description) in ARGUMENTS.items()
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=start)])
