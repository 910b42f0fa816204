#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""What another user of the machine gets of a file that only root may read, and of docad. As root.

    test-users.py BINARIES
"""

import os
import subprocess
import sys
import tempfile

from nodes import Node, wait_until

STRANGER = 64123  # neither a user nor a group of the machine


class Exporter:
    """file_export of a file that only root may read."""

    def __init__(self, node, path, *options):
        self.process = subprocess.Popen(
            [node.program("file_export"), "-n", "secret", *options, path],
            stdout=subprocess.PIPE, env=dict(os.environ, DOCAD_SOCKET=node.socket))

    def __enter__(self):
        assert self.process.stdout.readline().startswith(b"exported")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait() == 0
        self.process.stdout.close()


def fetch(dpu, folder, status, **who):
    """Returns what it said; what it fetched, it fetched completely."""
    copy = os.path.join(folder, f"copy{who.get('user', 0)}")
    done = dpu.run_program("file_fetch", "-n", "secret", "-w", "1", "-o", copy, status=status, **who)
    assert os.path.exists(copy) == (status == 0)
    if status == 0:
        with open(copy, "rb") as f:
            assert f.read() == b"secret" * 100
        os.unlink(copy)
    return done.stderr


def test_sockets(host, dpu, folder, path):
    # As in README's tour, with nothing configured: neither programs nor docactl nor metrics.
    for node in (host, dpu):
        for place in (node.socket, node.metrics):
            mode = os.stat(place)
            assert mode.st_mode & 0o777 == 0o660, oct(mode.st_mode)
            assert (mode.st_uid, mode.st_gid) == (os.getuid(), os.getgid())
    with Exporter(host, path):
        said = fetch(dpu, folder, 1, user=STRANGER)
        assert "Permission denied" in said and "socket_mode" in said, said
        fetch(dpu, folder, 0)
    said = host.docactl("status", status=3, user=STRANGER).stderr
    assert "for user root alone" in said and "socket_mode = 0666" in said, said
    os.chown(host.socket, -1, STRANGER + 1)
    said = host.docactl("status", status=3, user=STRANGER).stderr
    assert f"group {STRANGER + 1}: join the group (usermod" in said, said
    os.chown(host.socket, -1, STRANGER)
    host.docactl("status", user=STRANGER)


def main():
    if os.getuid() != 0:
        print("must be root to be two users")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        path = os.path.join(folder, "file")
        with open(path, "wb") as f:
            f.write(b"secret" * 100)
        os.chmod(path, 0o600)
        with Node(sys.argv[1]) as host, \
                Node(sys.argv[1], "--role", "dpu", "--peer", host.socket) as dpu:
            os.chmod(host.folder, 0o711)
            os.chmod(dpu.folder, 0o711)
            wait_until(lambda: dpu.json("representors"), "the link")
            test_sockets(host, dpu, folder, path)


main()
