#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Which way the arrows point between the files of daemon/, and between those of client/.

rooms.py SOURCE-DIR BUILD-DIR [--list]

A room is a folder of one of them. Its CMakeLists.txt says what it uses: docad_room(NAME USES
ROOMS...), or docad_client_room. It may use those, what they use, and nothing else. Arrows
between files are #include lines, and symbols that one object file of the build lacks and
another one has. Fails on an arrow to a room that is not used, on files that use each other
in a circle of more than CIRCLE_MAX, and on a room of more than ROOM_MAX sources. --list
prints all arrows.
"""

import pathlib
import re
import subprocess
import sys
from collections import defaultdict

CIRCLE_MAX = 3
ROOM_MAX = 30

# The directories of a room's object files: the first that there are. Those of libdoca-client hold
# no machine code where the compiler optimises it as a whole; the unit tests' library has all of
# them once more then.
HOUSES = {"daemon": ["{room}"], "client": ["CMakeFiles/doca-client-static?.dir/{room}", "{room}"]}

ADDED = re.compile(r"^ *add_subdirectory\((\w+)\)|^foreach\(library ([\w ]+)\)", re.MULTILINE)
ROOM = re.compile(
    r"^docad_(?:client_)?room\((\w+)(?:\s+USES\s+([\w\s]+?))?(?:\s+LIBS\s[^)]*?)?\s+SOURCES\s", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def name_of(file):
    return f"{file.parent.name}/{file.name}"


def room_of(name):
    return name.split("/")[0]


class House:
    """Files are known as "room/file"."""

    def __init__(self, source, build, name):
        self.folder, self.build, self.places = source / name, build / name, HOUSES[name]
        self.below = {}  # room -> rooms that it may use
        self.arrows = defaultdict(set)  # (user, used) -> names
        self.errors = []
        self.read_rooms()
        self.files = [f for room in self.below for f in (self.folder / room).glob("*.[ch]")]
        self.read_includes()
        self.read_symbols()

    def read_rooms(self):
        text = (self.folder / "CMakeLists.txt").read_text()
        for folder in " ".join(one or several for one, several in ADDED.findall(text)).split():
            found = ROOM.search((self.folder / folder / "CMakeLists.txt").read_text())
            if not found:
                continue
            name, used = found.group(1), (found.group(2) or "").split()
            unknown = [room for room in used if room not in self.below]
            if name != folder or unknown:
                self.errors.append(f"{folder}: room {name} uses {', '.join(unknown) or 'another name'}")
            self.below[folder] = {folder}.union(*(self.below.get(room, ()) for room in used))

    def read_includes(self):
        headers = {f.name: f for f in self.files if f.suffix == ".h"}
        by_room = {name_of(f): f for f in self.files if f.suffix == ".h"}
        for file in self.files:
            beside = {f.name: f for f in self.files if f.suffix == ".h" and f.parent == file.parent}
            for name in INCLUDE.findall(file.read_text()):
                found = by_room.get(name) or beside.get(name) or headers.get(name)
                if found:
                    self.add(name_of(file), name_of(found), name)

    def find_objects(self, place, sources):
        """The object files of the sources below a place, and whose they are."""
        found = {}
        for room in self.below:
            for path in self.build.glob(place.format(room=room) + "/**/*.c.o"):
                if f"{room}/{path.name[:-2]}" in sources:
                    found[str(path)] = f"{room}/{path.name[:-2]}"
        return found

    def read_symbols(self):
        sources = {name_of(f) for f in self.files if f.suffix == ".c"}
        objects = next(filter(None, (self.find_objects(place, sources) for place in self.places)), {})
        # The one with main() is in no room's library.
        if len(objects) < len(sources) - 1:
            self.errors.append(f"{self.build}: {len(sources)} sources, {len(objects)} object files; build first")
        if not objects:
            return
        nm = subprocess.run(["nm", "-A", "-P", "-g", *objects], check=True, capture_output=True, text=True)
        defined, needed = {}, []
        for line in nm.stdout.splitlines():
            path, rest = line.split(": ", 1)
            symbol, kind = rest.split()[:2]
            if kind in "Uvw":
                needed.append((objects[path], symbol))
            else:
                defined[symbol] = objects[path]
        for user, symbol in needed:
            if symbol in defined:
                self.add(user, defined[symbol], symbol)

    def add(self, user, used, what):
        if user != used:
            self.arrows[user, used].add(what)

    def judge(self):
        for (user, used), what in sorted(self.arrows.items()):
            if room_of(used) not in self.below[room_of(user)]:
                self.errors.append(f"{user} uses {used}, whose room it may not use: {', '.join(sorted(what))}")
        for circle in self.circles():
            if len(circle) > CIRCLE_MAX:
                self.errors.append(f"{len(circle)} files use each other in a circle: {', '.join(circle)}")
        for room in self.below:
            n = len([f for f in self.files if f.suffix == ".c" and f.parent.name == room])
            if n > ROOM_MAX:
                self.errors.append(f"{room}: {n} sources, more than {ROOM_MAX}")
        return self.errors

    def circles(self):
        """Files that use each other, the largest circle first (Tarjan)."""
        uses = defaultdict(list)
        for user, used in sorted(self.arrows):
            uses[user].append(used)
        index, low, stack, found = {}, {}, [], []

        def visit(v):
            index[v] = low[v] = len(index)
            stack.append(v)
            for w in uses[v]:
                if w not in index:
                    visit(w)
                    low[v] = min(low[v], low[w])
                elif w in stack:
                    low[v] = min(low[v], index[w])
            if low[v] == index[v]:
                at = stack.index(v)
                if len(stack) - at > 1:
                    found.append(sorted(stack[at:]))
                del stack[at:]

        for v in list(uses):
            if v not in index:
                visit(v)
        return sorted(found, key=len, reverse=True)


def main():
    sys.setrecursionlimit(10000)
    source, build = map(pathlib.Path, sys.argv[1:3])
    there = [name for name in HOUSES if (source / name).exists()]
    failed = not there
    for name in there:
        house = House(source, build, name)
        if "--list" in sys.argv:
            for (user, used), what in sorted(house.arrows.items()):
                print(f"{user} -> {used}: {', '.join(sorted(what))}")
        errors = house.judge()
        for error in errors:
            print(f"{name}: {error}", file=sys.stderr)
        circles = house.circles()
        print(f"{name}: {len(house.below)} rooms, {len(house.arrows)} arrows between files, {len(circles)} circles, "
              f"the largest of {len(circles[0]) if circles else 0}")
        failed = failed or bool(errors)
    sys.exit(failed)


if __name__ == "__main__":
    main()
