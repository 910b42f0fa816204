#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Metrics: their format, that they count, and readers of every kind.

    test-metrics.py BINARIES
"""

import os
import socket
import subprocess
import sys
import tempfile

import openmetrics
from nodes import Node, LIMIT, wait_until

READERS = 40  # at a time


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    def connected():
        try:
            s.connect(path)
        except BlockingIOError:  # docad's queue is full at the moment
            return False
        return True
    s.settimeout(LIMIT)
    wait_until(connected, "a connection")
    return s


def read_all(s):
    text = b""
    while data := s.recv(65536):
        text += data
    return text.decode()


def scrape(node):
    with connect(node.metrics) as s:
        return openmetrics.parse(read_all(s))


def get(samples, name, **labels):
    return samples[(name, tuple(sorted(labels.items())))]


def test_format(node):
    first = scrape(node)
    second = openmetrics.parse(node.docactl("metrics").stdout)
    assert {key[0] for key in first} <= {key[0] for key in second}
    assert get(first, "docad_sessions", kind="program") == 0
    info = [dict(labels) for name, labels in first if name == "docad_build_info"]
    assert info == [{"version": info[0]["version"], "role": "host", "node": 'odd"\\name'}]
    # Sample by sample they are the same in JSON.
    listed = node.json("metrics")
    assert {s["name"] for s in listed} >= {key[0] for key in second}
    build = [s for s in listed if s["name"] == "docad_build_info"]
    assert build[0]["labels"]["node"] == 'odd"\\name' and build[0]["type"] == "info"


def test_counts(node):
    before = scrape(node)
    node.perftest("dma_bw", "--size", "4096", "--iters", "1000")
    after = scrape(node)  # of a program that has ended
    jobs = [get(s, "docad_jobs_total", library="dma") for s in (before, after)]
    sizes = [get(s, "docad_job_bytes_total", library="dma", path="mapped")
             for s in (before, after)]
    assert jobs[1] - jobs[0] >= 1000, jobs
    assert sizes[1] - sizes[0] == (jobs[1] - jobs[0]) * 4096, (sizes, jobs)
    assert get(after, "docad_requests_total", request="RegionRegister") >= 2
    assert get(after, "docad_loop_latency_seconds_count") > get(
        before, "docad_loop_latency_seconds_count")
    assert get(after, "docad_jobs_in_flight", library="dma") == 0


def jobs(samples, library):
    return get(samples, "docad_jobs_total", library=library)


def test_killed(node):
    # Jobs in flight end with a program; the counts of its finished jobs stay.
    program = subprocess.Popen([node.program("doca-perftest"), "dma_bw", "--size", "64K", "--iters",
                                "100000000", "--host-socket", node.socket],
                               stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: get(scrape(node), "docad_jobs_in_flight", library="dma") > 0, "jobs")
    finally:
        program.kill()
        program.wait(LIMIT)
    wait_until(lambda: get(scrape(node), "docad_sessions", kind="program") == 0, "its end")
    after = scrape(node)
    assert get(after, "docad_jobs_in_flight", library="dma") == 0
    assert get(after, "docad_work_queues", library="dma") == 0
    assert jobs(after, "dma") > 0


def test_graph(node):
    # The jobs of its nodes are jobs of their contexts, and an instance is one of the graph.
    before = scrape(node)
    node.run_program("graph", "-n", "5")
    after = scrape(node)
    for library in ("dma", "sha", "graph"):
        assert jobs(after, library) - jobs(before, library) == 5, library
        assert get(after, "docad_jobs_in_flight", library=library) == 0


def test_libraries(node):
    """Each has a label of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")
        for name, size in ((path, 100000), (path + ".key", 32)):
            with open(name, "wb") as file:
                file.write(os.urandom(size))
        before = scrape(node)
        node.run_program("compress_file", path, path + ".gz")
        node.run_program("encrypt_file", path + ".key", path, path + ".secret")
        node.run_program("spread_file", path, path + ".blocks")
    node.perftest("send_lat", "--tasks", "--iters", "100")
    after = scrape(node)
    for library in ("compress", "aes_gcm", "erasure_coding", "rdma"):
        assert jobs(after, library) > jobs(before, library), library
    assert jobs(after, "other") == 0
    assert jobs(after, "comch") == jobs(after, "mmap_advise") == 0


def test_sync_events(host, dpu):
    # Both signal once and wait once, through jobs.
    wait_until(lambda: dpu.json("representors"), "representors")
    server = subprocess.Popen([dpu.program("sync_event_dpu"), "-a"], stdout=subprocess.PIPE,
                              env=dict(os.environ, DOCAD_SOCKET=dpu.socket))
    assert server.stdout.readline() == b"listening\n"
    host.run_program("sync_event_host", "-a")
    assert server.wait(LIMIT) == 0
    server.stdout.close()
    for node in (host, dpu):
        assert jobs(scrape(node), "sync_event") == 2
        assert get(scrape(node), "docad_work_queues", library="sync_event") == 0


def test_refusals(node):
    node.docactl("exports", "revoke", "12", status=1)
    assert get(scrape(node), "docad_request_errors_total", code="NOT_FOUND") >= 1


def test_quotas(node):
    """What a user has, beside the most that the user may have."""
    me = str(os.getuid())
    limits = {"sessions_per_uid": 16384, "publications_per_uid": 65536, "monitors_per_uid": 64}
    program = subprocess.Popen([node.program("docactl"), "--socket", node.socket, "monitor"],
                               stdout=subprocess.DEVNULL)
    try:
        def monitors():
            return get(scrape(node), "docad_user_quota_used", uid=me, quota="monitors_per_uid")
        wait_until(lambda: scrape(node).get(("docad_users", ()), 0) == 1 and monitors() == 1, "a monitor")
        samples = scrape(node)
        for quota, most in limits.items():
            assert get(samples, "docad_user_quota_limit", uid=me, quota=quota) == most, quota
        assert get(samples, "docad_user_quota_used", uid=me, quota="metadata_bytes_per_uid") > 0
        assert get(samples, "docad_quota_used", quota="metadata_bytes") >= get(
            samples, "docad_user_quota_used", uid=me, quota="metadata_bytes_per_uid")
        # Unlimited ones have no limit.
        assert ("docad_user_quota_limit", (("quota", "region_bytes_per_uid"), ("uid", me))) not in samples
    finally:
        program.terminate()
        program.wait(LIMIT)


def test_readers(node):
    # Some do not read, some leave, some say something: the next one is served.
    silent = [connect(node.metrics) for _ in range(READERS)]
    for s in silent[::2]:
        s.close()
    with connect(node.metrics) as s:
        try:
            s.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # all is said already; what was said is still to be read
        openmetrics.parse(read_all(s))
    for s in silent[1::2]:
        openmetrics.parse(read_all(s))
        s.close()


def main():
    openmetrics.finds_faults()
    with Node(sys.argv[1], "--name", 'odd"\\name') as node:
        test_format(node)
        test_counts(node)
        test_killed(node)
        test_graph(node)
        test_libraries(node)
        test_refusals(node)
        test_quotas(node)
        test_readers(node)
    # A socket left by an earlier daemon is replaced; a file that is not a socket is not.
    with Node(sys.argv[1]) as node:
        with open(node.metrics + ".other", "w", encoding="utf-8"):
            pass
        os.unlink(node.metrics + ".other")
    with Node(sys.argv[1]) as host, Node(sys.argv[1], "--role", "dpu", "--peer", host.socket) as dpu:
        test_sync_events(host, dpu)
        # Of the linked node, too.
        used = {dict(labels)["quota"] for name, labels in scrape(host) if name == "docad_peer_quota_used"
                and dict(labels)["peer"] == "dpu"}
        assert used == {"importers_per_peer", "grants_per_peer", "queue_pairs_per_peer",
                        "publications_per_peer", "descriptors_per_peer"}, used
    config = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"docad-metrics-{os.getpid()}.conf")
    try:
        with open(config, "w", encoding="utf-8") as f:
            f.write("metrics_socket = none\n")
        with Node(sys.argv[1], "--config", config) as node:
            assert not os.path.exists(node.metrics)
            openmetrics.parse(node.docactl("metrics").stdout)
    finally:
        os.unlink(config)


main()
