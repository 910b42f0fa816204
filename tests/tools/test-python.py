#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The example in Python: memory of one interpreter, copied by a DMA task of another.

    test-python.py BINARIES EXAMPLES
"""

import os
import subprocess
import sys

from nodes import LIMIT, Node, wait_until

TEXT = "from one interpreter to another"


def command(node, *words):
    return [node.program("docad-run"), "--generation", "3", sys.executable, *words]


def start(node, script, *words):
    return subprocess.Popen(command(node, script, *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=dict(os.environ, DOCAD_SOCKET=node.socket))


def fetch(node, script, path):
    return subprocess.run(command(node, script, "fetch", path), capture_output=True, text=True, timeout=LIMIT,
                          check=False, env=dict(os.environ, DOCAD_SOCKET=node.socket))


def main():
    binaries, examples = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    script = os.path.join(examples, "python", "memory.py")
    with Node(binaries, "--role", "host") as host, \
            Node(binaries, "--role", "dpu", "--peer", host.socket) as dpu:
        dpu.docactl("ping", "--wait", str(LIMIT), "--linked")
        path = os.path.join(host.folder, "descriptor")
        exporter = start(host, script, "export", path, TEXT)
        line = exporter.stdout.readline()
        assert line == "exported\n", line + exporter.communicate()[1]

        fetched = fetch(dpu, script, path)
        assert (fetched.stdout, fetched.returncode) == (TEXT + "\n", 0), fetched

        _, errors = exporter.communicate(timeout=LIMIT)
        assert exporter.returncode == 0, errors
        wait_until(lambda: not host.json("sessions"), "the end of the exporter's session")
        fetched = fetch(dpu, script, path)
        assert fetched.returncode == 1 and "doca_mmap_create_from_export: " in fetched.stderr, fetched
        os.unlink(path)


if __name__ == "__main__":
    main()
