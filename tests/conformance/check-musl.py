#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The sources compile with the headers of musl in place of glibc's, with the same warnings as errors.

    check-musl.py BUILD-DIRECTORY SOURCE-DIRECTORY

Debian has no other libraries for musl, so nothing is linked: their headers are the system's. What
reads a command line by argp is left out, which musl does not have, and what looks up versions of
symbols, or stacks.
"""

import concurrent.futures
import glob
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

LIBRARIES = ("confuse.h", "event2", "event.h", "evutil.h", "google", "infiniband", "isa-l", "isa-l.h",
             "json-c", "libsmartcols", "lz4*.h", "microhttpd.h", "protobuf-c", "rdma", "systemd", "zlib.h",
             "asm-generic", "linux")  # these two are the kernel's
OF_MACHINE = ("asm", "zconf.h")


def headers(place):
    """The headers of the other libraries, without glibc's beside them."""
    machine = subprocess.run(["cc", "-print-multiarch"], capture_output=True, text=True, check=True).stdout.strip()
    for folder, names in (("/usr/include", LIBRARIES), (f"/usr/include/{machine}", OF_MACHINE)):
        for name in names:
            for path in glob.glob(os.path.join(folder, name)):
                os.symlink(path, os.path.join(place, os.path.basename(path)))
    os.mkdir(os.path.join(place, "openssl"))
    for path in glob.glob("/usr/include/openssl/*") + glob.glob(f"/usr/include/{machine}/openssl/*"):
        os.symlink(path, os.path.join(place, "openssl", os.path.basename(path)))


def musl_command(command, place):
    words, result = shlex.split(command), ["musl-gcc", "-fsyntax-only"]
    while not os.path.basename(words[0]).startswith(("cc", "gcc")) or "ccache" in words[0]:
        words.pop(0)
    words = iter(words[1:])
    for word in words:
        if word in ("-o", "-MT", "-MF"):
            next(words)
        elif word == "-isystem":
            folder = next(words)
            if folder != "/usr/include":  # of that, only what is chosen
                result += ["-idirafter", folder]
        elif word != "-MD" and not word.startswith(("-flto", "-ffat-lto")):
            result.append(word)
    return result + ["-Werror", "-idirafter", place]


def main():
    build, source = map(os.path.realpath, sys.argv[1:])
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = {}
        for entry in json.load(file):
            path = os.path.relpath(entry["file"], source)
            if path.startswith(("common/", "daemon/", "client/", "examples/")) and path.endswith(".c"):
                commands.setdefault(path, entry)
    commands.pop("client/exporter/main.c", None)
    commands.pop("client/workbench/calls.c", None)
    commands.pop("client/workbench/registry.c", None)
    assert len(commands) > 400, len(commands)
    place = tempfile.mkdtemp(prefix="docad-musl.")
    try:
        headers(place)

        def compile_one(entry):
            return subprocess.run(musl_command(entry["command"], place), cwd=entry["directory"], text=True,
                                  capture_output=True, check=False)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failed = [done.stderr for done in pool.map(compile_one, commands.values()) if done.returncode]
    finally:
        shutil.rmtree(place)
    print("\n".join(failed), file=sys.stderr)
    print(f"{len(commands)} files, {len(failed)} do not compile")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
