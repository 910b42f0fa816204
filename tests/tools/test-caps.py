#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docactl caps: every capability of the tables is there, as the library tells it to programs.

    test-caps.py BINARIES TABLES
"""

import csv
import os
import sys

from nodes import Node

BINARIES, TABLES = sys.argv[1:]


def capabilities():
    """Functions that take a device, and give one value or none."""
    with open(os.path.join(TABLES, "doca-3-functions.tsv"), encoding="utf-8") as f:
        for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
            parameters = row["parameters"].split(",")
            plain = sum(" *" in part for part in parameters[1:]) <= 1 and "**" not in row["parameters"]
            if "_cap_" in row["function"] and "doca_devinfo " in parameters[0] and plain and \
                    "_array" not in row["parameters"]:
                yield row["function"]


def check_rows(node):
    devices = [device["name"] for device in node.json("devices")]
    rows = node.json("caps")
    known = set(capabilities())
    assert len(known) > 90, len(known)
    for device in devices:
        functions = {row["function"] for row in rows if row["device"] == device}
        assert functions == known, (device, functions ^ known)
    assert len({(row["device"], row["library"], row["capability"]) for row in rows}) == len(rows)
    assert node.json("caps", devices[1]) == [row for row in rows if row["device"] == devices[1]]


def value_of(node, device, library, capability):
    rows = node.json("caps", device, "-f", f"library={library},capability={capability}")
    assert len(rows) == 1, rows
    return rows[0]["value"], rows[0].get("limit")


def check_values(host, dpu):
    assert value_of(host, "pf0", "dma", "task_memcpy") == ("yes", None)
    assert value_of(host, "pf0", "sha", "min_dst_buf_size(sha256)") == ("32", 32)
    assert value_of(host, "pf0", "sha", "partial_hash_block_size(sha512)") == ("128", 128)
    assert value_of(host, "pf0", "rdma", "transport_type(rc)") == ("yes", None)
    assert value_of(host, "pf0", "rdma", "transport_type(dc)") == ("yes", None)
    assert value_of(host, "pf0", "sync_event", "export_to_gpu") == ("no", None)
    assert value_of(host, "pf0", "aes_gcm", "task_encrypt_key_type(256)") == ("yes", None)
    # What the sides differ in.
    for node, device, server, lists in (host, "pf0", "no", "no"), (dpu, "p0", "yes", "yes"):
        assert value_of(node, device, "comch", "server")[0] == server
        assert value_of(node, device, "devinfo_rep", "filter_net")[0] == lists


def check_refusals(node):
    done = node.docactl("caps", "pf9", status=1)
    assert "pf9" in done.stderr, done.stderr
    done = node.docactl("caps", "dma", status=1)  # a library
    assert "-f library=dma" in done.stderr, done.stderr
    assert not node.docactl("caps").stderr  # the library does not speak of what is not supported


with Node(BINARIES, "--role", "host", "--name", "host") as HOST:
    check_rows(HOST)
    check_refusals(HOST)
    with Node(BINARIES, "--role", "dpu", "--name", "dpu") as DPU:
        check_values(HOST, DPU)
