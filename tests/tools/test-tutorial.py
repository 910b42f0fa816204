#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Does what docad-tutorial(7) says, with the programs and the commands that the page has.

    test-tutorial.py BINARIES PAGE PACKAGE-FILES

Comments of the page mark what follows as commands (`try`; `fails`: the last one fails) and as
what they print (`expect`).
"""

import os
import re
import signal
import subprocess
import sys
import tempfile

BINARIES, PAGE, PACKAGES = (os.path.realpath(path) for path in sys.argv[1:4])
LIMIT = 100
MARKS = ("try", "fails", "expect")


def plain(lines):
    """What roff makes of these lines."""
    out = ["" if line == ".sp" else line for line in lines]
    return re.sub(r"\\(.)", lambda m: {"-": "-", "e": "\\", "&": ""}[m[1]], "\n".join(out)) + "\n"


def blocks():
    """Each block of literal text, with its mark, or `source`."""
    mark, lines = None, None
    with open(PAGE, encoding="utf-8") as page:
        for line in page.read().splitlines():
            if line == ".nf":
                lines = []
            elif line == ".fi":
                yield mark or "source", plain(lines)
                mark, lines = None, None
            elif lines is not None:
                lines.append(line)
            elif line.startswith('.\\" ') and line[4:] in MARKS:
                mark = line[4:]


# Whoever types does not have to wait for these.
def wait_after(commands):
    if "--peer" in commands:
        return "until docactl --socket dpu.sock peers 2>/dev/null | grep -q linked; do sleep 0.05; done\n"
    if "exporter" in commands and commands.rstrip().endswith("&"):
        return "until test -s descriptor; do sleep 0.05; done\n"
    return ""


def script():
    """The page's commands, its programs, and what is expected."""
    text, sources, expected = "set -e\n", [], []
    for mark, block in blocks():
        if mark == "source":
            sources.append(block)
        elif mark == "expect":
            expected.append(block)
        elif mark == "fails":
            text += "if\n" + block + "then exit 1; fi\n"
        else:
            text += block + wait_after(block)
    assert len(sources) == 2 and len(expected) == 6 and text.count("docactl") > 3, (sources, text)
    return text, sources, expected


def run(text, folder):
    env = dict(os.environ, PATH=BINARIES + os.pathsep + os.environ["PATH"], PKG_CONFIG_PATH=PACKAGES)
    with subprocess.Popen(["bash", "-c", text], cwd=folder, env=env, text=True, start_new_session=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as shell:
        try:
            said = shell.communicate(timeout=LIMIT)[0]
        finally:
            try:
                os.killpg(shell.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    assert shell.returncode == 0, (shell.returncode, said)
    return said


def main():
    text, sources, expected = script()
    with tempfile.TemporaryDirectory(prefix="docad-test.") as folder:
        os.mkdir(os.path.join(folder, "tutorial"))
        for name, source in zip(("exporter.c", "importer.c"), sources):
            with open(os.path.join(folder, "tutorial", name), "w", encoding="utf-8") as f:
                f.write(source)
        said = run(text.replace("mkdir tutorial && ", ""), folder)
    for words in expected:
        assert words.rstrip() in said, (words, said)  # the page may show the beginning of a line


main()
