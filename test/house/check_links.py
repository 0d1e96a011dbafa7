#!/usr/bin/env python3
"""Follows the links of all pages of the tree: files that are not there, and headings that no page has, are faults."""
import pathlib
import re
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(path):
    """Headings of a page as a forge turns them into anchors."""
    names = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = re.match(r"#+ (.*)", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
            names.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return names


def check(root):
    faults = []
    count = 0
    pages = [page for page in sorted(root.rglob("*.md")) if "build" not in page.relative_to(root).parts]
    for page in pages:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, anchor = target.partition("#")
            other = (page.parent / name).resolve() if name else page
            if not other.exists():
                faults.append(f"{page.relative_to(root)}: there is no {target}")
            elif anchor and other.suffix == ".md" and anchor not in anchors(other):
                faults.append(f"{page.relative_to(root)}: {name or 'the page'} has no heading #{anchor}")
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
