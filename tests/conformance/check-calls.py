#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The system calls that the sources name are there on arm64, which lacks the old forms of some.

    check-calls.py COMPILER SOURCE-DIRECTORY
"""

import os
import re
import subprocess
import sys

compiler, source = sys.argv[1:]
done = subprocess.run([compiler, "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                      capture_output=True, text=True, check=True)
known = set(re.findall(r"#define ((?:SYS|__NR)_\w+)", done.stdout))
assert "SYS_epoll_pwait" in known and len(known) > 300, len(known)
found = 0
for room in ("client", "common", "daemon", "examples", "tests"):
    for folder, _, names in os.walk(os.path.join(source, room)):
        for name in (name for name in names if name.endswith((".c", ".h", ".cpp"))):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            # What is asked for by #ifdef may be missing.
            asked = set(re.findall(r"^# *if.*\b((?:SYS|__NR)_\w+)", text, re.MULTILINE))
            for call in set(re.findall(r"\b(?:SYS|__NR)_[a-z]\w+", text)) - asked:
                assert call in known, f"{path}: {call} is not there on arm64"
                found += 1
assert found > 30, found
