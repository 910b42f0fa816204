#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Every row of the tables of differences is covered.

    check-differences.py PROJECT-DIRECTORY [C-COMPILER]

A row of doca-1.3-differences.tsv is covered by the tables of the 1.3 interface, whose
conformance program names it, or by a test here: the file, and what stands in it. The rows
of doca-1.5-differences.tsv are the table of the 1.5 interface, each header of which is in
the conformance program; what one header brings in is looked at here, with a C compiler.
"""

import csv
import os
import subprocess
import sys

from tables import FOLDER, Tables, rows_1_5

TEST = "tests/integration/test_doca_1_3.c"
CHANNEL = "tests/integration/test_comm_channel_1_3.c"
PROGRAM = "tests/install/program-1.3.c"
INSTALL = "tests/install/test-install"

ELSEWHERE = {
    "enum doca_devinfo_property": (TEST, "DOCA_DEVINFO_PROPERTY_VUID, 128"),
    "struct doca_pci_bdf": (TEST, "sizeof(bdf), 2"),
    "enum doca_mmap_property": ("tests/integration/doca_1_3.c", "get(DOCA_MMAP_FROM_EXPORT"),
    "enum doca_mmap_access_flags": ("tests/integration/doca_1_3.c", "DOCA_MMAP_ACCESS_DPU_READ_WRITE"),
    "export descriptor (1.3)": (TEST, "strlen((char *)desc) + 1, size"),
    "doca_T_create / doca_T_destroy / doca_T_as_ctx / doca_T_devinfo_caps_get":
        (PROGRAM, "doca_dma_devinfo_caps_get"),
    "event.result.u64 of a memcpy": (PROGRAM, "event.result.u64 != DOCA_SUCCESS"),
    "DOCA_ALLOW_EXPERIMENTAL_API": (PROGRAM, "no macro for experimental functions"),
    "argp callbacks (1.x)": ("tests/unit/client/compat13/test_argp_1_3.c", "on_text_1_3(void *cfg, void *param)"),
    "struct doca_comm_channel_init_attr (1.x)": (CHANNEL, "doca_comm_channel_ep_create(&attr, &ep)"),
    "pkg-config names": (INSTALL, "doca-common doca-dma"),
    "headers included": (PROGRAM, "#include <doca_buf_inventory.h>"),
}


def covered_names():
    tables = Tables(["doca_dev.h", "doca_buf.h", "doca_buf_inventory.h", "doca_mmap.h",
                     "doca_ctx.h", "doca_dma.h", "doca_error.h", "doca_log.h"], "1.3")
    names = {f.name for f in tables.functions} | {c.name for c in tables.constants}
    for field in tables.structs:
        names |= {field.struct, f"{field.struct}.{field.name}"}
    return names


def uncovered(project, row, names):
    if row in ELSEWHERE:
        path, words = ELSEWHERE[row]
        with open(os.path.join(project, path), encoding="utf-8") as file:
            if words not in file.read():
                yield f"{row}: {path} has no \"{words}\""
        return
    for name in row.replace(" / ", ", ").split(", "):
        if name not in names:
            yield f"{row}: {name} is in no table, and no test is named for it"


def brought_in(project, compiler, header):
    """The names of the headers that come with one of the 1.5 interface."""
    done = subprocess.run(
        [compiler, "-M", "-x", "c", "-DDOCA_USE_VERSION=15",
         "-I" + os.path.join(project, "client/include"), "-"],
        input=f"#include <{header}>\n", text=True, capture_output=True, check=True)
    return {os.path.basename(path) for path in done.stdout.replace("\\\n", " ").split()}


def uncovered_1_5(project, compiler):
    with open(os.path.join(project, "tests/conformance/CMakeLists.txt"), encoding="utf-8") as file:
        covered = file.read().partition("set(covered_1_5")[2].partition(")")[0].split()
    for header, _, kind, relation, form, _ in rows_1_5():
        if relation in ("own", "same as 1.3", "same as 2.2") and header not in covered:
            yield f"{header} is not in the conformance program of 1.5"
        elif kind == "includes":
            names = {os.path.basename(name) for name in form.split()}
            for name in names - brought_in(project, compiler, header):
                yield f"{header} of 1.5 does not bring in {name}"


def main():
    path = os.path.join(FOLDER, "doca-1.3-differences.tsv")
    with open(path, newline="", encoding="utf-8") as table:
        rows = [row[0] for row in csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    names = covered_names()
    complaints = [c for row in rows for c in uncovered(sys.argv[1], row, names)]
    complaints += [f"{row}: not in the table of differences" for row in ELSEWHERE if row not in rows]
    if len(sys.argv) > 2:
        complaints += sorted(set(uncovered_1_5(*sys.argv[1:3])))
    print("\n".join(complaints), file=sys.stderr)
    print(f"{len(rows)} rows, {len(complaints)} complaints")
    return 1 if complaints or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
