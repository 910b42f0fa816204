# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The tables of the DOCA 2.2 interface, of earlier ones and of DOCA 3, as rows.

Those of 2.5 and 2.6 are the tables of 3.0 and what changed until then.
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


RESULT = re.compile(r"(?P<result>.*?)\s*\((?P<parameters>.*)\)$")
ENUMERATOR = re.compile(r"(?P<type>enum \w+) = (?P<value>-?\d+)$")


def _changed(header, name, kind, form):
    """A function or constant of the table of differences."""
    if not kind.startswith("constant"):
        found = RESULT.match(form)
        return Function(header, name, found["result"], found["parameters"], "")
    enumerator = ENUMERATOR.match(form)
    if enumerator:
        return Constant(header, "enum value", enumerator["type"], name, enumerator["value"])
    parameters = re.match(r"macro\(([^)]*)\)", form)
    if parameters:
        return Function(header, name, "macro", parameters[1], "")
    value = form.removeprefix("macro = ").strip()
    number, text = re.fullmatch(r"-?\d+", value), re.fullmatch(r'"(.*)"', value)
    return Constant(header, "macro", "", name, value if number else text[1] if text else "")


def differences():
    """(from, to, change, header, name, old form, new form) between 2.5, 2.6 and 3.0."""
    path = os.path.join(FOLDER, "doca-3-differences.tsv")
    with open(path, newline="", encoding="utf-8") as table:
        rows = list(csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [tuple((row + [""] * 7)[:7]) for row in rows]


def tables_2_5(version):
    """What 2.5 or 2.6 has: that of 3.0 without what was changed since."""
    every = _rows("functions", Function, [], "3")[1] | _rows("constants", Constant, [], "3")[1]
    of = {row.name: row for name, row_type in (("functions", Function), ("constants", Constant))
          for row in _rows(name, row_type, every, "3")[0]}
    steps = [("2.6", "3.0")] + ([("2.5", "2.6")] if version == "2.5" else [])
    for step in steps:
        for first, last, change, header, name, old, _ in differences():
            if (first, last) != step:
                continue
            if change.endswith("added"):
                of.pop(name, None)
            else:
                of[name] = _changed(header, name, change, old)
    return of.values()


class Tables:
    """What the tables say of the covered headers (names with ".h")."""

    def __init__(self, covered, version="2.2"):
        self.covered = list(covered)
        if version == "1.5":
            self.functions, self.constants, self.structs, known = tables_1_5(covered)
            if set(covered) - known:
                raise SystemExit(f"the table has no row of {', '.join(set(covered) - known)}")
            return
        if version in ("2.5", "2.6"):
            rows = [row for row in tables_2_5(version) if row.header in covered]
            self.functions = [row for row in rows if isinstance(row, Function)]
            self.constants = [row for row in rows if isinstance(row, Constant)]
            self.structs = []
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
    """Takes --1.3 and so on off the arguments: (the version, which is "2.2" without, the others)."""
    others = [a for a in arguments if a not in ("--1.3", "--1.5", "--2.5", "--2.6", "--3")]
    given = [a for a in arguments if a not in others]
    return (given[0].removeprefix("--") if given else "2.2"), others
