#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-run --check finds the defect of each program of rules/defects.py, by the rule that is about it.

    test-defects.py BINARIES DEFECTS

DEFECTS is the directory of the programs. The examples without the defects break no rule: see
tools.checked_examples.
"""

import os
import re
import subprocess
import sys

from nodes import LIMIT, Node

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "rules"))
from defects import DEFECTS  # noqa: E402

BINARIES, FOLDER = sys.argv[1:]


def check(node, name, defect):
    done = subprocess.run([node.program("docad-run"), "--check=fatal", *defect.options, "--",
                           os.path.join(FOLDER, f"defect_{name}"), *defect.arguments],
                          capture_output=True, text=True, timeout=LIMIT, check=False,
                          env=dict(os.environ, DOCAD_SOCKET=node.socket,
                                   ASAN_OPTIONS="detect_leaks=0"))
    found = re.findall(r"^docad-run: ([a-z-]+): \w", done.stderr, re.MULTILINE)
    assert done.returncode == 70 and found == [defect.rule], (name, done)


def main():
    assert len(DEFECTS) == 10
    with Node(BINARIES, "--role", "dpu") as node:
        for name, defect in DEFECTS.items():
            check(node, name, defect)


if __name__ == "__main__":
    main()
