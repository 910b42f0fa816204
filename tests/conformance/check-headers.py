#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Holds the text of the public headers against the tables.

    check-headers.py INCLUDE-DIRECTORY HEADER...

Each function and function-like macro has the parameters that the table gives it and a
comment right above it, which says where it comes from and since when it is there; of a
function with a result also what that is. Error codes in comments exist. Functions that
are in no table are held to the same form.
"""

import os
import re
import sys

from tables import Tables

COMMENT = r"/\*\*(?P<comment>(?:(?!\*/).)*)\*/\s*"
GUARD = r"(?:#if[^\n]*\n\s*)?"  # a macro that a program may have defined itself
MACRO = re.compile(COMMENT + GUARD + r"#define (?P<name>\w+)\((?P<parameters>[^)]*)\)", re.S)
FUNCTION = re.compile(
    COMMENT + r"(?:__DOCA_EXPERIMENTAL\w*\s+|static inline\s+)+"
    r"(?P<result>[\w ]+?[\s*]+)(?P<name>\w+)\((?P<parameters>[^)]*)\)", re.S)
DECLARED = re.compile(r"^__DOCA_EXPERIMENTAL\s+[\w \n]+?[\s*]+(\w+)\(", re.M)


def parameter_names(parameters):
    words = [p.strip() for p in parameters.split(",")]
    return [re.split(r"[\s*]+", p)[-1] for p in words if p not in ("", "void", "...")]


class Header:
    errors = set()  # that doca_error.h defines

    def __init__(self, folder, name):
        self.name = name
        with open(os.path.join(folder, name), encoding="utf-8") as header:
            text = header.read()
        self.functions = {m["name"]: m for m in FUNCTION.finditer(text)}
        self.macros = {m["name"]: m for m in MACRO.finditer(text)}
        self.declared = DECLARED.findall(text)
        if name == "doca_error.h":
            Header.errors = set(re.findall(r"^ *(DOCA_ERROR_\w+) = ", text, re.M))


def check_form(name, comment, result):
    for word in ("Source:", "Since:") + (() if result == "void" else ("@return",)):
        if word not in comment:
            yield f"{name}: its comment does not say \"{word}\""
    for error in set(re.findall(r"\bDOCA_ERROR_\w+", comment)) - Header.errors:
        yield f"{name}: its comment names {error}, which is no error code"


def check_function(row, header):
    found = header.functions.get(row.name)
    if not found:
        yield f"{row.name}: no declaration with a comment right above it"
        return
    if parameter_names(found["parameters"]) != parameter_names(row.parameters):
        yield f"{row.name}: its parameters are not ({row.parameters})"
    yield from check_form(row.name, found["comment"], found["result"].strip())


def check_macro(row, header):
    found = header.macros.get(row.name)
    if not found:
        yield f"{row.name}: no macro with a comment right above it"
        return
    parameters = [p.strip() for p in found["parameters"].split(",")]
    if parameters != [p.strip() for p in row.parameters.split(",")]:
        yield f"{row.name}: its parameters are not ({row.parameters})"
    yield from check_form(row.name, found["comment"], "void")


def check_others(header, rows):
    """What the header declares and no table has."""
    for name in header.declared:
        if name in rows:
            continue
        found = header.functions.get(name)
        if not found:
            yield f"{name}: no comment right above it"
        else:
            yield from check_form(name, found["comment"], found["result"].strip())


def main():
    folder, covered = sys.argv[1], sys.argv[2:]
    tables = Tables(covered)
    headers = {name: Header(folder, name) for name in os.listdir(folder) if name.endswith(".h")}
    complaints = []
    for row in tables.functions:
        check = check_macro if row.result == "macro" else check_function
        complaints += [f"{row.header}: {c}" for c in check(row, headers[row.header])]
    rows = {row.name for row in tables.functions}
    for header in headers.values():
        complaints += [f"{header.name}: {c}" for c in check_others(header, rows)]

    print("\n".join(complaints), file=sys.stderr)
    print(f"{len(tables.functions)} rows, {len(complaints)} complaints")
    return 1 if complaints or not tables.functions else 0


if __name__ == "__main__":
    sys.exit(main())
