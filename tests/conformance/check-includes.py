#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""Each header, included alone, gives what programs get from it.

    check-includes.py [--1.3 | --3] INCLUDE-DIRECTORY COMPILER [FLAG...] -- HEADER...

includes.tsv, or doca-3-includes.tsv, says what each header brings in. For every header a program is compiled that
includes this one only, and uses once everything that the tables have of it and of what it
brings in: each function, macro, constant, type and structure, and one thing of each header of
the system. The compiler says what is missing.
"""

import concurrent.futures
import csv
import os
import subprocess
import sys

from tables import FOLDER, Tables, version_option

# One use of each header of the system, as a statement.
SYSTEM = {
    "arpa/inet.h": "(void)&inet_ntop; (void)htons(1);",
    "assert.h": "assert(argc >= 0);",
    "inttypes.h": "const char *format = PRIu64; uint64_t number = 0; (void)format; (void)number;",
    "infiniband/verbs.h": "(void)&ibv_open_device; (void)sizeof(struct ibv_qp_attr);",
    "linux/types.h": "__be32 value = 0; (void)value;",
    "stdbool.h": "bool value = true; (void)value;",
    "stddef.h": "struct of { int a, b; }; size_t at = offsetof(struct of, b); ptrdiff_t d = 0; "
                "(void)NULL; (void)at; (void)d;",
    "stdint.h": "uint8_t byte = UINT8_MAX; uint64_t number = UINT64_MAX; (void)byte; (void)number;",
    "rdma/rdma_cma.h": "(void)&rdma_create_id; (void)sizeof(struct rdma_conn_param);",
    "stdarg.h": "(void)sizeof(va_list);",
    "stdlib.h": "(void)&malloc; (void)&exit;",
    "time.h": "(void)&clock_gettime; (void)sizeof(struct timespec);",
    "stdio.h": "(void)&fprintf; (void)stderr;",
    "string.h": "(void)&memcpy; (void)&strlen;",
}
# One use of each function-like macro; what programs initialise with is used as they do.
MACROS = {
    "doca_likely": "if (doca_likely(argc)) argc++;",
    "doca_unlikely": "if (doca_unlikely(argc)) argc++;",
    "DOCA_STRUCT_GET_VERSION": "argc += (int)DOCA_STRUCT_GET_VERSION(&versioned);",
    # Expressions: where a statement cannot stand, and their value.
    "DOCA_STRUCT_CTOR": "argc += DOCA_STRUCT_CTOR(versioned) == DOCA_CURRENT_VERSION_NUM;",
    "DOCA_STRUCT_PTR_CTOR": "argc ? DOCA_STRUCT_PTR_CTOR(&versioned) : 0u;",
    "DOCA_STRUCT_MEMSET_CTOR": "argc ? (void)DOCA_STRUCT_MEMSET_CTOR(versioned) : (void)0;",
    "DOCA_STRUCT_PTR_MEMSET_CTOR": "for (DOCA_STRUCT_PTR_MEMSET_CTOR(&versioned); argc < 0;) argc++;",
    "DOCA_IS_ERROR": "argc += DOCA_IS_ERROR(DOCA_SUCCESS);",
    "DOCA_ERROR_PROPAGATE": "doca_error_t r = DOCA_SUCCESS; DOCA_ERROR_PROPAGATE(r, DOCA_ERROR_FULL);",
    "DOCA_LOG": 'DOCA_LOG(INFO, "%d", argc);',
    "DOCA_DLOG": 'DOCA_DLOG(INFO, "%d", argc);',
    "DOCA_LOG_RATE_LIMIT": 'DOCA_LOG_RATE_LIMIT(INFO, "%d", argc);',
    "DOCA_LOG_REGISTER": "(void)log_source;",
    "DOCA_VERSION_NUM": "argc += DOCA_VERSION_NUM(1, 2, 3) > 1;",
    "DOCA_VERSION_EQ_CURRENT": "argc += DOCA_VERSION_EQ_CURRENT(1, 2, 3);",
    "DOCA_VERSION_LTE_CURRENT": "argc += DOCA_VERSION_LTE_CURRENT(1, 2, 3);",
}
# The same for those of DOCA 3, where these differ.
MACROS_3 = {
    "DOCA_STRUCT_CTOR": "argc += DOCA_STRUCT_CTOR(versioned) == DOCA_VERSION_EXACT;",
    "DOCA_STRUCT_DEF": "\n#ifndef __cplusplus\nDOCA_STRUCT_DEF(versioned, defined); (void)defined;\n#endif\n",
    "DOCA_LOG": 'DOCA_LOG(DOCA_LOG_LEVEL_INFO, "%d", argc);',
    "DOCA_VERSION_CALC": "argc += DOCA_VERSION_CALC(1, 2, 3) > 1;",
    "DOCA_VERSION_CALC_EXACT": "argc += DOCA_VERSION_CALC_EXACT(1, 2, 3) > 1;",
    "DOCA_SHIFT": "argc += DOCA_SHIFT(4) != 2;",
    "DOCA_U8P_GENMASK": "uint8_t m; DOCA_U8P_GENMASK(3, 1, &m); argc += m;",
    "DOCA_BE16P_GENMASK": "doca_be16_t m; DOCA_BE16P_GENMASK(3, 1, &m); argc += m;",
    "DOCA_BE32P_GENMASK": "doca_be32_t m; DOCA_BE32P_GENMASK(3, 1, &m); argc += m != 0;",
    "DOCA_U8P_SET": "uint8_t m = 0; DOCA_U8P_SET(2, 1, &m); argc += m;",
    "DOCA_BE16P_SET": "doca_be16_t m = 0; DOCA_BE16P_SET(DOCA_HTOBE16(2), 1, &m); argc += m;",
    "DOCA_BE32P_SET": "doca_be32_t m = 0; DOCA_BE32P_SET(DOCA_HTOBE32(2), 1, &m); argc += m != 0;",
}
for order in ("HTOBE16", "HTOBE32", "BETOH16", "BETOH32"):
    MACROS_3[f"DOCA_{order}"] = f"argc += DOCA_{order}(1) != 0;"
for size in ("U8", "BE16", "BE32"):
    MACROS_3[f"DOCA_{size}_GENMASK"] = f"argc += DOCA_{size}_GENMASK(3, 1) != 0;"
    MACROS_3[f"DOCA_{size}_SET"] = f"argc += DOCA_{size}_SET(2, 1) != 0;"
    MACROS_3[f"DOCA_{size}_GET"] = f"argc += DOCA_{size}_GET(2, 3) != 0;"
# Macros that are no value.
ATTRIBUTES = {
    "DOCA_STABLE": "DOCA_STABLE int stable_object;",
    "DOCA_EXPERIMENTAL": "DOCA_EXPERIMENTAL void experimental_function(void);",
    "DOCA_DEPRECATED": "DOCA_DEPRECATED void deprecated_function(void);",
    "DOCA_USED": "static int used_object DOCA_USED;",
    "DOCA_EXPORTED": "DOCA_EXPORTED int exported_object;",
    "__DOCA_EXPERIMENTAL": "__DOCA_EXPERIMENTAL void experimental_function(void);",
    "DOCA_STRUCT_START": "struct versioned { DOCA_STRUCT_START; int more; };",
    "DOCA_STRUCT_CTOR_LIST_START":
        "#if !defined(__cplusplus) || __cplusplus >= 202002L\n"
        "struct versioned listed = {DOCA_STRUCT_CTOR_LIST_START, .more = 1};\n#endif",
}
SIDES = ("DOCA_ARCH_HOST", "DOCA_ARCH_X86", "DOCA_ARCH_DPU", "DOCA_ARCH_ARM")


def read_brings(version):
    name = "doca-3-includes.tsv" if version == "3" else "includes.tsv"
    with open(os.path.join(FOLDER, name), newline="", encoding="utf-8") as table:
        rows = list(csv.reader(table, delimiter="\t"))[1:]
    return {header: brings.split() for header, brings in rows}


def closure(header, brings):
    """The header with all that it brings in, and what these do."""
    found, new = [], [header]
    while new:
        one = new.pop()
        if one not in found:
            found.append(one)
            new += brings.get(one, [])
    return sorted(found)


def macro_use(name, version):
    if version == "3" and name in MACROS_3:
        return MACROS_3[name]
    if name in MACROS:
        return MACROS[name]
    if name.startswith(("DOCA_LOG_", "DOCA_DLOG_")):
        return f'{name}("%d", argc);'
    raise SystemExit(f"check-includes.py does not know how to use the macro {name}")


def program(header, tables, headers, version):
    """The text of a program that includes `header` and uses all of `headers`."""
    outside, inside = [], []
    if "doca_log.h" in headers:
        outside.append("DOCA_LOG_REGISTER(INCLUDES)")
    for c in (c for c in tables.constants if c.header in headers):
        if c.kind == "typedef":
            # The names of some definitions are in the other column.
            name = c.name if "(" in c.type else c.type
            inside.append(f"{name} *used = 0; (void)used;")
        elif c.name in ATTRIBUTES:
            outside.append(ATTRIBUTES[c.name])
        elif c.name in SIDES or (c.kind == "macro" and not c.value):
            wanted = c.name not in SIDES[2:]
            outside.append(f"#if{'n' if wanted else ''}def {c.name}\n#error {c.name}\n#endif")
        else:
            inside.append(f"(void)({c.name});")
    for f in (f for f in tables.functions if f.header in headers):
        # By address, in the type that it has: of overloads it chooses one.
        result = f.result.removeprefix("static inline ")
        inside.append(macro_use(f.name, version) if f.result == "macro" else
                      f"(void)({result} (*)({f.parameters}))&{f.name};")
    for s in (s for s in tables.structs if s.header in headers):
        inside.append(f"(void)(({s.struct} *)0);" if s.name in ("opaque", "(sizeof)") else
                      f"(void)sizeof((({s.struct} *)0)->{s.name});")
    inside += [SYSTEM[h] for h in headers if h in SYSTEM]
    uses = "\n".join("    { " + use + " }" for use in inside)
    versioned = "    static struct versioned versioned;\n    (void)versioned;\n" \
        if any("DOCA_STRUCT_START" in line for line in outside) else ""
    return (f"#include <{header}>\n" + "\n".join(outside) +
            f"\nint use(int argc);\nint use(int argc)\n{{\n{versioned}{uses}\n    return argc;\n}}\n")


def main():
    version, arguments = version_option(sys.argv[1:])
    split = arguments.index("--")
    (include, *compiler), covered = arguments[:split], arguments[split + 1:]
    brings = read_brings(version)
    tables = Tables(covered, version)
    headers = [h for h in brings if version == "1.3" or h in covered]
    unknown = {h for h in covered if h not in brings}
    if unknown or not headers:
        raise SystemExit(f"the table of includes has no row of {', '.join(sorted(unknown))}")

    def compile_one(header):
        text = program(header, tables, closure(header, brings), version)
        return header, subprocess.run(
            [*compiler, f"-I{include}", "-D_GNU_SOURCE", "-DDOCA_ALLOW_EXPERIMENTAL_API",
             "-fsyntax-only", "-"], input=text, text=True, capture_output=True, check=False)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for header, done in pool.map(compile_one, headers):
            if done.returncode:
                failed += 1
                errors = [line for line in done.stderr.splitlines() if "error" in line]
                print(f"{header} alone does not give all that it should:",
                      *(errors or done.stderr.splitlines())[:10], sep="\n  ", file=sys.stderr)
    print(f"{len(headers)} headers, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
