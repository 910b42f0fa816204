# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The tables of the DOCA 2.2 interface, of earlier ones and of DOCA 3, as rows.

The 2.2, 1.3 and 3 interfaces have a table each of functions, constants and structures. That
of 1.5 is one table, which has all three and what became of the names of the others.
"""

import collections
import csv
import os
import re

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


CALL = re.compile(r"(?P<result>.*?[\s*])(?P<name>\w+)\((?P<parameters>.*)\)$")
POINTER = re.compile(r"(?P<result>.*?)\(\*(?P<name>\w+)\)\((?P<parameters>.*)\)$")


def rows_1_5():
    """The table of 1.5: (header, name, kind, relation, form, note)."""
    path = os.path.join(FOLDER, "doca-1.5-differences.tsv")
    with open(path, newline="", encoding="utf-8") as table:
        rows = list(csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [tuple((row + [""] * 6)[:6]) for row in rows]


def _function_1_5(header, name, kind, form):
    found = CALL.match(form)
    if kind == "function macro":
        return Function(header, name, "macro", found["parameters"] if found else
                        form.partition("(")[2].rstrip(")"), "")
    return Function(header, name, found["result"].strip(), found["parameters"], "")


def _constant_1_5(header, name, kind, form):
    if kind.startswith("enum value"):
        return Constant(header, "enum value", kind.removeprefix("enum value of "), name, form)
    if kind == "typedef":
        pointer, call = POINTER.match(form), CALL.match(form)
        if pointer:
            of = f"{pointer['result'].strip()} (*)({pointer['parameters']})"
        elif call:
            of = f"{call['result'].strip()} ({call['parameters']})"
        else:
            of = form.removesuffix(name).strip()
        return Constant(header, "typedef", of, name, "")
    if name in ("DOCA_ARCH_HOST", "DOCA_ARCH_X86", "DOCA_ARCH_DPU", "DOCA_ARCH_ARM"):
        return Constant(header, "macro", "", name, "")  # whichever side is built
    number = re.fullmatch(r"-?\d+", form)
    text = re.fullmatch(r'"(.*)"', form)
    return Constant(header, "macro", "", name, form if number else text[1] if text else "")


SIZES = {"void *": 8, "uint64_t": 8, "int": 4, "doca_error_t": 4, "uint16_t": 2,
         "struct doca_job": 24, "struct doca_sha_job": 48, "union doca_data": 8}


def _fields_1_5(header, name, form, note):
    if form == "opaque":
        return [Field(header, name, "opaque", "", "", "")]
    end = re.search(r"size (\d+), alignment (\d+)", note)
    fields = [Field(header, name, "(sizeof)", f"alignment {end[2]}", "", end[1])]
    offsets = re.search(r"offsets ([\d,]+);", note)
    members = [m.strip() for m in form.strip("{ }").split(";") if m.strip()] if offsets else []
    for member, offset in zip(members, offsets[1].split(",") if offsets else [], strict=True):
        of, star, field = re.fullmatch(r"(.*?)\s*(\**)(\w+)", member).groups()
        size = 8 if star else SIZES[of]
        fields.append(Field(header, name, field, f"{of} {star}".strip(), offset, str(size)))
    return fields


def tables_1_5(covered):
    """What is in the 1.5 interface: functions, constants, fields, and all headers with any."""
    functions, constants, fields, known = [], [], [], set()
    for header, name, kind, relation, form, note in rows_1_5():
        if relation not in ("own", "same as 1.3", "same as 2.2"):
            continue
        known.add(header)
        if header not in covered:
            continue
        if kind in ("function", "inline function", "function macro"):
            functions.append(_function_1_5(header, name, kind, form))
        elif kind.startswith(("struct", "union")):
            fields += _fields_1_5(header, name, form, note)
        else:
            constants.append(_constant_1_5(header, name, kind, form))
    return functions, constants, fields, known


class Tables:
    """What the tables say of the covered headers (names with ".h")."""

    def __init__(self, covered, version="2.2"):
        self.covered = list(covered)
        if version == "1.5":
            self.functions, self.constants, self.structs, known = tables_1_5(covered)
            if set(covered) - known:
                raise SystemExit(f"the table has no row of {', '.join(set(covered) - known)}")
            return
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
    """Takes --1.3, --1.5 or --3 off the arguments: ("1.3", "1.5", "3" or "2.2", the others)."""
    others = [a for a in arguments if a not in ("--1.3", "--1.5", "--3")]
    given = [a for a in arguments if a not in others]
    return (given[0].removeprefix("--") if given else "2.2"), others
