#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""descriptors.py ROOT: who uses descriptors in a way that can make it wait.

A descriptor that another process also has can make whoever reads, looks at or closes it wait for
as long as that process likes (common/received.h). docad, the library and what they share therefore
do that in few places. descriptors.txt lists the files that call such functions at all, each with
the reason why it never waits there. This fails on a file that is not in the list or calls more than
it says, and on a line of the list that is out of date. Programs that serve nobody (docactl,
doca-perftest, docad-vendor-tree) may wait for whom they like.
"""

import pathlib
import re
import sys

WAITING = ("recv recvmsg recvmmsg recvfrom read readv lseek dup dup2 dup3 fstat fstatfs statx poll "
           "ppoll close close_range close_fdp cleanup_fd").split()
CALL = re.compile(r"(?<![\w.>])(?:(%s)(?=\()|(cleanup_fd)\b)" % "|".join(WAITING))
PROGRAMS = ("client/docactl/", "client/perftest/", "client/vendor_tree/")
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)


def calls(path):
    """The functions that a file calls, without those that it defines itself."""
    text = NOISE.sub(" ", path.read_text())
    own = set(re.findall(r"^static [^\n;=]*?\b(\w+)\([^;]*?\)\n\{", text, re.M))
    return {m.group(1) or m.group(2) for m in CALL.finditer(text)} - own


def used(root):
    """What each file of docad, the library and what they share calls: path -> names."""
    files = sorted(p for top in ("daemon", "client", "common") for p in (root / top).rglob("*.[ch]"))
    names = {p: p.relative_to(root).as_posix() for p in files}
    return {names[p]: found for p in files
            if not names[p].startswith(PROGRAMS) and (found := calls(p))}


def allowed(path):
    """What the list allows: path -> names. A line is "path: names: reason"."""
    out = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(":", 2)]
        if len(parts) != 3 or not parts[2] or parts[0] in out:
            sys.exit(f"{path}:{number}: not a path, the functions and the reason, or a path twice")
        out[parts[0]] = set(parts[1].split())
    return out


def complaints(root, path):
    """Everything in which the files and the list differ."""
    found, may = used(root), allowed(path)
    for name in sorted(found.keys() | may.keys()):
        for call in sorted(found.get(name, set()) - may.get(name, set())):
            yield (f"{name}: {call}() may wait for whoever shares the descriptor: use"
                   f" fd_reaper_close(), fd_reaper_close_socket(), or packet.h; or say in {path.name} why it cannot wait")
        for call in sorted(may.get(name, set()) - found.get(name, set())):
            yield f"{path.name}: {name} does not call {call}(): remove that"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    path = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 \
        else root / "tests/tools/descriptors.txt"
    lines = list(complaints(root, path))
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
