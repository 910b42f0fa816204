#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-run --trace: every call of programs with many threads or processes.

    test-trace-threads.py BINARIES SHORT-THREADS

SHORT-THREADS is short_threads.c.
"""

import os
import subprocess
import sys
import tempfile

from nodes import LIMIT, Node

BINARIES, PROGRAM = sys.argv[1:]
FOLDER = tempfile.TemporaryDirectory(prefix="docad-trace-threads.")
OUT = os.path.join(FOLDER.name, "out")


def lines_of(node, how, count):
    subprocess.run([node.program("docad-run"), f"--trace={OUT}", "--", PROGRAM, how, str(count)], check=True,
                   timeout=LIMIT, env=dict(os.environ, DOCAD_SOCKET=node.socket))
    with open(OUT, encoding="utf-8") as trace:
        return trace.read().splitlines()


def check_all(node, how, count):
    """Each thread or process is there with both of its calls."""
    lines = lines_of(node, how, count)
    for function in ("doca_mmap_create", "doca_mmap_destroy"):
        callers = [line.split()[0] for line in lines if f" {function}(" in line]
        assert len(callers) == count, (how, function, len(callers), lines[-1])
        assert how == "turns" or len(set(callers)) == count, (how, function, len(set(callers)))
    assert not any("missing" in line for line in lines), lines[-1]


def main():
    with Node(BINARIES, "--role", "dpu") as node:
        check_all(node, "turns", 600)
        check_all(node, "together", 300)
        check_all(node, "forks", 200)


if __name__ == "__main__":
    main()
