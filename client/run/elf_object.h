// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What an executable or a shared library requires of the loader, read from its file. Files are
// hostile input: nothing outside the file is read, whatever its content.

#ifndef RUN_ELF_OBJECT_H
#define RUN_ELF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A symbol that an object needs, or that it exports; texts live as long as the object.
struct elf_symbol {
    const char *name;
    const char *version; // "" if none
    const char *file;    // whose version that is, if it is needed; else NULL
    bool needed;
    bool weak; // needed, but the program checks whether it exists
    uint64_t address;
    uint16_t section;
};

// A version that an object defines, or needs from a file. The loader refuses a program if a library
// does not define a version that is needed from it, unless the version is weak.
struct elf_version {
    const char *name;
    const char *file; // whose version that is, if it is needed; else NULL
    bool weak;
};

struct elf_object {
    const uint8_t *bytes;
    size_t size;
    uint16_t machine; // EM_X86_64, ...
    bool dynamic;
    const char *soname; // or NULL
    const char *rpath;  // DT_RPATH: searched before LD_LIBRARY_PATH; or NULL
    const char *runpath;
    const char **needed; // libraries; `needs` of them
    size_t needs;
    struct elf_symbol *symbols; // all that the loader binds
    size_t count;
    struct elf_version *versions;
    size_t version_count;
};

// How opening ended.
enum elf_opened { ELF_OPENED, ELF_NO_FILE, ELF_NOT_ELF, ELF_OTHER_FORM, ELF_TRUNCATED };

// Reads the file. ELF_NO_FILE: errno has the reason. ELF_OTHER_FORM: of another word size or byte
// order, or damaged. ELF_TRUNCATED: parts that its headers name are beyond its end.
// elf_object_close() frees what was opened.
enum elf_opened elf_object_open(struct elf_object *object, const char *path);
void elf_object_close(struct elf_object *object);

// The number of the section that has the name, or 0.
uint16_t elf_object_section(const struct elf_object *object, const char *name);

#endif
