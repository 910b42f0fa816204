# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Runs jobs beside each other: each starts when what it needs has passed and there is room.

There are two slots for each processor, because most tests wait most of the time. Of the jobs
that could start, the one with the longest chain of jobs behind it (by the times of the last
run) starts first, so that no long job is left over at the end.
"""

import os
import queue
import signal
import subprocess
import threading
import time

import trees
from jobs import FAILED, NOT_RUN, PASSED, SKIP_STATUS, SKIPPED, Outcome
from unchanged import Unchanged

RESOURCES = {"machines": 2}  # guests at the same time (tests/vm/resources.json); others: 1
LOGS = "build/logs"


def execute(job, process):
    """Waits for a job's process, and ends the whole process group when its time is over."""
    try:
        process.wait(job.timeout)
        late = False
    except subprocess.TimeoutExpired:
        late = True
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return late


def judge(job, status, late, seconds, log):
    """The outcome of a process that has ended."""
    if late:
        return Outcome(job, FAILED, seconds, f"timeout after {job.timeout:.0f} s", log)
    if status == 0:
        return Outcome(job, PASSED, seconds, log=log)
    if status == SKIP_STATUS and job.is_test:
        return Outcome(job, SKIPPED, seconds, skip_reason(log), log)
    how = f"signal {-status}" if status < 0 else f"status {status}"
    return Outcome(job, FAILED, seconds, how, log)


def skip_reason(log):
    """The lines `SKIPPED: reason` of a log."""
    with open(log, encoding="utf-8", errors="replace") as file:
        reasons = [line.strip().partition("SKIPPED: ")[2] for line in file if "SKIPPED: " in line]
    return "; ".join(reasons) or "the test does not say why"


class Pool:
    """`ended(outcome)` is called for each job that has ended, `tick()` at least once a second."""

    def __init__(self, jobs, times, processors, ended, tick, unchanged=None):
        self.waiting = {job.name: job for job in jobs}
        self.times, self.slots = times, 2 * processors
        self.ended, self.tick = ended, tick
        self.unchanged = unchanged or Unchanged(False)
        self.outcomes, self.running, self.used = {}, {}, {}
        self.commands = {}  # tree -> commands of its tests by name
        self.chains = self.find_chains()
        self.done = queue.Queue()

    def find_chains(self):
        """Seconds from each job's start to the end of the last job that waits for it."""
        behind = {}
        for job in self.waiting.values():
            for name in job.needs | job.after:
                behind.setdefault(name, []).append(job)
        chains = {}

        def chain(job):
            if job.name not in chains:
                longest = max((chain(other) for other in behind.get(job.name, ())), default=0)
                chains[job.name] = self.times.of(job) + longest
            return chains[job.name]

        for job in self.waiting.values():
            chain(job)
        return chains

    def is_ready(self, job):
        ended = self.outcomes.keys()
        return job.needs <= ended and not any(name in self.waiting or name in self.running
                                              for name in job.after)

    def has_room(self, job):
        if job.alone or any(other.alone for other, *_ in self.running.values()):
            return not self.running
        taken = sum(other.slots for other, *_ in self.running.values())
        if self.running and taken + job.slots > self.slots:
            return False
        return all(self.used.get(name, 0) + units <= RESOURCES.get(name, 1)
                   for name, units in job.resources.items())

    def built_command(self, job):
        """Of a test that is a program of a tree which has been built in this run."""
        tree = job.name.split(":", 1)[0]
        if tree not in self.commands:
            self.commands[tree] = trees.find_commands(tree)
        return self.commands[tree].get(job.name) or ["sh", "-c", "echo the build made no program for this test; exit 1"]

    def start(self, job):
        command = job.command or self.built_command(job)
        key = self.unchanged.key(job, command)
        if self.unchanged.has(job, key):
            self.end(Outcome(job, PASSED, earlier=True))
        else:
            self.launch(job, command, key)

    def launch(self, job, command, key):
        log = os.path.join(LOGS, job.name.replace(":", "/") + ".log")
        os.makedirs(os.path.dirname(log), exist_ok=True)
        for name, units in job.resources.items():
            self.used[name] = self.used.get(name, 0) + units
        with open(log, "wb") as file:
            process = subprocess.Popen(
                command, cwd=job.directory, env={**os.environ, **job.environment},
                stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True)
        began = time.monotonic()
        self.running[job.name] = (job, process, began)

        def wait():
            try:
                late = execute(job, process)
                outcome = judge(job, process.returncode, late, time.monotonic() - began, log)
                self.unchanged.note(job, key, outcome.status == PASSED)
                self.done.put(outcome)
            except OSError as error:  # its log has gone, for example
                self.done.put(Outcome(job, FAILED, 0, str(error), os.devnull))

        threading.Thread(target=wait, daemon=True).start()

    def end(self, outcome):
        if self.running.pop(outcome.job.name, None):
            for name, units in outcome.job.resources.items():
                self.used[name] -= units
        self.outcomes[outcome.job.name] = outcome
        self.ended(outcome)

    def drop_hopeless(self):
        """Jobs whose needs have failed do not run."""
        dropped = True
        while dropped:
            dropped = [job for job in self.waiting.values()
                       if any(name in self.outcomes and self.outcomes[name].status in (FAILED, NOT_RUN)
                              for name in job.needs)]
            for job in dropped:
                del self.waiting[job.name]
                why = [name for name in job.needs if name in self.outcomes
                       and self.outcomes[name].status in (FAILED, NOT_RUN)]
                self.end(Outcome(job, NOT_RUN, reason=f"{why[0]} failed"))

    def start_some(self):
        ready = [job for job in self.waiting.values() if self.is_ready(job)]
        for job in sorted(ready, key=lambda job: -self.chains[job.name]):
            if self.has_room(job):
                del self.waiting[job.name]
                self.start(job)

    def run(self):
        """Returns the outcomes by name."""
        try:
            while self.waiting or self.running:
                self.drop_hopeless()
                self.start_some()
                if not self.running:
                    if self.waiting:
                        raise RuntimeError(f"jobs wait for each other: {', '.join(self.waiting)}")
                    break
                try:
                    self.end(self.done.get(timeout=1))
                except queue.Empty:
                    pass
                self.tick()
        finally:
            self.kill()
        return self.outcomes

    def kill(self):
        """When the run is interrupted: nothing goes on, also when it is interrupted again."""
        if self.running:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
        for _, process, _ in self.running.values():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
