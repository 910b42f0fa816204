#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docactl monitor, top, log-level and reload against a daemon.

    test-watch.py BINARIES
"""

import json
import socket
import subprocess
import sys

from nodes import Node, LIMIT, wait_until

TYPES = {"integer": int, "string": str, "array of objects": list, "boolean": bool, "number": float,
         "object": dict}


def check_fields(object_, fields, where):
    known = {f["key"]: f for f in fields}
    assert set(object_) <= set(known), (where, object_)
    for key, field in known.items():
        assert field["optional"] or key in object_, (where, key, object_)
        if key in object_:
            assert isinstance(object_[key], TYPES[field["type"]]), (where, key, object_)
        inner = object_.get(key, []) if "members" in field else []
        for member in [inner] if isinstance(inner, dict) else inner:
            check_fields(member, field["members"], key)


def fields_of(node, command):
    return next(c for c in node.json("help") if c["name"] == command)["fields"]


def begin_monitor(node, *words, **kwargs):
    before = requests(node, "Monitor")
    child = subprocess.Popen([node.program("docactl"), "--socket", node.socket, "monitor", *words],
                             stdout=subprocess.PIPE, text=True, **kwargs)
    wait_until(lambda: requests(node, "Monitor") > before, "a monitor")
    return child


def requests(node, name):
    return next((s["value"] for s in node.json("metrics")
                 if s["name"] == "docad_requests_total" and s["labels"]["request"] == name), 0)


def refuser(node):
    """A tool of one request that is always refused, without a process for each."""
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(LIMIT)
    s.connect(node.socket)
    hello = b"\x08\x01\x10\x01\x20\x01"  # versions 1 to 1, a tool
    s.send(b"\x08\x01\x52" + bytes([len(hello)]) + hello)  # serial 1, hello
    s.recv(65536)

    def refused():
        s.send(b"\x08\x02\xc2\x03\x02\x08\x07")  # serial 2, export_revoke of export 7
        assert b"none" in s.recv(65536)
    return refused


def lost(node):
    return next(s["value"] for s in node.json("metrics")
                if s["name"] == "docad_monitor_events_lost_total")


def test_monitor(node):
    events = ["session-begin", "region-begin", "region-begin", "region-end", "region-end",
              "session-end"]
    child = begin_monitor(node, "--json", "--count", str(len(events)))
    people = begin_monitor(node, "-n", "1")
    node.perftest("dma_bw", "--size", "64", "--iters", "10")
    lines = [json.loads(line) for line in child.communicate(timeout=LIMIT)[0].splitlines()]
    assert [e["event"] for e in lines] == events, lines
    for e in lines:
        check_fields(e, fields_of(node, "monitor"), "monitor")
        assert e["program"] == "doca-perftest" and e["pid"] == lines[0]["pid"]
    assert child.returncode == 0
    assert "session-begin" in people.communicate(timeout=LIMIT)[0]

    child = begin_monitor(node, "--json", "-n1")
    node.docactl("exports", "revoke", "7", status=1)
    e = json.loads(child.communicate(timeout=LIMIT)[0])
    assert e["event"] == "request-refused" and e["error"] == "DOCA_ERROR_NOT_FOUND", e
    assert e["name"] == "ExportRevoke" and "0000000000000007" in e["text"]


def test_slow_monitor(node):
    """Its pipe is full, then its socket; others go on, and it is told what it lost."""
    child = begin_monitor(node, "--json")
    refused = refuser(node)
    for _ in range(200):
        for _ in range(100):
            refused()
        if lost(node) > 0:
            break
    else:
        raise SystemExit("a monitor that does not read has lost nothing")
    stalled = False
    refusals = 0
    for line in iter(child.stdout.readline, ""):
        event = json.loads(line)
        check_fields(event, fields_of(node, "monitor") if refusals == 0 else FIELDS, "monitor")
        refusals += event["event"] == "request-refused"
        if event["event"] == "lost":
            assert event["lost"] > 0
            stalled = True
            break
        if refusals % 64 == 0:  # its next event, before which it is told
            refused()
    assert stalled, refusals
    child.terminate()
    child.communicate(timeout=LIMIT)


def test_top(node):
    program = subprocess.Popen(
        [node.program("doca-perftest"), "dma_bw", "--size", "4096", "--iters", "100000000",
         "--host-socket", node.socket], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: any(s["jobs"] > 0 for s in node.json("sessions")), "jobs")
        lines = node.docactl("--json", "top", "--interval", "0.2", "--count", "3").stdout
        looks = [json.loads(line) for line in lines.splitlines()]
        assert len(looks) == 3
        for look in looks:
            check_fields(look, fields_of(node, "top"), "top")
        rates = [s["jobs_per_s"] for look in looks for s in look["sessions"]]
        assert max(rates) > 0, looks
        assert "doca-perftest" in node.docactl("top", "-i", "0.1", "-n1").stdout
    finally:
        program.terminate()
        program.wait(LIMIT)


def test_log_level(node):
    assert node.json("log-level") == {"level": "info"}
    assert "ended" not in node.log_text()
    assert node.json("log-level", "debug") == {"level": "debug"}
    node.docactl("ping")
    wait_until(lambda: "ended" in node.log_text(), "a line of level debug")
    assert "write error" in node.docactl("log-level", "loud", status=1).stderr
    assert node.json("log-level") == {"level": "debug"}
    node.docactl("log-level", "info")


def test_reload(node):
    notes = node.json("reload")["notes"]
    assert any("configuration" in note for note in notes), notes
    with open(node.config, "w", encoding="utf-8") as f:
        f.write("log_level = debug\nsocket_mode = 0600\n")
    notes = node.json("reload")["notes"]
    assert any("socket_mode cannot change" in note for note in notes), notes
    assert node.json("log-level") == {"level": "debug"}
    with open(node.config, "w", encoding="utf-8") as f:
        f.write("nonsense = 1\n")
    assert "is unchanged" in node.docactl("reload", status=1).stderr
    with open(node.config, "w", encoding="utf-8") as f:
        f.write("log_level = info\n")
    node.docactl("reload")


def test_check(node):
    checks = node.json("check")
    for check in checks:
        check_fields(check, fields_of(node, "check"), "check")
        assert check["result"] in ("ok", "warning"), check
        assert bool(check["fix"]) == (check["result"] != "ok"), check
    assert any(c["check"] == "docad" and node.socket in c["found"] for c in checks)
    done = subprocess.run([node.program("docactl"), "--json", "check", "--socket",
                           node.socket + ".none"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    failed = [c for c in json.loads(done.stdout) if c["result"] == "failed"]
    assert len(failed) == 1 and "DOCAD_SOCKET" in failed[0]["fix"], failed


def test_check_of_peers(node):
    with Node(sys.argv[1], "--role", "dpu", "--peer", node.socket) as dpu:
        def found(at):
            return [c["found"] for c in at.json("check") if c["check"] == "peer"]
        wait_until(lambda: any("linked" in text for text in found(node) + found(dpu)), "a link")
        assert found(dpu) == [f"host {node.socket}: linked"], found(dpu)
        assert found(node) == ["dpu: linked"], found(node)  # which has dialled: no address
    wait_until(lambda: not found(node), "the end of the link")


def test_usage(node):
    for words in (["monitor", "-n", "0"], ["monitor", "-n", "x"], ["top", "-i", "0"],
                  ["top", "-i", "soon"], ["top", "--count=-1"]):
        assert node.docactl(*words, status=2).stdout == ""


with Node(sys.argv[1], configured=True) as NODE:
    FIELDS = fields_of(NODE, "monitor")
    test_monitor(NODE)
    test_top(NODE)
    test_log_level(NODE)
    test_reload(NODE)
    test_check(NODE)
    test_check_of_peers(NODE)
    test_usage(NODE)
    test_slow_monitor(NODE)
