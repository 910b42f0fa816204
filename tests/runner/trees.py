# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Build trees: how each is configured, which tests CTest knows in it, and what to build for them."""

import json
import os
import re
import subprocess

from jobs import Job

LINKER = "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"  # a third of the time for hundreds of programs
CONFIGURE = {
    "check": ["--preset", "check", "-DDOCAD_TESTS=ON", LINKER],
    "release": ["--preset", "release", "-DDOCAD_TESTS=ON", "-DDOCAD_WERROR=ON",
                "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g", LINKER],
    "tsan": ["--preset", "tsan", "-DDOCAD_TESTS=ON", LINKER],
}
PROGRAMS = {"unit", "integration"}  # labels of tests that are programs of their own
# Folders that are built whole for tests that are scripts. The others of tests/ hold programs that
# are tests themselves, and only those that run are built.
PRODUCT = ["common", "proto", "client", "daemon", "systemd", "examples"]
SCRIPTED = [f"tests/{name}" for name in ("install", "conformance", "arm64", "vm", "sdk", "tools")]


def directory(tree):
    return os.path.join("build", tree)


def configure(tree):
    """A process that configures the tree."""
    os.makedirs("build", exist_ok=True)
    with open(f"build/{tree}.configure.log", "w", encoding="utf-8") as log:
        return subprocess.Popen(["cmake", *CONFIGURE[tree]], stdout=log, stderr=log,
                                stdin=subprocess.DEVNULL)


def configure_all(trees):
    """Configures trees at the same time. Returns the names of those for which that failed."""
    processes = {tree: configure(tree) for tree in trees}
    try:
        return [tree for tree, process in processes.items() if process.wait() != 0]
    finally:
        for process in processes.values():
            if process.poll() is None:
                process.kill()


def is_configured(tree):
    return os.path.exists(os.path.join(directory(tree), "CTestTestfile.cmake"))


def ask_ctest(tree):
    """What CTest knows of the tree's tests."""
    shown = subprocess.run(["ctest", "--test-dir", directory(tree), "--show-only=json-v1"],
                           stdout=subprocess.PIPE, check=True)
    return json.loads(shown.stdout)["tests"]


def find_commands(tree):
    """The commands of the tree's tests by name, once it is built: CTest knows no command of a
    program that is not there."""
    return {f"{tree}:{test['name']}": test["command"] for test in ask_ctest(tree) if "command" in test}


def read_tests(tree):
    """A Job for each test of a configured tree, with the fixtures as `needs`."""
    tests = ask_ctest(tree)
    properties = {test["name"]: {p["name"]: p["value"] for p in test.get("properties", [])}
                  for test in tests}
    jobs = [make_job(tree, test, properties[test["name"]]) for test in tests]
    add_fixtures(tree, jobs, properties)
    return jobs


def make_job(tree, test, properties):
    slots = int(properties.get("PROCESSORS", 1))
    cost = float(properties.get("COST", 0))
    resources = {need[".type"]: need["slots"]
                 for group in properties.get("RESOURCE_GROUPS", [])
                 for need in group["requirements"]}
    resources.update({f"lock {lock}": 1 for lock in properties.get("RESOURCE_LOCK", [])})
    labels = set(properties.get("LABELS", []))
    return Job(
        name=f"{tree}:{test['name']}",
        command=test.get("command", []),
        directory=properties.get("WORKING_DIRECTORY", "."),
        environment=dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", [])),
        slots=slots,
        alone=bool(properties.get("RUN_SERIAL", False)),
        resources=resources,
        timeout=properties.get("TIMEOUT", 1500),
        cost=cost,
        # docad_test() names the target of unit.X unit_X.
        target=test["name"].replace(".", "_") if PROGRAMS & labels else "",
        labels=labels,
    )


def add_fixtures(tree, jobs, properties):
    """A test needs those that set up its fixtures; those that clean up come after all of these."""
    def names(kind, fixture):
        return {f"{tree}:{name}" for name, own in properties.items() if fixture in own.get(kind, [])}

    for job in jobs:
        own = properties[job.name.split(":", 1)[1]]
        for fixture in own.get("FIXTURES_REQUIRED", []):
            job.needs |= names("FIXTURES_SETUP", fixture) - {job.name}
        for fixture in own.get("FIXTURES_CLEANUP", []):
            job.after |= names("FIXTURES_REQUIRED", fixture) | names("FIXTURES_SETUP", fixture)


def add_needed(chosen, jobs):
    """The chosen jobs, what sets up their fixtures, and what cleans these up."""
    chosen = {job.name: job for job in chosen}
    known = {job.name: job for job in jobs}
    pending = list(chosen.values())
    while pending:
        for name in pending.pop().needs - chosen.keys():
            chosen[name] = known[name]
            pending.append(known[name])
    for job in jobs:
        set_up = {name for name in job.after if any(name in other.needs for other in chosen.values())}
        if job.after and set_up:
            chosen.setdefault(job.name, job)
    return list(chosen.values())


def build_job(tree, tests, processors):
    """What builds the programs of the tests, and the product if there are scripts among them, or
    no tests at all."""
    targets = sorted({job.target for job in tests if job.target})
    if not targets or any(not job.target and "source" not in job.labels for job in tests):
        targets += [f"{folder}/all" for folder in PRODUCT + SCRIPTED
                    if os.path.exists(os.path.join(directory(tree), folder, "cmake_install.cmake"))]
    command = ["ninja", "-k", "0", "-j", str(processors), "-C", directory(tree), *targets]
    return Job(name=f"{tree}:build", command=command, slots=processors, timeout=3600, is_test=False,
               cost=200)


def shown_of_build(text):
    """What a failed build says, without the lines of what succeeded."""
    return "\n".join(line for line in text.splitlines()
                     if not re.match(r"^(\[\d+/\d+\]|--)", line))
