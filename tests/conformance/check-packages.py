#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Each library that has a header has a package file, in each generation.

    check-packages.py MAKE-SDK BUILD-DIRECTORY

Build files ask pkg-config for the libraries whose headers a program includes. Which headers are
those of a library of its own is in client/sdk/make-sdk, which makes the libraries.
"""

import os
import re
import sys


def main():
    make_sdk, build = sys.argv[1:]
    with open(make_sdk, encoding="utf-8") as script:
        libraries = re.findall(r'"(\w+)"', re.search(r"^LIBRARIES = \((.*?)\)", script.read(),
                                                     re.DOTALL | re.MULTILINE)[1])
    wrong = []
    generations = [name for name in sorted(os.listdir(os.path.join(build, "include")))
                   if re.fullmatch(r"doca-[0-9.]+", name)]
    for generation in generations:
        headers = os.listdir(os.path.join(build, "include", generation))
        packages = os.listdir(os.path.join(build, "lib", "pkgconfig", generation))
        for library in libraries:
            package = f"doca-{library.replace('_', '-')}.pc"
            if f"doca_{library}.h" in headers and package not in packages:
                wrong.append(f"{generation} has doca_{library}.h and no {package}")
    print("\n".join(wrong) if wrong else f"{len(generations)} generations")
    return bool(wrong) or not generations


if __name__ == "__main__":
    sys.exit(main())
