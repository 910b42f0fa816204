#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""descriptors.py finds what it is there for, in a tree of one file."""

import os
import pathlib
import subprocess
import sys
import tempfile

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "descriptors.py")


def check(body, listed="", name="daemon/base/x.c"):
    """What descriptors.py says of a file with this body: exit status and text."""
    with tempfile.TemporaryDirectory() as top:
        for folder in "daemon", "client", "common":
            pathlib.Path(top, folder).mkdir()
        file, names = pathlib.Path(top, name), pathlib.Path(top, "list.txt")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body)
        names.write_text(listed)
        r = subprocess.run([sys.executable, CHECK, top, names],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return r.returncode, r.stdout


def expect(status, word, *args, **more):
    got, said = check(*args, **more)
    if got != status or word not in said:
        raise SystemExit(f"expected {status} and {word!r}, got {got}:\n{said}")


CLOSES = "void f(int fd)\n{\n    close(fd);\n}\n"

expect(0, "", "int f(void);\n")
expect(1, "close() may wait", CLOSES)
expect(1, "recv() may wait", "void f(int fd)\n{\n    recv(fd, 0, 0, 0);\n}\n")
expect(1, "cleanup_fd() may wait", "void f(void)\n{\n    cleanup_fd int fd = g();\n}\n")
expect(1, "close() may wait", CLOSES, name="client/core/x.c")
expect(1, "close() may wait", CLOSES, name="common/x.h")
expect(1, "recvmmsg() may wait", "void f(int fd)\n{\n    recvmmsg(fd, 0, 0, 0, 0);\n}\n")
expect(0, "", CLOSES, name="client/docactl/x.c")
# Members, other names, comments, text and a function of the file's own.
expect(0, "", "void f(struct t *t)\n{\n    t->ops->close(t);\n    t.poll(t);\n    my_close(t);\n"
              "    // close(fd)\n    g(\"close(fd)\");\n}\n")
expect(0, "", "static void poll(struct source *s)\n{\n}\nvoid f(void)\n{\n    poll(0);\n}\n")
# The list.
expect(0, "", CLOSES, "# why\ndaemon/base/x.c: close: it is its own\n")
expect(1, "recv() may wait", CLOSES + "int g(int fd)\n{\n    return recv(fd, 0, 0, 0);\n}\n",
       "daemon/base/x.c: close: it is its own\n")
expect(1, "does not call read()", CLOSES, "daemon/base/x.c: close read: it is its own\n")
expect(1, "does not call close()", "int x;\n", "daemon/base/x.c: close: it is its own\n")
expect(1, "and the reason", CLOSES, "daemon/base/x.c: close:\n")
print("descriptors.py: all as expected")
