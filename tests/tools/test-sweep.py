#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""doca-perftest over all sizes, in its three forms of output, and the charts of them.

    test-sweep.py BINARIES
"""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

LIMIT = 300
SIZES = [2 << i for i in range(23)]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
STORED_ROWS = "ucx|memcpy)|libfabric|SEQPACKET"


def run(*words, status=0, **more):
    done = subprocess.run([os.path.join(sys.argv[1], "doca-perftest"), *words], text=True, check=False,
                          capture_output=True, timeout=LIMIT, **more)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def sweep(command, *words):
    return json.loads(run(command, "--all", "--json", "-n", "20", "-w", "1", *words).stdout)


def test_forms():
    rows = list(csv.DictReader(io.StringIO(run("dma_bw", "-a", "--csv", "-n", "20").stdout)))
    assert [int(row["bytes"]) for row in rows] == SIZES
    assert all(row["command"] == "dma_bw" and float(row["bw_average_gib_s"]) >= 0 for row in rows)
    one = list(csv.DictReader(io.StringIO(run("dma_bw", "-s", "4K", "--csv", "-n", "20").stdout)))
    assert [row["bytes"] for row in one] == ["4096"] and one[0].keys() == rows[0].keys()
    lines = run("dma_lat", "--all", "-n", "20").stdout.splitlines()
    titles = [line for line in lines if "#bytes" in line]
    assert len(titles) == 1
    figures = lines[lines.index(titles[0]) + 1:-1]
    assert [int(line.split()[0]) for line in figures] == SIZES
    assert {len(line) for line in figures} == {len(titles[0])}, "columns are not straight"


def test_json():
    for command, figure in (("dma_bw", "bw_average_gib_s"), ("send_lat", "one_way_ns")):
        whole = sweep(command)
        assert whole["command"] == command
        assert [r["results"]["bytes"] for r in whole["runs"]] == SIZES
        for r in whole["runs"]:
            assert r["parameters"]["size"] == r["results"]["bytes"] and r["parameters"]["iters"] == 20
            assert r["results"]["verified"] and r["results"][figure] > 0
    # Sizes that a command does not take end it, well.
    sizes = [r["results"]["bytes"] for r in sweep("cc_rate")["runs"]]
    assert sizes == SIZES[:len(sizes)] and 4 <= len(sizes) < len(SIZES)


def chart(folder, *files, status=0):
    done = run("plot", *files, status=status, cwd=folder)
    return xml.fromstring(done.stdout) if status == 0 else done.stderr


def texts(svg):
    return [" ".join("".join(t.itertext()).split()) for t in svg.iter("{http://www.w3.org/2000/svg}text")]


def write(folder, name, content):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(content if isinstance(content, str) else json.dumps(content))


def row(name, ratio, **more):
    return {"name": name, "ratio": ratio, "met": True, **more}


def test_charts(folder):
    write(folder, "a.json", sweep("dma_bw"))
    # Names and what is in files are text, whatever gnuplot makes of such words.
    odd = "it's `touch here`.json"
    write(folder, odd, sweep("dma_bw"))
    assert "a.json" in texts(chart(folder, "a.json"))
    assert {"a.json", odd, "dma_bw"} <= set(texts(chart(folder, "a.json", odd)))
    write(folder, "c.json", {"ratios": [row("first", 1.5), row("\"`touch here`\\", 0.5), row("gone", None)]})
    write(folder, "d.json", {"ratios": [row("first", 2)]})
    drawn = texts(chart(folder, "c.json", "d.json"))
    assert {"first", "`touch here`", "c.json", "d.json"} <= set(drawn), drawn
    assert not os.path.exists(os.path.join(folder, "here"))
    with open(os.path.join(folder, "d.json"), encoding="utf-8") as f:
        assert "first" in texts(xml.fromstring(run("plot", "-", stdin=f).stdout))


def test_labels(folder):
    rows = [row("wait_gt", 2, unit="ns", against="bare_word"), row("rate", 2, unit="M/s", against="a pipe")]
    write(folder, "e.json", {"ratios": rows})
    assert {"wait_gt (bare_word)", "rate (a pipe)"} <= set(texts(chart(folder, "e.json")))
    some = texts(chart(folder, "--rows", "nothing|PIPE", "e.json"))
    assert "rate (a pipe)" in some and "wait_gt (bare_word)" not in some, some
    assert "nobody" in chart(folder, "--rows", "nobody", "e.json", status=1)
    # A time that is twice as long is half as fast: nothing is drawn to the right of 2.
    axis = [t for t in texts(chart(folder, "--rows", "wait", "e.json")) if re.fullmatch(r"[0-9.]+", t)]
    assert axis and max(map(float, axis)) <= 1, axis


def test_stored(folder):
    """The chart of README.md is one of the run beside it."""
    stored = os.path.join(SOURCE, "client", "perftest")
    shown = [t for t in texts(xml.parse(os.path.join(stored, "compare.svg")).getroot()) if "(" in t]
    shutil.copy(os.path.join(stored, "compare.json"), folder)
    drawn = [t for t in texts(chart(folder, "--rows", STORED_ROWS, "compare.json")) if "(" in t]
    assert shown and shown == drawn, (shown, drawn)


def test_wrong(folder):
    write(folder, "none.json", "{}")
    write(folder, "half.json", "{\"runs\": [")
    write(folder, "blank.json", "")
    write(folder, "text.json", "runs")
    write(folder, "empty.json", {"runs": []})
    write(folder, "odd.json", {"runs": [1, {"results": 2}]})
    for files in (["missing.json"], ["none.json"], ["half.json"], ["blank.json"], ["text.json"],
                  ["empty.json"], ["odd.json"], ["a.json", "c.json"]):
        said = chart(folder, *files, status=1)
        assert files[0] in said and said.count("\n") == 1 and "json_" not in said, said
    for words in (["plot"], ["plot", "a", "b", "c", "d", "e"], ["dma_bw", "--all", "--size", "4"],
                  ["dma_bw", "--csv", "--json"], ["compare", "--csv"], ["buf", "--all"]):
        run(*words, status=2)
    said = run("plot", os.path.join(folder, "a.json"), status=1, env=dict(os.environ, PATH="/nowhere"))
    assert "gnuplot" in said.stderr


def main():
    test_forms()
    test_json()
    with tempfile.TemporaryDirectory(prefix="docad-test.") as folder:
        if not shutil.which("gnuplot"):
            print("SKIPPED: charts: no gnuplot")
            sys.exit(77)
        test_charts(folder)
        test_labels(folder)
        test_stored(folder)
        test_wrong(folder)


main()
