#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docactl policy test: what the daemon would answer to a program of that user.

    test-policy.py BINARIES
"""

import os
import sys

from nodes import Node

RULES = """
socket_mode = 0666
policy "readers" {
    users = { "4711" }
    open = { "pf0vf*" }
    export = { "dpu" }
}
policy "staff" {
    groups = { "0" }
}
"""
NOBODY = 4712
WHAT = ["open", "export memory to a DPU", "export memory to a host", "export memory for RDMA", "export sync events",
        "export sync events for RDMA"]


def verdicts(node, user, device):
    rows = node.json("policy", "test", str(user), device)
    assert [row["what"] for row in rows] == WHAT, rows
    return {row["what"]: row for row in rows}


def allowed(node, user, device):
    return [what for what, row in verdicts(node, user, device).items() if row["allowed"]]


def check_without_rules(binaries):
    with Node(binaries, "--role", "host") as node:
        assert allowed(node, 4711, "pf0") == WHAT
        refused = node.docactl("policy", "test", "4711", "pf9", status=None)
        assert refused.returncode != 0 and "no device 'pf9'" in refused.stderr, refused
        refused = node.docactl("policy", "test", "no-such-user", "pf0", status=None)
        assert refused.returncode != 0 and "no user 'no-such-user'" in refused.stderr, refused


def check_rules(node):
    assert allowed(node, 4711, "pf0vf0") == ["open", "export memory to a DPU"]
    rows = verdicts(node, 4711, "pf0")
    assert not rows["open"]["allowed"] and '"readers"' in rows["open"]["why"], rows
    assert rows["export memory to a DPU"]["why"] == "", rows
    # By a group of the system's database.
    assert allowed(node, "root", "pf0") == WHAT
    rows = verdicts(node, NOBODY, "pf0")
    assert not any(row["allowed"] for row in rows.values()), rows
    assert f"none applies to uid {NOBODY}" in rows["open"]["why"], rows
    table = node.docactl("policy", "test", "4711", "pf0").stdout
    assert table.splitlines()[0].split() == ["WHAT", "ALLOWED", "WHY"], table


def check_others(node):
    """Another user asks for itself, and for nobody else."""
    os.chmod(node.folder, 0o755)
    own = node.docactl("policy", "test", "4711", "pf0vf0", user=4711)
    assert "readers" in own.stdout, own
    refused = node.docactl("policy", "test", "0", "pf0vf0", status=None, user=4711)
    assert refused.returncode != 0 and "may ask about others" in refused.stderr, refused


def main():
    binaries = sys.argv[1]
    check_without_rules(binaries)
    node = Node(binaries, "--role", "host", configured=True)
    with open(node.config, "a", encoding="utf-8") as file:
        file.write(RULES)
    with node:
        check_rules(node)
        if os.getuid() == 0:
            check_others(node)


if __name__ == "__main__":
    main()
