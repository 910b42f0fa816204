#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""doca-perftest between nodes: a server, and clients that name it.

    test-between.py BINARIES
"""

import errno
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from nodes import LIMIT, Node, wait_until

BINARIES = sys.argv[1]
PERFTEST = os.path.join(BINARIES, "doca-perftest")


class Server:
    """doca-perftest server on a node; it is interrupted at the end."""

    def __init__(self, node, *words):
        self.process = subprocess.Popen(
            [PERFTEST, "server", "--port", "0", "--bind", "127.0.0.1", "--socket", node.socket, *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"doca-perftest server: listening on 127\.0\.0\.1 port (\d+)\n", line)
        assert found, line
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=LIMIT)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT)


def client(node, port, *words, status=0):
    done = subprocess.run([PERFTEST, *words, "--server", f"127.0.0.1:{port}", "--socket", node.socket],
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def measured(node, server, *words):
    results = json.loads(client(node, server.port, *words, "--json").stdout)["results"]
    assert results["verified"]
    return results


def linked(dpu):
    wait_until(lambda: any(p["state"] == "linked" for p in dpu.json("peers")), "a link")


def test_by_bytes(dpu, server):
    """What goes from any machine to any other."""
    assert measured(dpu, server, "dma_bw", "-n", "20", "-w", "1", "-s", "4K")["iterations"] == 20
    assert measured(dpu, server, "dma_lat", "-n", "20", "-w", "1", "-m", "tiny")["p50_usec"] > 0
    results = measured(dpu, server, "sync_lat", "-n", "20", "-w", "1")
    assert results["one_way_ns"] > 0 and "ratio" not in results
    assert measured(dpu, server, "cc_rate", "-n", "50", "-w", "1")["message_rate_mpps"] > 0


def test_rdma(dpu, server):
    for command, figure in (("send_lat", "one_way_ns"), ("send_bw", "bw_median_gib_s"),
                            ("write_lat", "one_way_ns"), ("write_bw", "bw_median_gib_s"),
                            ("read_bw", "bw_median_gib_s"), ("atomic_bw", "message_rate_mpps")):
        results = measured(dpu, server, command, "-n", "30", "-w", "2")
        assert results[figure] > 0 and results["iterations"] == 30, command
    whole = json.loads(client(dpu, server.port, "write_bw", "--all", "--json", "-n", "3", "-w", "1").stdout)
    assert len(whole["runs"]) == 23


def test_duration(dpu, server):
    """It takes that long, whatever --iters is by default."""
    for command in ("dma_bw", "dma_lat", "send_lat", "write_bw", "sync_lat", "cc_rate"):
        begin = time.monotonic()
        results = measured(dpu, server, command, "--duration", "1", "-w", "1")
        assert time.monotonic() - begin >= 1 and results["iterations"] > 0, command


def answer_to(connection, sent):
    """What comes until the other side closes, or leaves what it has not read, which may be soon."""
    came = b""
    try:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(4096):
            came += part
    except OSError as end:
        assert end.errno in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN), end
    return came


def test_strangers(dpu, server):
    """Bytes of others end with their connection, and the next client is served."""
    def request(size=64, kind=1, what=0, depth=1, memory=0, magic=b"docapt01"):
        return magic + b"".join(n.to_bytes(w, "little") for n, w in
                                ((size, 8), (kind, 4), (what, 4), (depth, 4), (memory, 4)))

    for stranger in (b"", b"GET / HTTP/1.1\r\n\r\n" + 40 * b"x", request(magic=b"docapt99"),
                     request(size=0), request(size=1 << 40), request(kind=77), request(what=99),
                     request(memory=3), request(depth=0), request(depth=1 << 31),
                     request(kind=2, size=1 << 20), request(kind=2, what=7)):
        with server.connect() as other:
            answer = answer_to(other, stranger)
        assert not answer or (answer.startswith(b"docapt01") and answer[8:9] != b"\0"), stranger
    # It is asked properly, and then gets descriptors that are none.
    with server.connect() as other:
        answer_to(other, request() + 4096 * b"\xff")
    assert measured(dpu, server, "dma_bw", "-n", "5", "-w", "1")["iterations"] == 5


def test_ends(host, dpu):
    """Whoever is left ends as well, although what it waits for is a byte of its own memory."""
    with Server(host) as server:
        words = [PERFTEST, "write_lat", "-D", "3600", "--socket", dpu.socket,
                 "--server", f"127.0.0.1:{server.port}"]
        def running():
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_until(lambda: len(dpu.json("sessions")) > 0, "the client's session")
            return process
        def idle(node):
            return not node.json("sessions")
        first = running()
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=LIMIT)
        assert first.returncode == -signal.SIGINT, first.returncode
        wait_until(lambda: idle(host) and idle(dpu), "the end of both sides")
        second = running()
        server.process.kill()
        _, said = second.communicate(timeout=LIMIT)
        assert second.returncode == 1 and "write_lat" in said, (second.returncode, said)
        wait_until(lambda: idle(host) and idle(dpu), "the end of both sides")


def test_words(dpu, port):
    """`port` is nobody's."""
    for words in (["buf", "--server", "x"], ["dma_bw", "--socket", "/x"],
                  ["dma_bw", "--server", "x", "--host-socket", "/x"],
                  ["dma_bw", "--server", "x", "--path", "local"], ["dma_bw", "-D", "1", "-n", "1"],
                  ["dma_bw", "-D", "0"], ["server", "--port", "65536"], ["server", "--json"]):
        done = subprocess.run([PERFTEST, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, (words, done.stderr)
    said = client(dpu, port, "dma_bw", status=1).stderr
    assert str(port) in said and "doca-perftest server" in said, said
    for name in (":1", "[::1", "a:", "[::1]x", 300 * "x"):
        done = subprocess.run([PERFTEST, "dma_bw", "--server", name, "--socket", dpu.socket],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "--server" in done.stderr, (name, done.stderr)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def by_tls(folder):
    """The configurations of two nodes that are linked as machines are."""
    port = free_port()
    docactl = os.path.join(BINARIES, "docactl")
    for words in (["authority"], ["node", "h"], ["node", "d"]):
        subprocess.run([docactl, "certificates", *words, folder], check=True, capture_output=True)
    paths = []
    for name, role, listen, peer in (("h", "host", f'listen = "127.0.0.1:{port}"\n', ""),
                                     ("d", "dpu", "", f'peer "h" {{ address = "127.0.0.1:{port}" }}\n')):
        paths.append(os.path.join(folder, name + ".conf"))
        with open(paths[-1], "w", encoding="utf-8") as f:
            f.write(f'role = {role}\nname = "{name}"\ntls {{\n{listen}certificate = "{folder}/{name}.crt"\n'
                    f'key = "{folder}/{name}.key"\nauthority = "{folder}/authority.crt"\n}}\n{peer}')
    return paths


def main():
    with Node(BINARIES, "--role", "host") as host, \
            Node(BINARIES, "--role", "dpu", "--peer", host.socket) as dpu:
        linked(dpu)
        with Server(host) as server:
            test_by_bytes(dpu, server)
            test_rdma(dpu, server)
            test_duration(dpu, server)
            test_strangers(dpu, server)
            port = server.port
        assert server.process.returncode == -signal.SIGTERM, server.process.returncode
        test_words(dpu, port)
        test_ends(host, dpu)
        with Server(host, "--once") as server:
            measured(dpu, server, "dma_lat", "-n", "3", "-w", "1")
            assert server.process.wait(LIMIT) == 0
    with tempfile.TemporaryDirectory(prefix="docad-test.") as folder:
        first, second = by_tls(folder)
        with Node(BINARIES, "--config", first) as host, Node(BINARIES, "--config", second) as dpu:
            linked(dpu)
            with Server(host) as server:
                test_by_bytes(dpu, server)


main()
