#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Manual pages are free of warnings and say what the programs' tables say; completions
are what shells accept, and complete.

    test-manual.py BINARIES PAGE...
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

DOCACTL = os.path.join(sys.argv[1], "docactl")


def run(*command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)
    assert done.returncode == 0, (command, done.stderr)
    return done


def check_page(path):
    """Whatever there is to read manual pages with has no complaint. Returns the text."""
    text = open(path, encoding="utf-8").read()
    if shutil.which("mandoc"):
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path],
                              capture_output=True, text=True, check=False)
        assert not done.stdout, done.stdout
    if shutil.which("groff"):
        done = run("groff", "-man", "-Tutf8", "-ww", "-rLL=78n", path)
        assert not done.stderr, done.stderr
        text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)
    assert len(text) > 200, path
    return text.replace("\u2010", "-").replace("\u2212", "-")


def check_docactl(text):
    table = json.loads(run(DOCACTL, "help", "--json").stdout)
    for command in table:
        assert command["name"] in text, command["name"]
        for field in command["fields"]:
            assert f"{field['key']} ({field['type']}" in text, (command["name"], field)
        for option in command["options"]:
            assert "--" + option["name"] in text, option


def complete(script, *words):
    """What bash offers for the last word."""
    code = f"source {script}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _docactl; " \
        "printf '%s\\n' \"${COMPREPLY[@]}\""
    return run("bash", "-c", code, "bash", "docactl", *words).stdout.split()


def check_bash(folder):
    script = os.path.join(folder, "docactl.bash")
    with open(script, "w", encoding="utf-8") as f:
        f.write(run(DOCACTL, "help", "--as", "bash").stdout)
    if shutil.which("shellcheck"):
        run("shellcheck", "-s", "bash", script)
    names = [c["name"] for c in json.loads(run(DOCACTL, "help", "--json").stdout)]
    assert sorted(complete(script, "")) == sorted({n.split()[0] for n in names})
    assert complete(script, "ses") == ["sessions"]
    assert complete(script, "sessions", "--al") == ["--all"]
    assert sorted(complete(script, "exports", "")) == sorted(
        n.split()[1] for n in names if n.startswith("exports "))
    assert complete(script, "--socket", "/x", "log-level", "de") == ["debug"]
    assert complete(script, "help", "mon") == ["monitor"]
    assert complete(script, "exports", "put", "--na") == ["--name"]


def check_zsh(folder):
    script = os.path.join(folder, "_docactl")
    with open(script, "w", encoding="utf-8") as f:
        f.write(run(DOCACTL, "help", "--as", "zsh").stdout)
    assert open(script, encoding="utf-8").readline() == "#compdef docactl\n"
    if shutil.which("zsh"):
        run("zsh", "-n", script)


with tempfile.TemporaryDirectory() as FOLDER:
    check_bash(FOLDER)
    check_zsh(FOLDER)
for PAGE in sys.argv[2:]:
    TEXT = check_page(PAGE)
    if os.path.basename(PAGE) == "docactl.1":
        check_docactl(TEXT)
assert subprocess.run([DOCACTL, "help", "--as", "x"], capture_output=True,
                      check=False).returncode == 2
