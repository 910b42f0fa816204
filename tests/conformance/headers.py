# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""What a public header declares, with the comment above each declaration."""

import os
import re

COMMENT = r"/\*\*(?P<comment>(?:(?!\*/).)*)\*/\s*"
GUARD = r"(?:#if[^\n]*\n\s*)?"  # a macro that a program may have defined itself
MACRO = re.compile(COMMENT + GUARD + r"#define (?P<name>\w+)\((?P<parameters>[^)]*)\)", re.S)
FUNCTION = re.compile(
    COMMENT + r"(?:(?:__)?DOCA_EXPERIMENTAL\w*\s+|DOCA_STABLE\s+|static __inline__\s+)+"
    r"(?P<result>[\w ]+?[\s*]+)(?P<name>\w+)\((?P<parameters>[^)]*)\)", re.S)
DECLARED = re.compile(r"^(?:(?:__)?DOCA_EXPERIMENTAL|DOCA_STABLE)\s+[\w \n]+?[\s*]+(\w+)\(", re.M)


def parameter_names(parameters):
    words = [p.strip() for p in parameters.split(",")]
    names = [re.split(r"[\s*]+", p)[-1] for p in words if p not in ("", "void", "...")]
    return [name.partition("[")[0] for name in names]


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
