#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Each header of each generation, alone, is taken by `gcc -std=c90 -pedantic-errors`.

    check-c90.py COMPILER INCLUDE-DIRECTORY

Programs are built with the flags of their project, and headers are not left out of those. The
directory is that of the build tree, with one folder for each generation. Only gcc is asked: clang
takes bool for newer than C90, which the tables have.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

# doca_clock.h has a struct timespec. <infiniband/verbs.h> has `inline`, which no header of ours
# may have: the last check sees to that.
FLAGS = ["-std=c90", "-pedantic-errors", "-fsyntax-only", "-D_POSIX_C_SOURCE=199309L",
         "-Dinline=__inline__", "-DDOCA_ALLOW_EXPERIMENTAL_API", "-x", "c", "-"]
CODE = re.compile(r"/\*.*?\*/", re.DOTALL)
INLINE = re.compile(r"\binline\b")


def errors(compiler, folder, header):
    program = f"#include <{header}>\ntypedef int not_empty;\n"
    made = subprocess.run([compiler, "-I", folder, *FLAGS], input=program, capture_output=True,
                          text=True, check=False)
    if made.returncode:
        return [line for line in made.stderr.splitlines() if "error:" in line][:3] or [made.stderr]
    return []


def sources(include):
    for folder, _, names in os.walk(os.path.join(include, "docad"), followlinks=True):
        yield from (os.path.join(folder, name) for name in names if name.endswith(".h"))


def main():
    compiler, include = sys.argv[1:]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    if "Free Software Foundation" not in version.stdout:
        print(f"SKIPPED: {compiler} is not gcc")
        return 77
    jobs = [(os.path.join(include, generation), header)
            for generation in sorted(os.listdir(include)) if re.fullmatch(r"doca-[\d.]+", generation)
            for header in sorted(os.listdir(os.path.join(include, generation)))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda job: errors(compiler, *job), jobs))
    wrong = [line for lines in found for line in lines]
    for source in sources(include):
        with open(source, encoding="utf-8") as text:
            if INLINE.search(CODE.sub("", text.read())):
                wrong.append(f"{source}: write __inline__, which is in C90, too")
    print("\n".join(wrong) if wrong else f"{len(jobs)} headers")
    return bool(wrong) or not jobs


if __name__ == "__main__":
    sys.exit(main())
