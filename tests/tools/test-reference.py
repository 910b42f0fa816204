#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The reference has every function of the library, with its prototype and a text, and every
link in it leads somewhere.

    test-reference.py BINARIES MAKE-REFERENCE INCLUDE-DIRECTORY SYMBOL-MAP
"""

import os
import re
import subprocess
import sys
import tempfile

make, include, symbol_map = sys.argv[2:]
with tempfile.TemporaryDirectory() as made:
    subprocess.run([sys.executable, make, include, "0", made], check=True)
    pages = {}
    for name in os.listdir(made):
        with open(os.path.join(made, name), encoding="utf-8") as page:
            pages[name] = page.read()
wrong = []
entries = {}  # (page, name) -> HTML
for page, text in pages.items():
    for part in re.split(r'(?=<h2 id=")', text)[1:]:
        entries[page, re.match(r'<h2 id="(\w+)"', part).group(1)] = part
    if page == "index.html":
        continue
    # It says something of each: a prototype alone is in the header as well.
    for (of, name), part in entries.items():
        if of == page and "<p" not in part.replace('<p class="from">', "") and "<dl>" not in part:
            wrong.append(f"{page}: nothing is said of {name}")
with open(symbol_map, encoding="utf-8") as file:
    symbols = re.findall(r"^\s+(doca\w+);", file.read(), re.M)
assert len(symbols) > 200, len(symbols)
# What only executables call, and forms of a function that the headers of DOCA 3 choose by release.
UNNAMED = {"doca_1_3_argp_init", "doca_1_3_argp_register_flag", "doca_1_3_argp_start",
           "doca_2_5_version_runtime", "doca_2_6_version_runtime"}
for symbol in (symbol for symbol in symbols if symbol not in UNNAMED):
    # Those of DOCA 1.3, 1.5, 2.5 and 3 may have the names of 2.2 in programs.
    other = re.match(r"doca_(1_3|1_5|2_5|3)_", symbol)
    name = re.sub(r"^(docad?)_(1_3|1_5|2_5|3)_", r"\1_", symbol)
    found = [part for (page, of), part in entries.items()
             if of == name and (not other or page.startswith(f"doca-{other[1].replace('_', '.')}-"))]
    if not found:
        wrong.append(f"{symbol} is missing")
    elif not any(re.search(rf"<pre>[^<]*\b{name}\(", part) for part in found):
        wrong.append(f"{symbol} has no prototype")
for page, item in re.findall(r'href="([^"#]+)#?(\w*)"', pages["index.html"]):
    if page not in pages or (item and (page, item) not in entries):
        wrong.append(f"index: {page}#{item} leads nowhere")
print(f"{len(symbols)} symbols, {len(entries)} entries")
print("\n".join(wrong))
sys.exit(bool(wrong))
