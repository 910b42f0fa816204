#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docad-run --trace between a program and the signals, the parents and the ends that are meant for it.

    test-traced-run.py BINARIES SIGNALLED

SIGNALLED is signalled.c.
"""

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios

from nodes import LIMIT, wait_until

BINARIES, SIGNALLED = sys.argv[1:]
RUN = os.path.join(BINARIES, "docad-run")
FOLDER = tempfile.TemporaryDirectory(prefix="docad-traced-run.")
OUT = os.path.join(FOLDER.name, "out")
SUMMARY = os.path.join(FOLDER.name, "summary")


def start(*words, **others):
    """docad-run in a session of its own, without a terminal."""
    return subprocess.Popen([RUN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                            start_new_session=True, **others)


def ready(run):
    """The process id of the program."""
    return int(run.stdout.readline().split()[1])


def end(run):
    """What the program has printed since, once a SIGUSR1 that docad-run passes on has ended it."""
    run.send_signal(signal.SIGUSR1)
    said, _ = run.communicate(timeout=LIMIT)
    assert run.returncode == 0, run.returncode
    return said.split()


def check_passed_on():
    run = start(f"--trace={OUT}", SIGNALLED, "signals")
    ready(run)
    for name in ("INT", "QUIT", "TERM", "HUP"):
        run.send_signal(getattr(signal, f"SIG{name}"))
        assert run.stdout.readline() == f"{name}\n"
    assert end(run) == ["USR1"]


def check_group():
    """A signal for the whole group reaches the program once."""
    run = start(f"--trace={OUT}", SIGNALLED, "signals")
    ready(run)
    for _ in range(20):
        os.killpg(run.pid, signal.SIGTERM)
        assert run.stdout.readline() == "TERM\n"
    assert end(run) == ["USR1"]


def check_terminal():
    """Ctrl-C reaches the program once, and so does SIGINT for docad-run alone."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(RUN, [RUN, f"--trace={OUT}", SIGNALLED, "signals"])
    with os.fdopen(terminal, "r+b", buffering=0) as stream:
        said = b""

        def until(text):
            nonlocal said
            while not said.endswith(text):
                said += stream.read(1)

        until(b"\r\n")
        modes = termios.tcgetattr(terminal)
        modes[3] = modes[3] & ~termios.ECHO | termios.NOFLSH  # nothing but what the program prints
        termios.tcsetattr(terminal, termios.TCSANOW, modes)
        for i in range(1, 11):
            stream.write(b"\x03")
            until(b"INT\r\n" * i)
        # The last one may still be pending for docad-run, where another would be merged with it.
        os.kill(pid, signal.SIGUSR2)
        until(b"USR2\r\n")
        os.kill(pid, signal.SIGINT)
        until(b"USR2\r\nINT\r\n")
        os.kill(pid, signal.SIGUSR1)
        until(b"INT\r\nUSR1\r\n")
        assert said.count(b"INT") == 11, said
    assert os.waitpid(pid, 0)[1] == 0


def check_killed():
    """SIGKILL for docad-run ends the program, whose output is at its end then."""
    run = start(f"--trace={OUT}", SIGNALLED, "signals")
    pid = ready(run)
    run.kill()
    said, _ = run.communicate(timeout=LIMIT)
    assert said == "" and run.returncode == -signal.SIGKILL
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the program")


def check_ignored():
    """What docad-run was started to ignore is ignored by the program, too, and nothing else is."""
    every = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
             signal.SIGTERM, signal.SIGCHLD]
    for ignored in ([], [signal.SIGHUP], every):
        def ignore(ignored=ignored):
            for number in every:
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
        run = start(f"--trace={OUT}", SIGNALLED, "ignored", preexec_fn=ignore)
        said, _ = run.communicate(timeout=LIMIT)
        assert run.returncode == 0, run.returncode
        assert said.split() == [number.name[3:] for number in ignored], said


def check_stuck_writer():
    """Where nothing reads the trace, SIGTERM ends docad-run's wait, with the program's status."""
    fifo = os.path.join(FOLDER.name, "fifo")
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDWR)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    run = start(f"--trace={fifo}", SIGNALLED, "many")
    pid = int(os.read(reader, 8).split()[0])
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the program")
    assert run.poll() is None
    run.terminate()
    run.communicate(timeout=LIMIT)
    assert run.returncode == 3, run.returncode
    os.close(reader)


def summary_of(side):
    with open(f"{SUMMARY}.{side}", encoding="utf-8") as file:
        return file.read()


def run_pair(*words):
    done = subprocess.run([RUN, "--pair", f"--trace={OUT}", "--trace-format", "json", f"--summary={SUMMARY}",
                           *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT,
                          check=False, env=dict(os.environ, TMPDIR=FOLDER.name))
    with open(OUT, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for side in ("host", "dpu"):
        assert any(event["name"] == "process_name" and event["args"]["name"] == side for event in events), side
        assert "doca_error_get_name" in summary_of(side), summary_of(side)
    return done


def check_pair():
    """Traces are complete where programs of a pair leave others behind, and where they are killed."""
    done = run_pair("--", SIGNALLED, "child", "--", SIGNALLED)
    assert done.returncode == 0, done.stderr
    done = run_pair("--first", "host", "--until", "dpu", "--grace", "0", "--", SIGNALLED, "stay",
                    "--", SIGNALLED)
    assert done.returncode == 128 + signal.SIGKILL, done.stderr


def check_static():
    """A program that no library can be put before is refused."""
    program = os.path.join(FOLDER.name, "static")
    machine = {"x86_64": 62, "aarch64": 183}[os.uname().machine]
    header = struct.pack("<4sBBBB8xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 2, machine, 1, 0x400000, 64, 0, 0,
                         64, 56, 1, 64, 0, 0)
    with open(program, "wb") as file:
        file.write(header + struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 120, 120, 4096))
    os.chmod(program, 0o755)
    for nodes in ([], ["--host-only"]):
        for option in (f"--trace={FOLDER.name}/never", "--summary", "--check=rules"):
            done = subprocess.run([RUN, *nodes, option, program], capture_output=True, text=True, timeout=LIMIT,
                                  check=False)
            assert done.returncode == 1 and program in done.stderr, (nodes, option, done)
    assert not os.path.exists(f"{FOLDER.name}/never")


def main():
    for check in (check_passed_on, check_group, check_terminal, check_killed, check_ignored,
                  check_stuck_writer, check_pair, check_static):
        check()


if __name__ == "__main__":
    main()
