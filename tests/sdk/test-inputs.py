#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-run survives whatever file it is given, under the sanitizers of its build, too: the inputs
that the fuzzer keeps, and damaged copies of a program and of a runtime library.

    test-inputs.py DOCAD-RUN CORPUS-DIRECTORY COMPILER...
"""

import os
import random
import struct
import subprocess
import sys
import tempfile

DAMAGED = 150  # copies of each file
# A status that docad-run gives by itself; a sanitizer gives 99, a signal a negative number.
OWN = {0, 1, 126, 127}
PROGRAM = """int doca_version_runtime(void), doca_unknown(void) __attribute__((weak));
int main(void) { return doca_unknown ? 1 : doca_version_runtime(); }"""
LIBRARY = """__asm__(".section .missing, \\"ax\\"\\n.text");
__attribute__((section(".missing"))) int doca_lacking(void) { return 0; }
int doca_version_runtime(void) { return 0; }"""


def build(compiler, directory):
    """A program, and a runtime directory that fits it."""
    runtime = os.path.join(directory, "sdk-2.2")
    os.mkdir(runtime)
    library = os.path.join(runtime, "libdoca_common.so.2")
    versions = os.path.join(directory, "map")
    with open(versions, "w", encoding="utf-8") as out:
        out.write("EXPERIMENTAL { global: doca_*; local: *; };\n")
    subprocess.run(compiler + ["-shared", "-fPIC", "-x", "c", "-", "-o", library,
                               "-Wl,-soname,libdoca_common.so.2", f"-Wl,--version-script={versions}"],
                   input=LIBRARY, text=True, check=True)
    program = os.path.join(directory, "program")
    subprocess.run(compiler + ["-x", "c", "-", "-x", "none", "-o", program, library],
                   input=PROGRAM, text=True, check=True)
    return program, library


def damaged(data, number):
    """A copy with some wrong bytes, of which the headers and the dynamic tables get most."""
    choice = random.Random(number)
    copy = bytearray(data)
    if number % 10 == 0:
        return bytes(copy[:choice.randrange(len(copy))])
    phoff = struct.unpack_from("<Q", data, 32)[0]
    places = [range(64), range(phoff, min(phoff + 56 * 12, len(data))), range(min(len(data), 8192)),
              range(len(data))]
    for _ in range(choice.choice((1, 1, 2, 8))):
        place = choice.choice(choice.choice(places))
        copy[place] = choice.choice((0, 0x7f, 0x80, 0xff, copy[place] ^ 1 << choice.randrange(8)))
    return bytes(copy)


def main():
    run, corpus, *compiler = sys.argv[1:]
    environment = dict(os.environ, ASAN_OPTIONS="exitcode=99:detect_leaks=0",
                       UBSAN_OPTIONS="halt_on_error=1:exitcode=99")
    wrong, statuses = [], {}
    with tempfile.TemporaryDirectory() as directory:
        def check(what, program):
            done = subprocess.run([run, "--check", "--libraries", directory, program], timeout=60,
                                  env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  check=False)
            statuses[done.returncode] = statuses.get(done.returncode, 0) + 1
            if done.returncode not in OWN:
                wrong.append(f"{what}: status {done.returncode}\n{done.stderr.decode(errors='replace')}")
            return done.returncode

        program, library = build(compiler, directory)
        if check("the program", program) != 0:
            wrong.append("the program as it is does not pass")
        for name in sorted(os.listdir(corpus)):
            check(name, os.path.join(corpus, name))
        for path in (program, library):
            with open(path, "rb") as whole:
                data = whole.read()
            for number in range(DAMAGED):
                # The copy of a library is tried in its place.
                copy = os.path.join(directory, "copy") if path == program else library
                with open(copy, "wb") as out:
                    out.write(damaged(data, number))
                check(f"{os.path.basename(path)}, copy {number}", copy if path == program else program)
    print(f"{sum(statuses.values())} files, by status: {statuses}")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
