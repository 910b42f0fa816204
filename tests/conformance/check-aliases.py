#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Names that headers have for other names, as macros, must stand for something.

    check-aliases.py INCLUDE-DIRECTORY...

A macro `#define doca_a doca_b` is used by programs that were written for another release. That it
names a function, a type or a constant that no header has is seen only when a program is compiled.
"""

import os
import re
import sys

ALIAS = re.compile(r"^#define[ \t]+(?P<alias>doca_\w+|DOCA_\w+)[ \t]+(?:\\\n[ \t]*)?"
                   r"(?P<name>doca_\w+|DOCA_\w+)[ \t]*(?:/[/*].*)?$", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def texts(folder):
    for name in sorted(os.listdir(folder)):
        if name.startswith("doca_") and name.endswith(".h"):
            with open(os.path.join(folder, name), encoding="utf-8") as header:
                yield name, COMMENT.sub(" ", header.read())


def wrong(folder):
    headers = dict(texts(folder))
    aliases = [(header, m["alias"], m["name"])
               for header, text in headers.items() for m in ALIAS.finditer(text)]
    # What is left has each name where it is declared.
    declared = set(re.findall(r"\w+", " ".join(ALIAS.sub("", text) for text in headers.values())))
    declared |= {alias for _, alias, _ in aliases}
    for header, alias, name in aliases:
        if name not in declared:
            yield f"{folder}/{header}: {alias} stands for {name}, which no header has"


def main():
    found = [line for folder in sys.argv[1:] for line in wrong(folder)]
    for line in found:
        print(line)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
