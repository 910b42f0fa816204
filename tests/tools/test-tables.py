#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docactl's tables on a terminal of 80 columns and elsewhere, and the words that name commands.

    test-tables.py BINARIES
"""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

from nodes import LIMIT, Node, wait_until

COLUMNS = 80


class Terminal:
    """docactl on a terminal."""

    def __init__(self, node, *words, columns=COLUMNS):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.before = termios.tcgetattr(theirs)

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.child = subprocess.Popen(
            [node.program("docactl"), "--socket", node.socket, *words], stdin=theirs, stdout=theirs,
            stderr=subprocess.PIPE, text=True, preexec_fn=own_terminal,
            env=dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8"))
        self.theirs = theirs

    def read_until(self, text):
        out = ""
        while text not in out:
            out += os.read(self.ours, 65536).decode()
        return out

    def end(self):
        """What is left of the output, as lines."""
        status = self.child.wait(LIMIT)
        self.after = termios.tcgetattr(self.theirs)
        os.close(self.theirs)
        out = ""
        try:
            while chunk := os.read(self.ours, 65536):
                out += chunk.decode()
        except OSError:  # the other end is closed
            pass
        os.close(self.ours)
        self.errors = self.child.stderr.read()
        self.child.stderr.close()
        assert status == 0, (status, self.errors)
        return out.replace("\r", "").splitlines()


def lines_of(node, *words, columns=COLUMNS):
    return Terminal(node, *words, columns=columns).end()


def test_tables_fit(node):
    for command in ["devices", "peers", "sessions", "regions", "exports", "imports", "queues",
                    "channels", "events", "listeners", "exports names", "check"]:
        rows = node.json(*command.split())
        lines = lines_of(node, *command.split())
        assert all(len(line) <= COLUMNS for line in lines), (command, lines)
        assert len(lines) > len(rows) or command == "check", (command, lines)
    # Whoever names columns gets them, and a wide terminal has them all.
    wide = lines_of(node, "sessions", columns=300)[0].split()
    assert "DEVICES" in wide and "UID" in wide, wide
    narrow = Terminal(node, "sessions")
    titles = narrow.end()[0].split()
    assert "PID" in titles and "PROGRAM" in titles and "DEVICES" not in titles, titles
    assert "DEVICES" in narrow.errors
    assert "DEVICES" in lines_of(node, "sessions", "-o", "pid,devices", columns=20)[0]


def test_long_texts(node):
    """They are wrapped between words, or cut with a sign."""
    words = {word for check in node.json("check") for word in check["found"].split()}
    shown = {word for line in lines_of(node, "check") for word in line.split()}
    assert words <= shown, words - shown
    row = lines_of(node, "devices", "-o", "name,capabilities", columns=20)[1]
    assert row.endswith("+") and len(row) <= 20, row


def test_elsewhere(node):
    """Where there is no terminal, everything is there."""
    out = subprocess.run([node.program("docactl"), "--socket", node.socket, "sessions"],
                         capture_output=True, text=True, check=True,
                         env=dict(os.environ, COLUMNS="80")).stdout.splitlines()
    assert "DEVICES" in out[0] and "FULLEST QUOTA" in out[0], out
    assert not any(line.endswith("+") for line in out), out
    # Lists that do not change while they are read look as on a terminal where everything fits.
    for words in [["devices"], ["peers"], ["regions"], ["exports"], ["exports", "--no-headers"]]:
        out = subprocess.run([node.program("docactl"), "--socket", node.socket, *words],
                             capture_output=True, text=True, check=True).stdout.splitlines()
        assert out == lines_of(node, *words, columns=2000), words


def test_columns(node):
    pid = node.json("sessions")[0]["pid"]
    lines = node.docactl("sessions", "--columns", "program,PID,failed_jobs").stdout.splitlines()
    assert lines[0].split() == ["PROGRAM", "PID", "failed_jobs"], lines
    assert lines[1].split()[:2] == ["doca-perftest", str(pid)], lines
    added = node.docactl("sessions", "-o", "+failed_jobs").stdout.splitlines()[0].split()
    assert added[0] == "ID" and added[-1] == "failed_jobs", added
    assert node.docactl("sessions", "-H", "-o", "pid").stdout == f"{pid}\n"
    assert node.docactl("exports", "names", "-H").stdout == ""
    done = node.docactl("sessions", "-o", "pid,nonsense", status=2)
    assert "nonsense" in done.stderr and "program" in done.stderr and done.stdout == ""
    whole = node.json("sessions")[0]
    assert set(json.loads(node.docactl("-j", "sessions", "-o", "pid").stdout)[0]) == set(whole)


def test_filter_and_sort(node):
    names = [d["name"] for d in node.json("devices")]
    vfs = [d["name"] for d in node.json("devices") if d["type"] == "vf"]
    assert 0 < len(vfs) < len(names)

    def found(*words):
        return [d["name"] for d in node.json("devices", *words)]
    assert found("--filter", "type=vf") == vfs
    assert found("-f", "TYPE=VF,name=*0") == [name for name in vfs if name.endswith("0")]
    assert found("-f", "type!=vf") == [name for name in names if name not in vfs]
    assert found("-f", "name=nothing") == []
    assert found("--sort", "name") == sorted(names)
    ports = [d["port"] for d in node.json("devices", "-x", "port")]
    assert ports == sorted(ports, reverse=True) and len(set(ports)) > 1
    for words in (["-f", "type"], ["-f", "nonsense=1"], ["-x", "nonsense"], ["-f", ""]):
        assert node.docactl("devices", *words, status=2).stdout == ""


def test_words(node):
    assert node.docactl("dev").stdout == node.docactl("devices").stdout
    assert node.docactl("exp", "na").stdout == node.docactl("exports", "names").stdout
    done = node.docactl("s", status=2)
    assert "status" in done.stderr and "sessions" in done.stderr
    assert "status" not in node.docactl("regoins", status=2).stderr
    for words, meant in ((["regoins"], "regions"), (["exports", "lokup", "x"], "lookup"),
                         (["certificates", "nod", "x", "y", "z"], None),
                         (["certificates", "noed"], "node")):
        errors = node.docactl(*words, status=2).stderr
        assert meant is None or re.search(rf"\b{meant}\b", errors), errors
    assert "mean" not in node.docactl("xyzzy", status=2).stderr


def test_lines(node):
    """What is no table."""
    assert node.docactl("help", "certificates").stdout.startswith("Usage: docactl certificates ")
    assert node.docactl("help", "exports").stdout.startswith("Usage: docactl exports [OPTION...]\n")
    notes = node.json("reload")["notes"]
    lines = node.docactl("reload").stdout.splitlines()
    assert [line[len("reloaded"):].strip() for line in lines] == notes, lines


def test_top(node):
    look = json.loads(node.docactl("-j", "top", "-i", "0.1", "-n1").stdout)
    for key, value in look["total"].items():
        assert value == sum(s[key] for s in look["sessions"]), look
    rows = node.docactl("top", "-i", "0.1", "-n1", "-o", "program,pid").stdout.splitlines()
    assert rows[1].split()[0] == "doca-perftest" and rows[-2].split() == ["(all)", "-"], rows
    assert json.loads(node.docactl("-j", "top", "-i0.1", "-n1", "-f",
                                   "program=none").stdout)["sessions"] == []
    # The key q ends it, unseen, and the terminal is as it was.
    for key in ("q", None):
        top = Terminal(node, "top", "-i", "0.1")
        top.read_until("JOBS/s")
        if key is None:
            top.child.terminate()
            top.child.wait(LIMIT)
            assert termios.tcgetattr(top.theirs) == top.before
            top.child.stderr.close()
            os.close(top.ours)
            os.close(top.theirs)
            continue
        os.write(top.ours, b"xq")
        assert not any("q" in line.split() for line in top.end())
        assert top.after == top.before


with Node(sys.argv[1]) as NODE:
    PROGRAM = subprocess.Popen(
        [NODE.program("doca-perftest"), "dma_bw", "--size", "4096", "--iters", "100000000",
         "--host-socket", NODE.socket], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: any(s["jobs"] > 0 for s in NODE.json("sessions")), "jobs")
        test_tables_fit(NODE)
        test_long_texts(NODE)
        test_elsewhere(NODE)
        test_columns(NODE)
        test_filter_and_sort(NODE)
        test_words(NODE)
        test_lines(NODE)
        test_top(NODE)
    finally:
        PROGRAM.terminate()
        PROGRAM.wait(LIMIT)
