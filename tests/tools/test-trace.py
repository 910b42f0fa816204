#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-run --trace, --summary and --check=rules: what they show of a program, however that ends.

    test-trace.py BINARIES SOURCE-DIRECTORY TRACED

TRACED is traced.c.
"""

import collections
import csv
import importlib.machinery
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

from nodes import LIMIT, Node

BINARIES, SOURCE, TRACED = sys.argv[1:]
LIBRARY = os.path.join(BINARIES, "../lib/docad/libdocad-workbench.so")
FOLDER = tempfile.TemporaryDirectory(prefix="docad-trace.")
OUT = os.path.join(FOLDER.name, "out")
CALL = re.compile(r"(\d+) \+(\d+\.\d+)  *(\w+)\((.*)\)(?: = (\S+))?(?: x ([\d,]+))? <[\d.]+\w+>$")


def traced(node, options, *words, status=0, environment=None):
    """Runs a program by docad-run: what it has written, and the trace in OUT."""
    done = subprocess.run([node.program("docad-run"), *options, "--", node.program(words[0]), *words[1:]],
                          capture_output=True, text=True, timeout=LIMIT, check=False,
                          env=dict(os.environ, DOCAD_SOCKET=node.socket, **(environment or {})))
    assert done.returncode == status, f"{words}: {done.returncode}: {done.stderr}"
    return done


def lines_of(node, *words, **others):
    traced(node, [f"--trace={OUT}"], *words, **others)
    with open(OUT, encoding="utf-8") as trace:
        return trace.read().splitlines()


def calls_of(lines):
    """(function, arguments, result, number of calls) of each line that is a call."""
    found = [CALL.fullmatch(line) for line in lines]
    return [(m[3], m[4], m[5], int((m[6] or "1").replace(",", ""))) for m in found if m]


def count(lines, function, result=None):
    return sum(n for name, _, end, n in calls_of(lines) if name == function and result in (None, end))


# ---- the library


def check_symbols():
    """Every function of the map is wrapped in its version, or left-out.tsv says why it is not."""
    wanted, version = {}, None
    with open(f"{SOURCE}/client/libdoca-client.map", encoding="utf-8") as text:
        for line in text:
            opening, symbol = re.match(r"(\S+) \{", line), re.match(r"\s+(\w+);", line)
            version = opening[1] if opening else version
            if symbol:
                wanted[symbol[1]] = version
    with open(f"{SOURCE}/client/workbench/left-out.tsv", newline="", encoding="utf-8") as table:
        left_out = {row["function"]: row["why"] for row in csv.DictReader(table, delimiter="\t")}
    assert all(left_out.values()) and set(left_out) <= set(wanted), left_out
    listed = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY],
                            capture_output=True, text=True, check=True).stdout
    # One @: a program that asks for no version gets none of these.
    found = dict(re.findall(r" T (doca\w+)@(\w\S+)$", listed, re.MULTILINE))
    assert found == {name: of for name, of in wanted.items() if name not in left_out}, \
        set(found.items()) ^ {(name, of) for name, of in wanted.items() if name not in left_out}
    assert "@@DOCA" not in listed


def check_library():
    """Without the trace nothing is between a program and libdoca-client, which does not know of it."""
    client = os.path.join(BINARIES, "../lib/libdoca-client.so.2")
    with open(client, "rb") as file:
        assert b"workbench" not in file.read()
    used = subprocess.run(["readelf", "-d", client], capture_output=True, text=True, check=True).stdout
    assert "workbench" not in used
    for name in ("dma_task", "docad-run"):
        used = subprocess.run(["readelf", "-d", os.path.join(BINARIES, name)], capture_output=True, text=True,
                              check=True).stdout
        assert "workbench" not in used, name


def check_reals():
    """make-workbench takes a double through a pointer only: a cast to a word would change it."""
    path = f"{SOURCE}/client/workbench/make-workbench"
    loader = importlib.machinery.SourceFileLoader("make_workbench", path)
    made = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_workbench", loader))
    loader.exec_module(made)
    headers = made.Headers.__new__(made.Headers)
    headers.complete, headers.enumerations, headers.callbacks, headers.plain = set(), {}, {}, {}

    def is_wrapped(result, parameters):
        function = made.Function("doca_f", "doca_f", "DOCA_3.0", result, made.parameters_of(parameters))
        try:
            return bool(made.wrapper(headers, function))
        except SystemExit:
            return False
    assert is_wrapped("int", "double *share")
    assert is_wrapped("void", "int number")
    assert not is_wrapped("void", "double share")
    assert not is_wrapped("double", "int number")


# ---- text


def check_text(node):
    lines = lines_of(node, TRACED, "7", "well")
    made = [line for line in lines if "doca_dma_create(" in line]
    assert len(made) == 1 and "(dev=dev1, dma=[dma1]) = DOCA_SUCCESS" in made[0], made
    assert count(lines, "doca_task_submit", "DOCA_SUCCESS") == 7
    assert sum("--- dma_task_memcpy1 of dma1 completed: DOCA_SUCCESS, 64 bytes, " in line
               for line in lines) == 7
    assert any("doca_ctx_start(ctx=dma1)" in line for line in lines)
    assert any("--- dma1: RUNNING" in line for line in lines)
    assert any("--- dma1: RUNNING -> IDLE" in line for line in lines)
    # Polls without a result are one line.
    polls = [n for name, _, result, n in calls_of(lines) if name == "doca_pe_progress" and result == "0"]
    assert max(polls) >= 1000 and len(polls) <= 8, polls
    # A failed call shows the error, and no values that the function has not written.
    assert count(lines, "doca_mmap_set_memrange") == 2
    assert any("doca_mmap_set_memrange(mmap=mmap1, addr=NULL, len=0) = DOCA_ERROR_" in line
               for line in lines)
    assert re.search(r'doca_devinfo_get_iface_name\(devinfo=dev\w*\d, iface_name="\w', "\n".join(lines))
    # A thread's calls stand in the order in which they ended, and all of them end.
    assert calls_of(lines)[-1][0] == "doca_dev_close"
    assert not any("unfinished" in line or "missing" in line for line in lines)


def check_strings(node):
    lines = lines_of(node, "dma_local_copy")
    assert count(lines, "doca_workq_submit", "DOCA_SUCCESS") >= 1
    assert any("--- DOCA_DMA_JOB_MEMCPY of dma1 completed: DOCA_SUCCESS" in line for line in lines), lines
    assert any("job={type=DOCA_DMA_JOB_MEMCPY, ctx=dma1" in line for line in lines), lines
    # States of a generation that has no function for them.
    assert any(line.endswith("--- dma1: RUNNING ---") for line in lines), lines
    assert any(line.endswith("--- dma1: RUNNING -> IDLE ---") for line in lines), lines
    lines = lines_of(node, "dma_task", "--help")
    assert not any("doca_dma_create" in line for line in lines)


def check_messages(node):
    """What the library logs stands before the call that it is about, whatever the program shows."""
    for level in ("off", "debug"):
        lines = lines_of(node, TRACED, "3", "well", environment={"DOCAD_LOG_LEVEL": level})
        at = [i for i, line in enumerate(lines) if "doca_mmap_set_memrange(mmap=mmap1, addr=NULL" in line]
        assert re.fullmatch(r"\d+ \+\S+ +--- error: doca_mmap_set_memrange: .* ---", lines[at[0] - 1]), lines


def check_lists(node):
    """A list of buffers counts as a whole, as it is when its task is submitted."""
    lines = lines_of(node, TRACED, "3", "list")
    done = [line for line in lines if " completed: DOCA_SUCCESS" in line and " 48 bytes, " in line]
    assert len(done) == 1, [line for line in lines if "completed" in line]
    summary = traced(node, ["--summary"], TRACED, "3", "list").stderr
    assert re.search(rf"^ +4 +0 .* {3 * 64 + 48}  dma_task_memcpy$", summary, re.MULTILINE), summary
    assert "alive at the end: nothing\n" in summary, summary


KINDS = (("dma_task", "a few words"), ("dma_tasks", "20"), ("graph",), ("dma_local_copy",),
         ("dma_scatter_gather",), ("dma_event_driven",), ("sha_file", sys.argv[0]), ("spread_file", sys.argv[0], "divided"),
         ("deflate_file", sys.argv[0], "deflated"), ("compress_file", sys.argv[0], "compressed"),
         ("encrypt_file", "key-of-this-needed", sys.argv[0], "encrypted"), ("rdma_coroutines", "20"))


def check_kinds(node):
    """Each task and job, of whatever library and generation, is in the trace up to its completion."""
    with open(os.path.join(FOLDER.name, "key-of-this-needed"), "wb") as key:
        key.write(bytes(range(32)))
    for words in KINDS:
        words = [os.path.join(FOLDER.name, word) if word.endswith("ed") else word for word in words]
        if not os.path.exists(node.program(words[0])):
            continue
        traced(node, [f"--trace={OUT}", "--trace-format", "json"], *words)
        with open(OUT, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        flows = collections.Counter(event["ph"] for event in events if event.get("cat") == "task" and
                                    event["ph"] in "stf")
        assert flows["s"] and flows["s"] == flows["t"] == flows["f"], (words, flows)
        names = {event["name"] for event in events if event["ph"] == "X" and event["cat"] == "task"}
        assert not any("unknown" in name for name in names), (words, names)


def check_refused(node):
    """A string whose bytes cannot be read is shown by its address."""
    lines = lines_of(node, TRACED, "3", "refused")
    assert any(re.search(r"doca_error_get_name\(error=DOCA_ERROR_FULL\) = 0x[0-9a-f]+ ", line)
               for line in lines), lines


# ---- how a program ends


def check_ends(node):
    for how, status in (("abort", -signal.SIGABRT), ("crash", -signal.SIGSEGV), ("_exit", 3),
                        ("kill", -signal.SIGKILL), ("callback", 5),
                        ("inside", -signal.SIGSEGV), ("left", 0)):
        sanitized = {"ASAN_OPTIONS": "handle_segv=0:handle_abort=0:detect_leaks=0",
                     "TSAN_OPTIONS": "handle_segv=0:handle_abort=0"}
        lines = lines_of(node, TRACED, "3", how, status=status, environment=sanitized)
        in_callback = how in ("callback", "inside")
        assert count(lines, "doca_task_submit", "DOCA_SUCCESS") == 3 + in_callback, (how, lines)
        assert count(lines, "doca_mmap_set_memrange") == 2, (how, lines)
        # The call that runs the callback in which the program ends stands there, too.
        open_calls = [line for line in lines if line.endswith("<unfinished ...>")]
        assert len(open_calls) == in_callback, (how, open_calls)
        assert all("doca_pe_progress(pe=pe1)" in line for line in open_calls)


def check_exec(node):
    lines = lines_of(node, TRACED, "3", "exec")
    assert count(lines, "doca_task_submit") == 6
    assert count(lines, "doca_dev_close", "DOCA_SUCCESS") == 1


def check_jump(node):
    """A callback that is left by longjmp() leaves the function that runs it, too."""
    lines = lines_of(node, TRACED, "3", "jump")
    assert re.fullmatch(r"\d+ \+\S+ doca_error_get_name\(.*\) = .*", lines[-1]), lines[-3:]
    assert "unfinished" not in "\n".join(lines), lines[-3:]


def check_apart(node):
    """A process that cannot join leaves the trace of the others alone, and runs."""
    short = os.path.join(FOLDER.name, "short")
    with open(short, "wb") as file:
        file.write(b"rmcd")
    for memory in ("/none/at/all", short, TRACED):
        done = traced(node, [f"--trace={OUT}"], TRACED, "3", "apart", memory)
        with open(OUT, encoding="utf-8") as trace:
            lines = trace.read().splitlines()
        assert count(lines, "doca_task_submit") == 3 and count(lines, "doca_dev_close") == 1, lines
        assert done.stderr.count("is not in the trace: ") == 1, done.stderr


def nested(node, **others):
    """The program in a docad-run that is in a trace itself; what was written on standard error."""
    return subprocess.run([node.program("docad-run"), "--check=rules", "--", TRACED, "3", "well"],
                          capture_output=True, text=True, timeout=LIMIT, check=True,
                          env=dict(os.environ, DOCAD_SOCKET=node.socket, LD_PRELOAD=LIBRARY,
                                   **others)).stderr


def check_nested(node):
    """A docad-run in a trace starts no second one, which would write over the same file."""
    nested(node, DOCAD_TRACE=OUT)
    with open(OUT, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert count(lines, "doca_task_submit") == 3 and count(lines, "doca_dev_close") == 1, lines
    summary = nested(node, DOCAD_TRACE=OUT, DOCAD_TRACE_FORMAT="json", DOCAD_SUMMARY="")
    assert summary.count("alive at the end: ") == 1, summary
    assert re.search(r"^ +3 +0 .*  doca_task_submit$", summary, re.MULTILINE), summary
    with open(OUT, encoding="utf-8") as file:
        assert json.load(file)["traceEvents"]


def check_fork(node):
    lines = lines_of(node, TRACED, "3", "fork")
    assert count(lines, "doca_task_submit") == 6
    assert len({line.split()[0] for line in lines}) == 2


def check_fork_in_callback(node):
    lines = lines_of(node, TRACED, "3", "forks")
    assert count(lines, "doca_task_submit") == 3 and count(lines, "doca_dev_close") == 1
    assert count(lines, "doca_mmap_destroy", "DOCA_SUCCESS") == 4, lines
    assert len({line.split()[0] for line in lines}) == 4
    # What the child does in the callback is within it, too.
    made = [line for line in lines if "doca_mmap_create(" in line]
    assert len(made) == 4 and sum(bool(re.match(r"\d+ \+\S+   doca", line)) for line in made) == 3, made


def check_thread_leaves(node):
    """A callback that ends its thread: what the thread has called is there."""
    lines = lines_of(node, TRACED, "3", "leaves", environment={"ASAN_OPTIONS": "detect_leaks=0"})
    assert count(lines, "doca_task_submit", "DOCA_SUCCESS") == 4, lines
    assert sum(" completed: DOCA_SUCCESS" in line for line in lines) == 4, lines


def check_exit_with_threads(node):
    lines = lines_of(node, TRACED, "3", "exits", status=6, environment={"ASAN_OPTIONS": "detect_leaks=0"})
    assert count(lines, "doca_task_submit", "DOCA_SUCCESS") == 3, lines[:50]
    assert count(lines, "doca_mmap_set_memrange") == 2, lines[:50]


def check_timer(node):
    """Signals interrupt calls, and the recording of calls, at any place."""
    lines = lines_of(node, TRACED, "3000", "timer")
    assert count(lines, "doca_task_submit", "DOCA_SUCCESS") == 3000
    assert count(lines, "doca_dev_close", "DOCA_SUCCESS") == 1


def check_signal(node):
    """A handler runs in a callback, and calls DOCA."""
    lines = lines_of(node, TRACED, "3", "signal")
    names = [line for line in lines if "doca_error_get_name(error=DOCA_ERROR_FULL)" in line]
    assert len(names) == 3 and all('= "DOCA_ERROR_FULL"' in line for line in names), names
    assert count(lines, "doca_task_submit") == 3


def check_threads(node):
    lines = lines_of(node, TRACED, "2000", "threads")
    assert count(lines, "doca_task_submit", "DOCA_SUCCESS") == 9 * 2000
    assert sum(" completed: DOCA_SUCCESS" in line for line in lines) == 9 * 2000
    assert len({line.split()[0] for line in lines}) == 9
    assert not any("missing" in line for line in lines)


def check_threads_with_all(node):
    """The trace, the rules and the faults together, in several threads."""
    rules = "dma.memcpy: IO_FAILED, every 500th; doca_buf_*: delay 1ns, every 7th"
    done = traced(node, [f"--trace={OUT}", "--summary", "--check=rules", "--faults", rules], TRACED, "500",
                  "careless")
    assert "violations" not in done.stderr, done.stderr
    with open(OUT, encoding="utf-8") as file:
        lines = file.read().splitlines()
    ends = [line for line in lines if re.search(r" of dma\d+ completed: ", line)]
    assert len(ends) == 9 * 500 and sum("IO_FAILED" in line for line in ends) == 9, len(ends)
    assert sum(" injected: completion " in line for line in lines) == 9


# ---- other forms


def check_json(node):
    traced(node, [f"--trace={OUT}", "--trace-format", "json"], TRACED, "5", "well")
    with open(OUT, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert sorted(tracks.values()) == ["dma1"], tracks
    assert all(event["args"].get("bytes") == 64 for event in events if event.get("cat") == "task" and
               event["ph"] == "X")
    said = [event for event in events if event.get("cat") == "log"]
    assert [event["name"] for event in said] == ["error"] and "set_memrange" in said[0]["args"]["text"], said
    tasks = [event for event in events if event["ph"] == "X" and event["cat"] == "task"]
    assert len(tasks) == 5 and all(tracks[event["tid"]] == "dma1" for event in tasks)
    assert all(event["args"]["status"] == "DOCA_SUCCESS" for event in tasks)
    flows = collections.Counter(event["ph"] for event in events if event["ph"] in "stf")
    assert flows == {"s": 5, "t": 5, "f": 5}, flows
    submits = [event for event in events if event["name"] == "doca_task_submit"]
    assert len(submits) == 5 and submits[0]["args"]["result"] == "DOCA_SUCCESS"
    states = [event["name"] for event in events if event["ph"] == "i" and event["cat"] == "state"]
    assert states == ["RUNNING", "IDLE"], states
    assert sum(event["ph"] == "X" and event["cat"] == "callback" for event in events) == 5


def check_summary(node):
    summary = traced(node, ["--summary"], TRACED, "7", "well").stderr
    assert re.search(r"^ +7 +0 .*  doca_task_submit$", summary, re.MULTILINE), summary
    assert re.search(r"^ +2 +1 .*  doca_mmap_set_memrange$", summary, re.MULTILINE), summary
    assert re.search(rf"^ +7 +0 .* {7 * 64}  dma_task_memcpy$", summary, re.MULTILINE), summary
    assert "polls per completion" in summary
    assert re.search(r"^alive at the end: nothing$", summary, re.MULTILINE), summary
    summary = traced(node, [f"--summary={OUT}"], TRACED, "7", "left",
                     environment={"ASAN_OPTIONS": "detect_leaks=0"}).stderr
    assert "polls" not in summary
    with open(OUT, encoding="utf-8") as file:
        left = re.search(r"^alive at the end: (.*)$", file.read(), re.MULTILINE)[1]
    assert set(left.split(", ")) == {"1 dev", "1 mmap", "1 buf_inventory", "1 pe", "1 dma"}, left


UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def check_times(node):
    """A time is at most the total; calls of which none was timed have no times."""
    summary = traced(node, ["--summary"], TRACED, "7", "well").stderr
    rows = re.findall(r"^ +([\d,]+) +\d+ +(\S+) +(\S+) +(\S+)(?: +[\d,]+)?  (\w+)$", summary, re.MULTILINE)
    assert {"doca_dma_create", "dma_task_memcpy"} <= {row[4] for row in rows}, summary
    untimed = [row for row in rows if row[1] == "-"]
    assert untimed and all(row[1:4] == ("-", "-", "-") for row in untimed), summary
    for calls, *times, name in rows:
        if times[0] == "-":
            continue
        ns = [float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+)([a-z]+)", " ".join(times))]
        assert len(ns) == 3 and ns[0] <= ns[1] <= ns[2], (name, times)
        assert calls != "1" or ns[0] == ns[2], (name, times)


def check_full(node):
    """What cannot be written is reported, and the program runs."""
    full = "docad-run: the trace is not complete: No space left on device\n"
    for how, status in (("well", 0), ("_exit", 3)):
        said = traced(node, ["--trace=/dev/full"], TRACED, "3", how, status=status).stderr
        assert said.count(full) == 1, (how, said)
    said = traced(node, ["--summary=/dev/full"], TRACED, "3", "well").stderr
    assert said.count(full) == 1, said


def check_environment(node):
    """By variables, without docad-run."""
    subprocess.run([TRACED, "3", "well"], check=True, timeout=LIMIT,
                   env=dict(os.environ, DOCAD_SOCKET=node.socket, DOCAD_TRACE=OUT, LD_PRELOAD=LIBRARY))
    with open(OUT, encoding="utf-8") as file:
        assert count(file.read().splitlines(), "doca_dev_close") == 1
    shown = traced(node, [], TRACED, "3", "well", environment={"DOCAD_TRACE": ""}).stderr
    assert count(shown.splitlines(), "doca_dev_close") == 1


def check_same(node):
    """A program does the same as without the trace."""
    for words in (("dma_task", "a few words"), ("dma_tasks", "500"), ("list_devices",),
                  ("dma_local_copy",), ("sha_file", sys.argv[0])):
        plain = node.run_program(*words)
        shown = traced(node, [f"--trace={OUT}"], *words)
        assert (plain.stdout, plain.stderr) == (shown.stdout, shown.stderr), words


RULES = ("destroyed-twice", "use-after-destroy", "wrong-kind", "task-freed-in-flight",
         "buffer-released-in-flight", "destinations-overlap", "notification-not-cleared",
         "engine-two-threads")


def check_rules(node):
    """Each rule finds what it is there for, before the function is called."""
    for rule in RULES:
        said = traced(node, ["--check=fatal"], TRACED, "3", rule, status=70).stderr
        assert re.search(rf"^docad-run: {rule}: \w", said, re.MULTILINE), (rule, said)
        assert "was made by doca_" in said and said.count("docad-run: ") == 1, (rule, said)
        why = node.docactl("why", rule).stdout
        assert rule in why and len(why) > 150, why
    quiet = {"ASAN_OPTIONS": "detect_leaks=0"}
    said = traced(node, ["--check=rules"], TRACED, "3", "left", environment=quiet).stderr
    assert said.count("docad-run: alive-at-end") == 5, said
    assert "the dma was made by doca_dma_create() at\n" in said and "tools_traced+0x" in said, said
    assert "docad-run: 5 violations" in said
    traced(node, ["--check=fatal"], TRACED, "3", "left", environment=quiet, status=70)
    assert "alive-at-end" in node.docactl("why", "alive-at-end").stdout


def check_copy(node):
    """What is written of violations to a file never gets into one of the program."""
    own, copy = (os.path.join(FOLDER.name, name) for name in ("own", "copy"))
    with open(copy, "w", encoding="utf-8"):
        pass
    subprocess.run([TRACED, "3", "closes", own], check=True, timeout=LIMIT, stderr=subprocess.DEVNULL,
                   env=dict(os.environ, DOCAD_SOCKET=node.socket, DOCAD_CHECK="rules", DOCAD_CHECK_FILE=copy,
                            LD_PRELOAD=LIBRARY))
    with open(own, encoding="utf-8") as file:
        assert file.read() == ""
    with open(copy, encoding="utf-8") as file:
        assert file.read().startswith("docad-run: destroyed-twice: ")


def check_no_violations(node):
    """Programs that are right have none."""
    for words in ((TRACED, "3", "well"), (TRACED, "3", "two"), (TRACED, "3", "waits"),
                  (TRACED, "200", "threads"), (TRACED, "3", "fork"),
                  ("dma_task", "a few words"), ("dma_tasks", "500"), ("list_devices",), ("graph",),
                  ("dma_local_copy",), ("dma_scatter_gather",), ("dma_event_driven",),
                  ("sha_file", sys.argv[0]), ("deflate_file", sys.argv[0], OUT),
                  ("compress_file", sys.argv[0], OUT)):
        said = traced(node, ["--check=fatal"], *words).stderr
        assert "docad-run: " not in said, (words, said)
        if os.path.exists(OUT):
            os.unlink(OUT)


def check_limits(node):
    """A program that may make no large file runs without a trace."""
    done = subprocess.run(["sh", "-c", 'ulimit -f 100; exec "$@"', "sh", node.program("docad-run"),
                           f"--trace={OUT}", TRACED, "3", "well"], check=True, timeout=LIMIT, text=True,
                          capture_output=True, env=dict(os.environ, DOCAD_SOCKET=node.socket))
    assert "docad-run: no trace: " in done.stderr, done.stderr


def check_options(node):
    run = [node.program("docad-run"), "--trace-format", "xml", TRACED]
    done = subprocess.run(run, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 2 and "takes text or json, and not 'xml'" in done.stderr, done.stderr
    traced(node, [f"--trace={FOLDER.name}/none/out"], "dma_task", "words")
    said = traced(node, [f"--trace={OUT}"], TRACED, "3", "well",
                  environment={"DOCAD_TRACE_FORMAT": "xml"}).stderr
    assert said.count("DOCAD_TRACE_FORMAT is text or json, and not 'xml'") == 1, said
    with open(OUT, encoding="utf-8") as file:
        assert count(file.read().splitlines(), "doca_dev_close") == 1


def main():
    check_symbols()
    check_library()
    check_reals()
    with Node(BINARIES, "--role", "dpu") as node:
        for check in (check_text, check_strings, check_messages, check_lists, check_kinds, check_refused, check_ends, check_exec, check_jump, check_apart, check_nested,
                      check_fork, check_fork_in_callback, check_thread_leaves, check_exit_with_threads, check_timer, check_signal, check_threads, check_threads_with_all, check_json, check_summary, check_times,
                      check_full, check_environment, check_same, check_rules, check_copy, check_no_violations,
                      check_limits, check_options):
            check(node)


if __name__ == "__main__":
    main()
