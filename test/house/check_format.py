#!/usr/bin/env python3
"""Every C file is as clang-format lays it out by .clang-format.

    check_format.py CLANG_FORMAT ROOT    names the files that differ, exits 1 if any does

Releases of clang-format differ in details, so one judges: the one of VERSION.
"""
import concurrent.futures
import os
import subprocess
import sys

VERSION = 14
SKIPPED = 77
FOLDERS = ("examples", "python", "ros_node", "sim_core", "test", "tools")


def sources(root):
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            yield from (os.path.join(path, name) for name in sorted(names) if name.endswith((".c", ".h")))


def differs(program, path):
    return subprocess.run([program, "--dry-run", "--Werror", path], stderr=subprocess.DEVNULL).returncode != 0


def main():
    program, root = sys.argv[1:]
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    if f"version {VERSION}." not in version:
        print(f"not judged: {version.strip()}, not {VERSION}")
        return SKIPPED
    files = list(sources(root))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [path for path, wrong in zip(files, pool.map(lambda path: differs(program, path), files)) if wrong]
    for path in faults:
        print(f"{os.path.relpath(path, root)}: not as clang-format lays it out; run clang-format -i on it")
    print(f"{len(files)} files, {len(faults)} faults")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
