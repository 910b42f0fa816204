#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The README's list of what is supported, made from the tables, headers and symbol map.

    supported.py [--write] README INCLUDE-DIRECTORY SYMBOL-MAP

Without --write it fails if the list between the two marks of the README is another one.
"""

import os
import re
import sys

from headers import Header
from tables import Tables, every_header

BEGIN = "<!-- supported: written by tests/conformance/supported.py --write -->\n"
END = "<!-- supported: end -->\n"


def count(rows, header, exported):
    """How many of a header's functions and macros programs can use."""
    if header is None:
        return 0
    there = 0
    for row in rows:
        if row.result == "macro":
            there += row.name in header.macros
        elif row.result.startswith("static inline"):
            there += row.name in header.functions
        else:
            there += row.name in header.functions and row.name in exported
    return there


def table(folder, symbol_map):
    with open(symbol_map, encoding="utf-8") as text:
        exported = set(re.findall(r"^\s*(\w+);", text.read(), re.M))
    names = every_header()
    rows = Tables(names).functions
    complete, missing = [], []
    for name in names:
        wanted = [row for row in rows if row.header == name]
        exists = os.path.exists(os.path.join(folder, name))
        there = count(wanted, Header(folder, name) if exists else None, exported)
        if exists and there == len(wanted):
            complete.append(name)
        else:
            missing.append(f"- `{name}`: {there} of {len(wanted)} functions and macros")
    total = sum(row.header in complete for row in rows)
    lines = [f"{len(complete)} of {len(names)} headers are complete, with {total} functions and macros."]
    if missing:
        lines += ["Not, or not all, there:", ""] + missing
    return "\n".join(lines) + "\n"


def main():
    write = sys.argv[1] == "--write"
    readme, folder, symbol_map = sys.argv[1 + write:]
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        print(f"{readme} has no place for the list, between\n{BEGIN}{END}", file=sys.stderr)
        return 1
    before, rest = text.split(BEGIN)
    listed, after = rest.split(END)
    wanted = table(folder, symbol_map)
    if write:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + wanted + END + after)
        return 0
    wrong = set(wanted.splitlines()) ^ set(listed.splitlines())
    for line in sorted(wrong):
        print(f"{'missing' if line in wanted else 'wrong'}: {line}", file=sys.stderr)
    if listed != wanted:
        print("tests/conformance/supported.py --write README.md client/include "
              "client/libdoca-client.map brings the list up to date", file=sys.stderr)
    return 0 if listed == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
