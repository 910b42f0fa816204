#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""promises.py ROOT: each promise of SECURITY.md has a test, and each test that it names exists.

A row of the table names tests as `TEST`, by their name in ctest, or as `TEST:CASE`, a START_TEST.
A row whose first cell is bold is a heading.
"""

import pathlib
import re
import sys

HEADER = ["Promise", "Proved by", "Since"]
PROOF = re.compile(r"`([a-z]+)\.([A-Za-z0-9_-]+)(?::([A-Za-z0-9_]+))?`")
RELEASE = re.compile(r"\d+\.\d+\.\d+")


def source_of(root, kind, name):
    """The file that a test is made from; None if there is none."""
    if kind == "vm":
        path = root / "tests/vm/tests" / name
        return path if path.exists() else None
    if kind in ("unit", "integration"):
        found = sorted((root / "tests" / kind).rglob(f"test_{name}.c"))
        return found[0] if found else None
    path = root / "tests" / kind / "CMakeLists.txt"
    if not path.exists():
        return None
    named = rf"docad_{kind}_test\({name}(?![\w-])|NAME {kind}\.{name}(?![\w-])"
    return path if re.search(named, path.read_text()) else None


def rows(text):
    """The cells of each row of the table, with the number of its line."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if cells == HEADER:
            inside = True
        elif not cells:
            inside = False
        elif inside and not set("".join(cells)) <= set("-: "):
            yield number, cells


def wrong_in_row(root, cells):
    if len(cells) != len(HEADER):
        return [f"has {len(cells)} cells instead of {len(HEADER)}"]
    promise, proved_by, since = cells
    if promise.startswith("**") and not proved_by and not since:
        return []
    wrong = [] if RELEASE.fullmatch(since) else [f"`{since}` is no release"]
    proofs, rest = PROOF.findall(proved_by), PROOF.sub("", proved_by).strip()
    if rest:
        wrong.append(f"names more than tests: {rest}")
    elif not proofs:
        wrong.append("has no test")
    for kind, name, case in proofs:
        source = source_of(root, kind, name)
        if not source:
            wrong.append(f"there is no test {kind}.{name}")
        elif case and not re.search(rf"START_TEST\({case}\)", source.read_text()):
            wrong.append(f"{kind}.{name} has no case {case}")
    return wrong


def complaints(root):
    promises = 0
    for number, cells in rows((root / "SECURITY.md").read_text()):
        promises += not cells[0].startswith("**")
        for wrong in wrong_in_row(root, cells):
            yield f"SECURITY.md:{number}: {cells[0]}: {wrong}"
    if not promises:
        yield "SECURITY.md: there is no table of promises"


def main():
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
