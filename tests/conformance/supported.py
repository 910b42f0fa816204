#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The README's list of what is supported, made from the tables, headers and symbol map.

    supported.py [--write] README INCLUDE-DIRECTORY SYMBOL-MAP

Without --write it fails if the list between the two marks of the README is another one.
"""

import os
import re
import sys

from headers import Header
from tables import Tables, every_header

BEGIN = "<!-- supported: written by tests/conformance/supported.py --write -->\n"
END = "<!-- supported: end -->\n"


# Releases of DOCA, and the directory of the headers of which these have a form of their own.
RELEASES = {"1.2 to 1.4": "doca-1.3", "1.5": "doca-1.5", "2.0 to 2.2": "", "2.5 to 3.4": "doca-3"}
# Of each library, its header, and the first and the last of these releases in which DOCA has it.
LIBRARIES = {
    "devices, maps, buffers": ("doca_mmap.h", 0, 3),
    "DMA": ("doca_dma.h", 0, 3),
    "Comm Channel": ("doca_comm_channel.h", 0, 3),
    "SHA": ("doca_sha.h", 0, 3),
    "RDMA": ("doca_rdma.h", 1, 3),
    "compression": ("doca_compress.h", 1, 3),
    "erasure coding": ("doca_erasure_coding.h", 2, 3),
    "sync events": ("doca_sync_event.h", 2, 3),
    "graphs": ("doca_graph.h", 2, 3),
    "Comch": ("doca_comch.h", 3, 3),
    "AES-GCM": ("doca_aes_gcm.h", 3, 3),
    "Flow": ("doca_flow.h", 0, 3),
    "DPA": ("doca_dpa.h", 2, 3),
    "Ethernet queues": ("doca_eth_rxq.h", 2, 3),
    "GPUNetIO": ("doca_gpunetio.h", 2, 3),
}


def is_there(folder, release, header):
    """Sources of DOCA 3 find only headers of their own; those of other releases share most."""
    places = [release] if release == "doca-3" else [release, ""]
    return any(os.path.exists(os.path.join(folder, place, header)) for place in places)


def grid(folder):
    """Which library is there for sources of which release; "-": DOCA has none."""
    lines = ["| | " + " | ".join(RELEASES) + " |", "| --- " * (len(RELEASES) + 1) + "|"]
    for library, (header, first, last) in LIBRARIES.items():
        cells = []
        for number, release in enumerate(RELEASES.values()):
            there = "yes" if is_there(folder, release, header) else "no"
            cells.append(there if first <= number <= last else "-")
        lines.append(f"| {library} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def count(rows, header, exported):
    """How many of a header's functions and macros programs can use."""
    if header is None:
        return 0
    there = 0
    for row in rows:
        if row.result == "macro":
            there += row.name in header.macros
        elif row.result.startswith("static inline"):
            there += row.name in header.functions
        else:
            there += row.name in header.functions and row.name in exported
    return there


def table(folder, symbol_map):
    with open(symbol_map, encoding="utf-8") as text:
        exported = set(re.findall(r"^\s*(\w+);", text.read(), re.M))
    names = every_header()
    rows = Tables(names).functions
    complete, missing = [], []
    for name in names:
        wanted = [row for row in rows if row.header == name]
        exists = os.path.exists(os.path.join(folder, name))
        there = count(wanted, Header(folder, name) if exists else None, exported)
        if exists and there == len(wanted):
            complete.append(name)
        else:
            missing.append(f"- `{name}`: {there} of {len(wanted)} functions and macros")
    total = sum(row.header in complete for row in rows)
    lines = [grid(folder), f"Of DOCA 2.2, {len(complete)} of {len(names)} headers are complete, with {total} "
                           "functions and macros."]
    if missing:
        lines += ["Not, or not all, there:", ""] + missing
    return "\n".join(lines) + "\n"


def main():
    write = sys.argv[1] == "--write"
    readme, folder, symbol_map = sys.argv[1 + write:]
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        print(f"{readme} has no place for the list, between\n{BEGIN}{END}", file=sys.stderr)
        return 1
    before, rest = text.split(BEGIN)
    listed, after = rest.split(END)
    wanted = table(folder, symbol_map)
    if write:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + wanted + END + after)
        return 0
    wrong = set(wanted.splitlines()) ^ set(listed.splitlines())
    for line in sorted(wrong):
        print(f"{'missing' if line in wanted else 'wrong'}: {line}", file=sys.stderr)
    if listed != wanted:
        print("tests/conformance/supported.py --write README.md client/include "
              "client/libdoca-client.map brings the list up to date", file=sys.stderr)
    return 0 if listed == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
