#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The catalog explains each message that has an id, and each id is used.

    test-catalog.py BINARIES SOURCE
"""

import os
import re
import sys

SOURCE = sys.argv[2]


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as f:
        return f.read()


EVENTS = re.findall(r'X\((\w+), "([0-9a-f]{32})"\)', read("daemon", "base", "log_events.h"))
IDS = [event_id for _, event_id in EVENTS]
assert len(EVENTS) > 5 and len(set(IDS)) == len(IDS), EVENTS
ENTRIES = re.findall(r"^-- (\w+)\nSubject: .+\nDefined-By: docad\n\n\S",
                     read("systemd", "docad.catalog"), re.M)
assert sorted(ENTRIES) == sorted(IDS), set(ENTRIES) ^ set(IDS)
CODE = "".join(read(folder, name)
               for folder, _, names in os.walk(os.path.join(SOURCE, "daemon"))
               for name in names if name.endswith(".c"))
for NAME, _ in EVENTS:
    assert re.search(rf"\bLOG_EVENT_{NAME}\b", CODE), f"{NAME} is never logged"
