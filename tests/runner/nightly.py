# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The nightly run: what takes hours. Its jobs run one at a time, each with the whole machine."""

import os
import re
import subprocess
import time

import plan
import trees
from jobs import FAILED, NOT_RUN, PASSED, SKIPPED, Job
from pool import Pool
from report import Report
from times import Times

LOG = "tests/nightly.tsv"
HOUR = 3600
TREES = ["check", "release"]
RELEASE = "release"  # an older release of Debian, whose compiler and C library build programs


def alone(name, command, hours, needs=(), **environment):
    return Job(name, command, environment=environment, needs=set(needs), alone=True, timeout=hours * HOUR,
               cost=hours * HOUR / 2)


def long_tests(processors):
    """Tests that take DOCAD_TEST_LONG, in the tree `check`: more rounds, every call that can fail."""
    tests = [job for job in trees.read_tests("check") if "long" in job.labels]
    for job in tests:
        job.name, job.needs = f"long:{job.name.split(':', 1)[1]}", {"check:build"}
        job.environment = {**job.environment, "DOCAD_TEST_LONG": "1"}
        job.timeout, job.alone = 2 * HOUR, True
    return tests


def jobs_of(seconds, processors):
    jobs = []
    for tree in TREES:
        jobs.append(trees.build_job(tree, trees.read_tests(tree), processors))
    jobs += long_tests(processors)
    jobs.append(alone("faults.every-call", ["build/release/tests/integration/test_faults"], 2,
                      ["release:build"], DOCAD_TEST_FAULTS_ALL="1", CK_DEFAULT_TIMEOUT="7200"))
    jobs.append(alone("arm64.sysroot", ["tests/arm64/sysroot", os.path.abspath("build/arm64-sysroot")], 1))
    jobs.append(alone("arm64.emulated", ["tests/arm64/run", "-R", "^(unit|sdk)[.]", "-E", "^unit[.]workers$",
                                         "-j", str(processors)], 6, ["arm64.sysroot"]))
    jobs.append(alone("vm.suite-arm64", ["tests/vm/run", "--set", "REGEX=^unit", "suite-arm64"], 6,
                      ["arm64.emulated", "release:build"]))
    jobs.append(alone("vm.rdma-arm64", ["tests/vm/run", "rdma-arm64"], 2,
                      ["arm64.emulated", "release:build"]))
    jobs.append(alone("sdk.other-release", ["tests/runner/other-release"], 2, ["release:build"]))
    return jobs + plan.fuzz_jobs(processors, seconds, "--optimised")


def executions(report):
    """How many inputs libFuzzer has run, by the logs of the targets."""
    count = 0
    for outcome in report.outcomes.values():
        if outcome.job.name.startswith("fuzz.") and outcome.log:
            with open(outcome.log, encoding="utf-8", errors="replace") as file:
                count += sum(int(n) for n in re.findall(r"(\d+) executions", file.read()))
    return count


def write_line(report):
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"],
                            stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    ended = [outcome.status for outcome in report.outcomes.values()]
    found = [outcome.job.name for outcome in report.outcomes.values() if outcome.status == FAILED]
    row = [time.strftime("%Y-%m-%d"), commit, str(int(report.elapsed())), str(executions(report)),
           str(ended.count(PASSED)), str(ended.count(FAILED) + ended.count(NOT_RUN)),
           str(ended.count(SKIPPED)), " ".join(found) or "none"]
    with open(LOG, "a", encoding="utf-8") as file:
        file.write("\t".join(row) + "\n")


def run(options):
    times, processors = Times(), plan.processors()
    failed = trees.configure_all(TREES)
    if failed:
        print(f"FAILED: cmake: {', '.join(failed)}; see build/NAME.configure.log")
        return 1
    jobs = jobs_of(options.seconds, processors)
    if options.pattern:
        jobs = trees.add_needed([job for job in jobs if plan.matches(options.pattern, job)], jobs)
    if not jobs:
        print(f"no job of the nightly run matches `{options.pattern}`; --nightly --list names them")
        return 1
    if options.list:
        for job in jobs:
            print(f"{times.seconds.get(job.name, '-'):>8}  {job.name}")
        return 0
    report = Report(jobs, times, times.seconds.get("run nightly"))
    report.pool = Pool(jobs, times, processors, report.ended, report.tick)
    report.pool.run()
    for outcome in report.outcomes.values():
        if outcome.status == PASSED:
            times.add(outcome.job.name, outcome.seconds)
    if not options.pattern:
        times.add("run nightly", report.elapsed())
        write_line(report)
    times.save()
    allowed = re.compile(options.may_skip) if options.may_skip else None
    return 1 if report.summary([], options.strict, lambda n: bool(allowed and allowed.search(n))) else 0
