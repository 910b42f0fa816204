#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The sources compile where an optional library is missing, and without assertions (NDEBUG, which
CMake's build type Release defines), with the same warnings as errors.

    check-absent.py BUILD-DIRECTORY SOURCE-DIRECTORY

Without a library some macros are not defined and its headers are not there: what is compiled again are
the sources that look at these macros, and each source that includes such a header must be one of them.
"""

import concurrent.futures
import functools
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

# The macros that say that a library is there, its headers, and the sources that are left out without it.
LIBRARIES = {
    "libsystemd": ({"DOCAD_HAVE_SYSTEMD", "PERFTEST_SYSTEMD"}, r"systemd/.*", ()),
    "ISA-L": ({"DOCAD_HAVE_ISAL", "PERFTEST_ISAL"}, r"isa-l(\.h|/.*)", ()),
    "liblz4": ({"DOCAD_HAVE_LZ4", "PERFTEST_LZ4"}, r"lz4\w*\.h", ()),
    "zlib": ({"PERFTEST_ZLIB"}, r"zlib\.h", ()),
    "libmicrohttpd": (set(), r"microhttpd\.h", ("client/exporter/",)),
}
# Tests are left out by their CMakeLists.txt.
OURS = ("common/", "daemon/", "client/", "examples/")
# Without librdmacm the first takes the place of the others. Its headers are there in any case.
WITHOUT_RDMACM, WITH_RDMACM = "client/rdma_tasks/cm_no_device.c", ("cm_device.c", "cm_place.c")


@functools.cache
def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.cache
def text_of(path):
    """A source, and the headers beside it that it includes."""
    text = read(path)
    beside = (os.path.join(os.path.dirname(path), name) for name in re.findall(r'#include "([\w.]+)"', text))
    return text + "".join(read(header) for header in beside if os.path.exists(header))


def words_without(command, macros):
    """The words of a command that compiles, without these macros, and without where the result goes."""
    words, result = iter(shlex.split(command)), []
    for word in words:
        if word in ("-o", "-MT", "-MF"):
            next(words)
        elif word != "-MD" and not word.startswith(("-flto", "-ffat-lto")) and word[2:] not in macros:
            result.append(word)
    return result


class Tree:
    def __init__(self, build, source, place):
        self.source, self.place = source, place
        self.entries = {}
        for entry in json.loads(read(os.path.join(build, "compile_commands.json"))):
            path = os.path.relpath(entry["file"], source)
            if not path.startswith("..") and path.endswith(".c") and os.path.exists(entry["file"]):
                self.entries.setdefault(path, []).append(entry)

    def that_ask(self, macros):
        """The sources that look at one of the macros and are compiled with it."""
        asked = re.compile(r"\b(" + "|".join(macros) + r")\b") if macros else None
        for path, entries in self.entries.items():
            with_it = [e for e in entries if any("-D" + m in e["command"].split() for m in macros)]
            if with_it and asked.search(text_of(os.path.join(self.source, path))):
                yield path, with_it[0]

    def that_include(self, header):
        for path in self.entries:
            if path.startswith(OURS) and re.search(rf"#include <{header}>", text_of(os.path.join(self.source, path))):
                yield path

    def hidden(self, name, header):
        """A directory in front of the others, in which each of the headers is an error."""
        place = os.path.join(self.place, name)
        for path in glob.glob("/usr/include/**/*.h", recursive=True):
            found = os.path.relpath(path, "/usr/include")
            if re.fullmatch(header, found):
                os.makedirs(os.path.dirname(os.path.join(place, found)), exist_ok=True)
                with open(os.path.join(place, found), "w", encoding="utf-8") as file:
                    file.write(f"#error {name} is missing\n")
        assert os.path.isdir(place), f"no header of {name}"
        return place

    def compile(self, command, folder, *more):
        return subprocess.run([*command, "-Werror", *more], cwd=folder, text=True, capture_output=True, check=False)


def jobs_of(tree, left, macros, header, left_out):
    place = tree.hidden(left, header)
    asking = dict(tree.that_ask(macros))
    for path in tree.that_include(header):
        assert path in asking or path.startswith(left_out), f"{path} needs {left}"
    for path, entry in asking.items():
        target = os.path.join(tree.place, f"{left}.{path.replace('/', '.')}.o")
        yield left, path, words_without(entry["command"], macros), entry["directory"], ("-I", place, "-o", target)


def jobs_without_assertions(tree):
    for path, entries in tree.entries.items():
        if path.startswith(OURS) and "#include <assert.h>" in text_of(os.path.join(tree.source, path)):
            target = os.path.join(tree.place, f"no-assertions.{path.replace('/', '.')}.o")
            entry = entries[0]
            yield "assertions", path, words_without(entry["command"], ()), entry["directory"], ("-DNDEBUG", "-o", target)


def symbols(path, option):
    done = subprocess.run(["gcc-nm", option, path], text=True, capture_output=True, check=True)
    return {line.split()[-1] for line in done.stdout.splitlines()}


def check_without_rdmacm(tree, build):
    """The source for libraries without librdmacm has what the others of its room need."""
    example = tree.entries[os.path.join(os.path.dirname(WITHOUT_RDMACM), WITH_RDMACM[0])][0]
    command = words_without(example["command"], ())
    command[command.index(example["file"])] = os.path.join(tree.source, WITHOUT_RDMACM)
    made = os.path.join(tree.place, "no-rdmacm.o")
    done = tree.compile(command, example["directory"], "-o", made)
    if done.returncode:
        return done.stderr
    objects = glob.glob(os.path.join(build, "client/rdma_tasks/CMakeFiles/*/*.o"))
    theirs = [o for o in objects if os.path.basename(o)[:-2] in WITH_RDMACM]
    others = [o for o in objects if o not in theirs]
    assert len(theirs) == len(WITH_RDMACM) and others
    needed = set().union(*(symbols(o, "-u") for o in others)) & set().union(*(symbols(o, "--defined-only") for o in theirs))
    missing = needed - symbols(made, "--defined-only")
    assert needed
    return f"{WITHOUT_RDMACM} lacks {', '.join(sorted(missing))}" if missing else ""


def main():
    build, source = map(os.path.realpath, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="docad-absent.") as place:
        tree = Tree(build, source, place)
        jobs = [job for left, row in LIBRARIES.items() for job in jobs_of(tree, left, *row)]
        assert len({job[1] for job in jobs}) > 5, jobs
        asserting = list(jobs_without_assertions(tree))
        assert asserting
        jobs += asserting

        def compile_one(job):
            left, path, command, folder, more = job
            done = tree.compile(command, folder, *more)
            return f"without {left}, {path}:\n{done.stderr}" if done.returncode else ""

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            failed = [text for text in pool.map(compile_one, jobs) if text]
        rdmacm = check_without_rdmacm(tree, build) if any(WITH_RDMACM[0] in p for p in tree.entries) else ""
        failed += [rdmacm] if rdmacm else []
    print("\n".join(failed), file=sys.stderr)
    print(f"{len(jobs) + 1} compilations, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
