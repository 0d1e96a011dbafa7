#!/usr/bin/env python3
"""Follows what the pages of the tree name: links, and in code spans files and functions, that are not there are faults.

A link whose text is code and whose target is a source, [`fischer`](../sim_core/src/contact/lcp_newton.c), says that the source has that name. A path
may be given from the tree's root, from sim_core/src, sim_core/include, test or tools; with a star, some file has to match. A search that a page
asks for, `grep -rn "P0 eq. 17" sim_core`, finds something.
"""
import pathlib
import re
import sys

LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]+)\)")
SOURCES = (".c", ".h", ".inc")
PATH = re.compile(r"(?:[\w.*-]+/)+[\w.*-]+\.(?:c|h|inc)|(?:sim_core|ros_node|tools|config|scripts|docs|examples|python|test)/[\w./*-]+")
GREP = re.compile(r'grep -rn "([^"]+)" ([\w/]+)')
FROM = ("", "sim_core/src", "sim_core/include", "ros_node", "test", "tools")


def anchors(path):
    """Headings of a page as a forge turns them into anchors."""
    names = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = re.match(r"#+ (.*)", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
            names.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return names


def names_of(root):
    """All identifiers of the sources."""
    names = set()
    for folder in ("sim_core", "ros_node", "tools", "test", "examples", "python"):
        for path in (root / folder).rglob("*"):
            if path.suffix in SOURCES + (".py", ".mjs", ".js", ".cmake"):
                names.update(re.findall(r"\w+", path.read_text(encoding="utf-8", errors="replace")))
    return names


def check_spans(root, page, text, names):
    """Files and functions that code spans name, and that are not there."""
    faults = []
    for span in re.findall(r"`([^`\n]+)`", text):
        if PATH.fullmatch(span) and not any(any((root / folder).glob(span)) for folder in FROM):
            faults.append(f"{page}: there is no file {span}")
        search = GREP.fullmatch(span)
        if search and not any(search[1] in path.read_text(encoding="utf-8", errors="replace") for path in (root / search[2]).rglob("*") if path.is_file()):
            faults.append(f"{page}: nothing is found by {span}")
        function = re.fullmatch(r"(fil_\w+)(?:\(\))?", span)
        # or a family: `fil_batch` of fil_batch_create and others
        if function and function[1] not in names and not any(name.startswith(function[1].rstrip("_") + "_") for name in names):
            faults.append(f"{page}: no source has {function[1]}")
    return faults


def check(root):
    faults = []
    names = names_of(root)
    count = 0
    pages = [page for page in sorted(root.rglob("*.md")) if "build" not in page.relative_to(root).parts]
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        faults += check_spans(root, page.relative_to(root), text, names)
        for label, target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, anchor = target.partition("#")
            other = (page.parent / name).resolve() if name else page
            if not other.exists():
                faults.append(f"{page.relative_to(root)}: there is no {target}")
            elif anchor and other.suffix == ".md" and anchor not in anchors(other):
                faults.append(f"{page.relative_to(root)}: {name or 'the page'} has no heading #{anchor}")
            elif other.suffix in SOURCES and re.fullmatch(r"`\w+`", label) and not re.search(rf"\b{label[1:-1]}\b", other.read_text(encoding="utf-8")):
                faults.append(f"{page.relative_to(root)}: {name} has no {label[1:-1]}")
    return faults, len(pages), count


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    faults, pages, count = check(root)
    for fault in faults:
        print(fault)
    print(f"{count} links on {pages} pages, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
