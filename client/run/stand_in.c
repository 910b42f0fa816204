// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// The file has two segments. The first has everything that is read and run; the second is the
// dynamic table, which loaders write to:
//
//     headers | symbols | their versions | definitions of versions | hash table | texts | code
//     dynamic table

#include "stand_in.h"

#include "cleanup.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Pages of arm64 have up to 64 KiB.
#define PAGE           0x10000
#define SEGMENTS       3
#define ENTRY_CODE     20 // bytes for a function
#define DYNAMIC_COUNT  11
#define MOST_FUNCTIONS 4096 // the code of arm64 reaches texts within 1 MiB

// A buffer that grows, for a part of the file. `failed`: no memory was left.
struct part {
    uint8_t *bytes;
    size_t size;
    bool failed;
};

struct file {
    const struct stand_in *what;
    struct part symbols, versions, definitions, hash, texts, code;
    uint64_t at_symbols, at_versions, at_definitions, at_hash, at_texts, at_code, end;
};

static size_t add(struct part *part, const void *bytes, size_t size)
{
    size_t offset = part->size;
    uint8_t *grown = part->failed ? NULL : realloc(part->bytes, part->size + size);
    if (!grown) {
        part->failed = true;
        return 0;
    }
    memcpy(grown + offset, bytes, size);
    part->bytes = grown;
    part->size += size;
    return offset;
}

static uint32_t add_text(struct file *file, const char *text)
{
    return (uint32_t)add(&file->texts, text, strlen(text) + 1);
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++) {
        hash = (hash << 4) + (uint8_t)*name;
        uint32_t high = hash & 0xf0000000;
        hash = (hash ^ (high >> 24)) & ~high;
    }
    return hash;
}

// ---- versions --------------------------------------------------------------------------------

// The first definition is the library itself.
static void add_definition(struct file *file, uint16_t number, const char *name, bool last)
{
    Elf64_Verdef define = {
        .vd_version = VER_DEF_CURRENT,
        .vd_flags = number == 1 ? VER_FLG_BASE : 0,
        .vd_ndx = number,
        .vd_cnt = 1,
        .vd_hash = hash_of(name),
        .vd_aux = sizeof(define),
        .vd_next = last ? 0 : sizeof(define) + sizeof(Elf64_Verdaux),
    };
    Elf64_Verdaux aux = {.vda_name = add_text(file, name)};
    add(&file->definitions, &define, sizeof(define));
    add(&file->definitions, &aux, sizeof(aux));
}

static uint16_t version_number(const struct stand_in *what, const char *version)
{
    for (size_t i = 0; i < what->version_count; i++)
        if (strcmp(what->versions[i], version) == 0)
            return (uint16_t)(i + 2);
    return 1;
}

static void add_versions(struct file *file)
{
    const struct stand_in *what = file->what;
    uint16_t number = 0;
    add_definition(file, 1, what->soname, what->version_count == 0);
    for (size_t i = 0; i < what->version_count; i++)
        add_definition(file, (uint16_t)(i + 2), what->versions[i], i + 1 == what->version_count);
    add(&file->versions, &number, sizeof(number));
    for (size_t i = 0; i < what->symbol_count; i++) {
        number = version_number(what, what->symbols[i]->version);
        add(&file->versions, &number, sizeof(number));
    }
}

// One bucket is enough for as many functions.
static void add_hash(struct file *file)
{
    uint32_t count = (uint32_t)file->what->symbol_count;
    uint32_t head[] = {1, count + 1, count ? 1 : 0, 0};
    add(&file->hash, head, sizeof(head));
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t next = i < count ? i + 1 : 0;
        add(&file->hash, &next, sizeof(next));
    }
}

// ---- code ------------------------------------------------------------------------------------

// lea text(%rip), %rsi; mov $length, %edx; jmp end
static void x86_64_entry(uint8_t *code, int64_t to_text, uint32_t length, int64_t to_end)
{
    static const uint8_t form[] = {0x48, 0x8d, 0x35, 0,    0, 0, 0, 0xba, 0,
                                   0,    0,    0,    0xe9, 0, 0, 0, 0};
    int32_t text = (int32_t)(to_text - 7), end = (int32_t)(to_end - (int64_t)sizeof(form));
    memcpy(code, form, sizeof(form));
    memcpy(code + 3, &text, sizeof(text));
    memcpy(code + 8, &length, sizeof(length));
    memcpy(code + 13, &end, sizeof(end));
}

// mov $2, %edi; mov $1, %eax; syscall (write); mov $127, %edi; mov $231, %eax; syscall
// (exit_group); ud2
static const uint8_t x86_64_end[] = {0xbf, 2, 0, 0, 0,    0xb8, 1, 0, 0, 0,    0x0f, 0x05, 0xbf,
                                     127,  0, 0, 0, 0xb8, 231,  0, 0, 0, 0x0f, 0x05, 0x0f, 0x0b};

// adr x1, text; movz w2, #length; b end
static void arm64_entry(uint8_t *code, int64_t to_text, uint32_t length, int64_t to_end)
{
    uint32_t distance = (uint32_t)to_text;
    uint32_t words[] = {
        0x10000001 | (distance & 3) << 29 | ((distance >> 2) & 0x7ffff) << 5,
        0x52800002 | (length & 0xffff) << 5,
        0x14000000 | (((uint32_t)(to_end - 8) >> 2) & 0x3ffffff),
    };
    memcpy(code, words, sizeof(words));
}

// mov x0, #2; mov x8, #64; svc #0 (write); mov x0, #127; mov x8, #94; svc #0 (exit_group); brk #1
static const uint32_t arm64_end[] = {0xd2800040, 0xd2800808, 0xd4000001, 0xd2800fe0,
                                     0xd2800bc8, 0xd4000001, 0xd4200020};

// Puts the code of a function after that of the others, and the end of the program after all.
static void add_code(struct file *file, const uint32_t *texts, const uint32_t *lengths)
{
    size_t count = file->what->symbol_count;
    bool arm64 = file->what->machine == EM_AARCH64;
    int64_t end = (int64_t)(file->at_code + count * ENTRY_CODE);
    for (size_t i = 0; i < count; i++) {
        uint8_t code[ENTRY_CODE] = {0};
        int64_t here = (int64_t)(file->at_code + i * ENTRY_CODE);
        int64_t text = (int64_t)(file->at_texts + texts[i]);
        (arm64 ? arm64_entry : x86_64_entry)(code, text - here, lengths[i], end - here);
        add(&file->code, code, sizeof(code));
    }
    if (arm64)
        add(&file->code, arm64_end, sizeof(arm64_end));
    else
        add(&file->code, x86_64_end, sizeof(x86_64_end));
}

// ---- the file --------------------------------------------------------------------------------

static uint64_t aligned(uint64_t offset, uint64_t to)
{
    return (offset + to - 1) / to * to;
}

// Everything before the code has its final size: where each part is.
static void lay_out(struct file *file)
{
    file->at_symbols = sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr);
    uint64_t symbols = (file->what->symbol_count + 1) * sizeof(Elf64_Sym);
    file->at_versions = file->at_symbols + symbols;
    file->at_definitions = aligned(file->at_versions + file->versions.size, 8);
    file->at_hash = file->at_definitions + file->definitions.size;
    file->at_texts = file->at_hash + file->hash.size;
    file->at_code = aligned(file->at_texts + file->texts.size, 16);
    uint64_t code = file->what->symbol_count * ENTRY_CODE + 64; // the end is shorter than 64
    file->end = aligned(file->at_code + code, PAGE);
}

static void add_symbols(struct file *file, const uint32_t *names)
{
    Elf64_Sym symbol = {0};
    add(&file->symbols, &symbol, sizeof(symbol));
    for (size_t i = 0; i < file->what->symbol_count; i++) {
        symbol = (Elf64_Sym){
            .st_name = names[i],
            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
            .st_shndx = SHN_ABS - 1, // any that is not SHN_UNDEF: there are no sections
            .st_value = file->at_code + i * ENTRY_CODE,
            .st_size = ENTRY_CODE,
        };
        add(&file->symbols, &symbol, sizeof(symbol));
    }
}

static void write_headers(const struct file *file, uint8_t *out)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = file->what->machine,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(header),
        .e_ehsize = sizeof(header),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = SEGMENTS,
        .e_shentsize = sizeof(Elf64_Shdr),
    };
    uint64_t dynamic = DYNAMIC_COUNT * sizeof(Elf64_Dyn);
    Elf64_Phdr segments[SEGMENTS] = {
        {.p_type = PT_LOAD,
         .p_flags = PF_R | PF_X,
         .p_filesz = file->end,
         .p_memsz = file->end,
         .p_align = PAGE},
        {.p_type = PT_LOAD,
         .p_flags = PF_R | PF_W,
         .p_offset = file->end,
         .p_vaddr = file->end,
         .p_paddr = file->end,
         .p_filesz = dynamic,
         .p_memsz = dynamic,
         .p_align = PAGE},
        {.p_type = PT_DYNAMIC,
         .p_flags = PF_R | PF_W,
         .p_offset = file->end,
         .p_vaddr = file->end,
         .p_paddr = file->end,
         .p_filesz = dynamic,
         .p_memsz = dynamic,
         .p_align = 8},
    };
    memcpy(out, &header, sizeof(header));
    memcpy(out + sizeof(header), segments, sizeof(segments));
}

static void write_dynamic(const struct file *file, uint32_t soname, uint8_t *out)
{
    const Elf64_Dyn dynamic[DYNAMIC_COUNT] = {
        {DT_SONAME, {soname}},
        {DT_HASH, {file->at_hash}},
        {DT_STRTAB, {file->at_texts}},
        {DT_STRSZ, {file->texts.size}},
        {DT_SYMTAB, {file->at_symbols}},
        {DT_SYMENT, {sizeof(Elf64_Sym)}},
        {DT_VERSYM, {file->at_versions}},
        {DT_VERDEF, {file->at_definitions}},
        {DT_VERDEFNUM, {file->what->version_count + 1}},
        {DT_NULL, {0}},
    };
    memcpy(out, dynamic, sizeof(dynamic));
}

static int write_file(const struct file *file, uint32_t soname)
{
    size_t size = file->end + DYNAMIC_COUNT * sizeof(Elf64_Dyn);
    cleanup_free uint8_t *out = calloc(1, size);
    const struct part *parts[] = {&file->symbols, &file->versions, &file->definitions,
                                  &file->hash,    &file->texts,    &file->code};
    const uint64_t places[] = {file->at_symbols, file->at_versions, file->at_definitions,
                               file->at_hash,    file->at_texts,    file->at_code};
    bool failed = !out;
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        failed |= parts[i]->failed;
    if (failed) {
        errno = ENOMEM;
        return -1;
    }
    write_headers(file, out);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        memcpy(out + places[i], parts[i]->bytes, parts[i]->size);
    write_dynamic(file, soname, out + file->end);
    cleanup_fd int fd = memfd_create(file->what->soname, 0);
    for (size_t done = 0; fd >= 0 && done < size;) {
        ssize_t n = write(fd, out + done, size - done);
        if (n < 0)
            return -1;
        done += (size_t)n;
    }
    return steal_fd(&fd);
}

// Adds the names, and the text that a call of each writes.
static bool add_texts(struct file *file, uint32_t *names, uint32_t *texts, uint32_t *lengths)
{
    for (size_t i = 0; i < file->what->symbol_count; i++) {
        const struct elf_symbol *symbol = file->what->symbols[i];
        char text[512];
        int n = snprintf(text, sizeof(text),
                         "docad: %.200s() of %.100s (DOCA %s) was called, and docad does not have"
                         " it: the program ends here\n",
                         symbol->name, symbol->file ? symbol->file : "a library",
                         file->what->generation);
        if (n < 0 || (size_t)n >= sizeof(text))
            return false;
        names[i] = add_text(file, symbol->name);
        texts[i] = add_text(file, text);
        lengths[i] = (uint32_t)n;
    }
    return true;
}

static void free_parts(struct file *file)
{
    free(file->symbols.bytes);
    free(file->versions.bytes);
    free(file->definitions.bytes);
    free(file->hash.bytes);
    free(file->texts.bytes);
    free(file->code.bytes);
}

int stand_in_make(const struct stand_in *stand_in)
{
    cleanup(free_parts) struct file file = {.what = stand_in};
    size_t count = stand_in->symbol_count;
    cleanup_free uint32_t *numbers = calloc(3 * count + 1, sizeof(*numbers));
    if (count > MOST_FUNCTIONS)
        errno = E2BIG;
    if (!numbers || count > MOST_FUNCTIONS)
        return -1;
    add_text(&file, "");
    uint32_t soname = add_text(&file, stand_in->soname);
    if (!add_texts(&file, numbers, numbers + count, numbers + 2 * count)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    add_versions(&file);
    add_hash(&file);
    lay_out(&file);
    add_symbols(&file, numbers);
    add_code(&file, numbers + count, numbers + 2 * count);
    return write_file(&file, soname);
}
