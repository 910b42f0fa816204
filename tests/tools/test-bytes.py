#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-run --trace and --summary: the bytes that jobs, tasks and messages of all generations move.

    test-bytes.py BINARIES JOBS-2

JOBS-2 is jobs_2.c.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from nodes import LIMIT

BINARIES, JOBS = (os.path.abspath(path) for path in sys.argv[1:3])
FOLDER = tempfile.TemporaryDirectory(prefix="docad-bytes.")
OUT = os.path.join(FOLDER.name, "out")
QUIET = {"ASAN_OPTIONS": "detect_leaks=0"}


def program(name):
    return os.path.join(BINARIES, name)


def run(*words):
    done = subprocess.run([program("docad-run"), "--quiet", *words], capture_output=True, text=True,
                          timeout=LIMIT, check=False, cwd=FOLDER.name,
                          env=dict(os.environ, DOCAD_BINARY=program("docad"), **QUIET))
    assert done.returncode == 0, (words, done)
    return done.stdout


def read(name=OUT):
    with open(name, encoding="utf-8") as file:
        return file.read()


def tables_of(summary):
    """{type: (number, bytes)} of the tasks and of the messages."""
    columns = r"^ +([\d,]+) +%s([\d,]+)  (\w+)$"
    part = summary.split("tasks, from submission to completion\n")[1:]
    tasks = re.findall(columns % r"\d+ +\S+ +\S+ +\S+ +", part[0], re.MULTILINE) if part else []
    part = summary.split("  messages\n")[1:]
    messages = re.findall(columns % "", part[0], re.MULTILINE) if part else []

    def table(rows):
        return {name: tuple(int(number.replace(",", "")) for number in (count, size))
                for count, size, name in rows}
    return table(tasks), table(messages)


def check_jobs():
    small = int(run(f"--summary={OUT}", "--dpu-only", JOBS))
    tasks, messages = tables_of(read())
    assert tasks == {
        "DOCA_DMA_JOB_MEMCPY": (2, 13 + 13), "DOCA_SHA_JOB_SHA256": (1, 103),
        "DOCA_SHA_JOB_SHA512_PARTIAL": (2, 128 + 5), "DOCA_COMPRESS_DEFLATE_JOB": (1, 1009),
        "DOCA_DECOMPRESS_DEFLATE_JOB": (1, small), "DOCA_EC_JOB_CREATE": (1, 256),
        "DOCA_RDMA_JOB_RECV": (1, 0), "DOCA_RDMA_JOB_SEND": (1, 31), "DOCA_RDMA_JOB_WRITE": (1, 47),
        "DOCA_RDMA_JOB_READ": (1, 59), "DOCA_RDMA_JOB_ATOMIC_FETCH_ADD": (1, 8)}, tasks
    assert not messages, messages


def check_traces():
    run(f"--trace={OUT}", "--dpu-only", JOBS)
    done = re.findall(r"--- (\w+) of \w+ completed: DOCA_SUCCESS, ([\d,]+) bytes, ", read())
    assert ("DOCA_DMA_JOB_MEMCPY", "13") in done and ("DOCA_RDMA_JOB_READ", "59") in done, done
    run(f"--trace={OUT}", "--trace-format", "json", "--dpu-only", JOBS)
    done = {event["name"]: event["args"].get("bytes") for event in json.loads(read())["traceEvents"]
            if event["ph"] == "X" and event["cat"] == "task"}
    assert done["DOCA_EC_JOB_CREATE"] == 256 and done["DOCA_RDMA_JOB_RECV"] is None, done


def check_equal():
    """Jobs with equal events: each is there, and they complete in the order of their submission."""
    run(f"--summary={OUT}", "--dpu-only", JOBS, "equal")
    tasks, _ = tables_of(read())
    assert tasks == {"DOCA_DMA_JOB_MEMCPY": (50, 5 * sum(range(100, 110)))}, tasks
    run(f"--trace={OUT}", "--dpu-only", JOBS, "equal")
    done = re.findall(r"--- DOCA_DMA_JOB_MEMCPY of dma1 completed: DOCA_SUCCESS, (\d+) bytes, ", read())
    assert done == [str(100 + i) for i in range(10)] * 5, done
    run(f"--trace={OUT}", "--trace-format", "json", "--dpu-only", JOBS, "equal")
    kinds = collections.Counter(event["ph"] for event in json.loads(read())["traceEvents"]
                                if event.get("cat") == "task")
    assert kinds["X"] == kinds["s"] == kinds["f"] == 50, kinds


def check_1_3():
    """A job of DOCA 1.3 has the number of bytes itself."""
    if not os.path.exists(program("memory_regions")):
        return
    for how in ("regions", "single-map"):
        run(f"--summary={OUT}", "--dpu-only", program("memory_regions"), how)
        tasks, _ = tables_of(read())
        assert tasks == {"DOCA_DMA_JOB_MEMCPY": (1000, 300 * 1000)}, tasks


def check_1_5():
    run(f"--summary={OUT}", "--pair", "--first", "dpu", "--ready", "exported", "--until", "host", "--",
        program("dma_copy_importer"), "-n", "20", "descriptor", "buffer", "--",
        program("dma_copy_exporter"), "descriptor", "buffer", "a text")
    tasks, _ = tables_of(read(f"{OUT}.host"))
    assert tasks["DOCA_DMA_JOB_MEMCPY"] == (21, 20 * len("a text\0") + 1), tasks


def check_3():
    """Tasks of DOCA 3."""
    if not os.path.exists(program("encrypt_file")):
        return
    with open(os.path.join(FOLDER.name, "key"), "wb") as key:
        key.write(bytes(32))
    with open(os.path.join(FOLDER.name, "plain"), "wb") as plain:
        plain.write(bytes(5000))
    run(f"--summary={OUT}", "--dpu-only", program("encrypt_file"), "key", "plain", "encrypted")
    assert tables_of(read())[0] == {"aes_gcm_task_encrypt": (1, 5000)}
    run(f"--summary={OUT}", "--dpu-only", program("encrypt_file"), "-d", "key", "encrypted", "again")
    assert tables_of(read())[0] == {"aes_gcm_task_decrypt": (1, 5016)}


def check_messages():
    run(f"--summary={OUT}", "--pair", "--first", "dpu", "--ready", "", "--",
        program("comm_channel_client"), "-t", "a text", "--", program("comm_channel_server"))
    client, server = (tables_of(read(f"{OUT}.{side}"))[1] for side in ("host", "dpu"))
    answer = len("Message from the server")
    sends, receives = "doca_comm_channel_ep_sendto", "doca_comm_channel_ep_recvfrom"
    assert client == {sends: (1, 6), receives: (1, answer)}, client
    assert server == {sends: (1, answer), receives: (1, 6)}, server


def main():
    for check in (check_jobs, check_equal, check_traces, check_1_3, check_1_5, check_3, check_messages):
        check()


if __name__ == "__main__":
    main()
