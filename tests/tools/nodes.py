# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Daemons and docactl for tests in Python."""

import json
import os
import subprocess
import tempfile
import time

LIMIT = 100  # seconds that nothing here takes


def wait_until(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"never: {what}")
        time.sleep(0.02)


def as_user(user):
    """What subprocess is told to run a program as this user, in its group alone; None: as oneself."""
    return {"user": user, "group": user, "extra_groups": []} if user is not None else {}


class Node:
    """A docad of its own; as a context manager it ends well."""

    def __init__(self, binaries, *options, environment=None, configured=False):
        self.binaries = binaries
        self.folder = tempfile.mkdtemp(prefix="docad-test.", dir=os.environ.get("TMPDIR"))
        self.socket = os.path.join(self.folder, "docad.sock")
        self.metrics = os.path.join(self.folder, "docad-metrics.sock")
        self.log = open(os.path.join(self.folder, "log"), "w+b")
        self.environment = dict(os.environ, **(environment or {}))
        self.config = os.path.join(self.folder, "docad.conf")
        self.options = [*options]
        if configured:
            with open(self.config, "w", encoding="utf-8") as f:
                f.write("log_level = info\n")
        if "--config" not in options:  # this machine's file is not meant for tests
            self.options += ["--config", self.config if configured else "/dev/null"]
        self.daemon = None

    def __enter__(self):
        return self.start()

    def start(self):
        """Starts docad; also again, after it was killed."""
        self.daemon = subprocess.Popen(
            [self.program("docad"), "--socket", self.socket, *self.options],
            stderr=self.log, env=self.environment)
        wait_until(lambda: self.daemon.poll() is not None or os.path.exists(self.socket), "docad")
        if self.daemon.poll() is not None:
            raise SystemExit("docad does not start: " + self.log_text())
        wait_until(lambda: self.docactl("ping", status=None).returncode == 0, "an answer")
        return self

    def __exit__(self, kind, *_):
        self.daemon.terminate()
        status = self.daemon.wait(LIMIT)
        left = sorted(set(os.listdir(self.folder)) - {"log", "docad.conf"})
        text = self.log_text()
        for name in os.listdir(self.folder):
            os.unlink(os.path.join(self.folder, name))
        os.rmdir(self.folder)
        self.log.close()
        if kind is None:
            assert status == 0, f"docad ended with {status}: {text}"
            assert not left, f"docad has left {left}"

    def log_text(self):
        self.log.seek(0)
        return self.log.read().decode()

    def program(self, name):
        return os.path.join(self.binaries, name)

    def docactl(self, *words, status=0, user=None):
        done = subprocess.run([self.program("docactl"), "--socket", self.socket, *words],
                              capture_output=True, text=True, timeout=LIMIT, check=False,
                              **as_user(user))
        if status is not None:
            assert done.returncode == status, f"{words}: {done.returncode}: {done.stderr}"
        return done

    def json(self, *words):
        return json.loads(self.docactl("--json", *words).stdout)

    def perftest(self, *words, status=0):
        done = subprocess.run([self.program("doca-perftest"), *words, "--host-socket", self.socket],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        assert done.returncode == status, done.stderr
        return done

    def run_program(self, name, *words, status=0, user=None):
        done = subprocess.run([self.program(name), *words], capture_output=True, text=True,
                              timeout=LIMIT, check=False,
                              env=dict(os.environ, DOCAD_SOCKET=self.socket), **as_user(user))
        assert done.returncode == status, f"{name}: {done.returncode}: {done.stderr}"
        return done
