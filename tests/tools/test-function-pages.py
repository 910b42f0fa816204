#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Every function, type and header of DOCA 3 and 2.2 has a manual page, which says what its header says
and leads on to others, without a complaint of whatever there is to read manual pages with.

    test-function-pages.py BINARIES MAKE-FUNCTION-PAGES INCLUDE-DIRECTORY TABLES
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

MAKE, INCLUDE, TABLES = sys.argv[2:]
# Headers that only include others, define what selects them, or lead calls to other names.
OTHERS_ONLY = ("doca_argp_calls.h", "doca_cc.h", "doca_config.h", "doca_lists.h")
# A name, a type or a prototype's beginning cannot be broken.
UNBROKEN = re.compile(r"\w{24,}")


def named(table):
    """The functions of such a table, which has (header, function, ...) in each row."""
    with open(os.path.join(TABLES, table), encoding="utf-8") as rows:
        return {row.split("\t")[1] for row in rows if row.startswith("doca_")}


def macros():
    """They have their text in their header."""
    found = set()
    for name in os.listdir(os.path.join(INCLUDE, "doca-3")):
        with open(os.path.join(INCLUDE, "doca-3", name), encoding="utf-8") as header:
            found |= set(re.findall(r"^ *# *define (\w+)\(", header.read(), re.M))
    return found


def read(folder):
    pages = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as page:
            pages[name] = page.read()
    return pages


def check_page(name, text, pages):
    item = name.removesuffix(".3")
    assert re.search(rf"^\.SH NAME\n{re.escape(item)} \\- \S", text, re.M), name
    synopsis = text.split(".SH SYNOPSIS\n")[1].split(".SH ")[0]
    if item.endswith(".h"):
        assert f"#include <{item}>\n" in synopsis, name
        assert re.search(r"^\.SH (?:FUNCTIONS|TYPES|MACROS)$", text, re.M) or item in OTHERS_ONLY, name
    else:
        assert re.search(rf"^(?:.*[ *])?{item}[();]", synopsis, re.M), name
        for header in re.findall(r"#include <(.*)>", synopsis):  # it leads on
            assert f"\\fB{header}\\fR(3)" in text.split(".SH SEE ALSO\n")[1], (name, header)
    for section in ("SYNOPSIS", "DESCRIPTION", "GENERATIONS", "SEE ALSO"):
        assert f".SH {section}\n" in text, (name, section)
    assert len(text.split(".SH DESCRIPTION\n")[1].split(".SH ")[0]) > 5, name
    assert not re.search(r"^[,;:]|\.\)\.$|,\.$", text, re.M), name  # sentences cut at a wrong place
    for other in re.findall(r"\\fB(docad?_[\w.]+)\\fR\(3\)", text):
        assert other + ".3" in pages, (name, other)


def check_form(folder, pages):
    if not shutil.which("mandoc"):
        return
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *sorted(pages)], cwd=folder,
                          capture_output=True, text=True, check=False)
    assert not done.stdout, done.stdout[:2000]
    shown = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=78", *sorted(pages)], cwd=folder,
                           capture_output=True, text=True, check=True).stdout
    for line in re.sub(".\x08", "", shown).splitlines():
        assert len(line) <= 80 or UNBROKEN.search(line), line


def check_macros(folder, pages):
    """What lintian asks of man, a page at a time and for minutes; tests/install shows it only some."""
    if not shutil.which("groff"):
        return
    done = subprocess.run(["groff", "-w", "w", "-t", "-k", "-man", "-T", "utf8", "-Z", "-rLL=80n",
                           *sorted(pages)], cwd=folder, capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr[:2000]


def documented_types():
    """Enumerations, structures and callbacks of the newest headers that have a comment."""
    found = set()
    for name in os.listdir(os.path.join(INCLUDE, "doca-3")):
        with open(os.path.join(INCLUDE, "doca-3", name), encoding="utf-8") as header:
            text = header.read()
        found |= set(re.findall(r"^\s*\*/\n(?:struct|union|enum) (doca\w+) \{", text, re.M))
        found |= set(re.findall(r"\*/\ntypedef [^;]*?\(\*(doca\w+)\)\(", text))
    return found


with tempfile.TemporaryDirectory() as made:
    subprocess.run([sys.executable, MAKE, INCLUDE, "0", "2000-01-01", made], check=True)
    PAGES = read(made)
    check_form(made, PAGES)
    check_macros(made, PAGES)
for NAME, TEXT in PAGES.items():
    check_page(NAME, TEXT, PAGES)
TYPES = documented_types()
assert len(TYPES) > 50 and all(name + ".3" in PAGES for name in TYPES), \
    sorted(name for name in TYPES if name + ".3" not in PAGES)
HEADERS = {name for folder in ("", "doca-3", "doca-1.5", "doca-1.3")
           for name in os.listdir(os.path.join(INCLUDE, folder)) if name.endswith(".h")}
assert all(name + ".3" in PAGES for name in HEADERS), HEADERS
# Values are explained, with what stands behind them or before them.
assert re.search(r"^\\fBDOCA_ARGP_TYPE_INT = 2\\fR\nint$", PAGES["doca_argp_type.3"], re.M)
MISSING = {name for name in named("doca-3-functions.tsv") - macros() if name + ".3" not in PAGES}
assert not MISSING, sorted(MISSING)
assert "doca_workq_submit.3" in PAGES and len(PAGES) > 1000, len(PAGES)
print(f"{len(PAGES)} pages")
