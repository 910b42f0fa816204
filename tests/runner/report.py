# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""What a run prints: progress while it goes on, failures when they happen, a summary at the end."""

import sys
import time

import trees
from jobs import FAILED, NOT_RUN, PASSED, SKIPPED

EVERY = 30  # seconds between two lines of progress where the output is no terminal
TAIL = 60  # lines of the log of what failed


def span(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes}:{seconds:02d}"


class Report:
    """`total` jobs; `before`: seconds that a run of this mode took last time, or None."""

    def __init__(self, jobs, times, before):
        self.jobs, self.times, self.before = jobs, times, before
        self.work = sum(times.of(job) for job in jobs) or 1
        self.began = self.shown = time.monotonic()
        self.done, self.done_work = 0, 0.0
        self.pool = None
        self.terminal = sys.stdout.isatty()
        self.outcomes = {}

    def elapsed(self):
        return time.monotonic() - self.began

    def ended(self, outcome):
        """Called for each job that has ended."""
        self.done += 1
        self.done_work += self.times.of(outcome.job)
        self.outcomes[outcome.job.name] = outcome
        if outcome.status == FAILED:
            self.clear()
            self.failed(outcome)

    def failed(self, outcome):
        print(f"FAILED: {outcome.job.name} ({outcome.reason}); the end of {outcome.log}:")
        with open(outcome.log, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if not outcome.job.is_test:
            text = trees.shown_of_build(text)
        for line in text.splitlines()[-TAIL:]:
            print("  |", line)
        sys.stdout.flush()

    def progress(self):
        """Phase, done/total, elapsed, estimate: the last run's duration times what is left of its work."""
        running = sorted(self.pool.running.values(), key=lambda entry: entry[2]) if self.pool else []
        names = ", ".join(job.name for job, *_ in running[:3])
        left = "not known before the first run"
        if self.before:
            left = span(self.before * (1 - self.done_work / self.work))
        return f"[{self.done}/{len(self.jobs)}] {span(self.elapsed())} elapsed, left: {left}; {names}"

    def tick(self):
        if self.terminal:
            print("\r\033[K" + self.progress()[:120], end="", flush=True)
        elif time.monotonic() - self.shown >= EVERY:
            self.shown = time.monotonic()
            print(self.progress(), flush=True)

    def clear(self):
        if self.terminal:
            print("\r\033[K", end="")

    def summary(self, left_out, strict, may_skip):
        """Prints it. Returns the number of failures."""
        self.clear()
        by_status = {status: [] for status in (PASSED, FAILED, SKIPPED, NOT_RUN)}
        for outcome in self.outcomes.values():
            by_status[outcome.status].append(outcome)
        refused = [o for o in by_status[SKIPPED] if strict and not may_skip(o.job.name)]
        print(f"\n== summary: {span(self.elapsed())} minutes")
        for outcome in by_status[SKIPPED]:
            print(f"SKIPPED: {outcome.job.name}: {outcome.reason}")
        for outcome in by_status[PASSED]:
            if outcome.unsteady:
                print(f"UNSTEADY: {outcome.job.name} ({outcome.reason} beside others, passed alone)")
        earlier = sum(outcome.earlier for outcome in by_status[PASSED])
        if earlier:
            print(f"unchanged: {earlier} unit tests passed in an earlier run; --again runs them, too")
        for line in left_out:
            print(f"not run here: {line}")
        for outcome in by_status[FAILED] + by_status[NOT_RUN]:
            print(f"FAILED: {outcome.job.name} ({outcome.reason})")
        for outcome in refused:
            print(f"FAILED: {outcome.job.name} (skipped, which --strict does not allow)")
        failed = len(by_status[FAILED]) + len(by_status[NOT_RUN]) + len(refused)
        skipped = len(by_status[SKIPPED]) - len(refused)
        print(f"{len(by_status[PASSED])} passed, {failed} failed, {skipped} skipped", flush=True)
        return failed
