#!/usr/bin/env python3
"""Reads the public headers, and writes what filum.calls needs to know of them: declare.py HEADERS... --json calls.json --table calls.c

The headers are laid out by clang-format and keep to a few forms: enums, structs of plain fields, opaque types, and functions. Anything else ends this with an
error, so that no call is left out without a word.
"""
import argparse
import json
import re

NAME = r"[A-Za-z_]\w*"


def strip(text):
    """Without comments and directives."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#.*(?:\\\n.*)*$", "", text, flags=re.M)
    return re.sub(r"FIL_API_(BEGIN|END)|FIL_MUST_CHECK |FIL_PRINTF\([^)]*\)", "", text)


def split(text):
    """At the commas outside of brackets."""
    parts, depth, at = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(text[at:k])
            at = k + 1
    return [part.strip() for part in parts + [text[at:]] if part.strip()]


def variable(text, constants):
    """`const double x[3]` as [type, name, dimensions]; pointers to functions are of type "function"."""
    function = re.fullmatch(rf".*\(\*({NAME})\)\(.*\)", text, flags=re.S)
    if function:
        return ["function", function[1], []]
    text = " ".join(text.split())
    match = re.fullmatch(rf"((?:const )?(?:unsigned )?{NAME}\**) ({NAME})((?:\[\w+\])*)", text)
    pointer = re.fullmatch(rf"(.*\*) ?({NAME})", text)
    if match is None and pointer:  # of a kind that is not taken apart
        return ["texts" if pointer[1] == "const char* const*" else "void*", pointer[2], []]
    if match is None:
        raise SystemExit(f"not a declaration that is known: {text}")
    dimensions = [int(constants.get(size, size)) for size in re.findall(r"\[(\w+)\]", match[3])]
    return [match[1], match[2], dimensions]


def fields(text, constants):
    for line in (part.strip() for part in text.split(";")):
        first, *others = split(" ".join(line.split())) or [""]
        if first:
            kind, name, dimensions = variable(first, constants)
            yield [kind, name, dimensions]
            for other in others:  # `double x, *y[3]` has the first one's type
                yield variable(kind.rstrip("*") + ("* " + other[1:] if other.startswith("*") else " " + other), constants)


def read(paths):
    found = {"enums": {}, "structs": {}, "handles": [], "functions": [], "calls": {}}
    constants = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = strip(file.read())

        def take_enum(match):
            value, names = -1, {}
            for part in split(match[2]):
                name, _, given = part.partition("=")
                value = eval(given, {}, constants) if given else value + 1
                names[name.strip()] = constants[name.strip()] = value
            if match[1]:
                found["enums"][match[1]] = names
            return ""

        def take_struct(match):
            found["structs"][match[1]] = list(fields(match[2], constants))
            return ""

        def take_call(match):
            arguments = [] if match[3].strip() == "void" else [variable(part, constants) for part in split(match[3])]
            found["calls"][match[2]] = {"header": path.rsplit("/", 1)[-1], "result": match[1], "arguments": arguments}
            return ""

        text = re.sub(rf"(?:typedef )?enum (?:{NAME} )?\{{(.*?)\}} ?({NAME})?;", lambda m: take_enum((m[0], m[2], m[1])), text, flags=re.S)
        text = re.sub(rf"typedef struct {NAME} \{{(.*?)\}} ({NAME});", lambda m: take_struct((m[0], m[2], m[1])), text, flags=re.S)
        found["handles"] += re.findall(rf"typedef struct ({NAME}) \1;", text)
        found["functions"] += re.findall(rf"typedef {NAME} ({NAME})\(.*?\);", text, flags=re.S)
        text = re.sub(rf"typedef struct {NAME} {NAME};|typedef {NAME} {NAME}\(.*?\);", "", text, flags=re.S)
        text = re.sub(rf"^((?:const )?{NAME}\**) (fil_\w+)\(((?:[^()]|\((?:[^()])*\))*)\) ?;", take_call, text, flags=re.M)
        if text.strip():
            raise SystemExit(f"{path}: not understood: {' '.join(text.split())[:200]}")
    return found


def table(found, headers):
    calls, structs = sorted(found["calls"]), sorted(found["structs"])
    lines = ["/* Made by declare.py of the public headers. */", '#include "calls.h"', ""] + [f'#include "filum/{header}"' for header in headers]
    lines += ["", "const FilPyCall fil_py_calls[] = {"]
    lines += [f'    {{"{name}", (FilPyFunction*){name}}},' for name in calls] + ["    {NULL, NULL},", "};", "", "const FilPySize fil_py_sizes[] = {"]
    return "\n".join(lines + [f'    {{"{name}", sizeof({name})}},' for name in structs] + ["    {NULL, 0},", "};", ""])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("headers", nargs="+")
    parser.add_argument("--json", required=True)
    parser.add_argument("--table", required=True)
    given = parser.parse_args()
    declarations = read(given.headers)
    with open(given.json, "w", encoding="utf-8") as out:
        json.dump(declarations, out, indent=0)
    with open(given.table, "w", encoding="utf-8") as out:
        out.write(table(declarations, sorted(header.rsplit("/", 1)[-1] for header in given.headers)))
