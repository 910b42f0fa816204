#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docactl demo: what it prints, and that nothing is left of it, however it ends.

    test-demo.py BINARIES
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

from nodes import LIMIT, wait_until

BINARIES = sys.argv[1]
DOCACTL = os.path.join(BINARIES, "docactl")


def left(folder):
    return sorted(os.listdir(folder))


def processes(folder):
    """Those that have the folder in their environment, as all that the demo starts do."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if f"TMPDIR={folder}".encode() in f.read().split(b"\0") and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def demo(folder, *words, status=0, program=DOCACTL, **more):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=LIMIT, check=False,
                          env=dict(os.environ, TMPDIR=folder, **more))
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert not left(folder), left(folder)
    wait_until(lambda: not processes(folder), "the end of all processes")
    return done


def test_figures(folder):
    text = demo(folder, "demo", "--size", "1M").stdout
    assert "1 MiB" in text and "verified" in text, text
    figures = json.loads(demo(folder, "--json", "demo", "-s", "300001").stdout)
    assert figures["bytes"] == 300001 and figures["verified"] is True, figures
    assert figures["bytes_per_second"] > 0 and figures["memcpy_bytes_per_second"] > 0, figures
    assert "percent_of_memcpy" in figures


def test_no_daemon_disturbs(folder):
    # Whatever the environment names, the nodes are its own.
    demo(folder, "demo", "--size", "4096", DOCAD_SOCKET="/nonexistent/docad.sock",
         NOTIFY_SOCKET="/nonexistent/notify", FDSTORE="16")


def test_failures(folder):
    for size in ("0", "x", "-1", "2P"):
        assert "64M" in demo(folder, "demo", "--size", size, status=2).stderr
    done = demo(folder, "demo", "--size", "4096", status=1, DOCAD_BINARY="/bin/false")
    assert "docad" in done.stderr and "failed" in done.stderr, done.stderr
    # On its own it names the package.
    alone = os.path.join(folder, "docactl")
    os.link(DOCACTL, alone) if os.stat(DOCACTL).st_dev == os.stat(folder).st_dev else subprocess.run(
        ["cp", DOCACTL, alone], check=True)
    done = subprocess.run([alone, "demo"], capture_output=True, text=True, timeout=LIMIT, check=False,
                          env=dict(os.environ, TMPDIR=folder))
    os.unlink(alone)
    assert done.returncode == 1 and "docad-tools" in done.stderr, done
    assert not left(folder)


def test_signals(folder):
    """A signal in the middle of the copy."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen([DOCACTL, "demo", "--size", "16M"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=dict(os.environ, TMPDIR=folder)) as running:
            wait_until(lambda p=running: p.poll() is not None or len(processes(folder)) > 2, "its programs")
            running.send_signal(number)
            running.communicate(timeout=LIMIT)
        assert running.returncode in (-number, 0), running.returncode  # 0: it was faster
        wait_until(lambda: not processes(folder), "the end of all processes")
        assert not left(folder), left(folder)


with tempfile.TemporaryDirectory(prefix="docad-demo-test.") as FOLDER:
    test_figures(FOLDER)
    test_no_daemon_disturbs(FOLDER)
    test_failures(FOLDER)
    test_signals(FOLDER)
