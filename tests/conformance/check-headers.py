#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Holds the text of the public headers against the tables.

    check-headers.py [--1.3 | --1.5 | --2.5 | --2.6 | --3] INCLUDE-DIRECTORY HEADER...

Each function and function-like macro has the parameters that the table gives it and a
comment right above it, which says where it comes from and since when it is there; of a
function with a result also what that is. Error codes in comments exist. Functions that
are in no table are held to the same form. Headers of the earlier interfaces are in a folder
below; some have the rest of what they declare in the header of the same name above it.
"""

import os
import re
import sys

from headers import Header, parameter_names
from tables import Tables, version_option

def check_form(name, comment, result):
    for word in ("Source:", "Since:") + (() if result == "void" else ("@return",)):
        if word not in comment:
            yield f"{name}: its comment does not say \"{word}\""
    for error in set(re.findall(r"\bDOCA_ERROR_\w+", comment)) - Header.errors:
        yield f"{name}: its comment names {error}, which is no error code"


def check_complete(name, found, errors):
    comment = found["comment"]
    for parameter in parameter_names(found["parameters"]):
        if not re.search(rf"@param[^\n]*\b{parameter}\b", comment):
            yield f"{name}: its comment has no @param {parameter}"
    for error in errors:
        if not re.search(rf"\b{error}\b", comment):
            yield f"{name}: its comment does not name {error}"


# What tells a reader no more than the error's name does.
EMPTY = re.compile(r"NULL or not valid|not possible here|no such thing|does not allow it|"
                   r"before forbids it|a fixed number of|the table names none")


def check_errors(name, comment, result):
    """A function says how it fails, or that it does not."""
    said = EMPTY.search(re.sub(r"\s*\n \* *", " ", comment))
    if said:
        yield f"{name}: its comment says \"{said.group()}\", and not of what"
    if result.endswith("doca_error_t") and not re.search(
            r"\bDOCA_ERROR_\w+|@return DOCA_SUCCESS\.", comment):
        yield f"{name}: its comment names no error"


def check_function(row, header):
    found = header.functions.get(row.name)
    if not found:
        yield f"{row.name}: no declaration with a comment right above it"
        return
    if parameter_names(found["parameters"]) != parameter_names(row.parameters):
        yield f"{row.name}: its parameters are not ({row.parameters})"
    yield from check_form(row.name, found["comment"], found["result"].strip())
    yield from check_complete(row.name, found, [e for e in row.errors.split(",") if e])


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
            yield from check_complete(name, found, [])


ALIAS = re.compile(r"^#define (doca_\w+)[ \t]+(?:\\\n[ \t]*)?doca_\w+$", re.M)


def aliased(folder, names):
    """What headers have as a macro for another name, whose comment says what it does."""
    found = set()
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as text:
            found |= set(ALIAS.findall(text.read()))
    return found


# Of an interface's own headers, those that add to the later one.
PARTS = {"1.3": ["doca_ctx.h"], "1.5": ["doca_ctx.h", "doca_dev.h", "doca_log.h"],
         "2.5": ["doca_argp.h", "doca_buf_array.h", "doca_dev.h", "doca_log.h", "doca_pe.h",
                 "doca_rdma.h", "doca_sync_event.h"]}
PARTS["2.6"] = PARTS["2.5"]


def earlier(folder, headers, version):
    """The headers of an earlier interface, where it has its own."""
    own = {name: Header(folder, name) for name in os.listdir(folder) if name.endswith(".h")}
    for name in PARTS[version]:
        own[name].functions = {**headers[name].functions, **own[name].functions}
        own[name].macros = {**headers[name].macros, **own[name].macros}
    return {**headers, **own}


def main():
    version, (folder, *covered) = version_option(sys.argv[1:])
    tables = Tables(covered, version)
    top = folder
    if version in ("2.5", "2.6", "3"):  # these share no header with others
        folder = os.path.join(folder, "doca-3")
    headers = {name: Header(folder, name) for name in os.listdir(folder) if name.endswith(".h")}
    if version in PARTS:
        own = "2.5" if version == "2.6" else version
        headers = earlier(os.path.join(top, f"doca-{own}"), headers, version)
    complaints = []
    aliases = aliased(folder, os.listdir(folder)) if version in ("2.5", "2.6") else set()
    for row in (row for row in tables.functions if row.name not in aliases):
        check = check_macro if row.result == "macro" else check_function
        complaints += [f"{row.header}: {c}" for c in check(row, headers[row.header])]
        found = headers[row.header].functions.get(row.name)
        if version in ("2.5", "2.6", "3") and found:
            complaints += [f"{row.header}: {c}" for c in
                           check_errors(row.name, found["comment"], found["result"].strip())]
    rows = {row.name for row in tables.functions}
    for header in headers.values():
        complaints += [f"{header.name}: {c}" for c in check_others(header, rows)]

    print("\n".join(complaints), file=sys.stderr)
    print(f"{len(tables.functions)} rows, {len(complaints)} complaints")
    return 1 if complaints or not tables.functions else 0


if __name__ == "__main__":
    sys.exit(main())
