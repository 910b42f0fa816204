#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Pairs of examples of which one side, or either docad, is killed at some moment: the other side ends by
itself or goes on, never by a signal, and the docads that are left keep nothing of what has ended.

    test-killed.py BINARIES

$DOCAD_KILLS says how many moments there are for each (1).
"""

import os
import random
import signal
import subprocess
import sys

from nodes import LIMIT, Node, wait_until

BYTES = 16 << 20
LISTS = (["sessions"], ["regions"], ["exports"], ["imports"], ["queues"], ["channels"], ["events"],
         ["listeners"], ["exports", "names"])

# The program that is started first, its side, and the other one.
PAIRS = {
    "comm_channel": ("dpu", ["comm_channel_server"], ["comm_channel_client"]),
    "sync_event": ("dpu", ["sync_event_dpu"], ["sync_event_host"]),
    "file": ("host", ["file_export", "-n", "x", "{}/file"], ["file_fetch", "-n", "x", "-o", "{}/copy"]),
    "file_3": ("host", ["file_to_dpu", "{}/file", "{}/a"], ["file_from_host", "{}/a", "{}/copy"]),
    "copy_1_3": ("host", ["dma_remote_copy_sender", "-n", "x"], ["dma_remote_copy_receiver", "-n", "x"]),
    "rdma_write": ("host", ["rdma_write_responder", "{}/a", "{}/b"], ["rdma_write_requester", "{}/b", "{}/a"]),
    "rdma_read": ("host", ["rdma_read_responder", "{}/a", "{}/b"], ["rdma_read_requester", "{}/b", "{}/a"]),
    "rdma_send": ("host", ["rdma_receive_immediate", "{}/a", "{}/b"], ["rdma_send_immediate", "{}/b", "{}/a"]),
}
KILLED = ("first", "second", "host", "dpu")


class Program:
    def __init__(self, node, words, folder):
        self.words = [word.format(folder) for word in words]
        self.log = open(os.path.join(folder, "log." + words[0]), "w+b")
        self.process = subprocess.Popen(
            [node.program(self.words[0]), *self.words[1:]], stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log, env=dict(os.environ, DOCAD_SOCKET=node.socket))

    def end(self):
        """Ends it if it still runs; says what it had to say if something was wrong with it."""
        ran = self.process.poll() is None
        if ran:
            self.process.terminate()
        status = self.process.wait(LIMIT)
        self.log.seek(0)
        text = self.log.read().decode(errors="replace")
        self.log.close()
        wanted = status >= 0 or status == -signal.SIGTERM and ran
        return None if wanted and "Sanitizer" not in text else f"{self.words[0]} ended with {status}: {text}"


def has_nothing(node):
    return all(not node.json(*words) for words in LISTS)


def make_files(folder):
    os.mkdir(folder)
    with open(os.path.join(folder, "file"), "wb") as f:
        f.write(bytes(range(256)) * (BYTES // 256))


def remove_files(folder):
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)


def kill(process):
    if process.poll() is None:
        process.kill()
        process.wait(LIMIT)


def run_until(moment, programs, victim):
    try:
        programs["second"].process.wait(moment)
    except subprocess.TimeoutExpired:
        pass
    kill(victim)
    return [program.end() for program in programs.values() if program.process is not victim]


def kill_one(binaries, title, killed, moment):
    side, first, second = PAIRS[title]
    what = f"{title}, {killed} killed after {moment:.3f} s"
    with Node(binaries, "--role", "host") as host, \
            Node(binaries, "--role", "dpu", "--peer", host.socket) as dpu:
        dpu.docactl("ping", "--wait", str(LIMIT), "--linked")
        nodes = {"host": host, "dpu": dpu}
        folder = os.path.join(host.folder, "files")
        make_files(folder)
        programs = {"first": Program(nodes[side], first, folder)}
        programs["second"] = Program(nodes["dpu" if side == "host" else "host"], second, folder)
        victim = nodes[killed].daemon if killed in nodes else programs[killed].process
        faults = [fault for fault in run_until(moment, programs, victim) if fault]
        remove_files(folder)
        if killed in nodes:
            nodes[killed].start()
        for node in nodes.values():
            wait_until(lambda n=node: has_nothing(n), f"{what}: an empty node")
            assert "Sanitizer" not in node.log_text(), f"{what}: {node.log_text()}"
        assert not faults, f"{what}: {faults}"


def main():
    binaries = os.path.abspath(sys.argv[1])
    times = int(os.environ.get("DOCAD_KILLS") or 1)
    for title in PAIRS:
        for killed in KILLED:
            for i in range(times):
                moment = random.Random(f"{title} {killed} {i}").random() * 0.1
                kill_one(binaries, title, killed, moment)


if __name__ == "__main__":
    main()
