#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The CMake files use nothing that came after CMake 3.22, which Ubuntu 22.04 has: names from the release
notes of 3.23 to 3.31 that could be of use here, and the version of the presets.

    check-cmake.py SOURCE-DIRECTORY
"""

import json
import os
import re
import subprocess
import sys

COMMANDS = "block endblock cmake_file_api cmake_instrumentation cmake_pkg_config".split()
# Where a keyword is that of a command, the command is in front of it.
KEYWORDS = r"""FILE_SET PATH_EQUAL VALIDATOR NO_CMAKE_INSTALL_PREFIX INITIALIZE_FROM_VARIABLE BYPASS_PROVIDER
SOURCE_FROM_CONTENT SOURCE_FROM_FILE SOURCE_FROM_VAR NO_CACHE RUN_OUTPUT_STDOUT_VARIABLE
DEPENDS_EXPLICIT_ONLY JOB_SERVER_AWARE CODEGEN STRING_ENCODE IS_READABLE IS_WRITABLE IS_EXECUTABLE
add_subdirectory\([^)]*\sSYSTEM return\([^)]*PROPAGATE find_package\([^)]*\sGLOBAL
cmake_language\(\s*(?:EXIT|GET_MESSAGE_LOG_LEVEL|SET_DEPENDENCY_PROVIDER)""".split()
GENERATOR_EXPRESSIONS = r"""LINK_LIBRARY LINK_GROUP PATH PATH_EQUAL LIST COMPILE_ONLY BUILD_LOCAL_INTERFACE QUOTE STRING
TARGET_RUNTIME_DLL_DIRS SOURCE_EXISTS SOURCE_PROPERTY""".split()
NAMES = r"""LINUX CMAKE_HOST_LINUX CMAKE_COMPILE_WARNING_AS_ERROR COMPILE_WARNING_AS_ERROR CMAKE_COLOR_DIAGNOSTICS
LINK_LIBRARIES_ONLY_TARGETS CMAKE_LINK_LIBRARIES_ONLY_TARGETS VERIFY_INTERFACE_HEADER_SETS EXPORT_NO_SYSTEM
INTERFACE_LINK_LIBRARIES_DIRECT LINK_LIBRARY_OVERRIDE CMAKE_FIND_USE_INSTALL_PREFIX CMAKE_IGNORE_PREFIX_PATH
CMAKE_PROJECT_TOP_LEVEL_INCLUDES CMAKE_LINKER_TYPE LINKER_TYPE LINK_WARNING_AS_ERROR
TEST_LAUNCHER CMAKE_TEST_LAUNCHER CMAKE_POLICY_VERSION_MINIMUM""".split()
NEWER = re.compile("|".join(
    [rf"^\s*(?:{'|'.join(COMMANDS)})\s*\("] + [rf"\b{word}\b" if word.isupper() else word for word in KEYWORDS] +
    [rf"\$<(?:{'|'.join(GENERATOR_EXPRESSIONS)}):"] + [rf"\b(?:{'|'.join(NAMES)})\b"]), re.MULTILINE)


def newer(text):
    """What a CMake file uses of later versions, outside of comments."""
    return [found[0].strip() for found in NEWER.finditer(re.sub(r"(?<![\w\"])#.*", "", text))]


def main():
    source = sys.argv[1]
    listed = subprocess.run(["find", ".", "-name", "build", "-prune", "-o", "(", "-name", "CMakeLists.txt", "-o",
                             "-name", "*.cmake", "-o", "-name", "*.cmake.in", ")", "-print"],
                            cwd=source, capture_output=True, text=True, check=True)
    files = listed.stdout.split()
    assert len(files) > 60, files
    wrong = []
    for name in files:
        with open(os.path.join(source, name), encoding="utf-8") as file:
            wrong += [f"{name}: {what} is newer than CMake 3.22" for what in newer(file.read())]
    with open(os.path.join(source, "CMakePresets.json"), encoding="utf-8") as file:
        if json.load(file)["version"] > 3:
            wrong.append("CMakePresets.json: CMake 3.22 reads version 3")
    print("\n".join(wrong))
    # It sees what it is to see.
    for text in ("block(SCOPE_FOR VARIABLES)", "add_subdirectory(x SYSTEM)", "set(y $<PATH:GET_FILENAME,z>)",
                 "if(LINUX)", "target_sources(t PUBLIC FILE_SET HEADERS)", "return(PROPAGATE x)"):
        assert newer(text), text
    assert not newer("add_subdirectory(x)\nset(CMAKE_SYSTEM_NAME Linux) # block(\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
