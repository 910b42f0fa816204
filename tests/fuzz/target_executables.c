// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Executables and libraries that docad-run reads, and the library that it makes of what one needs:
// reading that gives the same names again.

#include "cleanup.h"
#include "elf_object.h"
#include "input.h"
#include "stand_in.h"
#include "third_argument.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SYMBOLS_MAX 64
#define CALLS_MAX   4 // functions whose calls are looked for

static volatile size_t looked_at; // so that the compiler leaves out nothing

static enum elf_opened open_fd(struct elf_object *object, int fd)
{
    char path[32];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return elf_object_open(object, path);
}

static size_t length_of(const char *text)
{
    return text ? strlen(text) : 0; // under AddressSanitizer: it ends in the file
}

static void look_at_all(const struct elf_object *object)
{
    size_t sum = length_of(object->soname) + length_of(object->rpath) + length_of(object->runpath) +
                 elf_object_section(object, ".missing");
    for (size_t i = 0; i < object->needs; i++)
        sum += length_of(object->needed[i]);
    for (size_t i = 0; i < object->count; i++)
        sum += length_of(object->symbols[i].name) + length_of(object->symbols[i].version) +
               length_of(object->symbols[i].file);
    for (size_t i = 0; i < object->version_count; i++)
        sum += length_of(object->versions[i].name) + length_of(object->versions[i].file);
    looked_at = sum;
}

static void check_same(const struct elf_object *object, const struct elf_symbol *const *symbols,
                       size_t count)
{
    bool same = object->count == count;
    for (size_t i = 0; same && i < count; i++)
        same = strcmp(object->symbols[i].name, symbols[i]->name) == 0 && !object->symbols[i].needed;
    if (same)
        return;
    dprintf(2, "made a library of %zu functions, read %zu\n", count, object->count);
    abort();
}

static void make_stand_in(const struct elf_object *object)
{
    const struct elf_symbol *symbols[SYMBOLS_MAX];
    const char *versions[] = {"DOCA_2.2"};
    struct stand_in what = {.soname = "libdoca_any.so.2",
                            .machine = object->machine == EM_AARCH64 ? EM_AARCH64 : EM_X86_64,
                            .versions = versions,
                            .version_count = 1,
                            .symbols = symbols,
                            .generation = "2.2"};
    struct elf_object made;

    for (size_t i = 0; i < object->count && what.symbol_count < SYMBOLS_MAX; i++)
        symbols[what.symbol_count++] = &object->symbols[i];
    cleanup_fd int fd = stand_in_make(&what);
    if (fd < 0) // a name may be too long
        return;
    if (open_fd(&made, fd) != ELF_OPENED) {
        dprintf(2, "cannot read what it made\n");
        abort();
    }
    check_same(&made, symbols, what.symbol_count);
    elf_object_close(&made);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_object object;
    cleanup_fd int fd = memfd_create("executable", MFD_CLOEXEC);

    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    if (open_fd(&object, fd) != ELF_OPENED)
        return 0;
    look_at_all(&object);
    for (size_t i = 0; i < object.count && i < CALLS_MAX; i++)
        (void)passes_third_address(&object, object.symbols[i].name);
    make_stand_in(&object);
    elf_object_close(&object);
    return 0;
}
