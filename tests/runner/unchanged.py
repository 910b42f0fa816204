# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Unit tests that have passed as they are now: the same program, command and environment, the same
packages of the system, the same kernel. A unit test depends on nothing else: it links what it tests,
and starts no other program. Kept in build/unchanged.json."""

import json
import os

FILE = "build/unchanged.json"
PACKAGES = "/var/lib/dpkg/status"
VARIABLES = ("DOCAD_", "CK_", "ASAN_", "UBSAN_", "LSAN_", "TSAN_")


def stamp(path):
    """Changes when the file is written."""
    try:
        found = os.stat(path)
        return f"{path} {found.st_mtime_ns} {found.st_size} {found.st_ino}"
    except OSError:
        return path


class Unchanged:
    """`used`: whether a test that is unchanged counts as passed, and does not run."""

    def __init__(self, used):
        self.used = used
        set_here = [f"{name}={value}" for name, value in os.environ.items() if name.startswith(VARIABLES)]
        self.system = [os.uname().release, stamp(PACKAGES), *sorted(set_here)]
        self.passed = {}
        try:
            with open(FILE, encoding="utf-8") as file:
                self.passed = dict(json.load(file))
        except (OSError, ValueError, TypeError):
            pass

    def key(self, job, command):
        """What the test is now. None: not a test that can be known to be unchanged."""
        if "unit" not in job.labels or not job.target:
            return None
        own = [f"{name}={value}" for name, value in sorted(job.environment.items())]
        return [stamp(command[0]), *command[1:], *own, *self.system]

    def has(self, job, key):
        return self.used and key is not None and self.passed.get(job.name) == key

    def note(self, job, key, passed):
        """`key` is what the test was when it was started."""
        if key is None:
            return
        if passed:
            self.passed[job.name] = key
        else:
            self.passed.pop(job.name, None)

    def save(self):
        os.makedirs(os.path.dirname(FILE), exist_ok=True)
        with open(FILE + ".new", "w", encoding="utf-8") as file:
            json.dump(self.passed, file, indent=0, sort_keys=True)
        os.replace(FILE + ".new", FILE)
