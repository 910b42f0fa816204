#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Card profiles, as programs see them: each fact of the table, wherever the card is named; names that do
not exist; docactl card and docactl caps --compare.

    test-cards.py BINARIES FACTS PROFILES
"""

import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from nodes import Node

BINARIES, FACTS, PROFILES = sys.argv[1:]
DEVICES = {"host": ("pf0", "pf0vf0"), "dpu": ("p0", "p0s0")}


def facts():
    with open(FACTS, encoding="utf-8") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) > 100, len(rows)
    for row in rows:
        assert row["confidence"] in ("high", "medium") and row["source"], row
    return rows


def docactl(*words, status=0, environment=None, text=None):
    done = subprocess.run([os.path.join(BINARIES, "docactl"), *words], capture_output=True, text=True,
                          input=text, check=False, env=dict(os.environ, **(environment or {})))
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def capabilities(node, device, *words, card=None):
    environment = {"DOCAD_CARD": card} if card else {}
    done = docactl("--socket", node.socket, "--json", "caps", *words, device, environment=environment)
    return {(row["library"], row["capability"]): row for row in json.loads(done.stdout)}


def check_facts(host, dpu):
    """Every fact, under DOCAD_CARD."""
    rows, seen = facts(), {}
    for row in rows:
        if row["device"] == "(profile)":
            values = {value["key"]: value["value"]
                      for value in json.loads(docactl("--json", "card", "show", row["card"]).stdout)}
            assert values[row["capability"]] == row["value"], row
            continue
        key = row["card"], row["side"], row["device"]
        if key not in seen:
            node = host if row["side"] == "host" else dpu
            seen[key] = capabilities(node, row["device"], card=row["card"])
        got = seen[key][row["library"], row["capability"]]
        assert got["value"] == row["value"], (row, got)
        assert got["card"] == row["card"], got


def check_profile_is_all_known():
    """No value of high or medium confidence that a built-in profile names is without a fact; check_facts()
    compares the values."""
    known = {(row["card"], row["capability"]) for row in facts() if row["device"] == "(profile)"}
    listed = {row["card"] for row in json.loads(docactl("--json", "card", "list").stdout)}
    assert {card.split("/")[0] for card, _ in known} | {"software"} <= listed, (known, listed)
    checked = 0
    for path in glob.glob(os.path.join(PROFILES, "*.conf")):
        card = os.path.basename(path).removesuffix(".conf")
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.startswith("["):
                    card = card.split("/")[0] + "/" + line.strip().strip("[]")
                sure = re.match(r"(\S+) = .*# .*; (high|medium)\b", line)
                if sure:
                    assert (card, sure[1]) in known, (card, line)
                    checked += 1
    assert checked > 50, checked


def check_copies():
    """Cards of which nothing is published are copies of others, without times."""
    for copy, of in (("bluefield-4", "bluefield-3"), ("connectx-8", "connectx-7"),
                     ("connectx-6dx", "connectx-7")):
        values, known = ({row["key"]: row["value"] for row in json.loads(docactl("--json", "card", "show", card).stdout)}
                         for card in (copy, of))
        for key, value in values.items():
            is_time = re.search(r"(_ns|rate|ec\.create\.model)$", key)
            assert value == ("no" if is_time else known[key]), (copy, key, value, known[key])


def check_absent(host, dpu):
    """What a card lacks has no limits."""
    connectx = capabilities(host, "pf0", card="connectx-7")
    for (library, name), row in connectx.items():
        if library in ("sha", "aes_gcm", "ec", "erasure_coding", "compress", "comch", "dma"):
            assert row["value"] in ("no", "-", ""), row
    bluefield = capabilities(dpu, "p0", card="bluefield-3")
    absent = [name for (library, name), row in bluefield.items()
              if library == "compress" and name.startswith("task_compress_deflate") and row["value"] != "no"]
    assert not absent, absent
    for (library, name), row in bluefield.items():
        assert library != "rdma" or row["value"] in ("no", "-", "", "0"), row


def same(a, b):
    return {key: row["value"] for key, row in a.items()} == {key: row["value"] for key, row in b.items()}


def check_places(host):
    """The card of a node, of a function, and of a program."""
    expected = capabilities(host, "pf0", card="bluefield-3")
    plain = capabilities(host, "pf0")
    assert not same(expected, plain)
    assert all(row["card"] == "software" and row["other"] == "" for row in plain.values())
    with Node(BINARIES, "--role", "host", "--name", "host", "--card", "bluefield-3") as node:
        assert same(capabilities(node, "pf0"), expected)
        assert same(capabilities(node, "pf0", card="software"), plain)
        assert {device["card"] for device in node.json("devices")} == {"bluefield-3"}
        row = capabilities(node, "pf0")["sha", "task_hash(sha256)"]
        assert (row["value"], row["other"], row["other_card"]) == ("no", "yes", "software"), row
    with Node(BINARIES, configured=True) as node:
        with open(node.config, "w", encoding="utf-8") as f:
            f.write('card = "bluefield-2/2.2"\n'
                    'function "pf0" { type = PF pci = "0b:00.0" }\n'
                    'function "pf1" { type = PF port = 1 pci = "0b:00.1" card = "bluefield-3" }\n'
                    'function "pf2" { type = PF port = 2 pci = "0b:00.2" card = "software" }\n')
        node.docactl("reload")
        assert same(capabilities(node, "pf0"), capabilities(host, "pf0", card="bluefield-2/2.2"))
        assert same(capabilities(node, "pf1"), expected)
        assert same(capabilities(node, "pf2"), plain)


def check_names(host):
    for command in (("docad", "--card", "bluefeild-3"), ("docad-run", "--card", "bluefeild-3", "/bin/true")):
        done = subprocess.run([os.path.join(BINARIES, command[0]), *command[1:]], capture_output=True,
                              text=True, check=False)
        assert done.returncode == 2, done
        assert "did you mean bluefield-3?" in done.stderr and "connectx-7" in done.stderr, done.stderr
    done = docactl("--socket", host.socket, "caps", status=1, environment={"DOCAD_CARD": "bluefeild-3"})
    assert "did you mean bluefield-3?" in done.stderr, done.stderr
    done = subprocess.run([os.path.join(BINARIES, "list_devices")], capture_output=True, text=True,
                          check=False,
                          env=dict(os.environ, DOCAD_SOCKET=host.socket, DOCAD_CARD="bluefeild-3"))
    assert done.returncode != 0 and "did you mean bluefield-3?" in done.stdout + done.stderr, done
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as config:
        config.write('function "pf0" {\n    type = PF\n    card = bluefield3\n}\n')
        config.flush()
        done = subprocess.run([os.path.join(BINARIES, "docad"), "--check-config", "--config", config.name],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2, done
        assert f"{config.name}:3: " in done.stderr and "bluefield-3" in done.stderr, done.stderr


def check_compare(dpu):
    done = docactl("--socket", dpu.socket, "--json", "caps", "--compare", "bluefield-2", "bluefield-3", "p0")
    rows = {(row["library"], row["capability"]): row for row in json.loads(done.stdout)}
    sha = rows["sha", "task_hash(sha1)"]
    assert (sha["card"], sha["value"], sha["other_card"], sha["other"]) == \
        ("bluefield-2", "yes", "bluefield-3", "no"), sha
    assert rows["dma", "task_memcpy"]["other"] == "", rows["dma", "task_memcpy"]
    docactl("--socket", dpu.socket, "caps", "--compare", "bluefield-2", status=2)
    docactl("--socket", dpu.socket, "caps", "p0", "p1", status=2)


# Written by the tool's documentation: devices, libraries below them, capabilities with values.
CAPS = """PCI: 0000:03:00.0
    ibdev_name                                        mlx5_0
    iface_name                                        p0
    gid_table_size                                    255
    common
        mmap_export_pci                               supported
        mmap_create_from_export_pci                   unsupported
        empty
    aes_gcm
        task_encrypt_is_tag_96_supported              supported
    comch
        server                                        unsupported
        client                                        supported
    rdma
        task_send                                     unsupported
        max_send_queue_size                           0
    dma
        task_memcpy                                   supported
        task_memcpy_max_buf_size                      2097152
        task_memcpy_max_buf_list_len                  64
    compress
        task_compress_deflate                         unsupported
        task_decompress_deflate                       supported
            max_buf_size                              2097152
            max_buf_list_len                          128
        task_decompress_lz4_block                     supported
        task_decompress_lz4_block_get_max_buf_size    1048576
    sha
        task_hash                                     unsupported
    new_library
        wonders                                       7
PCI: 0000:03:00.1
    dma
        task_memcpy                                   unsupported
"""


def check_import(host):
    text = docactl("card", "import", "-", text=CAPS).stdout
    for line in ("dma = yes", "dma.max_buf_size = 2097152", "compress.compress_deflate = no",
                 "compress.decompress_deflate.max_buf_list_len = 128", "sha = no",
                 "compress.decompress_lz4_block.max_buf_size = 1048576",
                 "mmap.export_pci = yes", "mmap.create_from_export_pci = no", "aes_gcm.tag_96 = yes",
                 "comch = yes", "rdma = no", "# too small for a profile: rdma max_send_queue_size",
                 "# not a key of docad: new_library wonders"):
        assert line + "\n" in text, (line, text)
    assert "ec =" not in text and "rdma.sf_only_on_dpu = yes instead" in text, text
    second = docactl("card", "import", "--name", "0000:03:00.1", "-", text=CAPS).stdout
    assert "dma = no\n" in second and "sha" not in second, second
    docactl("card", "import", "-", text="nothing\n", status=1)
    docactl("card", "import", "--name", "0000:ff:00.0", "-", text=CAPS, status=1)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as profile:
        profile.write(text)
        profile.flush()
        got = capabilities(host, "pf0", card=profile.name)
    assert got["dma", "task_memcpy_max_buf_size"]["value"] == "2097152"
    assert got["sha", "task_hash(sha256)"]["value"] == "no"
    assert got["ec", "task_create"]["value"] == "yes"
    zero = CAPS.replace("max_buf_size                      2097152", "max_buf_size                      0")
    text = docactl("card", "import", "-", text=zero).stdout
    assert "# too small for a profile: dma task_memcpy_max_buf_size\n" in text, text
    assert "\ndma.max_buf_size" not in text, text


def check_values(host):
    """Values behind a card's name, everywhere, and how docad-run adds them and the release."""
    expected = capabilities(host, "pf0", card="bluefield-3,sha=yes")
    assert expected["sha", "task_hash(sha256)"]["value"] == "yes"
    assert expected["sha", "task_hash(sha256)"]["card"] == "bluefield-3,sha=yes"
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "d" * 100, "profile.conf")
        os.mkdir(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as f:
            f.write("sha = no\n")
        with Node(BINARIES, configured=True) as node:
            with open(node.config, "w", encoding="utf-8") as f:
                f.write('card = "bluefield-3,sha=yes"\n'
                        'function "pf0" { type = PF pci = "0b:00.0" }\n'
                        f'function "pf1" {{ type = PF port = 1 pci = "0b:00.1" card = "{path}" }}\n')
            node.docactl("reload")
            assert same(capabilities(node, "pf0"), expected)
            assert capabilities(node, "pf1")["sha", "task_hash(sha256)"]["value"] == "no"
            assert capabilities(node, "pf1")["dma", "task_memcpy"]["value"] == "yes"
            other = os.path.join(directory, "e" * 100, "profile.conf")
            os.mkdir(os.path.dirname(other))
            os.link(path, other)  # their last 63 characters differ
            with open(node.config, "a", encoding="utf-8") as f:
                f.write(f'function "pf2" {{ type = PF port = 2 pci = "0b:00.2" card = "{other}" }}\n')
            node.docactl("reload")
            assert capabilities(node, "pf2")["sha", "task_hash(sha256)"]["value"] == "no"
            os.makedirs(os.path.join(directory, "f", "e" * 100))
            os.link(path, os.path.join(directory, "f", "e" * 100, "profile.conf"))
            with open(node.config, "a", encoding="utf-8") as f:
                f.write(f'function "pf3" {{ type = PF port = 3 pci = "0b:00.3" '
                        f'card = "{directory}/f/{"e" * 100}/profile.conf" }}\n')
            docactl("--socket", node.socket, "reload", status=1)
            done = subprocess.run([os.path.join(BINARIES, "docad"), "--check-config", "--config", node.config],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 2 and "the same last 63 characters" in done.stderr, done


def check_list():
    """Releases, and what is wrong with a file of the user."""
    with tempfile.TemporaryDirectory() as directory:
        os.makedirs(os.path.join(directory, "docad", "cards"))
        for name, text in (("good", "sha = no\n"), ("twice", "sha = no\nsha = yes\n")):
            with open(os.path.join(directory, "docad", "cards", name + ".conf"), "w", encoding="utf-8") as f:
                f.write(text)
        done = docactl("--json", "card", "list", environment={"XDG_CONFIG_HOME": directory})
    rows = {row["card"]: row for row in json.loads(done.stdout)}
    assert rows["bluefield-3"]["releases"] == "2.2, 2.7, 2.9, 3.1, 3.2", rows
    assert rows["good"]["from"] == "file" and rows["good"]["wrong"] == "", rows
    assert "line 2: sha" in rows["twice"]["wrong"], rows
    assert not any(row["wrong"] for name, row in rows.items() if name != "twice"), rows


def check_seeds():
    for wrong in ("0", "-1", "x", "", "99999999999999999999"):
        done = subprocess.run([os.path.join(BINARIES, "docad-run"), "--reorder", wrong, "/bin/true"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "--reorder" in done.stderr, done


def check_times():
    """No model is farther from a published figure than the page says."""
    for card, least in (("bluefield-2", 12), ("bluefield-3", 35)):
        rows = json.loads(docactl("--json", "card", "times", card).stdout)
        assert len(rows) >= least, rows
        for row in rows:
            assert abs(row["off_percent"]) <= 12.5, row
            assert row["model_ns"] > 0 and row["source"], row
    assert json.loads(docactl("--json", "card", "times", "software").stdout) == []
    docactl("card", "times", "bluefeild", status=1)


with Node(BINARIES, "--role", "host", "--name", "host") as HOST:
    with Node(BINARIES, "--role", "dpu", "--name", "dpu") as DPU:
        check_facts(HOST, DPU)
        check_compare(DPU)
        check_absent(HOST, DPU)
    check_profile_is_all_known()
    check_places(HOST)
    check_names(HOST)
    check_import(HOST)
    check_values(HOST)
check_list()
check_seeds()
check_times()
check_copies()
