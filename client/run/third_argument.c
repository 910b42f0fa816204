// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "third_argument.h"

#include <elf.h>
#include <string.h>

#define PLT_ENTRIES_MAX 4 // of the procedure linkage table, for one function

// ---- sections --------------------------------------------------------------------------------

struct file {
    const struct elf_object *object;
    Elf64_Ehdr header;
    uint64_t left; // bytes that may still be looked at: sections of a hostile file overlap
};

static bool spend(struct file *file, uint64_t bytes)
{
    if (bytes > file->left)
        return false;
    file->left -= bytes;
    return true;
}

// Copies a structure out of the file; false if it is not wholly there.
static bool read_at(const struct file *file, uint64_t offset, void *out, size_t size)
{
    if (offset > file->object->size || size > file->object->size - offset)
        return false;
    memcpy(out, file->object->bytes + offset, size);
    return true;
}

static bool section_at(const struct file *file, uint64_t index, Elf64_Shdr *section)
{
    return index < file->header.e_shnum &&
           read_at(file, file->header.e_shoff + index * sizeof(*section), section,
                   sizeof(*section)) &&
           section->sh_offset <= file->object->size &&
           section->sh_size <= file->object->size - section->sh_offset;
}

static bool is_named(const struct file *file, const Elf64_Shdr *symbols, uint64_t index,
                     const char *name)
{
    Elf64_Shdr strings;
    Elf64_Sym symbol;

    if (index >= symbols->sh_size / sizeof(symbol) ||
        !read_at(file, symbols->sh_offset + index * sizeof(symbol), &symbol, sizeof(symbol)) ||
        !section_at(file, symbols->sh_link, &strings) || symbol.st_name >= strings.sh_size)
        return false;
    const char *found = (const char *)file->object->bytes + strings.sh_offset + symbol.st_name;
    size_t length = strlen(name) + 1;
    return length <= strings.sh_size - symbol.st_name && memcmp(found, name, length) == 0;
}

// The address of the word through which the function is called, or 0.
static uint64_t find_slot(struct file *file, const char *function)
{
    Elf64_Shdr section, symbols;
    Elf64_Rela entry;

    for (unsigned i = 0; i < file->header.e_shnum; i++) {
        if (!section_at(file, i, &section) || section.sh_type != SHT_RELA ||
            !section_at(file, section.sh_link, &symbols) || symbols.sh_type != SHT_DYNSYM ||
            !spend(file, section.sh_size))
            continue;
        for (uint64_t at = 0; section.sh_size - at >= sizeof(entry); at += sizeof(entry))
            if (read_at(file, section.sh_offset + at, &entry, sizeof(entry)) &&
                is_named(file, &symbols, ELF64_R_SYM(entry.r_info), function))
                return entry.r_offset;
    }
    return 0;
}

// ---- code --------------------------------------------------------------------------------------

struct code {
    const uint8_t *bytes;
    uint64_t address;
    size_t size;
};

// What is looked for: a word, and the entries of the procedure linkage table that jump through it.
// Code is between two addresses.
struct wanted {
    uint64_t slot, first, last;
    uint64_t plt[PLT_ENTRIES_MAX];
    size_t plt_count;
};

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static uint64_t relative(const struct code *code, size_t at, uint32_t distance)
{
    return code->address + at + 4 + (uint64_t)(int64_t)(int32_t)distance;
}

static void add_plt_entry(struct wanted *wanted, uint64_t address)
{
    if (wanted->plt_count < PLT_ENTRIES_MAX)
        wanted->plt[wanted->plt_count++] = address;
}

// An entry may begin with an instruction that marks targets of jumps.
static bool is_plt_entry(const struct wanted *wanted, uint64_t address)
{
    for (size_t i = 0; i < wanted->plt_count; i++)
        if (address <= wanted->plt[i] && wanted->plt[i] - address <= 8)
            return true;
    return false;
}

// ---- x86-64 ------------------------------------------------------------------------------------

#define LOOK_BACK 40u // bytes in front of a call

static void find_plt_entries_x86(const struct code *code, struct wanted *wanted)
{
    for (size_t i = 0; i + 6 <= code->size; i++)
        if (code->bytes[i] == 0xff && code->bytes[i + 1] == 0x25 && // jmp *slot(%rip)
            relative(code, i + 2, word_at(code->bytes + i + 2)) == wanted->slot)
            add_plt_entry(wanted, code->address + i);
}

static bool is_call_x86(const struct code *code, size_t at, const struct wanted *wanted)
{
    const uint8_t *b = code->bytes + at;

    if (b[0] == 0xe8)
        return is_plt_entry(wanted, relative(code, at + 1, word_at(b + 1)));
    return code->size - at >= 6 && b[0] == 0xff && b[1] == 0x15 && // call *slot(%rip)
           relative(code, at + 2, word_at(b + 2)) == wanted->slot;
}

// An address into rdx: lea, a copy of the stack pointer, or a constant of a program that is always
// loaded at the same address.
static bool takes_address_x86(const struct code *code, size_t at)
{
    const uint8_t *b = code->bytes + at;

    if ((b[0] & 0xfc) == 0x48 && b[1] == 0x8d)
        return (b[2] & 0x38) == 0x10 && b[2] >> 6 != 3;
    if (b[0] == 0x48 && b[1] == 0x89 && b[2] == 0xe2)
        return true;
    return b[0] == 0xba && code->address >= 0x400000 && word_at(b + 1) >= 0x400000 &&
           word_at(b + 1) - code->address < 0x10000000;
}

// Back to the call before it.
static bool has_third_x86(const struct code *code, size_t call, const struct wanted *wanted)
{
    for (size_t back = 3; back <= LOOK_BACK && back <= call; back++) {
        size_t at = call - back;
        if (takes_address_x86(code, at))
            return true;
        const uint8_t *b = code->bytes + at;
        uint64_t to = relative(code, at + 1, word_at(b + 1));
        if (back >= 5 && b[0] == 0xe8 && to >= wanted->first && to < wanted->last)
            return false;
        if (back >= 6 && b[0] == 0xff && b[1] == 0x15)
            return false;
    }
    return false;
}

static bool find_call_x86(const struct code *code, const struct wanted *wanted)
{
    for (size_t i = 0; i + 5 <= code->size; i++)
        if (is_call_x86(code, i, wanted) && has_third_x86(code, i, wanted))
            return true;
    return false;
}

// ---- arm64 -------------------------------------------------------------------------------------

#define LOOK_BACK_ARM 10u // instructions in front of a call

// adrp x16, page; ldr x17, [x16, #offset]
static void find_plt_entries_arm(const struct code *code, struct wanted *wanted)
{
    for (size_t i = 0; i + 8 <= code->size; i += 4) {
        uint32_t adrp = word_at(code->bytes + i), ldr = word_at(code->bytes + i + 4);
        if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
            continue;
        uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
        uint64_t distance = (pages ^ 0x100000) - 0x100000; // signed, of 21 bits
        uint64_t page = ((code->address + i) & ~(uint64_t)0xfff) + (distance << 12);
        if (page + (uint64_t)(ldr >> 10 & 0xfff) * 8 == wanted->slot)
            add_plt_entry(wanted, code->address + i);
    }
}

static bool is_call_arm(const struct code *code, size_t at, const struct wanted *wanted)
{
    uint32_t word = word_at(code->bytes + at);
    uint64_t distance = ((uint64_t)(word & 0x3ffffff) ^ 0x2000000) - 0x2000000;

    return word >> 26 == 0x25 && is_plt_entry(wanted, code->address + at + (distance << 2));
}

// add x2, register, #offset; or the same of another register, which is copied to x2
static bool has_third_arm(const struct code *code, size_t call)
{
    uint32_t to = 2;

    for (size_t back = 4; back <= LOOK_BACK_ARM * 4 && back <= call; back += 4) {
        uint32_t word = word_at(code->bytes + call - back);
        if ((word & 0xff80001f) == (0x91000000 | to))
            return true;
        if ((word & 0xffe0ffff) == (0xaa0003e0 | to)) // mov to, from
            to = word >> 16 & 31;
        if (word >> 26 == 0x25) // bl
            return false;
    }
    return false;
}

static bool find_call_arm(const struct code *code, const struct wanted *wanted)
{
    for (size_t i = 0; i + 4 <= code->size; i += 4)
        if (is_call_arm(code, i, wanted) && has_third_arm(code, i))
            return true;
    return false;
}

// ---- both --------------------------------------------------------------------------------------

static const struct machine {
    uint16_t machine;
    void (*find_plt_entries)(const struct code *code, struct wanted *wanted);
    bool (*find_call)(const struct code *code, const struct wanted *wanted);
} machines[] = {
    {EM_X86_64, find_plt_entries_x86, find_call_x86},
    {EM_AARCH64, find_plt_entries_arm, find_call_arm},
};

static bool code_at(struct file *file, unsigned index, struct code *code)
{
    Elf64_Shdr section;

    if (!section_at(file, index, &section) || section.sh_type != SHT_PROGBITS ||
        !(section.sh_flags & SHF_EXECINSTR) || !spend(file, section.sh_size))
        return false;
    *code = (struct code){file->object->bytes + section.sh_offset, section.sh_addr,
                          (size_t)section.sh_size};
    return true;
}

static bool search(struct file *file, const struct machine *machine, struct wanted *wanted)
{
    struct code code;

    wanted->first = UINT64_MAX;
    for (unsigned i = 0; i < file->header.e_shnum; i++) {
        if (!code_at(file, i, &code))
            continue;
        machine->find_plt_entries(&code, wanted);
        wanted->first = code.address < wanted->first ? code.address : wanted->first;
        if (code.address + code.size > wanted->last)
            wanted->last = code.address + code.size;
    }
    for (unsigned i = 0; i < file->header.e_shnum; i++)
        if (code_at(file, i, &code) && machine->find_call(&code, wanted))
            return true;
    return false;
}

bool passes_third_address(const struct elf_object *object, const char *function)
{
    struct file file = {.object = object, .left = 4 * (uint64_t)object->size};
    struct wanted wanted = {0};

    if (!read_at(&file, 0, &file.header, sizeof(file.header)))
        return false;
    wanted.slot = find_slot(&file, function);
    for (size_t i = 0; wanted.slot && i < sizeof(machines) / sizeof(*machines); i++)
        if (machines[i].machine == object->machine)
            return search(&file, &machines[i], &wanted);
    return false;
}
