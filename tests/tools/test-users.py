#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""What another user of the machine gets of a file that only root may read, and of docad. As root.

    test-users.py BINARIES
"""

import json
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


def fetch(dpu, folder, status, name="secret", **who):
    """Returns what it said; what it fetched, it fetched completely."""
    copy = os.path.join(folder, f"copy{who.get('user', 0)}")
    done = dpu.run_program("file_fetch", "-n", name, "-w", "1", "-o", copy, status=status, **who)
    assert os.path.exists(copy) == (status == 0)
    if status == 0:
        with open(copy, "rb") as f:
            assert f.read() == b"secret" * 100
        os.unlink(copy)
    return done.stderr


def test_sockets(host, dpu, folder, path):
    # Like in README's tour, with nothing configured: neither programs nor docactl nor metrics.
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


def test_names(host, dpu, folder, path):
    # Everybody may connect; names are for the publisher's user.
    with Exporter(host, path):
        said = fetch(dpu, folder, 1, name="root/secret", user=STRANGER)
        assert "TIME_OUT" in said, said
        fetch(dpu, folder, 0)
        fetch(dpu, folder, 0, name="root/secret")
        for node in (host, dpu):
            # What is not offered is not there, and the owner of a name is never guessed.
            for name in ("secret", "0/secret", "root/secret", "0/nothing", "root/nothing"):
                said = node.docactl("exports", "lookup", name, status=1, user=STRANGER).stderr
                assert ("--to" if "/" in name else "USER/secret") in said, said
            said = node.docactl("exports", "lookup", "no-such-user/x", status=2).stderr
            assert "no-such-user" in said, said
            listed = node.docactl("exports", "names", "--json", user=STRANGER).stdout
            assert json.loads(listed) == []
            names = node.json("exports", "names")
            assert {n["name"] for n in names} == {"secret", "secret.info"}
            assert all(n["for"] == ["0"] and n["uid"] == 0 for n in names)
            assert all(n["published"] == n["name"] for n in names)


def test_offers(host, dpu, folder, path):
    for who, listed in (("all", ["all"]), (str(STRANGER), ["0", str(STRANGER)]),
                        (f"daemon,:{STRANGER}", ["0", "1", f":{STRANGER}"])):
        with Exporter(host, path, "-t", who):
            fetch(dpu, folder, 0, name="0/secret", user=STRANGER)
            fetch(dpu, folder, 1, user=STRANGER)
            assert dpu.json("exports", "names")[0]["for"] == listed
            shown = json.loads(dpu.docactl("exports", "names", "--json", user=STRANGER).stdout)
            assert {n["published"] for n in shown} == {"0/secret", "0/secret.info"}, shown
            if who != "all":
                fetch(dpu, folder, 1, name="0/secret", user=STRANGER + 1)
    done = host.run_program("file_export", "-n", "x", "-t", "no-such-user", path, status=1)
    assert 'no user "no-such-user"' in done.stderr, done.stderr


def test_carried(host, dpu, folder, path):
    # By hand, too; and one's own name stays one's own when others publish the export.
    descriptor = os.path.join(folder, "descriptor")
    with Exporter(host, path):
        export = host.json("exports")[0]["id"]
        host.docactl("exports", "get", export, "-o", descriptor)
        dpu.docactl("exports", "put", "--name", "carried", descriptor)
        dpu.docactl("exports", "put", "--name", "given", "--to", str(STRANGER), descriptor)
        host.docactl("exports", "publish", "--to", f":{STRANGER}", export, "named")
        for name, status in (("carried", 1), ("given", 0), ("named", 0), ("secret", 1)):
            dpu.docactl("exports", "lookup", f"0/{name}", "-o", descriptor + name, status=status,
                        user=STRANGER)
        said = dpu.docactl("exports", "put", "--name", "x", "--to", "a,,b", descriptor,
                           status=2).stderr
        assert "--to" in said, said
    # A user who waits for a name that is not offered to him waits, as for one that is not there.
    waits = subprocess.Popen([host.program("docactl"), "--socket", host.socket, "exports", "lookup",
                              "-t", "600", "0/secret"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, user=STRANGER, group=STRANGER,
                             extra_groups=[])
    wait_until(lambda: [s for s in host.json("sessions", "--all") if s["uid"] == STRANGER], "it")
    with Exporter(host, path):
        fetch(dpu, folder, 0)
        assert waits.poll() is None
        waits.kill()
        waits.wait()
        assert waits.stdout.read() == b""
    waits.stdout.close()


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
            for node in (host, dpu):
                os.chmod(node.socket, 0o666)
            test_names(host, dpu, folder, path)
            test_offers(host, dpu, folder, path)
            test_carried(host, dpu, folder, path)


main()
