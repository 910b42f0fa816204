#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Each function of a runtime directory leads to the symbol that programs call, which are compiled with
the headers of its generation.

    check-symbols.py BUILD-DIRECTORY COMPILER...
"""

import os
import re
import subprocess
import sys
import tempfile

BUILD, *COMPILER = sys.argv[1:]
GENERATIONS = {"1.3": 13, "1.5": 15, "2.2": 22, "2.5": 25, "2.6": 26, "3": 30}


def targets(generation):
    """What make-sdk has written: function to symbol."""
    with open(f"{BUILD}/client/sdk/{generation}/functions", encoding="utf-8") as listed:
        rows = [line.rstrip("\n").split("\t") for line in listed]
    return {name: target.partition("@")[0] for name, _, target in rows if target != "-"}


def symbols(generation, names):
    """The symbols of the functions, as the compiler takes them from the headers."""
    folder = f"{BUILD}/include/doca-{generation}"
    headers = [f"#include <{name}>\n" for name in sorted(os.listdir(folder)) if name.endswith(".h")]
    with tempfile.TemporaryDirectory(prefix="docad-symbols.") as work:
        common = [*COMPILER, "-x", "c", "-w", f"-I{folder}", f"-DDOCA_USE_VERSION={GENERATIONS[generation]}",
                  "-DDOCA_ALLOW_EXPERIMENTAL_API", "-DDOCA_ALLOW_DEPRECATED_API"]
        text = subprocess.run([*common, "-E", "-P", "-"], input="".join(headers), text=True, check=True,
                              capture_output=True).stdout
        declared = set(re.findall(r"\bdoca\w+(?=\s*\()", text))
        names = [name for name in names if name in declared]
        table = ",".join(f"(void *){name}" for name in names)
        subprocess.run([*common, "-c", "-o", f"{work}/table.o", "-"], text=True, check=True,
                       input="".join(headers) + f"void *table[] = {{{table}}};")
        found = subprocess.run(["readelf", "-rW", f"{work}/table.o"], text=True, check=True,
                               capture_output=True).stdout
    rows = re.findall(r"^([0-9a-f]{12,}) .* (doca\w+) \+ 0$", found, re.MULTILINE)
    assert len(rows) == len(names), (len(rows), len(names))
    return dict(zip(names, (symbol for _, symbol in sorted(rows))))


# Executables of 1.2 to 1.4 that call one name with two arguments or three; of sources the compiler counts them.
EXECUTABLES = {"1.3": {"doca_argp_init", "doca_argp_register_param", "doca_argp_start"}}


def main():
    wrong = []
    for generation in GENERATIONS:
        listed = targets(generation)
        compiled = symbols(generation, sorted(listed))
        assert len(compiled) > 50, (generation, len(compiled))
        wrong += [f"sdk-{generation}: {name} leads to {listed[name]}, and programs call {symbol}"
                  for name, symbol in compiled.items()
                  if listed[name] != symbol and name not in EXECUTABLES.get(generation, ())]
        print(f"sdk-{generation}: {len(compiled)} functions")
    print("\n".join(wrong), file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
