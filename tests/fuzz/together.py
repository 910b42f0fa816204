#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Adds up what several targets reach: how many of the edges of a folder, together.

together.py FOLDER LOG...

The logs are of libFuzzer with -print_coverage=1 and with -print_full_coverage=1, two for each target:
TARGET.functions has the functions, and TARGET.edges, in the same order, the lines of the edges that
were not reached (U) and of those that were (C). An edge is known by its function and its line. Where
a line has several, the most that any one target reaches counts: what two of them reach together may
be more. Functions that no target is linked with are not counted.
"""

import collections
import re
import sys

FUNCTION = re.compile(r"COVERED_FUNC: hits: \d+ edges: \d+/\d+ (\S+) (\S+?):\d+$")


def functions(log):
    for line in open(log, errors="replace"):
        if match := FUNCTION.search(line.rstrip()):
            yield match[1], match[2]


def edges(log):
    """For each function: lines not reached, and lines reached."""
    lines = open(log, errors="replace").read().partition("FULL COVERAGE:")[2].splitlines()
    lines = [line.split() for line in lines if line[:1] in ("U", "C")]
    for missed, reached in zip(lines[::2], lines[1::2]):
        yield collections.Counter(missed[1:]), collections.Counter(reached[1:])


def main():
    folder, *logs = sys.argv[1:]
    total, best = {}, collections.defaultdict(collections.Counter)
    for log in logs:
        both = zip(functions(log + ".functions"), edges(log + ".edges"))
        for (name, path), (missed, reached) in both:
            before, found, path = path.rpartition("/" + folder)
            if not found:
                continue
            where = name, folder + path
            total[where] = max(total.get(where, 0), missed.total() + reached.total())
            best[where] |= reached
    files = collections.defaultdict(lambda: [0, 0])
    for where in total:
        for name in (where[1], folder):
            files[name][0] += min(best[where].total(), total[where])
            files[name][1] += total[where]
    for name, (reached, there) in sorted(files.items()):
        print(f"{name}: {reached} of {there} edges, {100 * reached // max(there, 1)} %")


if __name__ == "__main__":
    main()
