#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docactl why: every function of the tables is there, with every error that they name.

    test-why.py BINARIES TABLES
"""

import csv
import json
import os
import re
import subprocess
import sys

DOCACTL = os.path.join(sys.argv[1], "docactl")


def docactl(*words, status=0):
    done = subprocess.run([DOCACTL, *words], capture_output=True, text=True, check=False,
                          env=dict(os.environ, DOCAD_SOCKET="/nonexistent"))
    assert done.returncode == status, (words, done.stderr)
    return done


def why(*words):
    return json.loads(docactl("-j", "why", *words).stdout)


def table(name):
    with open(os.path.join(sys.argv[2], name), encoding="utf-8") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


EVERYTHING = why("*")
SAID = {(row["function"], row["generation"], row["error"]) for row in EVERYTHING}
KNOWN = {(function, generation) for function, generation, _ in SAID}
assert all(row["why"] or not row["error"] for row in EVERYTHING)
for generation, name, least in (("2.2", "doca-2.2-functions.tsv", 300),
                                ("3", "doca-3-functions.tsv", 800)):
    checked = 0
    for row in table(name):
        function = row["function"] or ""
        if not re.fullmatch(r"doca_\w+", function):
            continue
        assert (function, generation) in KNOWN, (function, generation)
        for error in re.findall(r"DOCA_ERROR_\w+", row.get("errors") or ""):
            assert (function, generation, error) in SAID, (function, generation, error)
        checked += 1
    assert checked >= least, (name, checked)

# What is said of each is a whole: comments put several errors, and remarks on them, into a sentence.
for row in EVERYTHING:
    said = row["why"]
    assert said.count("(") == said.count(")"), row
    assert not re.search(r"^[^\w`(]|^of the table|(^|[.;] )The table also names$|[(,;:]$|returns$", said), row
    assert said != "(our choice)", row
assert "not returned" in why("doca_dma_create", "initialization", "-f", "generation=2.2")[0]["why"]
for row in why("doca_comch_consumer_get_dpa_handle", "bad_state"):
    assert "not returned" in row["why"], row

# Who mistypes a function, or writes the error alone, learns what to write.
for words, says in ((["doca_mmap_strat", "2"], "did you mean doca_mmap_start?"),
                    (["mmap_start"], "did you mean doca_mmap_start?"),
                    (["doca_nothing_like_this"], "a pattern finds several"),
                    (["DOCA_ERROR_IN_USE"], "docactl why '*' DOCA_ERROR_IN_USE")):
    assert says in docactl("why", *words, status=1).stderr, words

# An error by its name in any form, or its number.
ROWS = why("doca_mmap_start", "DOCA_ERROR_NOT_PERMITTED")
assert ROWS and all(row["error"] == "DOCA_ERROR_NOT_PERMITTED" for row in ROWS)
for form in ("not_permitted", "NOT_PERMITTED", "doca_error_not_permitted", "2"):
    assert why("doca_mmap_start", form) == ROWS, form
assert {row["generation"] for row in ROWS} == {"1.3", "1.5", "2.2", "3"}
assert len(why("doca_mmap_start", "-f", "generation=3")) < len(why("doca_mmap_start"))
assert "started already" in docactl("why", "doca_mmap_start", "2").stdout
for words, status in ((["doca_mmap_strat"], 1), (["doca_mmap_start", "io_failed"], 1),
                      (["doca_mmap_start", "nonsense"], 2), (["doca_mmap_start", "31"], 2),
                      ([], 2)):
    assert docactl("why", *words, status=status).stdout == ""
