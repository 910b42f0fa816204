#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""promises.py finds promises without a test."""

import pathlib
import tempfile

from promises import complaints

HEADER = "| Promise | Proved by | Since |\n| --- | --- | --- |\n"
FILES = {
    "tests/unit/deep/test_one.c": "START_TEST(first)\n",
    "tests/integration/test_two.c": "START_TEST(second)\n",
    "tests/vm/tests/three": "",
    "tests/tools/CMakeLists.txt": "docad_tools_test(four-more)\ndocad_tools_test(four)\nadd_test(NAME tools.five\n",
}
GOOD = ("`unit.one`", "`unit.one:first`", "`integration.two:second` `vm.three`", "`tools.four` `tools.five`")
WRONG = {
    "": "no test",
    "trust me": "more than tests",
    "`unit.one` and more": "more than tests",
    "`unit.none`": "no test unit.none",
    "`unit.one:second`": "no case second",
    "`vm.four`": "no test vm.four",
    "`tools.fou`": "no test tools.fou",
    "`tools.four-mor`": "no test tools.four-mor",
    "`other.one`": "no test other.one",
}


def check(table):
    with tempfile.TemporaryDirectory(prefix="docad-test.") as top:
        for name, text in {**FILES, "SECURITY.md": table}.items():
            path = pathlib.Path(top, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(complaints(pathlib.Path(top)))


def main():
    for proof in GOOD:
        found = check(f"text\n\n{HEADER}| **Part** | | |\n| It holds. | {proof} | 0.1.0 |\n")
        assert not found, (proof, found)
    for proof, why in WRONG.items():
        found = check(f"{HEADER}| It holds. | {proof} | 0.1.0 |\n")
        assert len(found) == 1 and why in found[0] and "SECURITY.md:3:" in found[0], (proof, found)
    assert "no release" in check(f"{HEADER}| It holds. | `unit.one` | soon |\n")[0]
    assert "2 cells" in check(f"{HEADER}| It holds. | `unit.one` |\n")[0]
    assert "no table" in check("nothing\n")[0]
    assert "no table" in check(f"{HEADER}| **Part** | | |\n")[0]


main()
