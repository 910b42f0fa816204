#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""bindgen makes Rust bindings of the public headers, as published ones are made.

    check-bindings.py [--1.3 | --1.5 | --3] INCLUDE-DIRECTORY HEADER...

The bindings have every function and number of the tables, and every structure with the
size that the table gives it. Without bindgen the test is skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from tables import Tables, version_option

# An expression with a cast, which bindgen leaves out.
NO_BINDING = ("DOCA_CURRENT_VERSION_NUM",)


def make_bindings(include, covered):
    with tempfile.TemporaryDirectory() as work:
        wrapper = os.path.join(work, "wrapper.h")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.writelines(f"#include <{header}>\n" for header in covered)
        done = subprocess.run(
            ["bindgen", wrapper, "--allowlist-function", "doca_.*", "--allowlist-type", "doca_.*",
             "--allowlist-var", "(DOCA|doca|PCI)_.*", "--", f"-I{include}", "-DDOCA_ALLOW_EXPERIMENTAL_API"],
            text=True, capture_output=True, check=False)
    if done.returncode or "error:" in done.stderr:
        raise SystemExit(f"bindgen fails:\n{done.stderr}")
    # Where there is no rustfmt, all words stand apart.
    return re.sub(r"\s*(::|[:;,<>()=])\s*", r"\1", done.stdout)


def complaints(tables, text):
    functions = set(re.findall(r"pub fn (\w+)", text))
    constants = {name: value.replace(" ", "") for name, value in
                 re.findall(r"pub const (\w+):\w+=(-? ?\w+);", text)}
    sizes = dict(re.findall(r"size_of::<(\w+)>\(\)(?:,| ?- ?)(\d+)usize", text))
    for f in tables.functions:
        if f.result != "macro" and not f.result.startswith("static inline") and f.name not in functions:
            yield f"{f.header}: no function {f.name}"
    for c in tables.constants:
        # The name of an enumeration comes before that of its constants.
        name = c.name if c.kind == "macro" else f"{c.type.split()[-1]}_{c.name}"
        if not re.fullmatch(r"-?\d+", c.value) or c.name in NO_BINDING:
            continue
        if constants.get(name) != c.value:
            yield f"{c.header}: {c.name} is {constants.get(name)} and not {c.value}"
    for s in tables.structs:
        name = s.struct.split()[-1]
        if s.name == "(sizeof)" and sizes.get(name) != s.size:
            yield f"{s.header}: {s.struct} has size {sizes.get(name)} and not {s.size}"
        if s.name == "opaque" and not re.search(rf"pub struct {name}\b", text):
            yield f"{s.header}: no {s.struct}"


def main():
    version, (include, *covered) = version_option(sys.argv[1:])
    if not shutil.which("bindgen"):
        print("SKIPPED: no bindgen")
        return 77
    tables = Tables(covered, version)
    found = list(complaints(tables, make_bindings(include, covered)))
    print("\n".join(found[:40]), file=sys.stderr)
    rows = len(tables.functions) + len(tables.constants) + len(tables.structs)
    print(f"{rows} rows, {len(found)} complaints")
    return 1 if found or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
