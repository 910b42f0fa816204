#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The card that docad-run gives to a program: with --card, --reorder, and the release of --generation.

    test-card-releases.py BINARIES
"""

import os
import subprocess
import sys

BINARIES, = sys.argv[1:]


def card_of(*options, environment=None):
    done = subprocess.run([os.path.join(BINARIES, "docad-run"), "--quiet", *options, "/bin/sh", "-c",
                           "echo \"$DOCAD_CARD\""], capture_output=True, text=True, check=False,
                          env=dict(os.environ, **(environment or {})))
    assert done.returncode == 0, done
    return done.stdout.strip()


assert card_of() == ""
assert card_of("--card", "bluefield-3") == "bluefield-3"
assert card_of("--card", "bluefield-3", "--reorder", "7") == "bluefield-3,reorder=7"
assert card_of("--reorder", "7", "--card", "bluefield-3/3.1") == "bluefield-3/3.1,reorder=7"
assert card_of("--reorder", "7") == "software,reorder=7"
assert card_of("--reorder", "7", environment={"DOCAD_CARD": "bluefield-2"}) == "bluefield-2,reorder=7"
# A card of the environment, with --reorder and without, is that of the same release.
for generation, card in (("2.2", "bluefield-2/2.2"), ("3.2", "bluefield-2/3.2")):
    named = {"DOCAD_CARD": "bluefield-2"}
    assert card_of("--generation", generation, environment=named) == card, generation
    assert card_of("--generation", generation, "--reorder", "7", environment=named) == card + ",reorder=7"
assert card_of(environment={"DOCAD_CARD": "bluefield-2/2.9"}) == "bluefield-2/2.9"
assert card_of(environment={"DOCAD_CARD": "no-such-card"}) == "no-such-card"  # the library says so
for generation, card in (("2.2", "bluefield-2/2.2"), ("3.1", "bluefield-2/2.9"), ("3", "bluefield-2"),
                         ("3.2", "bluefield-2/3.2")):
    assert card_of("--generation", generation, "--card", "bluefield-2") == card, generation
# What a later release brought is there from that release on, with the names that the program can have.
for generation, two, three in (("2.2", "2.2", "2.2"), ("2.5", "2.5", "2.2"), ("2.6", "2.5", "2.2"),
                               ("2.7", "2.5", "2.7"), ("2.8", "2.5", "2.7"), ("2.9", "2.9", "2.9")):
    assert card_of("--generation", generation, "--card", "bluefield-2") == "bluefield-2/" + two, generation
    assert card_of("--generation", generation, "--card", "bluefield-3") == "bluefield-3/" + three, generation
assert card_of("--generation", "2.2", "--card", "bluefield-2/3.2") == "bluefield-2/3.2"
assert card_of("--generation", "2.2", "--card", "connectx-7") == "connectx-7"

# With the seed the text of the environment is too long.
LONG = "/" + "x" * 1015
done = subprocess.run([os.path.join(BINARIES, "docad-run"), "--reorder", "7", "/bin/true"], check=False,
                      capture_output=True, text=True, env=dict(os.environ, DOCAD_CARD=LONG))
assert done.returncode == 2 and f"DOCAD_CARD {LONG}: longer than" in done.stderr, done
