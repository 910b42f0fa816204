# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The tables of the DOCA 2.2 interface, and of the 1.3 one, as rows."""

import collections
import csv
import os

Function = collections.namedtuple("Function", "header name result parameters errors")
Constant = collections.namedtuple("Constant", "header kind type name value")
Field = collections.namedtuple("Field", "header struct name type offset size")

FOLDER = os.path.dirname(os.path.abspath(__file__))


def _rows(name, row_type, covered, version="2.2"):
    path = os.path.join(FOLDER, f"doca-{version}-{name}.tsv")
    width = len(row_type._fields)
    with open(path, newline="", encoding="utf-8") as table:
        rows = list(csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    rows = [row_type(*(row + [""] * width)[:width]) for row in rows]
    known = {row.header for row in rows}
    return [row for row in rows if row.header in covered], known


class Tables:
    """What the tables say of the covered headers (names with ".h")."""

    def __init__(self, covered, version="2.2"):
        self.covered = list(covered)
        self.functions, in_functions = _rows("functions", Function, covered, version)
        self.constants, in_constants = _rows("constants", Constant, covered, version)
        self.structs, in_structs = _rows("structs", Field, covered, version)
        unknown = set(covered) - in_functions - in_constants - in_structs
        if unknown:
            raise SystemExit(f"no table has a row of {', '.join(sorted(unknown))}")


def every_header():
    """The headers of the tables, in alphabetical order."""
    known = set()
    for name, row_type in (("functions", Function), ("constants", Constant), ("structs", Field)):
        known |= _rows(name, row_type, [])[1]
    return sorted(known)


def version_option(arguments):
    """Takes --1.3 off the arguments: ("1.3" or "2.2", the others)."""
    others = [a for a in arguments if a != "--1.3"]
    return ("1.3" if len(others) < len(arguments) else "2.2"), others
