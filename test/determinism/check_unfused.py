#!/usr/bin/env python3
"""Finds instructions of amd64 that fuse a product with a sum. Without FILUM_FUSED a program has none of them at any -march and in no kernel that is
chosen at run time, or its bits would depend on the processor.

    check_unfused.py OBJDUMP PROGRAM     prints in which functions they are; exits 1 if there are any
"""

import collections
import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
FUSED = re.compile(r"\tvfn?m(?:add|sub)\w*[ \t]")


def fused(lines):
    """How many there are by function, and how many functions were seen."""
    count, name, functions = collections.Counter(), "?", 0
    for line in lines:
        begin = FUNCTION.match(line)
        if begin:
            name, functions = begin.group(1), functions + 1
        elif FUSED.search(line):
            count[name] += 1
    return count, functions


def main():
    objdump, program = sys.argv[1:]
    with subprocess.Popen([objdump, "--disassemble", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True) as listing:
        count, functions = fused(listing.stdout)
    if listing.returncode != 0 or functions == 0:
        sys.exit(f"{program}: no functions found")
    for name, instructions in sorted(count.items()):
        print(f"{name}: {instructions}")
    print(f"{sum(count.values())} fused instructions in {functions} functions of {program}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
