#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""The conformance test finds deviations: each case spoils a copy of the headers in one
way, and the compiler or check-headers.py must then name the row.

    test-finds.py C-COMPILER INCLUDE-DIRECTORY
"""

import os
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))

# header, what stands there, what it is spoilt to, what the complaint must contain
COMPILED = [
    ("doca_log.h", "doca_error_t doca_log_source_destroy(int source);",
     "doca_error_t doca_log_source_destroy(long source);", "doca_log_source_destroy"),
    ("doca_log.h", "uint16_t doca_log_get_quantity(void);",
     "uint32_t doca_log_get_quantity(void);", "doca_log_get_quantity"),
    ("doca_version.h", "const char *doca_version_runtime(void);",
     "const char *doca_version_runtime_(void);", "doca_version_runtime"),
    ("doca_error.h", "DOCA_ERROR_FULL = 24", "DOCA_ERROR_FULL = 34", "DOCA_ERROR_FULL"),
    ("doca_version.h", "DOCA_VER_PATCH  80", "DOCA_VER_PATCH  81", "DOCA_VER_PATCH"),
    ("doca_common_defines.h", "#define doca_likely(", "#define doca_likelier(", "doca_likely"),
    ("doca_ctx.h", "struct doca_event {", "struct doca_event { int added;", "struct doca_event"),
    ("doca_build_config.h", "#define DOCA_ARCH_X86", "#define DOCA_ARCH_X87", "DOCA_ARCH_X86"),
    ("doca_argp.h", "typedef doca_error_t (*validation_callback)(void *config);",
     "typedef doca_error_t (*validation_callback)(int *config);", "validation_callback"),
]
READ = [
    ("doca_error.h", "Source: table. Since: 2.2.\n */\n__DOCA_EXPERIMENTAL\n"
     "const char *doca_get_error_name", "*/\n__DOCA_EXPERIMENTAL\nconst char *doca_get_error_name",
     "doca_get_error_name"),
    ("doca_error.h", "*/\n__DOCA_EXPERIMENTAL\nconst char *doca_get_error_string",
     "*/\nextern int x;\n__DOCA_EXPERIMENTAL\nconst char *doca_get_error_string",
     "doca_get_error_string"),
    ("doca_log.h", "DOCA_ERROR_NOT_PERMITTED after", "DOCA_ERROR_NOT_PERMITED after",
     "doca_log_backend_level_set"),
    ("doca_ctx.h", "DOCA_ERROR_UNEXPECTED of the table is", "Something else of the table is",
     "doca_ctx_dev_rm: its comment does not name DOCA_ERROR_UNEXPECTED"),
    ("doca_mmap.h", "@param opaque passed to it;", "@param nothing passed to it;",
     "doca_mmap_set_free_cb: its comment has no @param opaque"),
    ("doca_version.h", "DOCA_VERSION_NUM(major, minor, patch) ", "DOCA_VERSION_NUM(a, b, c) ",
     "DOCA_VERSION_NUM"),
    ("doca_docad.h", "__DOCA_EXPERIMENTAL\n",
     "__DOCA_EXPERIMENTAL\nvoid docad_added(void);\n__DOCA_EXPERIMENTAL\n",
     "docad_export_publish: no comment"),
]


def run(*command):
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    return done.returncode, done.stdout + done.stderr


def spoil(include, header, old, new):
    path = os.path.join(include, header)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if old not in text:
        raise SystemExit(f"{header} has no {old!r} to spoil")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new, 1))


def compile_against(compiler, include, program, covered):
    code, text = run(sys.executable, os.path.join(FOLDER, "generate.py"), program, *covered)
    if code:
        return code, text
    return run(compiler, "-D_GNU_SOURCE", "-DDOCA_ALLOW_EXPERIMENTAL_API", f"-I{include}",
               "-fsyntax-only", program)


def read(include, covered):
    return run(sys.executable, os.path.join(FOLDER, "check-headers.py"), include, *covered)


def main():
    compiler, source = sys.argv[1:]
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "program.c")
        cases = [(None, lambda i, h: compile_against(compiler, i, program, h)),
                 (None, read)]
        cases += [(c, lambda i, h: compile_against(compiler, i, program, h)) for c in COMPILED]
        cases += [(c, read) for c in READ]
        for case, check in cases:
            include = os.path.join(work, "include")
            shutil.copytree(source, include)
            header = "doca_error.h"
            if case:
                header, old, new, named = case
                spoil(include, header, old, new)
            # doca_error.h is what codes are looked up in; doca_docad.h is in no table.
            covered = sorted({header, "doca_error.h"} - {"doca_docad.h"})
            code, text = check(include, covered)
            shutil.rmtree(include)
            wrong = (code == 0 or named not in text) if case else code != 0
            if wrong:
                print(f"{case}: exit status {code}:\n{text}", file=sys.stderr)
                failures += 1
    print(f"{len(cases)} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
