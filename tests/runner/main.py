#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Builds and tests docad.

  tests/run              about ten minutes: AddressSanitizer and UndefinedBehaviorSanitizer (clang); all
                         unit tests, the tables of states, the quick integration tests; clang-format,
                         shellcheck, clang-tidy of what changed. A unit test that has passed and whose
                         program, packages and kernel are the same does not run again (--again)
  tests/run --full       everything that a change must pass; what CI runs. Three build trees in build/:
                           check    as above, all tests, the fuzz targets, clang-tidy of every file
                           release  gcc, optimised: installation, packages, conformance, tools, virtual
                                    machines, arm64 programs, and tests that are about speed or order
                           tsan     ThreadSanitizer: the tests that have threads
  tests/run --nightly    what takes hours; appends a line to tests/nightly.tsv

A test that cannot run on this machine is skipped, and the summary says why. A test that fails
beside others runs once more, alone; if it passes then, the summary calls it UNSTEADY. The last
line counts builds, tests and checks; the exit status is 0 if none failed.
"""

import argparse
import os
import re
import signal
import sys
import time

import nightly
import plan
import trees
from jobs import FAILED, PASSED
from pool import Pool
from report import Report
from times import Times
from unchanged import Unchanged

RERUNS = 20  # tests that failed; where more did, something is wrong that no second run mends
# What a sanitizer has found once is there, whatever a second run says.
REPORTS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "WARNING: ThreadSanitizer", "runtime error:")


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="tests/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--full", dest="mode", action="store_const", const="full")
    modes.add_argument("--nightly", dest="mode", action="store_const", const="nightly")
    parser.add_argument("-R", dest="pattern", metavar="REGEX",
                        help="only the tests and checks whose name matches, quick or slow")
    parser.add_argument("--again", action="store_true",
                        help="also run unit tests that have passed and are unchanged")
    parser.add_argument("--strict", action="store_true", help="a skipped test is a failure")
    parser.add_argument("--may-skip", metavar="REGEX",
                        help="with --strict: except tests whose name matches")
    parser.add_argument("--list", action="store_true",
                        help="print the jobs, and the seconds that each took last time; run none")
    parser.add_argument("--seconds", type=int, default=600, metavar="N",
                        help="with --nightly: fuzz each target for N seconds (%(default)s)")
    parser.set_defaults(mode="quick")
    options = parser.parse_args(arguments)
    for name in ("pattern", "may_skip"):
        try:
            re.compile(getattr(options, name) or "")
        except re.error as error:
            parser.error(f"`{getattr(options, name)}` is no regular expression: {error}")
    if options.may_skip and not options.strict:
        parser.error("--may-skip goes with --strict")
    return options


def use_ccache():
    """Where ccache is there, what was compiled before is not compiled again, also in another checkout."""
    if any(os.access(os.path.join(folder, "ccache"), os.X_OK) for folder in os.get_exec_path()):
        os.environ.update(CMAKE_C_COMPILER_LAUNCHER="ccache", CMAKE_CXX_COMPILER_LAUNCHER="ccache",
                          CCACHE_BASEDIR=os.getcwd(), CCACHE_NOHASHDIR="1")


def run_jobs(jobs, times, report, unchanged=None):
    pool = Pool(jobs, times, plan.processors(), report.ended, report.tick, unchanged)
    report.pool = pool
    pool.run()
    for outcome in report.outcomes.values():
        if outcome.status == PASSED and not outcome.earlier:
            times.add(outcome.job.name, outcome.seconds)


def has_report(outcome):
    with open(outcome.log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return any(words in text for words in REPORTS)


def run_again(times, report):
    """The tests that failed without a sanitizer's report, one at a time, with nothing beside them.
    The first log stays, as NAME.log.first."""
    failed = [o for o in report.outcomes.values()
              if o.status == FAILED and o.job.is_test and not has_report(o)]
    if not failed or len(failed) > RERUNS:
        return
    report.clear()
    print(f"running alone what failed beside others: {len(failed)}", flush=True)
    for first in failed:
        job = first.job
        job.needs, job.after, job.alone = set(), set(), True
        os.replace(first.log, first.log + ".first")
        second = Pool([job], times, plan.processors(), lambda _: None, lambda: None).run()[job.name]
        if second.status == PASSED:
            second.unsteady, second.reason = True, first.reason
            report.outcomes[job.name] = second


def list_jobs(jobs, times):
    for job in sorted(jobs, key=lambda job: job.name):
        known = times.seconds.get(job.name)
        print(f"{'-' if known is None else format(known, '.1f'):>8}  {job.name}")


def configure(mode):
    """Configures the build trees of the mode. Ends the program if that fails."""
    failed = trees.configure_all(plan.TREES[mode])
    for tree in failed:
        with open(f"build/{tree}.configure.log", encoding="utf-8", errors="replace") as log:
            print(log.read())
        print(f"FAILED: {tree}: cmake; what it says is above")
    if failed:
        print(f"0 passed, {len(failed)} failed, 0 skipped")
        sys.exit(1)


def run(options):
    times = Times()
    configure(options.mode)
    jobs = plan.jobs_of(options.mode, options.pattern, plan.processors())
    if options.list:
        list_jobs(jobs, times)
        return 0
    if not any(job.is_test for job in jobs):
        print(f"no test or check matches `{options.pattern}`; tests/run --full --list names all")
        return 1
    whole = f"run {options.mode}" if not options.pattern else None
    report = Report(jobs, times, times.seconds.get(whole))
    unchanged = Unchanged(options.mode == "quick" and not options.pattern and not options.again)
    run_jobs(jobs, times, report, unchanged)
    run_again(times, report)
    unchanged.save()
    if whole:
        times.add(whole, report.elapsed())
    times.save()
    chosen = {job.name for job in jobs}
    left_out = [] if options.pattern else plan.left_out(options.mode, chosen)
    allowed = re.compile(options.may_skip) if options.may_skip else None
    failed = report.summary(left_out, options.strict, lambda name: bool(allowed and allowed.search(name)))
    return 1 if failed else 0


def main():
    options = parse(sys.argv[1:])
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    use_ccache()
    if options.mode == "nightly":
        return nightly.run(options)
    return run(options)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted")
        sys.exit(130)
