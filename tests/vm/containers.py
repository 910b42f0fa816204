# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""A container with systemd as process 1, for scripts that need no kernel of their own."""
import contextlib
import os
import shutil
import subprocess
import time

from guests import Guests
from machine import HERE, NATIVE, Machine, die_with_parent, prepare

BOOT = 60  # seconds until the script begins


def why_not(wants):
    """Why a script cannot run in a container here; empty if it may try to."""
    if "container" not in wants:
        return "the script needs a kernel of its own"
    if os.environ.get("DOCAD_VM_CONTAINER", "") == "no":
        return "DOCAD_VM_CONTAINER is no"
    if os.geteuid() != 0:
        return "not root"
    if not shutil.which("systemd-nspawn"):
        return "no systemd-nspawn; Debian's package systemd-container has it"
    return ""


class Container(Machine):
    """The script's machine is a container of systemd-nspawn."""

    def start(self, netdev=None, pair_directory=None, keep=False):
        self.process = subprocess.Popen(
            [os.path.join(HERE, "container"), self.directory, prepare(self.arch)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,
        )
        self.pid = self.process.pid

    def connect(self, seconds=0):
        self.follow(self.process.stdout)
        return True

    def kill(self):
        super().kill()
        with contextlib.suppress(OSError):
            with open(os.path.join(self.directory, "group"), encoding="utf-8") as file:
                remove_group(file.read().strip())

    def log_of_qemu(self):
        return []


def remove_group(path):
    """Removes a control group and those below it, once the kernel has ended their processes."""
    for _ in range(200):
        for directory, *_ in os.walk(path, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(directory)
        if not os.path.exists(path):
            return
        time.sleep(0.02)


class Containers(Guests):
    """As Guests, of one container."""

    def __init__(self, directory, wants, builds):
        super().__init__(directory, wants, builds, False)
        own = os.path.join(directory, "vm")
        self.mode = "container"
        self.machines = [Container(own, NATIVE, builds[NATIVE], self.mode, 0)]

    def begins(self):
        """Whether the container works on this machine: the script has begun."""
        return self.all_mark(BOOT, "@vm begin")


@contextlib.contextmanager
def contained(test, wants, builds, variables, directory):
    """A container that runs the script, or None where that does not work."""
    containers = Containers(directory, wants, builds)
    try:
        containers.boot(test, variables)
        yield containers
    finally:
        containers.end()
