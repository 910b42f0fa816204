#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-run --pair --trace: one timeline of both programs, by one clock, with arrows from each message and
export of one program to where the other one receives or imports it.

    test-linked.py BINARIES PAIRED

PAIRED is paired.c.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from nodes import LIMIT

BINARIES, PAIRED = (os.path.abspath(path) for path in sys.argv[1:3])
FOLDER = tempfile.TemporaryDirectory(prefix="docad-linked.")
OUT = os.path.join(FOLDER.name, "out")


def program(name):
    return os.path.join(BINARIES, name)


def run(*words, status=0, docad=None):
    done = subprocess.run([program("docad-run"), "--quiet", *words], capture_output=True, text=True,
                          timeout=LIMIT, check=False, cwd=FOLDER.name,
                          env=dict(os.environ, DOCAD_BINARY=docad or program("docad")))
    assert done.returncode == status, (words, done)
    return done


def timeline(*words, **others):
    run(f"--trace={OUT}", "--trace-format", "json", *words, **others)
    with open(OUT, encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def links_of(events):
    """(what, its beginning, its ends) of each arrow between programs."""
    found = collections.defaultdict(lambda: [None, None, []])
    for event in events:
        if event.get("cat") == "link":
            link = found[event["id"]]
            link[0] = event["name"]
            if event["ph"] == "s":
                assert link[1] is None, event
                link[1] = event
            else:
                link[2].append(event)
    return list(found.values())


def check_links(events, crosses=True, **expected):
    """Each arrow has both ends, on two sides, and leads forward in time."""
    links = links_of(events)
    for what, begin, ends in links:
        assert begin and ends, (what, begin, ends)
        assert all(begin["ts"] <= end["ts"] for end in ends), (begin, ends)
        assert all((begin["pid"] != end["pid"]) == crosses for end in ends), (begin, ends)
    assert collections.Counter(link[0] for link in links) == expected, links
    return links


def pair(host, dpu, *options):
    return ("--pair", *options, "--", *host, "--", *dpu)


def check_sides(events):
    sides = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert sorted(sides.values()) == ["dpu", "host"], sides
    assert {event["pid"] for event in events} == set(sides), sides
    tracks = [event["tid"] for event in events if event["name"] == "thread_name"]
    assert len(tracks) == len(set(tracks)), tracks
    flows = collections.Counter((event["ph"], event["id"]) for event in events if event.get("cat") == "task" and
                                event["ph"] in "stf")
    assert set(flows.values()) == {1}, flows


def check_comch():
    """Messages in both directions, buffers from a producer to a consumer, and an import."""
    events = timeline(*pair((PAIRED, "host", "5"), (PAIRED, "dpu", "5"), "--first", "dpu"))
    links = check_links(events, message=15, memory=1)
    check_sides(events)
    host = next(event["pid"] for event in events if event["name"] == "process_name" and
                event["args"]["name"] == "host")
    assert sum(begin["pid"] == host for what, begin, _ in links if what == "message") == 5
    # The end of a context that nothing has stopped is there, too: that of the connection's consumer or not.
    states = [event["name"] for event in events if event.get("cat") == "state"]
    assert states.count("RUNNING") == states.count("IDLE") == 4, states


def check_others():
    """The other libraries and generations."""
    channel = pair((program("comm_channel_client"),), (program("comm_channel_server"),), "--first", "dpu",
                   "--ready", "")
    links = links_of(timeline(*channel))
    assert len(links) == 2 and all(begin and len(ends) == 1 for _, begin, ends in links), links
    files = [os.path.join(FOLDER.name, name) for name in ("one", "two")]
    check_links(timeline(*pair((program("rdma_send_immediate"), *files),
                               (program("rdma_receive_immediate"), *reversed(files)))), message=1)
    check_links(timeline(*pair((program("tutorial_exporter"), "descriptor"),
                               (program("tutorial_importer"), "descriptor"), "--first", "host", "--until", "dpu")),
                memory=1)


def check_one():
    """Both ends in one process."""
    if os.path.exists(program("rdma_coroutines")):
        events = timeline("--dpu-only", program("rdma_coroutines"), "20")
        check_links(events, crosses=False, message=320)


def check_text():
    """Traces as text are two files, by one clock."""
    run(f"--trace={OUT}", *pair((PAIRED, "host", "3"), (PAIRED, "dpu", "3"), "--first", "dpu"))
    times = {}
    for side in ("host", "dpu"):
        with open(f"{OUT}.{side}", encoding="utf-8") as file:
            lines = file.read().splitlines()
        for line in lines:
            match = re.match(r"\d+ \+(\S+) .*(doca_mmap_export_pci|doca_mmap_create_from_export)\(.*(#\w{8})", line)
            if match:
                times[match[2]] = (float(match[1]), match[3])
    export, imported = times["doca_mmap_export_pci"], times["doca_mmap_create_from_export"]
    assert export[0] <= imported[0] and export[1] == imported[1], times


def check_log():
    """What docad of a side logs is in the trace of that side's program."""
    docad = os.path.join(FOLDER.name, "docad")
    with open(docad, "w", encoding="utf-8") as script:
        script.write(f"""#!/bin/sh
case "$*" in *"--role dpu"*) echo 'docad: this is logged' >&2;; esac
exec '{program("docad")}' "$@"
""")
    os.chmod(docad, 0o700)
    events = timeline(*pair((PAIRED, "host", "3"), (PAIRED, "dpu", "3"), "--first", "dpu"), docad=docad)
    said = [event for event in events if event.get("cat") == "log"]
    sides = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert [(event["name"], event["args"]["text"], sides[event["pid"]]) for event in said] == \
        [("docad", "docad: this is logged", "dpu")], said
    run(f"--trace={OUT}", "--dpu-only", program("dma_task"), "words", docad=docad)
    with open(OUT, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert sum(bool(re.fullmatch(r"docad \+\d\S* --- docad: this is logged ---", line)) for line in lines) == 1, lines


def main():
    for check in (check_comch, check_others, check_one, check_text, check_log):
        check()


if __name__ == "__main__":
    main()
