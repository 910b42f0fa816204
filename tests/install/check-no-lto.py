#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Packagers compile with -flto. What the library for executables of the vendor's SDK is linked of must be
machine code nevertheless: the linker binds code that it makes itself to functions of later C libraries
(client/sdk/portable/CMakeLists.txt).

    check-no-lto.py BUILD-DIRECTORY
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile

SOURCES = ("client/sdk/portable/floor.c", "common/packet.c", "proto/record.pb-c.c")


def compiled(entry, target):
    words = shlex.split(entry["command"])
    words[words.index("-o") + 1] = target
    words.insert(next(i for i, word in enumerate(words) if word.startswith("-")), "-flto=auto")
    subprocess.run(words, cwd=entry["directory"], check=True)
    return subprocess.run(["readelf", "-SW", target], capture_output=True, text=True, check=True).stdout


def main():
    with open(os.path.join(sys.argv[1], "compile_commands.json"), encoding="utf-8") as file:
        entries = [e for e in json.load(file) if e["file"].endswith(SOURCES) and "docad-run.dir" not in e["command"]]
    assert {s for s in SOURCES if any(e["file"].endswith(s) for e in entries)} == set(SOURCES)
    with tempfile.TemporaryDirectory(prefix="docad-no-lto.") as place:
        for entry in entries:
            assert ".gnu.lto_" not in compiled(entry, os.path.join(place, "one.o")), entry["file"]


main()
