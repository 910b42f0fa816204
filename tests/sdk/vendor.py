# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""What the vendor's libraries of each release export, from the published tables alone: libraries,
version nodes and functions. Nothing of client/sdk is used, which is compared with this."""

import collections
import csv
import os

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = os.path.join(HERE, "..", "conformance")
# Headers whose functions have a library of their own; all others are in libdoca_common.
OWN = {"argp": ["argp"], "dma": ["dma"], "rdma": ["rdma"],
       "comch": ["comch", "comch_consumer", "comch_producer", "comch_msgq"],
       "comm_channel": ["comm_channel"], "cc": ["cc", "cc_consumer", "cc_producer"], "sha": ["sha"], "aes_gcm": ["aes_gcm"],
       "compress": ["compress"], "erasure_coding": ["erasure_coding"]}
HEADERS = {f"doca_{header}.h": name for name, headers in OWN.items() for header in headers}
# Which runtime directory serves which releases.
DIRECTORIES = {"1.3": ["1.3"], "1.5": ["1.5"], "2.2": ["2.2.0080"], "2.5": ["2.5.0108"],
               "2.6": [], "3": ["2.7.0085", "2.10.0087", "3.0.0058"]}
Export = collections.namedtuple("Export", "soname name node")


def rows(path):
    with open(path, newline="", encoding="utf-8") as table:
        return list(csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def table(name):
    """(header, function) of every function of a table of functions."""
    return [(row[0], row[1]) for row in rows(os.path.join(TABLES, name))
            if row[2] != "macro" and not row[2].startswith("static inline")]


def functions(generation):
    if generation == "1.3":
        # What 1.3 does otherwise, and what is as in 1.5; the rest is nowhere listed.
        return table("doca-1.3-functions.tsv")
    if generation == "1.5":
        return [(row[0], row[1]) for row in rows(os.path.join(TABLES, "doca-1.5-differences.tsv"))
                if row[2] == "function" and row[3] not in ("gone", "only in 2.2")]
    if generation == "2.2":
        return table("doca-2.2-functions.tsv")
    if generation in ("2.5", "2.6"):
        return [(row[0], row[1])
                for row in rows(os.path.join(HERE, "..", "..", "client", "sdk", "names-2.5.tsv"))
                if row[2] != "2.7" and
                (generation in (row[2], row[3]) or (row[2] != "2.6" and row[3] != "2.5"))]
    return table("doca-3-functions.tsv") + [
        (row[0], row[1])
        for row in rows(os.path.join(HERE, "..", "..", "client", "sdk", "names-2.5.tsv"))
        if row[2] == "2.7"]


def seen(releases):
    """What executables and libraries of the releases were seen to need and to export."""
    for row in rows(os.path.join(HERE, "doca-abi.tsv")):
        release, _, soname, name, node = (row + [""] * 5)[:5]
        if release in releases:
            yield Export(soname if "," not in soname else None, name, node)


def node_of(generation, library):
    if generation.startswith("1."):
        return "EXPERIMENTAL" if library == "argp" else ""
    return "EXPERIMENTAL"


def exports(generation):
    """Everything that a release's libraries export: set of Export."""
    so = 1 if generation.startswith("1.") else 2
    known = {each.name: each for each in seen(DIRECTORIES[generation]) if each.soname}
    found = set(known.values())
    for header, name in functions(generation):
        if name not in known:
            library = HEADERS.get(header, "common")
            found.add(Export(f"libdoca_{library}.so.{so}", name, node_of(generation, library)))
    return found
