#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-run --check: each case of rules/cases_*.c breaks its rule, and the same done well breaks none.
The programs of rules/legal_*.c break none, and end as they would without --check.

    test-rules.py BINARIES LEGAL-3 [--right] CASES-3 CASES-2

--right: the cases are only done well.
"""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

from nodes import LIMIT, Node

BINARIES, LEGAL, *PROGRAMS = (word for word in sys.argv[1:] if word != "--right")
ONLY_RIGHT = "--right" in sys.argv
MAKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../client/workbench/make-workbench")
# Options for some cases, by their beginning.
OPTIONS = {"card-limit": ["--card", "bluefield-3"], "card-limit/any": ["--card", "any"], "any-card": ["--card", "any"],
           "fatal-task": ["--faults", "dma.memcpy: IO_FAILED, 1st, fatal"],
           "buffer-changed-in-flight/failed": ["--faults",
                                               "doca_workq_progress_retrieve: IO_FAILED, 1st"],
           "polls-idle": ["--check-polls", "1000"], "polls-many": ["--check-polls", "1000"]}
ENVIRONMENTS = {"any-card": {"DOCAD_CARD": "bluefield-3"}}
# A program that is stopped in the middle leaves its memory, and a rule breaks what follows. Some call exit()
# in a signal handler.
QUIET = {"ASAN_OPTIONS": "detect_leaks=0",
         "TSAN_OPTIONS": ":".join(filter(None, (os.environ.get("TSAN_OPTIONS"), "report_signal_unsafe=0")))}


def run(node, *words, how="fatal"):
    options = OPTIONS.get(words[1], [])
    return subprocess.run([node.program("docad-run"), f"--check={how}", *options, "--", *words],
                          capture_output=True, text=True, timeout=LIMIT, check=False,
                          env=dict(os.environ, DOCAD_SOCKET=node.socket, **QUIET, **ENVIRONMENTS.get(words[1], {})))


def found(text):
    return re.findall(r"^docad-run: ([a-z-]+): \w", text, re.MULTILINE)


def check_case(node, program, case):
    rule = case.split("/")[0]
    if not ONLY_RIGHT:
        done = run(node, program, case)
        assert done.returncode == 70 and set(found(done.stderr)) == {rule}, (case, done)
        assert f"(docactl why {rule})" in done.stderr and "What to do: " in done.stderr, done
        assert os.path.basename(program) + "+0x" in done.stderr, done
    done = run(node, program, case, "well")
    status = 3 if rule == "alive-at-end" else 0
    assert done.returncode == status and not found(done.stderr), (case, "well", done)


def check_legal(node, case):
    done = run(node, LEGAL, case)
    assert done.returncode == 0 and not found(done.stderr), (case, done)


def check_sweep(node):
    """A handler that calls exit() while the workbench looks at a call does not hang a sweep."""
    done = subprocess.run([node.program("docad-run"), "--faults", "sweep", "--", LEGAL, "exit-in-creation"],
                          capture_output=True, text=True, timeout=LIMIT, check=False,
                          env=dict(os.environ, DOCAD_SOCKET=node.socket, **QUIET))
    assert "1 runs with a fault: 0 hung, 0 crashed, 0 ended with status 0" in done.stderr + done.stdout, done


def check_reports(node, program):
    """A violation names the objects, where they were made, and where the other task was submitted."""
    said = run(node, program, "order-between-contexts").stderr
    made = re.findall(r"^    the (\w+) was made by (\w+)\(\) at$", said, re.MULTILINE)
    assert made == [("dma_task_memcpy", "doca_dma_task_memcpy_alloc_init")] * 2, said
    assert "    the task in flight was submitted at\n" in said, said
    said = run(node, program, "alive-at-end/list").stderr
    assert said.count("the buf was made by") == 1, said
    said = run(node, program, "card-limit").stderr
    assert "3145728 bytes of the source; dma.max_buf_size of bluefield-3 is 2097152" in said, said
    said = run(node, program, "card-limit/any").stderr
    assert re.search(r"bluefield-3 lacks .*\(sha\)", said), said


def check_goes_on(node, program):
    """Without fatal the program goes on, and ends as it would."""
    done = run(node, program, "source-changed", how="rules")
    assert done.returncode == 0 and found(done.stderr) == ["source-changed"], done
    assert "docad-run: 1 violations of rules\n" in done.stderr, done


def check_objects(node, program):
    """One violation for one mistake: doca_task_free() has not freed a buffer."""
    done = run(node, program, "wrong-kind/freed", how="rules")
    assert done.returncode == 0 and found(done.stderr) == ["wrong-kind"], done


def check_why(node):
    """docactl explains each rule, with its place in the guides."""
    cases = {case.split("/")[0] for program in PROGRAMS for case in cases_of(program)}
    for rule in cases:
        why = " ".join(node.docactl("why", rule).stdout.split())
        assert rule in why and "See " in why and len(why) > 200, why


def check_wrapped_waits():
    """Names of machines do not tell the C library: Fedora's have no `gnu`."""
    loader = importlib.machinery.SourceFileLoader("maker", MAKER)
    maker = importlib.util.module_from_spec(importlib.util.spec_from_loader("maker", loader))
    loader.exec_module(maker)
    for machine, library, count in (("x86_64-redhat-linux", "__GLIBC__", 4),
                                    ("aarch64-suse-linux", "__GLIBC__", 4),
                                    ("x86_64-alpine-linux-musl", "_FEATURES_H", 0),
                                    ("riscv64-linux-gnu", "__GLIBC__", 0)):
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as compiler:
            compiler.write(f'case $1 in -dumpmachine) echo {machine};; '
                           f'*) echo "#define {library} 2";; esac\n')
            compiler.flush()
            assert len(maker.waits_of(["sh", compiler.name])) == count, machine


def check_options(node):
    for words, says in ((["--card", "any"], "--card any is for --check"),
                        (["--check-polls", "9"], "--check-polls is for --check"),
                        (["--check=rules", "--check-polls", "0"], "takes a number of polls")):
        done = subprocess.run([node.program("docad-run"), *words, "true"], capture_output=True,
                              text=True, timeout=LIMIT, check=False)
        assert done.returncode == 2 and says in done.stderr, done


def cases_of(program):
    return subprocess.run([program], capture_output=True, text=True, timeout=LIMIT,
                          check=True).stdout.split()


def main():
    with Node(BINARIES, "--role", "dpu") as node:
        for program in PROGRAMS:
            for case in cases_of(program):
                check_case(node, program, case)
        for case in cases_of(LEGAL):
            check_legal(node, case)
        if ONLY_RIGHT:
            return
        check_sweep(node)
        check_reports(node, PROGRAMS[0])
        check_goes_on(node, PROGRAMS[0])
        check_objects(node, PROGRAMS[0])
        check_why(node)
        check_wrapped_waits()
        check_options(node)


if __name__ == "__main__":
    main()
