// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The functions that an object uses from others are in its relocations. (Its symbols cannot be
// listed: the loader does not have their number.)

#include "references.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX == UINT64_MAX
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#else
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#endif

enum { RELA, REL, PLT, TABLES };

struct table {
    const uint8_t *at;
    size_t size, entry;
};

struct object {
    const ElfW(Sym) * symbols;
    const char *names;
    struct table tables[TABLES]; // of relocations
};

static const void *address(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
    ElfW(Addr) at = entry->d_un.d_ptr;
    return (const void *)(at < info->dlpi_addr ? at + info->dlpi_addr : at); // glibc has added it
}

static void read_entry(struct object *object, const struct dl_phdr_info *info,
                       const ElfW(Dyn) * entry)
{
    struct table *tables = object->tables;

    switch (entry->d_tag) {
    case DT_SYMTAB:
        object->symbols = address(info, entry);
        break;
    case DT_STRTAB:
        object->names = address(info, entry);
        break;
    case DT_RELA:
        tables[RELA].at = address(info, entry);
        break;
    case DT_RELASZ:
        tables[RELA].size = entry->d_un.d_val;
        break;
    case DT_REL:
        tables[REL].at = address(info, entry);
        break;
    case DT_RELSZ:
        tables[REL].size = entry->d_un.d_val;
        break;
    case DT_JMPREL:
        tables[PLT].at = address(info, entry);
        break;
    case DT_PLTRELSZ:
        tables[PLT].size = entry->d_un.d_val;
        break;
    case DT_PLTREL:
        tables[PLT].entry = entry->d_un.d_val == DT_RELA ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
        break;
    default:
        break;
    }
}

static bool read_object(struct object *object, const struct dl_phdr_info *info)
{
    *object = (struct object){.tables = {[RELA].entry = sizeof(ElfW(Rela)),
                                         [REL].entry = sizeof(ElfW(Rel)),
                                         [PLT].entry = sizeof(ElfW(Rela))}};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++)
            read_entry(object, info, entry);
    }
    return object->symbols && object->names;
}

static bool has_this_code(const struct dl_phdr_info *info)
{
    ElfW(Addr) here = (ElfW(Addr)) & references_each;

    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && here - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

struct search {
    reference_seen *seen;
    void *arg;
    bool in_program;
};

static int search_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *search = arg;
    struct object object;

    (void)size;
    if (has_this_code(info)) { // an instrumented library refers to its own functions
        search->in_program = info->dlpi_name[0] == '\0'; // the program has no name
        return 0;
    }
    if (!read_object(&object, info))
        return 0;
    for (const struct table *table = object.tables; table < object.tables + TABLES; table++)
        for (size_t i = 0; table->at && i < table->size; i += table->entry) {
            // Both forms begin with the same members.
            size_t symbol = SYMBOL_OF(((const ElfW(Rel) *)(table->at + i))->r_info);
            if (symbol)
                search->seen(object.names + object.symbols[symbol].st_name, search->arg);
        }
    return 0;
}

bool references_each(reference_seen *seen, void *arg)
{
    struct search search = {.seen = seen, .arg = arg};

    dl_iterate_phdr(search_object, &search);
    return !search.in_program;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *arg)
{
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
        *(unsigned long long *)arg = info->dlpi_adds;
    return 1; // it is the same in all objects
}

bool references_are_new(void)
{
    static _Atomic unsigned long long seen;
    unsigned long long loads = 0;

    dl_iterate_phdr(count_loads, &loads);
    return atomic_exchange(&seen, loads) != loads || loads == 0;
}
