#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The runtime directories have every function of their generation, in the library and the version
that the vendor's has it, nothing else, and need nothing but libdoca-client.

    check-directories.py DIRECTORY

DIRECTORY has sdk-<generation>. Prints a line for each of them; status 1 if something is wrong.
"""

import collections
import os
import re
import subprocess
import sys

import vendor


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(path):
    """{(name, node): address} of a library; two versions of one function have one address."""
    found = {}
    for line in run("nm", "-D", "--defined-only", "--with-symbol-versions", path).splitlines():
        address, kind, symbol = line.split()
        name, _, node = symbol.partition("@")
        if kind != "A": # a version node
            found[name, node.lstrip("@")] = address
    return found


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path))


def missing_entries(path):
    """The addresses of the section that has the entries of missing functions."""
    section = re.search(r" \.missing +PROGBITS +(\w+) \w+ (\w+)", run("readelf", "-SW", path))
    if not section:
        return range(0)
    start = int(section[1], 16)
    return range(start, start + int(section[2], 16))


def check_library(generation, path, wanted, problems):
    soname = os.path.basename(path)
    found = exported(path)
    allowed = {"libdoca-client.so.2", f"libdoca_common.so.{soname[-1]}"} - {soname}
    for library in set(needed(path)) - allowed:
        problems.append(f"{soname} needs {library}")
    if not re.search(r"Build ID: [0-9a-f]{32}", run("readelf", "-nW", path)):
        problems.append(f"{soname} has a build id that is too short for rpm, or none")
    for each in wanted:
        # A program that asks for no version takes the default one.
        if not any(name == each.name and node in (each.node, each.node or node) for name, node in found):
            problems.append(f"{soname} has no {each.name}@{each.node}")
    if generation == "3":
        problems += [f"{soname} has {name} in one version only" for name, _ in found
                     if {(name, "DOCA_2"), (name, "EXPERIMENTAL")} - set(found)]
    there = missing_entries(path)
    return {name for name, _ in found}, {name for (name, _), address in found.items()
                                         if int(address, 16) in there}


def check(generation, directory):
    """The problems of a directory, and how many functions it has and lacks."""
    wanted = collections.defaultdict(set)
    for each in vendor.exports(generation):
        wanted[each.soname].add(each)
    problems, names, missing = [], set(), set()
    libraries = sorted(os.listdir(directory))
    problems += [f"{soname} is not there" for soname in set(wanted) - set(libraries)]
    for soname in libraries:
        have, lack = check_library(generation, os.path.join(directory, soname), wanted[soname], problems)
        names |= have
        missing |= lack
    listed = {each.name for each in vendor.exports(generation)}
    if generation == "3": # and what only 2.7 to 2.9 had
        listed |= {name for of in ("2.5", "2.6") for _, name in vendor.functions(of)}
    if generation == "1.3": # and what is as in 1.5 or 2.2
        listed |= {name for of in ("1.5", "2.2") for _, name in vendor.functions(of)}
        listed |= {name for name in names if name.startswith("doca_comm_channel_")}
    problems += [f"{name} is in no table of DOCA {generation}" for name in names - listed]
    problems += [f"{name} is missing" for name in missing]
    return problems, len(names), len(missing)


# What a library or program of docad/ may need: a C library from FLOOR on, and nothing else. Symbols
# of the loader itself are in all of them.
FLOOR = (2, 28)
C_LIBRARY = re.compile(r"lib(c|pthread|dl)\.so\.\d|ld-linux-[\w-]+\.so\.\d")


def check_portable(path):
    """What keeps the file from running with the C library of other distributions."""
    problems = [f"needs {library}" for library in needed(path) if not C_LIBRARY.fullmatch(library)]
    versions = set(re.findall(r" U (\w+)@GLIBC_([\d.]+)",
                              run("nm", "-D", "--with-symbol-versions", path)))
    return problems + [f"needs {name} of glibc {version}" for name, version in versions
                       if tuple(int(part) for part in version.split(".")) > FLOOR]


def main():
    failed = False
    # Where it could not be built, there is a link to the library of this system.
    if not os.path.islink(os.path.join(sys.argv[1], "libdoca-client.so.2")):
        for name in ("libdoca-client.so.2", "docad-run", "libdocad-workbench.so"):
            path = os.path.join(sys.argv[1], name)
            for problem in sorted(check_portable(path)):
                print(f"{name} {problem}")
                failed = True
            print(f"{name}: {os.stat(path).st_size // 1024} KiB, needs {' '.join(needed(path))}")
    for generation in vendor.DIRECTORIES:
        problems, functions, missing = check(generation, os.path.join(sys.argv[1], f"sdk-{generation}"))
        for problem in sorted(problems):
            print(f"sdk-{generation}: {problem}")
        failed |= bool(problems)
        size = sum(os.stat(entry.path).st_size
                   for entry in os.scandir(os.path.join(sys.argv[1], f"sdk-{generation}")))
        print(f"sdk-{generation}: {functions} functions, {missing} of them missing, {size // 1024} KiB")
    return failed


if __name__ == "__main__":
    sys.exit(main())
