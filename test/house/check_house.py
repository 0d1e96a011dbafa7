#!/usr/bin/env python3
"""Holds the tree against the plan of docs/architecture.md.

Rooms stand on floors; a room uses only rooms of lower floors. Within a room the files form no circle: a file depends on
another if it includes its header, or names a function or table that the other defines. What is reached through a table
of functions counts for whoever names the table. No file is longer than 600 lines, no function longer than 80,
tests included; no example in C is longer than 80 lines. Numbers with names have a comment that says where they come from, one for those that
stand together.

    check_house.py ROOT            prints what is wrong, exits 1 if anything is
    check_house.py ROOT --rooms    prints which room uses which
"""

import os
import re
import sys

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 80
MAX_EXAMPLE_LINES = 80
BESIDE = ("test", "examples")  # no rooms, but of a size

# from the ground up; rooms of one floor do not use each other
FLOORS = [
    ["sim_core/include"],
    ["sim_core/src/base"],
    ["sim_core/src/linalg", "sim_core/src/geometry", "sim_core/src/record"],
    ["sim_core/src/contact"],
    ["sim_core/src/body"],
    ["sim_core/src/collision"],
    ["sim_core/src/solver"],
    ["sim_core/src/world"],
    ["sim_core/src/api"],
    ["sim_core/src/batch"],
    ["sim_core/src/plan", "sim_core/src/scene"],
    ["sim_core/src/view"],
    ["ros_node/embedded"],
    ["ros_node"],
    ["tools"],
    ["python/src"],
]
ROOMS = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room_of(path):
    """The innermost room that a file stands in, None for files that belong to none."""
    best = None
    for room in ROOMS:
        if path.startswith(room + "/") and (best is None or len(room) > len(best)):
            best = room
    return best


def strip(text):
    """Code without comments, strings and character constants; lines keep their numbers."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: "\n" * m.group(0).count("\n") or " ", text, flags=re.S)


def read_sources(root, rooms):
    sources = {}
    for room in rooms:
        for folder, _, names in os.walk(os.path.join(root, room)):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), root)
                if name.endswith((".c", ".h", ".inc")):
                    with open(os.path.join(root, path), encoding="utf-8") as file:
                        sources[path] = file.read()
    return sources


# a definition at the start of a line: of a function, or of a table with an initialiser
FUNCTION = re.compile(r"^(?!static\b|typedef\b|extern\b|#)[A-Za-z_][\w \t*]*?[ *](\w+)\([^;{}]*\)\s*\{", re.M)
TABLE = re.compile(r"^(?!static\b|typedef\b|extern\b|#)[A-Za-z_][\w \t*]*?[ *](\w+)(?:\[[^\]]*\])*\s*=\s*[{&]", re.M)
ANY_FUNCTION = re.compile(r"^(?!typedef\b|extern\b|#|struct \w+ \{|enum\b)[A-Za-z_][\w \t*]*?[ *](\w+)\([^;{}]*\)\s*\{", re.M)


def definitions(sources, code):
    """Which .c file defines a name that others can see."""
    owner = {}
    for path in sources:
        if path.endswith(".c"):
            for pattern in (FUNCTION, TABLE):
                for match in pattern.finditer(code[path]):
                    if match.group(1).startswith("fil_"):  # what has no prefix is static
                        owner.setdefault(match.group(1), path)
    return owner


def find_include(path, name, sources):
    """The file that an include means: beside the file, or below a folder on the include path."""
    tries = [os.path.normpath(os.path.join(os.path.dirname(path), name))]
    tries += [folder + name for folder in ("", "sim_core/src/", "sim_core/include/", "ros_node/", "ros_node/embedded/",
                                           "ros_node/embedded/include/", "tools/")]
    return next((t for t in tries if t in sources), None)


def dependencies(sources, code):
    """Per file: the files that it includes, and those whose names it uses."""
    owner = definitions(sources, code)
    uses = {}
    for path, text in sources.items():
        found = set()
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            target = find_include(path, name, sources)
            if target:
                found.add(target)
        for word in set(re.findall(r"\b[a-z]\w+\b", code[path])):
            if word in owner and path.endswith((".c", ".inc")):
                found.add(owner[word])
        found.discard(path)
        uses[path] = found
    for path in sources:  # what is included as text is a part of who includes it
        if path.endswith(".inc"):
            uses[path] -= {other for other in sources if path in uses[other]}
    return uses


def circles(edges):
    """Strongly connected groups of more than one, by Tarjan's method without recursion."""
    index, low, on, stack, result, counter = {}, {}, set(), [], [], 0
    for start in sorted(edges):
        if start in index:
            continue
        work = [(start, iter(sorted(edges[start])))]
        index[start] = low[start] = counter
        counter += 1
        stack.append(start)
        on.add(start)
        while work:
            node, rest = work[-1]
            step = next((n for n in rest if n in edges and (n not in index or n in on)), None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on.discard(group[-1])
                    if len(group) > 1:
                        result.append(sorted(group))
            elif step in index:
                low[node] = min(low[node], index[step])
            else:
                index[step] = low[step] = counter
                counter += 1
                stack.append(step)
                on.add(step)
                work.append((step, iter(sorted(edges[step]))))
    return result


def check_arrows(uses):
    wrong = []
    for path, targets in sorted(uses.items()):
        for target in sorted(targets):
            a, b = room_of(path), room_of(target)
            if a != b and ROOMS[b] >= ROOMS[a]:
                wrong.append(f"{path} uses {target}: {a} must not use {b}")
    return wrong


def check_circles(uses):
    wrong = []
    for room in ROOMS:
        edges = {}
        for path, targets in uses.items():
            if room_of(path) == room:
                edges[path] = {t for t in targets if room_of(t) == room}
        for group in circles(edges):
            inside = [f"{os.path.basename(a)} -> {os.path.basename(b)}" for a in group for b in sorted(edges[a]) if b in group]
            wrong.append(f"{room}: {len(group)} files in a circle: " + ", ".join(inside))
    return wrong


def check_sizes(sources, code):
    wrong = []
    for path in sorted(sources):
        lines = sources[path].count("\n")
        allowed = MAX_EXAMPLE_LINES if path.startswith("examples/") else MAX_FILE_LINES
        if lines > allowed:
            wrong.append(f"{path} has {lines} lines, more than {allowed}")
        for match in ANY_FUNCTION.finditer(code[path]):
            begin, depth, end = match.start(), 0, match.end() - 1
            while end < len(code[path]):
                depth += {"{": 1, "}": -1}.get(code[path][end], 0)
                if depth == 0:
                    break
                end += 1
            length = code[path].count("\n", begin, end) + 1
            if length > MAX_FUNCTION_LINES:
                line = code[path].count("\n", 0, begin) + 1
                wrong.append(f"{path}:{line}: {match.group(1)} has {length} lines, more than {MAX_FUNCTION_LINES}")
    return wrong


NUMBER = r"\(?-?(?:0[xX][\dA-Fa-f.pP+-]+|\d[\d.]*(?:[eE][-+]?\d+)?)[uUlLfF]*"
CONSTANT = re.compile(rf"\s*(?:#define\s+\w+\s+(?P<defined>{NUMBER})|static const \w+\s+\w+ = (?P<constant>{NUMBER})|enum \{{.*?\w = (?P<counted>{NUMBER}))")
PLAIN = {"0", "1", "-1", "(-1", "0.0", "1.0", "0.0F", "1.0F"}  # these need no word


def check_constants(sources):
    """Numbers with names that no comment stands beside or above; headers of the embedded layer repeat
    numbers of ROS 2 itself, and those of a check are its experiment, which stands above it."""
    wrong = []
    for path in sorted(sources):
        if path.startswith(("ros_node/embedded/include/", "tools/validate/")):
            continue
        lines, covered = sources[path].split("\n"), False
        for number, line in enumerate(lines):
            match = CONSTANT.match(line)
            value = match and (match["defined"] or match["constant"] or match["counted"])
            above = lines[number - 1].strip() if number > 0 else ""
            covered = bool(match) and (covered or "//" in line or "/*" in line or above.startswith("//") or above.endswith("*/"))
            if match and value not in PLAIN and not covered:
                wrong.append(f"{path}:{number + 1}: no comment says where the number comes from: {line.strip()[:80]}")
    return wrong


def print_rooms(uses):
    rooms = {}
    for path, targets in uses.items():
        rooms.setdefault(room_of(path), set()).update(room_of(t) for t in targets)
    for room in ROOMS:
        print(f"{room}: " + ", ".join(sorted(rooms.get(room, set()) - {room})))


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    sources = read_sources(root, ROOMS)
    code = {path: strip(text) for path, text in sources.items()}
    uses = dependencies(sources, code)
    if "--rooms" in sys.argv:
        print_rooms(uses)
        return 0
    beside = read_sources(root, BESIDE)
    wrong = check_arrows(uses) + check_circles(uses) + check_sizes({**sources, **beside}, {**code, **{path: strip(text) for path, text in beside.items()}})
    wrong += check_constants(sources)
    for line in wrong:
        print(line)
    print(f"{len(sources)} files in {len({room_of(p) for p in sources})} rooms, {len(beside)} of tests and examples, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
