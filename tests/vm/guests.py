# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Guests for scripts: one, or the two of a pair; fresh ones, or plain ones that are kept.

Guests that are kept are in BUILD/tests/vm/guests/CLASS.N. Whoever uses them holds a lock on
CLASS.N.lock; CLASS.N.ready is there while they may be used for another script.
"""
import contextlib
import fcntl
import os
import shutil
import time

from machine import ADDRESSES, NATIVE, Failure, Machine, prepare, write

BOOT = 600  # seconds that a guest may take until it takes orders
RESET = 300
GRACE = 30  # seconds that the other machine of a pair has when one has failed
KEPT_MEMORY = 768  # MiB, enough for all scripts of a class


class Guests:
    """The machines of one script."""

    def __init__(self, directory, wants, builds, keep):
        self.directory, self.wants, self.keep = directory, wants, keep
        self.mode = "systemd" if "systemd" in wants else "plain"
        self.pair = "pair" in wants
        self.pair_directory = os.path.join(directory, "pair")
        memory = int(wants["memory"])
        if keep and not self.pair:
            memory = max(memory, KEPT_MEMORY)
        self.used = 0  # processor time of machines that stay
        self.machines = []
        for role in ADDRESSES if self.pair else ("",):
            arch = wants.get(role or "vm", NATIVE)
            own = os.path.join(directory, role or "vm")
            self.machines.append(Machine(own, arch, builds[arch], self.mode, memory, role))

    def key(self):
        """Guests that were booted otherwise, or that have read files which have changed since,
        have another key."""
        parts = [self.mode, str(len(self.machines))]
        for machine in self.machines:
            parts += [prepare(machine.arch), machine.build, str(machine.memory)]
            with contextlib.suppress(OSError):
                parts.append(str(os.stat(os.path.join(machine.build, ".ninja_log")).st_mtime_ns))
        return "\n".join(parts)

    def boot(self, test, variables):
        """Starts the machines. Those of systemd run the script by themselves."""
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.pair_directory)
        netdevs = [None]
        if self.pair:
            # Seen from the machines' own directories, for a socket's path is short. It stays: the
            # second machine connects some time after it has started.
            netdevs = [f"stream,id=net0,addr.type=unix,addr.path=../cable,server={on}" for on in ("on", "off")]
        cable = os.path.join(self.directory, "cable")
        for machine, netdev in zip(self.machines, netdevs):
            machine.make_directory()
            machine.settle(test, variables)
            machine.start(netdev, self.pair_directory, self.keep)
            while self.pair and machine.runs() and not os.path.exists(cable):
                time.sleep(0.02)
        for machine in self.machines:
            machine.connect()
        if self.mode == "plain" and not self.all_mark(BOOT, "@vm ready"):
            for machine in self.machines:
                machine.result("the guest does not come up")
            raise Failure(f"no guest after {BOOT} s")

    def all_mark(self, seconds, mark):
        """Waits until each machine has given the mark. Returns whether they have."""
        deadline, all_have = time.monotonic() + seconds, True
        for machine in self.machines:
            given = machine.wait_mark(max(0, deadline - time.monotonic()), mark)
            all_have = all_have and given is not None and given.startswith(mark)
        return all_have

    def run(self, test, variables, directory, timeout):
        """Runs the script. Returns each machine's status, None for none."""
        for machine in self.machines:
            os.makedirs(os.path.join(directory, machine.name, "result"))
            machine.log_to(os.path.join(directory, machine.name, "console.log"))
        if self.mode == "plain": # others run it by themselves
            self.order_script(test, variables)
        status = self.wait(timeout)
        self.collect(directory)
        return status

    def order_script(self, test, variables):
        empty(self.pair_directory)
        for machine in self.machines:
            empty(machine.result_directory)
            machine.settle(test, variables)
            machine.forget()
        for machine in self.machines:
            machine.order("run")

    def wait(self, timeout):
        deadline, status, reason = time.monotonic() + timeout, {}, f"not done after {timeout} s"
        while len(status) < len(self.machines):
            late = time.monotonic() > deadline
            for machine in self.machines:
                if machine in status:
                    continue
                if late:
                    machine.kill()
                    machine.wait_mark(10, "@vm gone")
                if machine.mark("@vm done", "@vm gone"):
                    status[machine] = machine.result(reason if late else None)
                    if status[machine] not in (0, 77) and time.monotonic() + GRACE < deadline:
                        deadline = time.monotonic() + GRACE
                        reason = "still waiting when the other machine had failed"
            time.sleep(0.02)
        return [status[machine] for machine in self.machines]

    def collect(self, directory):
        """Moves what the script has left for its reader to the test's own directory."""
        for machine in self.machines:
            target = os.path.join(directory, machine.name, "result")
            for path in os.listdir(machine.result_directory):
                shutil.move(os.path.join(machine.result_directory, path), target)

    def processor_seconds(self):
        return sum(machine.processor_seconds() for machine in self.machines)

    def reset(self):
        """Returns whether other scripts may use the machines; if not, says why."""
        for machine in self.machines:
            machine.forget()
            machine.order("reset")
        clean = self.all_mark(RESET, "@vm clean")
        for machine in self.machines:
            if not clean and (mark := machine.mark("@vm")) != "@vm clean":
                print(f"{machine.prefix}vm: not used again: {(mark or 'no answer')[4:]}")
                for line in machine.lines:
                    print(f"{machine.prefix}| {line}")
        return clean

    def end(self):
        for machine in self.machines:
            machine.kill()


def empty(directory):
    """Removes what is in it; guests have the directory itself mounted."""
    for path in os.scandir(directory):
        if path.is_dir(follow_symlinks=False):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def kept_directory(build):
    return os.path.join(build, "tests", "vm", "guests")


def try_lock(path):
    """Returns the descriptor that holds the lock, or None if another one does."""
    lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def adopt(guests, ready):
    """Whether the kept guests can be used as they are. What is left of any others is ended."""
    with contextlib.suppress(OSError):
        with open(ready, encoding="utf-8") as file:
            same = file.read() == guests.key()
        os.unlink(ready)
        if same and all([machine.adopt() and machine.answers() for machine in guests.machines]):
            return True
    for machine in guests.machines:
        if machine.adopt():
            machine.kill()
    return False


@contextlib.contextmanager
def kept(wants, builds):
    """Guests of the class, which are kept if the script ends well and they are clean."""
    name = "pair" if "pair" in wants else "plain"
    base = kept_directory(builds[NATIVE])
    os.makedirs(base, exist_ok=True)
    free = []
    for number in range(64):
        path = os.path.join(base, f"{name}.{number}")
        lock = try_lock(path + ".lock")
        if lock is not None:
            free.append((not os.path.exists(path + ".ready"), number, path, lock))
            if os.path.exists(path + ".ready") or not os.path.exists(path):
                break
    if not free:
        raise Failure(f"all guests in {base} are in use")
    free.sort()
    for *_, lock in free[1:]:
        os.close(lock)
    _, _, path, lock = free[0]
    guests = Guests(path, wants, builds, True)
    well = False
    try:
        adopted = adopt(guests, path + ".ready")
        if not adopted:
            guests.boot("", {})
        before = guests.processor_seconds() if adopted else 0
        yield guests
        well = guests.reset()
        guests.used = guests.processor_seconds() - before
    finally:
        if well:
            write(path + ".ready", guests.key())
        else:
            guests.end()
        os.close(lock)


@contextlib.contextmanager
def fresh(test, wants, builds, variables, directory):
    guests = Guests(directory, wants, builds, False)
    try:
        guests.boot(test, variables)
        yield guests
    finally:
        guests.end()


def end_kept(build):
    """Ends all guests that are kept."""
    base = kept_directory(build)
    for name in sorted(os.listdir(base)) if os.path.isdir(base) else ():
        directory = os.path.join(base, name)
        for own in os.listdir(directory) if os.path.isdir(directory) else ():
            if own != "pair":
                machine = Machine(os.path.join(directory, own), NATIVE, build, "plain", 0)
                if machine.adopt():
                    machine.kill()
    shutil.rmtree(base, ignore_errors=True)
