# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Which jobs a run has."""

import os
import re
import subprocess

import trees
from jobs import Job

# Of each mode: the build trees.
TREES = {"quick": ["check"], "full": ["check", "release", "tsan"]}
FUZZ_SECONDS = 2


def is_chosen(mode, tree, job):
    """Does the mode run this test of the tree?

    The quick run leaves out what is slow, and what is neither a unit test nor an integration test
    (these include the tables of states). The release tree runs what it alone has, and of these
    programs those labelled `optimised` or `unsanitized`; the tree `check` runs all others.
    """
    program = trees.PROGRAMS & job.labels
    if mode == "quick":
        return bool(program) and "slow" not in job.labels
    return tree != "release" or not program or bool({"optimised", "unsanitized"} & job.labels)


def chosen_tests(mode, tree, pattern):
    """The tests of a configured tree that the mode runs, with what their fixtures need."""
    tests = trees.read_tests(tree)
    if pattern:
        chosen = [job for job in tests if matches(pattern, job)]
    else:
        chosen = [job for job in tests if is_chosen(mode, tree, job)]
    return trees.add_needed(chosen, tests)


def matches(pattern, job):
    return re.search(pattern, job.name.split(":", 1)[-1]) is not None


def tree_jobs(mode, tree, pattern, processors):
    """The build of a tree, and its tests. A test labelled `source` only reads the source tree."""
    tests = chosen_tests(mode, tree, pattern)
    if not tests:
        return []
    build = trees.build_job(tree, tests, processors)
    needs_build = [job for job in tests if "source" not in job.labels]
    for job in needs_build:
        job.needs.add(build.name)
    return ([build] if needs_build else []) + tests


def style_jobs(mode, processors):
    """The whole tree's in a full run; in a quick one clang-tidy looks at what changed only."""
    base = changed_since()
    files = "all" if mode == "full" else f"changed {base}"
    tidy = ["tests/runner/style", "tidy", *files.split(), str(processors)]
    jobs = [Job("style.format", ["tests/runner/style", "format"], cost=5),
            Job("style.shellcheck", ["tests/runner/style", "scripts"], cost=10),
            Job("style.promises", ["tests/tools/promises.py", "."], cost=1),
            # It reads headers that the build generates.
            Job("style.tidy", tidy, needs={"check:build"}, slots=processors,
                cost=200 if mode == "full" else 10)]
    if mode == "full":
        jobs.append(Job("style.rooms", ["tests/tools/rooms.py", ".", "build/check"],
                        needs={"check:build"}, cost=5))
    return jobs


def changed_since():
    """The commit that changes are counted from: where the branch left its upstream, without an
    upstream the commit before the last one; the last one itself if it is the first."""
    for command in (["merge-base", "HEAD", "@{upstream}"], ["rev-parse", "--verify", "HEAD~1"],
                    ["rev-parse", "--verify", "HEAD"]):
        found = subprocess.run(["git", *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, check=False)
        if found.returncode == 0 and not (command[0] == "merge-base" and is_head(found.stdout)):
            return found.stdout.strip()
    return "HEAD"


def is_head(commit):
    head = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, check=True, text=True)
    return commit == head.stdout


def fuzz_jobs(processors, seconds=FUZZ_SECONDS, *options):
    """Builds the targets and runs each: in the tree `check`, whose objects they are linked with, or
    with the option --optimised in one of their own."""
    listed = subprocess.run(["tests/fuzz/run", "--list"], stdout=subprocess.PIPE, check=True, text=True)
    jobs = [Job("fuzz.build", ["tests/fuzz/run", "--build", str(processors), *options], slots=processors,
                needs=set() if options else {"check:build"}, is_test=False, timeout=3600, cost=60)]
    for target in listed.stdout.split():
        jobs.append(Job(f"fuzz.{target}",
                        ["tests/fuzz/run", *options, "--built", "--seconds", str(seconds), target],
                        needs={"fuzz.build"}, slots=2 if options else 1, timeout=600 + 2 * seconds,
                        cost=10 + seconds))
    return jobs


def jobs_of(mode, pattern, processors):
    """All jobs of a run; the trees are configured."""
    jobs = []
    for tree in TREES[mode]:
        jobs += tree_jobs(mode, tree, pattern, processors)
    others = style_jobs(mode, processors)
    if mode == "full":
        others += fuzz_jobs(processors)
    if not pattern:
        return jobs + others
    builds = [job for job in jobs if not job.is_test]
    if not any(job.name == "check:build" for job in builds):
        builds.append(trees.build_job("check", [], processors))
    chosen = trees.add_needed([job for job in others if matches(pattern, job)], others + builds)
    return jobs + [job for job in chosen if job not in jobs]


def left_out(mode, chosen):
    """Lines that say what the mode does not run, and which command does."""
    lines = []
    if mode == "quick":
        slow = [job.name.split(":")[1] for job in trees.read_tests("check")
                if trees.PROGRAMS & job.labels and job.name not in chosen]
        lines.append(f"tests/run --full: {len(slow)} slow integration tests, the optimised build, tools, "
                     "installation, packages, conformance, virtual machines, ThreadSanitizer, fuzzing, "
                     "models, arm64 programs, clang-tidy of every file")
    lines.append("tests/run --nightly: the arm64 build in emulation, another release's executables, every "
                 "call of the C library failing once, long tests, long fuzzing")
    return lines


def processors():
    return max(1, len(os.sched_getaffinity(0)))
