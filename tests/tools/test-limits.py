#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Fixed numbers of the library, and what a program sees at the end of each.

    test-limits.py SOURCE-DIRECTORY

A table of fixed size is found by programs in the end. So each fixed number of client/ and common/
(a macro whose name says that it is the most of something) has a line in limits.txt, which says what a
program sees there. The line begins with the kind:

    capability  a function or the manual reports the number, and going over it is an error
    error       going over it is an error that names the number
    falls-back  more than that works, in another way or slower
    format      of a layout or a protocol, which the hardware or a standard has, too
    inside      no program can meet it

Tools (docactl, doca-perftest, docad-exporter, docad-run and its library) stand on their own.
"""

import os
import re
import sys

KINDS = ("capability", "error", "falls-back", "format", "inside")
NAME = re.compile(r"^#define\s+(\w+(?:_MAX|_SLOTS|_PLACES|_COUNTS|_LIMIT|_MOST|_OFFERS|_ENTRIES|_CHUNKS))\b"
                  r"(?!\()", re.MULTILINE)
TOOLS = {"docactl", "perftest", "exporter", "run", "include", "package", "man", "sdk", "vendor_tree",
         "workbench", "faults", "private_docad"}


def numbers(source):
    found = {}
    for part in ("client", "common"):
        for folder, below, files in os.walk(os.path.join(source, part)):
            below[:] = sorted(name for name in below if part != "client" or name not in TOOLS)
            for name in sorted(files):
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as text:
                    for match in NAME.finditer(text.read()):
                        found[match[1]] = os.path.relpath(path, source)
    return found


def table(source):
    rows, wrong = {}, []
    path = os.path.join(source, "tests", "tools", "limits.txt")
    with open(path, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            if not line.strip() or line.startswith("#"):
                continue
            name, _, rest = line.rstrip("\n").partition("\t")
            kind, _, says = rest.partition("\t")
            if kind not in KINDS or not says.strip():
                wrong.append(f"limits.txt:{number}: write a name, a kind and a text, with tabs between")
            if name in rows:
                wrong.append(f"limits.txt:{number}: {name} is there twice")
            rows[name] = kind
    return rows, wrong


def main():
    source = sys.argv[1]
    found, (rows, wrong) = numbers(source), table(source)
    wrong += [f"{found[name]}: {name} has no line in tests/tools/limits.txt: what does a program see "
              "at its end?" for name in found if name not in rows]
    wrong += [f"limits.txt: there is no {name}" for name in rows if name not in found]
    print("\n".join(wrong) if wrong else f"{len(found)} fixed numbers")
    return bool(wrong) or not found


if __name__ == "__main__":
    sys.exit(main())
