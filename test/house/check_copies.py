#!/usr/bin/env python3
"""Finds code that stands twice: six lines or more of a function that are alike but for white space, numbers, strings and names.

Names count as alike if one list of new names makes the one text of the other (a parametrised match), so that a copy in which
`shell` became `solid` is found, and lines that only have the same punctuation are not; from one function to the next only lines
with the same names count. What does not count, by rule: comments, lone brackets, lines of the preprocessor, declarations, records,
initialisers (tables), rows of calls or fields, labels of switches, functions of one statement, heads and lists of tests, calls that only free.

What is left must be merged, or be of a family that the table under "What stands twice" in docs/architecture.md explains. A row names
files (paths or their ends, in backticks) and how many lines may be alike at most, and explains each pair of its files.

    check_copies.py ROOT           prints what is not explained, and rows that explain nothing; exits 1 if there is anything
    check_copies.py ROOT --all     prints what is explained, too
"""

import collections
import fnmatch
import os
import re
import sys

LINES = 6  # as docs/architecture.md says
FOLDERS = ("sim_core", "ros_node", "tools", "python", "test", "examples")
PAGE, HEADING = "docs/architecture.md", "## What stands twice"

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|(?:0[xX][\dA-Fa-f]+|\d[\w.]*(?:(?<=[eEpP])[-+]\d+)?|\.\d[\w.]*)|[A-Za-z_]\w*|->|[^\s\w]')
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')', re.S)
RECORDS = ("struct", "enum", "union")
KEYWORDS = set("if else for while do switch case default return break continue goto sizeof const static inline struct enum union void int "
               "double float char bool long unsigned signed short size_t uint8_t uint32_t uint64_t int32_t int64_t NULL true false".split())
# labels of switches, heads of tests, lists of tests, calls that only free
NOTHING = re.compile(r"case .*|static void \w+ \( void \* \* state \)|\( void \) \w+ ;|.*cmocka_(?:unit_test|run_group_tests).*|"
                     r"(?:\w*free|\w+_(?:destroy|close|fini|free)) \( [^()]* \) ;")


def read(root):
    for folder in FOLDERS:
        for here, names, files in os.walk(os.path.join(root, folder)):
            names[:] = [n for n in names if not n.startswith((".", "build"))]
            for name in sorted(files):
                if name.endswith((".c", ".h", ".inc")):
                    path = os.path.join(here, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, root), file.read()


def without_comments(text):
    return COMMENT.sub(lambda m: m.group(1) or "\n" * m.group(0).count("\n") or " ", text)


def counted_lines(text):
    """The lines that count: (number, tokens, where the function begins)."""
    result, held = [], []  # held: lines outside of functions, until it is known what they begin
    begin = body = first = 0  # of the last function: its lines in `result`, its first line in the file
    stack = []  # open braces; true: of a table or record
    before, closed = [], ""  # what stands before open parentheses, and before those closed last
    one_before, last, directive = "", "", False
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        stripped = line.strip()
        if directive or stripped.startswith("#"):
            directive = stripped.endswith("\\")
            continue
        tokens = TOKEN.findall(stripped)
        listed = bool(stack) and stack[-1]  # begins inside of a table or a record
        outside = not stack
        for token in tokens:
            if token == "{":
                record = last in RECORDS or one_before in RECORDS
                literal = last in ("=", ",", "{") or (last == ")" and (closed == "return" or not re.match(r"\w", closed)))
                stack.append(literal or record or (bool(stack) and stack[-1]))
            elif token == "}" and stack:
                stack.pop()
            elif token == "(":
                before.append(last)
            elif token == ")" and before:
                closed = before.pop()
            one_before, last = last, token
        if outside:
            held.append((number, tokens))
            if stack or last == "}":
                begin = len(result)
                result += [(*h, held[0][0]) for h in held if counts(h[1])] if not (stack and stack[-1]) else []
                first = held[0][0]
                body, held = len(result), []
            elif last == ";" and not before:
                held = []  # a declaration
        elif not listed and counts(tokens):
            result.append((number, tokens, first))
        if not outside and not stack and len(result) - body <= 1:
            del result[begin:]  # a function of one statement is a row of a table
    return result


def counts(tokens):
    """Whether a line says something: it has a name, and is none of what every test or destructor has."""
    text = " ".join(tokens)
    return any(names_of(tokens)) and not NOTHING.fullmatch(text)


def shape_of(tokens):
    out = []
    for t in tokens:
        c = t[0]
        if c == '"' or c == "'":
            out.append('"')
        elif c.isdigit() or (c == "." and len(t) > 1):
            out.append("0")
        elif (c.isalpha() or c == "_") and t not in KEYWORDS:
            out.append("a")
        else:
            out.append(t)
    return " ".join(out)


def names_of(tokens):
    return [t for t in tokens if (t[0].isalpha() or t[0] == "_") and t not in KEYWORDS]


def fits(a, b):
    """Whether one list of new names makes the lines a of the lines b."""
    there, back = {}, {}
    for x, y in zip(a, b):
        if there.setdefault(x, y) != y or back.setdefault(y, x) != x:
            return False
    return True


def pairs_of_runs(sources):
    """Runs of LINES or more lines that are alike: {(path, path): [(lines, first and last line here, first and last there)]}."""
    files, keys, windows = [], {}, collections.defaultdict(list)
    for path, text in sources:
        lines, shapes, last = [], [], None
        for number, tokens, function in counted_lines(text):
            shape = (shape_of(tokens), names_of(tokens)[0], function)
            if shape != last or tokens[1:2] not in (["("], ["."], ["->"]):  # calls and fields, row by row, are a table: its first counts
                lines.append((number, tokens, function))
                shapes.append(keys.setdefault(shape[0], len(keys)))
            last = shape
        files.append((path, lines, shapes))
    for f, (_, lines, shapes) in enumerate(files):
        for i in range(len(shapes) - LINES + 1):
            windows[tuple(shapes[i:i + LINES])].append((f, i))
    names = {}

    def name_list(f, i):
        if (f, i) not in names:
            names[f, i] = [n for _, tokens, _ in files[f][1][i:i + LINES] for n in names_of(tokens)]
        return names[f, i]

    def crosses(f, i):
        """From one function to the next: alike by chance, unless it is to the letter."""
        return files[f][1][i][2] != files[f][1][i + LINES - 1][2]

    starts = set()
    for places in windows.values():
        for a in range(len(places)):
            for b in range(a + 1, len(places)):
                (f, i), (g, k) = places[a], places[b]
                x, y = name_list(f, i), name_list(g, k)
                if (f != g or k - i >= LINES) and (x == y or (fits(x, y) and not crosses(f, i) and not crosses(g, k))):
                    starts.add((f, g, i, k))
    runs = collections.defaultdict(list)
    for f, g, i, k in sorted(starts):
        if (f, g, i - 1, k - 1) in starts:
            continue
        length = LINES
        while (f, g, i + length - LINES + 1, k + length - LINES + 1) in starts:
            length += 1
        here, there = files[f][1][i:i + length], files[g][1][k:k + length]
        runs[files[f][0], files[g][0]].append((length, here[0][0], here[-1][0], there[0][0], there[-1][0]))
    return {pair: longest(found) for pair, found in runs.items()}


def longest(runs):
    """Without those that lie within longer ones, moved by a line or more."""
    kept = []
    for run in sorted(runs, reverse=True):
        if not any(run[1] <= k[2] and k[1] <= run[2] and run[3] <= k[4] and k[3] <= run[4] for k in kept):
            kept.append(run)
    return kept


def read_table(root):
    """Rows of the table: (patterns, lines that may be alike at most)."""
    rows, inside = [], False
    with open(os.path.join(root, PAGE), encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                inside = line.strip() == HEADING
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if inside and line.startswith("|") else []
            if len(cells) == 3 and cells[1].isdigit():
                rows.append((re.findall(r"`([^`]+)`", cells[0]), int(cells[1])))
    return rows


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, "*/" + pattern) for pattern in patterns)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "."
    sources = list(read(root))
    rows, used, wrong = read_table(root), set(), []
    for (a, b), runs in sorted(pairs_of_runs(sources).items()):
        for length, here, here_end, there, there_end in runs:
            row = next((k for k, (patterns, most) in enumerate(rows) if length <= most and matches(a, patterns) and matches(b, patterns)), None)
            text = f"{a}:{here}-{here_end} and {b}:{there}-{there_end}: {length} lines alike"
            if row is None:
                wrong.append(text + ", merge them or explain them")
            else:
                used.add(row)
                if "--all" in sys.argv:
                    print(f"{text}, explained: {', '.join(rows[row][0])}")
    wrong += [f"{PAGE}: nothing is alike any more in {', '.join(patterns)}" for k, (patterns, _) in enumerate(rows) if k not in used]
    for line in wrong:
        print(line)
    print(f"{len(sources)} files, {len(rows)} explained families, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
