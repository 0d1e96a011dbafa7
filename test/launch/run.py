"""Runs a test with launch_testing; without a ROS 2 to run it in, says so aloud and ends with 77, which ctest counts as skipped.

run.py TEST.py
"""

import importlib.util
import sys

NEEDED = ('launch_testing', 'launch_ros', 'launch_xml', 'ament_index_python', 'rclpy', 'action_msgs', 'control_msgs', 'filum.msg')


def is_there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # nor what it is a part of
        return False


def find_lack():
    """What a launch test cannot do without and is not here; empty: nothing."""
    missing = [name for name in NEEDED if not is_there(name)]
    if missing:
        return f'{sys.executable} finds no {", ".join(missing)}: source the setup files of a ROS 2 and of a workspace that have them'
    packages = importlib.import_module('ament_index_python.packages')
    try:
        packages.get_package_prefix('filum')
    except packages.PackageNotFoundError:
        return 'the package filum is not installed: colcon build, then source install/setup.bash'
    return ''


def main(test):
    lack = find_lack()
    if lack:
        print(f'SKIPPED: {test} did not run: {lack}', flush=True)
        return 77
    sys.argv = ['launch_test', test]
    return importlib.import_module('launch_testing.launch_test').main()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
