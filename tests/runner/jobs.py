# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""A job is one command of a run: a build, a test or a check; how it ended is an Outcome."""

import dataclasses

PASSED, FAILED, SKIPPED, NOT_RUN = "passed", "failed", "skipped", "not run"
SKIP_STATUS = 77  # of a program that prints `SKIPPED: reason`


@dataclasses.dataclass
class Job:
    """Names are unique in a run: TREE:TEST of a build tree's test, else the name alone."""

    name: str
    command: list  # empty if it is known after the build only
    directory: str = "."
    environment: dict = dataclasses.field(default_factory=dict)
    needs: set = dataclasses.field(default_factory=set)  # names of jobs that must not have failed
    after: set = dataclasses.field(default_factory=set)  # names of jobs that must have ended
    slots: int = 1  # of the pool's
    alone: bool = False  # with no other job
    resources: dict = dataclasses.field(default_factory=dict)  # name -> units
    timeout: float = 1500  # seconds
    is_test: bool = True  # run once more if it fails; a build is not
    cost: float = 0  # seconds that it takes, as far as is known before the first run
    target: str = ""  # the build's target, if the test is a program that it makes
    labels: set = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class Outcome:
    """How a job ended. `reason` is why it was skipped or how it failed."""

    job: Job
    status: str
    seconds: float = 0
    reason: str = ""
    log: str = ""
    unsteady: bool = False  # failed beside others, passed alone
    earlier: bool = False  # passed in an earlier run, and is unchanged
