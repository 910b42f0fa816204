#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Manual pages are free of warnings and say what the programs' tables say. The defaults of limits
stand in one place.

    test-manual.py BINARIES PAGE...
"""

import json
import os
import re
import shutil
import subprocess
import sys

DOCACTL = os.path.join(sys.argv[1], "docactl")


def run(*command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)
    assert done.returncode == 0, (command, done.stderr)
    return done


def check_width(path):
    """A page fits a terminal."""
    if not shutil.which("mandoc"):
        return
    text = run("mandoc", "-T", "utf8", "-O", "width=78", path).stdout
    for line in re.sub(".\x08", "", text).splitlines():
        assert len(line) <= 80, (path, line)


def check_page(path):
    """Whatever there is to read manual pages with has no complaint. Returns the text."""
    text = open(path, encoding="utf-8").read()
    assert re.search(r'^\.TH \S+ \d "\d{4}-\d\d-\d\d" ', text, re.MULTILINE), path
    if shutil.which("mandoc"):
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path],
                              capture_output=True, text=True, check=False)
        assert not done.stdout, done.stdout
    if shutil.which("groff"):
        done = run("groff", "-t", "-man", "-Tutf8", "-ww", "-rLL=78n", path)
        assert not done.stderr, done.stderr
        text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)
    assert len(text) > 200, path
    check_width(path)
    return text.replace("\u2010", "-").replace("\u2212", "-")


def check_docactl(text):
    check_docactl_help()
    table = json.loads(run(DOCACTL, "help", "--json").stdout)
    for command in table:
        assert command["name"] in text, command["name"]
        for field in command["fields"]:
            assert f"{field['key']} ({field['type']}" in text, (command["name"], field)
        for option in command["options"]:
            assert "--" + option["name"] in text, option
    # What all lists take is explained once.
    flat = " ".join(text.split())
    for words in ("columns to show, by title", "rows to show, as in", "print no titles above"):
        assert flat.count(words) == 1, (words, flat.count(words))


def check_docactl_help():
    """Help fits a terminal of 80 columns."""
    names = [command["name"].split() for command in json.loads(run(DOCACTL, "help", "--json").stdout)]
    for topic in [[]] + names:
        for line in run(DOCACTL, "help", *topic).stdout.splitlines():
            assert len(line) <= 80 and line == line.rstrip(), (topic, line)


def check_perftest_help():
    """Help fits a terminal, and an item of a list says something on its first line."""
    perftest = os.path.join(sys.argv[1], "doca-perftest")
    overview = run(perftest, "--help").stdout
    commands = re.findall(r"^  ([a-z_]+)  ", overview, re.MULTILINE)
    assert len(commands) > 15, commands
    for command in [None] + commands:
        text = run(perftest, *filter(None, [command]), "--help").stdout
        for line in text.splitlines():
            assert len(line) <= 72 and line == line.rstrip(), (command, line)
        assert command is None or f"\n{command}: " in text, text


def check_perftest(text):
    """Every figure that a command may print is documented, in the table and in the JSON."""
    check_perftest_help()
    for words in ("print one JSON object", "show the version and end", "Every run ends with a check"):
        assert text.count(words) <= 2, (words, text.count(words))  # one is in the program's own help
    keys, titles = set(), set()
    folder = os.path.join(SOURCE, "client", "perftest")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            for key, title in re.findall(r'result_add\(\s*[\w>-]+,\s*"(\w+)",\s*("[^"]*"|NULL)', f.read()):
                if not key.startswith(("samples", "p50_ns", "p99_ns", "max_ns", "ours", "theirs", "over")):
                    keys.add(key)  # the others are of compare and attack
                    titles.add(title.strip('"'))
    assert len(keys) > 30, keys
    flat = " ".join(re.sub(r"-\n *", "", text).split())  # as if no word were broken
    for key in keys:
        assert re.search(rf"\b{key}\b", flat), key
    for title in titles - {"NULL"}:
        for word in title.replace("[", " [").split():
            assert word in flat, title


def strings_of_sources():
    """All strings of the programs, put together as the compiler does it."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\])\'|"((?:[^"\\\n]|\\.)*)"|(\S)', re.DOTALL)
    strings, current = [], None
    for room in ("client", "common", "daemon"):
        for folder, _, names in os.walk(os.path.join(SOURCE, room)):
            for name in names:
                if not name.endswith((".c", ".h")):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    for found in token.finditer(f.read()):
                        if found[1] is not None:
                            current = (current or "") + found[1]
                        elif found[2] and current is not None:
                            strings.append(current)
                            current = None
    return "\n".join(strings)


def check_messages(page):
    """Messages that a page explains are some that there are."""
    strings, n = strings_of_sources(), 0
    sections = re.findall(r"^\.SH MESSAGES.*?(?=^\.SH)", page, re.MULTILINE | re.DOTALL)
    for message in re.findall(r"^\.TP\n(.*)$", "".join(sections), re.MULTILINE):
        for words in re.findall(r"\\fB(.*?)\\f[RI]", message):
            assert words.replace("\\-", "-").strip() in strings, message
            n += 1
    assert n > 20, n


def limits():
    """The limits and their defaults, as the table has them where docad takes them."""
    docad = os.path.join(sys.argv[1], "docad")
    text = run(docad, "--config", "/dev/null", "--print-config").stdout
    section = re.search(r"^limits \{$(.*?)^\}$", text, re.MULTILINE | re.DOTALL).group(1)
    found = re.findall(r"^ *# (\w+) = (.+)$", section, re.MULTILINE)
    assert len(found) > 20, found
    return dict(found)


def check_limits(page, text):
    """docad.conf(5) has them all, with their defaults; nothing else repeats a number."""
    for name, default in limits().items():
        if os.path.basename(page) == "docad.conf.5":
            line = rf"# {name} = {re.escape(default)}".replace("\\ ", r"\s+")
            assert re.search(line, text), (page, name, default)
            continue
        for line in text.splitlines() if "_" in name else ():  # others are words
            assert not (re.search(rf"\b{name}\b", line) and re.search(r"\d{2,}", line)), (page, line)


def check_links(text, pages):
    """Pages of docad that this one refers to are there."""
    known = {page.replace("-", "") for page in pages}  # names may be broken between two lines
    for name in re.findall(r"\b((?:lib)?doca[a-z.-]*\(\d\))", re.sub(r"-\n *", "-", text)):
        assert re.sub(r"\((\d)\)", r".\1", name.replace("-", "")) in known, name


SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Pages that need what was not there when docad was built are linked nevertheless.
PAGES = {os.path.basename(page) for page in sys.argv[2:]} | {
    "docad-run.1", "docad-exporter.8", "doca-perftest.1"}
for PAGE in sys.argv[2:]:
    TEXT = check_page(PAGE)
    check_limits(PAGE, TEXT)
    check_links(TEXT, PAGES)
    if os.path.basename(PAGE) == "docactl.1":
        check_docactl(TEXT)
    if os.path.basename(PAGE) == "docad-troubleshooting.7":
        with open(PAGE, encoding="utf-8") as SOURCE_OF_PAGE:
            check_messages(SOURCE_OF_PAGE.read())
    if os.path.basename(PAGE) == "doca-perftest.1":
        check_perftest(TEXT)
for NAME in ("README.md", "SECURITY.md", "CONTRIBUTING.md"):
    with open(os.path.join(SOURCE, NAME), encoding="utf-8") as PAGE:
        check_limits(NAME, PAGE.read())
assert subprocess.run([DOCACTL, "help", "--as", "x"], capture_output=True,
                      check=False).returncode == 2
