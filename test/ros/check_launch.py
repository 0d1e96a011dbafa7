"""Launch files, as far as they can be judged without launch: they load, declare what they use, and make what they should.

check_launch.py SOURCE_FOLDER
"""

import importlib.util
import re
import sys
from pathlib import Path
from unittest.mock import MagicMock
from xml.etree import ElementTree

STAND_INS = ('launch', 'launch.actions', 'launch.substitutions', 'launch_ros', 'launch_ros.actions', 'launch_ros.substitutions',
             'ament_index_python', 'ament_index_python.packages')


def load(path):
    """A launch file as a module; what it imports of ROS is stood in for where it is not installed."""
    for name in STAND_INS:
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except ImportError:
                sys.modules[name] = MagicMock()
    spec = importlib.util.spec_from_file_location(path.stem.replace('.', '_'), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_control(module, source):
    """Each robot of ours gets a hardware and its joints, with the prefix everywhere."""
    for path in sorted(Path(source, 'config', 'robots').glob('*.urdf')):
        text, moved = module.describe(path.read_text(encoding='utf-8'), 'left_', 'some/Plugin')
        robot = ElementTree.fromstring(text)
        (control,) = robot.findall('ros2_control')
        assert control.findtext('hardware/plugin') == 'some/Plugin', path
        topics = {element.get('name'): element.text for element in control.findall('hardware/param')}
        assert topics == {'joint_commands_topic': 'joint_commands', 'joint_states_topic': 'simulated_joint_states'}, topics
        joints = {element.get('name') for element in robot.findall('joint')}
        links = {element.get('name') for element in robot.findall('link')}
        assert moved or path.stem == 'spherical_pendulum', path  # a ball joint has no position
        assert all(name.startswith('left_') and name in joints for name in moved), (path, moved)
        assert moved == [element.get('name') for element in control.findall('joint')], path
        for joint in robot.findall('joint'):
            assert joint.find('parent').get('link') in links and joint.find('child').get('link') in links, path
            mimic = joint.find('mimic')
            assert mimic is None or (mimic.get('joint') in joints and joint.get('name') not in moved), path
        assert f'joints: [{", ".join(moved)}]' in module.controller_parameters(moved)


def check_package(source):
    """What CMake looks for in a ROS 2, and what launch files start, is what the package says that it depends on."""
    package = ElementTree.parse(Path(source, 'package.xml')).getroot()
    named = {element.text for element in package if element.tag.endswith('depend')}
    built = {element.text for element in package if element.tag in ('depend', 'buildtool_depend')}
    assert package.findtext('author') and package.find('url') is not None
    wanted = []
    for names in re.findall(r'foreach\(package (?!IN )([\w\s]+)\)', Path(source, 'ros_node', 'ros.cmake').read_text(encoding='utf-8')):
        wanted += names.split()
    assert {'rclc', 'lifecycle_msgs', 'control_msgs'} <= set(wanted), wanted
    assert set(wanted) <= built, set(wanted) - built
    started = set()
    for path in Path(source, 'launch').glob('*.launch.*'):
        text = path.read_text(encoding='utf-8')
        started |= set(re.findall(r"""(?:package=|pkg=|find_package\()['"](\w+)['"]""", text))
        started |= set(re.findall(r'^(?:from|import) (\w+)', text, re.MULTILINE)) & {'launch', 'launch_ros', 'ament_index_python'}
    assert 'controller_manager' in started
    assert started - {'filum'} <= named, started - named
    assert 'Changelog for package filum' in Path(source, 'CHANGELOG.rst').read_text(encoding='utf-8')


def main(source):
    check_package(source)
    for path in sorted(Path(source, 'launch').glob('*.launch.py')):
        module = load(path)
        module.generate_launch_description()
        assert all(description for _, description in module.ARGUMENTS.values()), path
        text = path.read_text(encoding='utf-8')
        unused = [name for name in module.ARGUMENTS if text.count(f"'{name}'") < 2]
        assert not unused, (path, unused)
    check_control(load(Path(source, 'launch', 'ros2_control.launch.py')), source)
    for path in sorted(Path(source, 'launch').glob('*.launch.xml')):
        ElementTree.parse(path)


main(sys.argv[1])
