#!/usr/bin/env python3
"""Pages, comments and messages use the field's words (docs/glossary.md): words of our own that it has another one for are faults."""
import pathlib
import re
import sys

# what stands for what
WORDS = {
    "told": "reported, published, given",
    "near matrix": "preconditioner",
    "near factor": "preconditioner",
    "wish": "initial guess",
    "astray": "stale",
    "fours": "batches of four",
    "errs": "is off, has an error",
    "err by": "be off by, have an error of",
    "makes up its mind": "active set",
    "make up its mind": "active set",
    "changes its mind": "active set",
    "cautious": "majorised, positive definite",
    "twos": "pairs",
}
# parts of names in C, and what the name has instead
NAMES = {"most": "max", "least": "min", "told": "reported", "tell": "report, send", "wish": "guess", "astray": "stale", "fours": "quads", "twos": "pairs",
         "lose": "subtract, fail", "thing": "object", "things": "objects", "errs": "error"}
ALLOWED = {"at_least", "pushes_a_box_with_least_effort", "ftell"}
CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|(?P<name>[A-Za-z_]\w*)', re.S)
PATTERN = re.compile(r"(?<!->)(?<!\.)\b(" + "|".join(word.replace(" ", r"\s+") for word in WORDS) + r")\b", re.I)
PROSE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


def faults_in(text, name, prose):
    """Faults of a text: of all of it but code spans, or of a source's comments and strings."""
    pieces = [(match.start(), match[0]) for match in PROSE.finditer(text)] if prose else [(0, re.sub(r"`[^`\n]*`", lambda match: " " * len(match[0]), text))]
    found = []
    for start, piece in pieces:
        for match in PATTERN.finditer(piece):
            word = " ".join(match[0].lower().split())
            line = text.count("\n", 0, start + match.start()) + 1
            found.append(f"{name}:{line}: '{word}': {WORDS[word]}")
    return found


def names_in(text, name):
    """Faults of a source's identifiers."""
    found = {}
    for match in CODE.finditer(text):
        parts = [part for part in match["name"].lower().split("_") if part in NAMES] if match["name"] and match["name"] not in ALLOWED else []
        if parts:
            found.setdefault(match["name"], f"{name}:{text.count(chr(10), 0, match.start()) + 1}: name '{match['name']}': {NAMES[parts[0]]}")
    return list(found.values())


def is_script(path):
    """Scenes, messages, Python, JavaScript, shell: all of their text counts, names too."""
    return path.suffix in (".py", ".pyi", ".js", ".mjs", ".html", ".yaml", ".msg", ".srv", ".action", ".bash") or not path.suffix and path.parent.name == "scripts"


def check(root):
    faults, count = [], 0
    folders = ("config", "examples", "launch", "msg", "python", "ros_node", "scripts", "sim_core", "test", "tools")
    files = [path for folder in folders for path in sorted((root / folder).rglob("*")) if path.is_file() and path.name != "check_words.py" and "node_modules" not in path.parts]
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md")), *(path for path in files if is_script(path))]
    sources = [path for path in files if path.suffix in (".c", ".h", ".inc")]
    written_in_c = set(sources)
    for path in pages + sources:
        count += 1
        text = path.read_text(encoding="utf-8")
        faults += faults_in(text, path.relative_to(root).as_posix(), path in written_in_c)
        faults += names_in(text, path.relative_to(root).as_posix()) if path in written_in_c else []
    return faults, count


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    # it finds what it looks for
    assert len(faults_in("/* Is told\n * by the near\n matrix */ int told; char* s = \"a wish\";", "a.c", True)) == 3
    assert faults_in("`told` and errs", "a.md", False) == ["a.md:1: 'errs': is off, has an error"]
    assert names_in("int least_gap; /* most */ char* text = \"thing\"; int at_least;", "a.c") == ["a.c:1: name 'least_gap': min"]
    faults, count = check(root)
    print("\n".join(faults + [f"{count} files, {len(faults)} faults"]))
    return 1 if faults or count < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
