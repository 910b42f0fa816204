# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""What the public headers declare, as the preprocessor sees it, and where libdoca-client's symbols are."""

import collections
import os
import re
import subprocess

# piece: the whole declaration
Declared = collections.namedtuple("Declared", "header symbol experimental piece")
NAME = re.compile(r"\b(docad?_[a-z0-9_]+)\s*\(")
SYMBOL = re.compile(r'__asm__\s*\(\s*("[^)]*")\s*\)')


def outside_braces(text):
    """The text of preprocessed headers without what is in braces, in lines with their header."""
    header, depth, piece = "", 0, []
    for line in text.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            header = os.path.basename(mark[1])
            continue
        if line.startswith("#pragma"):
            continue
        for character in line + "\n":
            if character == "{":
                # extern "C" is not there in C: all braces are of structures and bodies
                depth += 1
            elif character == "}":
                depth -= 1
                if not depth:
                    piece.append(" ; ")
            elif not depth:
                piece.append(character)
            if piece and piece[-1] in (";", " ; "):
                yield header, "".join(piece)
                piece = []


def headers_of(folder):
    """The names of the public headers in a folder."""
    return sorted(name for name in os.listdir(folder) if re.fullmatch(r"doca_\w+\.h", name))


def expanded(folder, select, compiler, more=""):
    """All headers of a folder, and what `more` includes, preprocessed."""
    text = "".join(f"#include <{name}>\n" for name in headers_of(folder)) + more
    command = compiler + ["-x", "c", "-E", f"-I{folder}", f"-DDOCA_USE_VERSION={select}",
                          "-DDOCA_ALLOW_EXPERIMENTAL_API", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def declared(folder, select, compiler):
    """The functions that the headers of a folder declare: name to Declared."""
    return declared_in(expanded(folder, select, compiler))


def declared_in(text):
    """The functions that preprocessed headers declare: name to Declared."""
    found = {}
    for header, piece in outside_braces(text):
        if not header.startswith(("doca_", "compat25")) or re.match(r"\s*(static|typedef)\b", piece):
            continue
        name = NAME.search(piece)
        if not name:
            continue
        symbol = SYMBOL.search(piece)
        if not symbol and name[1] in found:
            continue # declared again: it keeps its symbol
        label = "".join(re.findall(r'"([^"]*)"', symbol[1])) if symbol else name[1]
        found[name[1]] = Declared(header, label, ".text.experimental" in piece, piece)
    return found


def nodes_of(symbol_map):
    """The version node of each symbol of libdoca-client."""
    found, node = {}, ""
    with open(symbol_map, encoding="utf-8") as text:
        for line in text:
            opening = re.match(r"(\S+) \{", line)
            node = opening[1] if opening else node
            symbol = re.match(r"\s+(\w+);", line)
            if symbol:
                found[symbol[1]] = node
    return found
