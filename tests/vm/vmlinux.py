#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""vmlinux.py BZIMAGE ELF: takes the kernel's ELF file out of a compressed one (x86).

Offsets are those of the boot protocol, Documentation/x86/boot.rst of the kernel.
"""
import struct
import subprocess
import sys

TOOLS = {b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"\x1f\x8b": "gzip", b"\x02!L\x18": "lz4"}

with open(sys.argv[1], "rb") as file:
    image = file.read()
setup_sectors = image[0x1F1] or 4
offset, length = struct.unpack_from("<II", image, 0x248)
start = (setup_sectors + 1) * 512 + offset
payload = image[start : start + length - 4]  # the last four bytes are the size
tool = next((tool for magic, tool in TOOLS.items() if payload.startswith(magic)), None)
if tool is None:
    sys.exit(f"vmlinux.py: {sys.argv[1]}: compressed in a way that is not known here")
with open(sys.argv[2], "wb") as out:
    # xz and others complain of what follows the data, after they have written all of it.
    subprocess.run([tool, "-dc"], input=payload, stdout=out, stderr=subprocess.DEVNULL, check=False)
with open(sys.argv[2], "rb") as out:
    if out.read(4) != b"\x7fELF":
        sys.exit(f"vmlinux.py: {sys.argv[1]}: no ELF file came out of {tool}")
