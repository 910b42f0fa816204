#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""What docad looks like in a terminal, for the README: a real run of two daemons, a program of the
host and one of the DPU.

    readme-picture.py BINARIES README [--write]

Without --write it fails if the README shows another run than one of now would be, but for numbers
and the widths of columns.
"""

import os
import re
import subprocess
import sys
import tempfile

from nodes import LIMIT, Node, wait_until

BEGIN = "<!-- picture: written by tests/tools/readme-picture.py --write -->\n"
END = "<!-- picture: end -->\n"
SIZE = 64 << 20


class Picture:
    """Collects commands as they were typed, and what they printed."""

    def __init__(self, host, dpu, folder):
        self.nodes = {"host": host, "dpu": dpu}
        self.folder = folder
        self.lines = []

    def environment(self, side):
        return dict(os.environ, DOCAD_SOCKET=self.nodes[side].socket)

    def typed(self, side, command, mark=""):
        self.lines.append(f"{side}$ {command}{mark}")

    def run(self, side, command):
        program, *words = command.split()
        self.typed(side, command)
        done = subprocess.run([self.nodes[side].program(program), *words], cwd=self.folder, text=True,
                              env=self.environment(side), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        self.lines += done.stdout.rstrip("\n").split("\n") if done.stdout else []

    def start(self, side, command):
        program, *words = command.split()
        self.typed(side, command, " &")
        return subprocess.Popen([self.nodes[side].program(program), *words], cwd=self.folder,
                                env=self.environment(side), stdout=subprocess.DEVNULL)


def draw(binaries):
    with tempfile.TemporaryDirectory(prefix="docad-picture.") as folder:
        with open(os.path.join(folder, "film"), "wb") as film:
            film.write(os.urandom(SIZE))
        with Node(binaries, "--role", "host") as host:
            with Node(binaries, "--role", "dpu", "--peer", host.socket) as dpu:
                dpu.docactl("ping", "--wait", str(LIMIT), "--linked")
                return show(Picture(host, dpu, folder))


def show(picture):
    host = picture.nodes["host"]
    exporter = picture.start("host", "file_export -p 0b:00.0 -n film film")
    try:
        wait_until(lambda: len(host.json("exports")) == 2, "the exports")
        picture.run("dpu", "file_fetch -p 03:00.0 -n film -o copy")
        picture.run("host", "docactl exports")
        picture.run("host", "docactl exports revoke --name film")
        picture.run("dpu", "docactl exports names")
    finally:
        exporter.terminate()
        exporter.wait(LIMIT)
    return "".join(f"    {line.rstrip()}\n" for line in picture.lines)


def shape(text):
    """What stays the same from run to run."""
    text = re.sub(r"\b[0-9a-f]{16}\b", "ID", text)
    text = re.sub(r"\d+(\.\d+)?", "N", text)
    return re.sub(r" +", " ", text)


def main():
    binaries, readme = os.path.abspath(sys.argv[1]), sys.argv[2]
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    shown, after = rest.split(END)
    now = draw(binaries)
    if sys.argv[3:] == ["--write"]:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + "\n" + now + "\n" + END + after)
    elif shape(shown.strip()) != shape(now.strip()):
        raise SystemExit(f"{readme} shows\n{shown}\nand a run of now\n{now}\n"
                         "tests/tools/readme-picture.py BINARIES README --write renews it")


if __name__ == "__main__":
    main()
