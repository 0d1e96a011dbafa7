#!/usr/bin/env python3
"""shellcheck has nothing to say of any shell script.

    check_shell.py SHELLCHECK ROOT    prints what it says, exits 1 if anything
"""
import os
import subprocess
import sys

FOLDERS = (".ci", "scripts", "test", "tools")


def is_script(path):
    with open(path, "rb") as file:
        first = file.readline(80)
    return path.endswith(".bash") or first.startswith(b"#!") and first.rstrip().endswith(b"bash") or b"shellcheck shell" in first


def main():
    program, root = sys.argv[1:]
    files = [os.path.join(path, name) for folder in FOLDERS for path, _, names in os.walk(os.path.join(root, folder)) for name in sorted(names)]
    scripts = [path for path in files if is_script(path)]
    print(f"{len(scripts)} scripts")
    return subprocess.run([program, *scripts], cwd=root).returncode if scripts else 1


if __name__ == "__main__":
    sys.exit(main())
