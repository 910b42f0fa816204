#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-exporter: both formats of the text, daemons that do not answer, HTTP, and whether the
dashboard and the alerts of the examples ask for metrics that exist.

    test-exporter.py BINARIES DIRECTORY-OF-THE-EXAMPLES
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import openmetrics
from nodes import LIMIT, Node, wait_until

OPENMETRICS = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=LIMIT)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(LIMIT)
        self.sock.connect(self.path)


class Exporter:
    """One that listens on a Unix socket, and on a port that it inherits as from systemd."""

    def __init__(self, binaries, folder, *options):
        self.program = os.path.join(binaries, "docad-exporter")
        self.path = os.path.join(folder, "http.sock")
        self.options = options

    def __enter__(self):
        self.process = subprocess.Popen([self.program, "--listen", "unix:" + self.path, *self.options])
        wait_until(self.answers, "docad-exporter")
        return self

    def answers(self):
        try:
            return self.get("/").status == 200
        except (ConnectionRefusedError, FileNotFoundError):
            return False

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(LIMIT) == 0

    def get(self, url, method="GET", **headers):
        connection = UnixConnection(self.path)
        connection.request(method, url, headers=headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        connection.close()
        return answer

    def samples(self):
        answer = self.get("/metrics", Accept=OPENMETRICS)
        assert answer.status == 200
        assert answer.getheader("Content-Type").startswith("application/openmetrics-text; version=1.0.0")
        return openmetrics.parse(answer.text)


def get(samples, name, **labels):
    return samples[(name, tuple(sorted(labels.items())))]


def families(text):
    """Of the text format of Prometheus: {name: type}, and all labels; each sample is in its family."""
    types, labels, now = {}, set(), None
    for line in text.splitlines():
        about = re.match(r"# (TYPE|HELP) (\S+) (.*)", line)
        if about:
            now = about[2]
            if about[1] == "TYPE":
                assert now not in types, line
                types[now] = about[3]
            continue
        sample = re.match(r"([a-z_]+)\{(.*)\} [-+0-9.e]+\Z", line)
        assert sample, line
        ends = ("_bucket", "_count", "_sum") if types[now] == "histogram" else ("",)
        assert sample[1] in [now + end for end in ends], line
        labels.update(re.findall(r'([a-z_]+)="', sample[2]))
    assert set(types.values()) <= {"counter", "gauge", "histogram"}, types
    return types, labels


def test_two_formats(exporter, host):
    samples = exporter.samples()
    for name in ("host", 'd"p\\u'):
        assert get(samples, "docad_up", daemon=name) == 1
        assert get(samples, "docad_sessions", daemon=name, kind="program") == 0
    assert all(dict(labels).get("daemon") for _, labels in samples)
    own = openmetrics.parse(host.docactl("metrics").stdout)
    # docactl is a user while it asks, and a reader is none.
    assert {n for n, _ in own if not n.startswith("docad_user_quota_")} <= {n for n, _ in samples}
    answer = exporter.get("/metrics")
    assert answer.getheader("Content-Type") == "text/plain; version=0.0.4; charset=utf-8"
    types, _ = families(answer.text)
    assert types["docad_requests_total"] == "counter" and types["docad_build_info"] == "gauge"
    assert types["docad_loop_latency_seconds"] == "histogram" and types["docad_up"] == "gauge"


def expressions(folder):
    with open(os.path.join(folder, "grafana.json"), encoding="utf-8") as f:
        for panel in json.load(f)["panels"]:
            for target in panel["targets"]:
                yield target["expr"], re.findall(r"{{(\w+)}}", target["legendFormat"])
    with open(os.path.join(folder, "alerts.yml"), encoding="utf-8") as f:
        for text in re.findall(r"^ *expr: (.*)$", f.read(), re.M):
            yield text, []


def test_examples(exporter, host, folder):
    host.docactl("exports", "revoke", "12", status=1)  # so that there is a refusal
    types, labels = families(exporter.get("/metrics").text)
    names = set(types) | {n + end for n, t in types.items() if t == "histogram"
                          for end in ("_bucket", "_count", "_sum")}
    labels.add("instance")  # Prometheus adds it
    count = 0
    for text, shown in expressions(folder):
        asked = set(re.findall(r"\bdocad_\w+", text))
        assert asked and asked <= names, (text, asked - names)
        grouped = [name for group in re.findall(r"by \(([^)]*)\)", text) for name in group.split(", ")]
        matched = re.findall(r"[{,](\w+)=", text)
        assert {*shown, *grouped, *matched} <= labels, text
        count += 1
    assert count > 20


def test_http(exporter):
    assert exporter.get("/elsewhere").status == 404
    answer = exporter.get("/metrics", "POST")
    assert answer.status == 405 and answer.getheader("Allow") == "GET, HEAD"
    answer = exporter.get("/metrics", "HEAD")
    assert answer.status == 200 and answer.text == ""
    assert "/metrics" in exporter.get("/").text
    for said in (b"\0\1\2\r\n\r\n", b"GET /metrics HTTP/1.1\r\nA: " + b"x" * 100000, b"GET"):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(exporter.path)
            try:
                s.sendall(said)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it has said no already
    exporter.samples()


class Trickle:
    """Connections of many addresses that send a request of which the end never comes."""

    def __init__(self, port):
        self.port, self.open = port, []

    def connect(self, n):
        for _ in range(n):
            address = f"127.0.0.{2 + len(self.open) % 250}"
            self.open.append(socket.create_connection(("127.0.0.1", self.port), LIMIT, (address, 0)))
            self.open[-1].send(b"GET /metrics HTTP/1.1\r\nA: ")

    def ended(self):
        """How many the exporter has ended."""
        count = 0
        for s in self.open:
            try:
                s.setblocking(False)
                count += s.recv(1) == b""
            except BlockingIOError:
                pass
            except ConnectionResetError:
                count += 1
        return count

    def close(self):
        for s in self.open:
            s.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_crowd(binaries, folder, node):
    # However many connections others keep open, from however many addresses, a scrape is answered.
    port = free_port()
    with Exporter(binaries, folder, "--listen", f"127.0.0.1:{port}", "--daemon", node.metrics):
        crowd = Trickle(port)
        for n in (64, 1, 100):
            crowd.connect(n)
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
            connection.request("GET", "/metrics")
            assert "docad_up" in connection.getresponse().read().decode()
            connection.close()
        wait_until(lambda: crowd.ended() >= len(crowd.open) - 64, "the end of the oldest connections")
        crowd.close()


def test_crowd_while_a_daemon_hangs(binaries, folder):
    # A scrape that is being answered is not ended for new connections.
    port, path = free_port(), os.path.join(folder, "hangs.sock")
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.bind(path)
        daemon.listen()
        with Exporter(binaries, folder, "--listen", f"127.0.0.1:{port}", "--daemon", "hangs=" + path,
                      "--timeout", str(LIMIT * 1000)):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
            connection.request("GET", "/metrics")
            hanging, _ = daemon.accept()
            crowd = Trickle(port)
            crowd.connect(70)
            wait_until(lambda: crowd.ended() >= 6, "the end of the oldest connections")
            hanging.close()
            assert 'docad_up{daemon="hangs"} 0' in connection.getresponse().read().decode()
            connection.close()
            crowd.close()


def serve(path, text):
    """A daemon that writes this to one reader; None: it accepts nobody."""
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    s.listen(8)

    def write():
        reader, _ = s.accept()
        try:
            reader.sendall(text)
        except (BrokenPipeError, ConnectionResetError):
            pass
        reader.close()
    if text is not None:
        threading.Thread(target=write, daemon=True).start()
    return s


def test_bad_daemons(binaries, folder, node):
    # They come before and after the good one, which is there all the same.
    texts = {"a": b"# TYPE docad_x gauge\n# HELP docad_x x\ndocad_x 1\n", "b": None, "e": b"",
             "f": b"# " + b"x" * (17 << 20) + b"\n# EOF\n", "g": b"docad_x 1\n# EOF\n"}
    sockets = [serve(os.path.join(folder, name), text) for name, text in texts.items()]
    options = [f"--daemon={name}={folder}/{name}" for name in texts]
    options[2:2] = [f"--daemon=c={node.metrics}", f"--daemon=d={folder}/missing"]
    with Exporter(binaries, folder, "--timeout", "5000", *options) as exporter:
        up = {dict(labels)["daemon"]: value for (name, labels), value in exporter.samples().items()
              if name == "docad_up"}
    assert up == {"a": 0, "b": 0, "c": 1, "d": 0, "e": 0, "f": 0, "g": 1}, up
    for s in sockets:
        s.close()


def test_directory(binaries, folder, node):
    # Found at each scrape: daemons come and go.
    found = os.path.join(folder, "found")
    os.mkdir(found)
    with Exporter(binaries, folder, "--directory", found) as exporter:
        assert openmetrics.parse(exporter.get("/metrics", Accept=OPENMETRICS).text) == {}
        os.symlink(node.metrics, os.path.join(found, "dpu-metrics.sock"))
        assert get(exporter.samples(), "docad_up", daemon="dpu") == 1
        # Its own socket is not taken away by another one.
        second = subprocess.run([exporter.program, "--listen", "unix:" + exporter.path], timeout=LIMIT,
                                capture_output=True, check=False)
        assert second.returncode == 1, second.stderr
        assert get(exporter.samples(), "docad_up", daemon="dpu") == 1
    for address in ("here", "127.0.0.1:99999", "127.0.0.1:0", "127.0.0.1:http", "::1:9820", "[::1]",
                    "unix:", "unix:/nowhere/at/all"):
        done = subprocess.run([exporter.program, "--listen", address], timeout=LIMIT,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1 and address in done.stderr, (address, done.stderr)
        assert done.stderr.count("\n") == 1, done.stderr
    for wrong in (["--timeout", "0"], ["--daemon", "=x"], ["more"], ["--nothing"]):
        done = subprocess.run([exporter.program, *wrong], timeout=LIMIT, capture_output=True, check=False)
        assert done.returncode == 2, wrong


def test_inherited(binaries, node):
    with socket.create_server(("127.0.0.1", 0)) as s:
        os.set_inheritable(s.fileno(), True)
        starts = "import os, sys; os.dup2(int(sys.argv[1]), 3); " \
            "os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid())); " \
            "os.execv(sys.argv[2], sys.argv[2:])"
        process = subprocess.Popen(
            [sys.executable, "-c", starts, str(s.fileno()), os.path.join(binaries, "docad-exporter"),
             "--daemon", "host=" + node.metrics], close_fds=False)
        port = s.getsockname()[1]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
        connection.request("GET", "/metrics")
        assert 'docad_up{daemon="host"} 1' in connection.getresponse().read().decode()
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT) == 0
    done = subprocess.run([os.path.join(binaries, "docad-exporter")], timeout=LIMIT, capture_output=True, text=True,
                          env={**os.environ, "LISTEN_PID": "1", "LISTEN_FDS": "some"}, check=False)
    assert done.returncode == 1 and "$LISTEN_FDS" in done.stderr, done


def main():
    binaries, examples = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="docad-test.") as folder, \
            Node(binaries) as host, Node(binaries, "--role", "dpu") as dpu:
        with Exporter(binaries, folder, "--daemon", "host=" + host.metrics,
                      "--daemon", 'd"p\\u=' + dpu.metrics) as exporter:
            test_two_formats(exporter, host)
            test_examples(exporter, host, examples)
            test_http(exporter)
        test_crowd(binaries, folder, host)
        test_crowd_while_a_daemon_hangs(binaries, folder)
        test_bad_daemons(binaries, folder, host)
        test_directory(binaries, folder, dpu)
        test_inherited(binaries, host)


main()
