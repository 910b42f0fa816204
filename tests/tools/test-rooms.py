#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""rooms.py finds what it is there for, in a house of two rooms."""

import os
import pathlib
import subprocess
import sys
import tempfile

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rooms.py")

# The name of the function that makes a room, and where object files are.
HOUSES = {
    "daemon": ("docad_room", ""),
    "client": ("docad_client_room", ""),
    "client as a whole": ("docad_client_room", "CMakeFiles/doca-client-static2.dir"),
}

LOW = {"low/low.h": "int low(void);\n", "low/low.c": '#include "low.h"\nint low(void) { return 1; }\n'}
HIGH = {
    "high/high.h": "int high(void);\n",
    "high/high.c": '#include "high.h"\n#include "low.h"\nint high(void) { return low(); }\n',
}


def circle(n):
    return {f"low/c{i}.c": f"int c{(i + 1) % n}(void);\nint c{i}(void) {{ return c{(i + 1) % n}(); }}\n"
            for i in range(n)}


def check(files, uses=" USES low", build=True, house="daemon"):
    """What rooms.py says of the files: exit status and text."""
    room_command, objects_below = HOUSES[house]
    house = house.split()[0]
    with tempfile.TemporaryDirectory() as top:
        source, built = pathlib.Path(top, "source", house), pathlib.Path(top, "build")
        objects = built / house / objects_below
        files = {**LOW, **HIGH, "CMakeLists.txt": "add_subdirectory(low)\nadd_subdirectory(high)\n", **files}
        for room, said in ("low", ""), ("high", uses):
            files.setdefault(f"{room}/CMakeLists.txt", f"{room_command}({room}{said} SOURCES\n  {room}.c\n)\n")
        for name, text in files.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(text)
        for name in (name for name in files if name.endswith(".c") and build):
            out = objects / (name + ".o")
            out.parent.mkdir(parents=True, exist_ok=True)
            places = [f"-I{place}" for place in (source, source / "low", source / "high")]
            subprocess.run(["cc", *places, "-c", source / name, "-o", out], check=True)
        r = subprocess.run([sys.executable, CHECK, source.parent, built],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return r.returncode, r.stdout


def expect(status, words, *args, **more):
    got, said = check(*args, **more)
    if got != status or any(word not in said for word in words):
        raise SystemExit(f"expected {status} and {words}, got {got}:\n{said}")


expect(0, ["2 rooms", "0 circles"], {})
# An upward #include, and the same without one: by a symbol.
expect(1, ["low/up.c uses high/high.h"], {"low/up.c": '#include "high.h"\nint up(void) { return 0; }\n'})
expect(1, ["low/up.c uses high/high.c", ": high"],
       {"low/up.c": "int high(void);\nint up(void) { return high(); }\n"})
# A room below that is not named is not used either; one that comes later cannot be named.
expect(1, ["high/high.c uses low/low.c"], {}, uses="")
expect(1, ["low uses high"], {"low/CMakeLists.txt": "docad_room(low USES high SOURCES\n  low.c\n)\n"})
# Circles of files: three are let, four are not.
expect(0, ["1 circles, the largest of 3"], circle(3))
expect(1, ["4 files use each other in a circle: low/c0.c, low/c1.c, low/c2.c, low/c3.c"], circle(4))
# Large rooms.
expect(0, [], {f"low/f{i}.c": f"int f{i};\n" for i in range(29)})
expect(1, ["low: 31 sources"], {f"low/f{i}.c": f"int f{i};\n" for i in range(30)})
# Nothing is found in a build that is not there.
expect(1, ["build first"], {}, build=False)
# The same of the library, whose files name the room of a header.
LIST = {"CMakeLists.txt": """add_subdirectory(low) # the ground
foreach(library high)
  add_subdirectory(${library})
endforeach()
"""}
for client in "client", "client as a whole":
    expect(0, ["client: 2 rooms", "0 circles"], {"high/more.c": '#include "low/low.h"\n', **LIST}, house=client)
    expect(0, ["client: 2 rooms"], LIST, uses=" USES low LIBS m", house=client)
    expect(1, ["client: low/up.c uses high/high.h"], {"low/up.c": '#include "high/high.h"\n', **LIST}, house=client)
    expect(1, ["client: low/up.c uses high/high.c", ": high"],
           {"low/up.c": "int high(void);\nint up(void) { return high(); }\n", **LIST}, house=client)
    expect(1, ["build first"], LIST, build=False, house=client)
