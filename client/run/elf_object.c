// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "elf_object.h"

#include "cleanup.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

// The tables of the dynamic segment, as offsets in the file; 0: none.
struct tables {
    uint64_t strings, strings_size;
    uint64_t symbols, symbol_count;
    uint64_t versions; // one number for each symbol
    uint64_t needs, need_count;
    uint64_t defines, define_count;
};

// Returns `size` bytes at an offset, or NULL if the file is shorter. The address may be odd.
static const void *at(const struct elf_object *object, uint64_t offset, uint64_t size)
{
    if (offset > object->size || size > object->size - offset)
        return NULL;
    return object->bytes + offset;
}

// Copies a structure out of the file; false if it is not wholly there.
#define READ(object, offset, out)                                                                  \
    ({                                                                                             \
        const void *read_from = at((object), (offset), sizeof(*(out)));                            \
        if (read_from)                                                                             \
            memcpy((out), read_from, sizeof(*(out)));                                              \
        read_from != NULL;                                                                         \
    })

// A text in a table of strings, or NULL.
static const char *text_at(const struct elf_object *object, uint64_t table, uint64_t table_size,
                           uint64_t index)
{
    if (index >= table_size)
        return NULL;
    const char *text = at(object, table + index, table_size - index);
    return text && memchr(text, '\0', table_size - index) ? text : NULL;
}

static const char *string_at(const struct elf_object *object, const struct tables *tables,
                             uint64_t index)
{
    return text_at(object, tables->strings, tables->strings_size, index);
}

// The offset in the file of an address that is loaded from it, or 0.
static uint64_t offset_of(const struct elf_object *object, const Elf64_Ehdr *header,
                          uint64_t address)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        if (!READ(object, header->e_phoff + i * sizeof(segment), &segment))
            return 0;
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    }
    return 0;
}

// How many symbols a table of GNU's hashes covers.
static uint64_t count_of_gnu_hash(const struct elf_object *object, uint64_t offset)
{
    uint32_t head[4]; // buckets, first symbol, words of the filter, shift
    if (!READ(object, offset, &head))
        return 0;
    uint64_t buckets = offset + sizeof(head) + (uint64_t)head[2] * 8;
    uint64_t chains = buckets + (uint64_t)head[0] * 4;
    uint32_t last = 0, bucket;
    for (uint32_t i = 0; i < head[0]; i++) {
        if (!READ(object, buckets + (uint64_t)i * 4, &bucket))
            return 0;
        last = bucket > last ? bucket : last;
    }
    if (last < head[1])
        return head[1];
    uint32_t hash;
    do {
        if (!READ(object, chains + (uint64_t)(last - head[1]) * 4, &hash))
            return 0;
        last++;
    } while (!(hash & 1));
    return last;
}

// The section headers have the number of symbols, even in a stripped file. Without them the hash
// tables have it, as far as they cover symbols that are needed.
static uint64_t count_symbols(const struct elf_object *object, const Elf64_Ehdr *header,
                              uint64_t hash, uint64_t gnu_hash)
{
    for (unsigned i = 0; i < header->e_shnum; i++) {
        Elf64_Shdr section;
        if (READ(object, header->e_shoff + i * sizeof(section), &section) &&
            section.sh_type == SHT_DYNSYM)
            return section.sh_size / sizeof(Elf64_Sym);
    }
    uint32_t counts[2];
    if (hash && READ(object, hash, &counts))
        return counts[1];
    return gnu_hash ? count_of_gnu_hash(object, gnu_hash) : 0;
}

// ---- versions ------------------------------------------------------------------------------

// Versions are numbered from 2 on, in 15 bits.
#define MOST_VERSIONS 4096

static void add_version(struct elf_version *versions, unsigned number, struct elf_version version)
{
    if (version.name && number < MOST_VERSIONS)
        versions[number] = version;
}

// The lists are chained by distances, which may lead back: as many steps as the file has room for
// entries are enough for any list.
static void read_needed_versions(const struct elf_object *object, const struct tables *tables,
                                 struct elf_version *versions)
{
    uint64_t offset = tables->needs, steps = object->size / sizeof(Elf64_Vernaux);
    for (uint64_t i = 0; i < tables->need_count && steps > 0; i++, steps--) {
        Elf64_Verneed need;
        if (!offset || !READ(object, offset, &need))
            return;
        const char *file = string_at(object, tables, need.vn_file);
        uint64_t inner = offset + need.vn_aux;
        for (unsigned k = 0; k < need.vn_cnt && steps > 1; k++, steps--) {
            Elf64_Vernaux aux;
            if (!READ(object, inner, &aux))
                return;
            add_version(versions, aux.vna_other & 0x7fff,
                        (struct elf_version){.name = string_at(object, tables, aux.vna_name),
                                             .file = file ? file : "",
                                             .weak = aux.vna_flags & VER_FLG_WEAK});
            inner += aux.vna_next;
        }
        offset += need.vn_next;
    }
}

static void read_defined_versions(const struct elf_object *object, const struct tables *tables,
                                  struct elf_version *versions)
{
    uint64_t offset = tables->defines;
    for (uint64_t i = 0; i < tables->define_count && i < MOST_VERSIONS; i++) {
        Elf64_Verdef define;
        Elf64_Verdaux aux;
        if (!offset || !READ(object, offset, &define) ||
            !READ(object, offset + define.vd_aux, &aux))
            return;
        if (!(define.vd_flags & VER_FLG_BASE))
            add_version(versions, define.vd_ndx & 0x7fff,
                        (struct elf_version){.name = string_at(object, tables, aux.vda_name)});
        offset += define.vd_next;
    }
}

// ---- symbols -------------------------------------------------------------------------------

static bool keep_versions(struct elf_object *object, const struct elf_version *numbered)
{
    size_t n = 0;
    for (size_t i = 0; i < MOST_VERSIONS; i++)
        n += numbered[i].name != NULL;
    object->versions = calloc(n ? n : 1, sizeof(*object->versions));
    if (!object->versions)
        return false;
    for (size_t i = 0; i < MOST_VERSIONS; i++)
        if (numbered[i].name)
            object->versions[object->version_count++] = numbered[i];
    return true;
}

static bool read_symbols(struct elf_object *object, const struct tables *tables)
{
    cleanup_free struct elf_version *versions = calloc(MOST_VERSIONS, sizeof(*versions));
    uint64_t most = object->size / sizeof(Elf64_Sym);
    uint64_t count = tables->symbol_count < most ? tables->symbol_count : most;
    object->symbols = calloc(count ? count : 1, sizeof(*object->symbols));
    if (!versions || !object->symbols)
        return false;
    read_needed_versions(object, tables, versions);
    read_defined_versions(object, tables, versions);
    if (!keep_versions(object, versions))
        return false;
    for (uint64_t i = 1; i < count; i++) {
        Elf64_Sym symbol;
        uint16_t number = 0;
        if (!READ(object, tables->symbols + i * sizeof(symbol), &symbol))
            break;
        const char *name = string_at(object, tables, symbol.st_name);
        if (!name || !*name || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL)
            continue;
        if (tables->versions)
            (void)READ(object, tables->versions + i * sizeof(number), &number);
        number &= 0x7fff;
        const struct elf_version *version =
            number < MOST_VERSIONS && versions[number].name ? &versions[number] : NULL;
        object->symbols[object->count++] = (struct elf_symbol){
            .name = name,
            .version = version ? version->name : "",
            .file = version ? version->file : NULL,
            .needed = symbol.st_shndx == SHN_UNDEF,
            .weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK,
            .address = symbol.st_value,
            .section = symbol.st_shndx,
        };
    }
    return true;
}

// ---- the dynamic segment ---------------------------------------------------------------------

struct dynamic {
    const Elf64_Ehdr *header;
    uint64_t offset, count;
};

// Returns whether a part that the headers name is beyond the end of the file.
static bool is_truncated(const struct elf_object *object, const Elf64_Ehdr *header)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        if (!READ(object, header->e_phoff + i * sizeof(segment), &segment) ||
            (segment.p_type != PT_NULL && !at(object, segment.p_offset, segment.p_filesz)))
            return true;
    }
    return false;
}

// Finds the dynamic segment; false if there is none.
static bool find_dynamic(const struct elf_object *object, const Elf64_Ehdr *header,
                         struct dynamic *found)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        if (!READ(object, header->e_phoff + i * sizeof(segment), &segment))
            return false;
        if (segment.p_type == PT_DYNAMIC && at(object, segment.p_offset, segment.p_filesz)) {
            *found =
                (struct dynamic){header, segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn)};
            return true;
        }
    }
    return false;
}

// The value of an entry, or 0.
static uint64_t entry_of(const struct elf_object *object, const struct dynamic *dynamic,
                         int64_t tag)
{
    Elf64_Dyn entry;
    for (uint64_t i = 0; i < dynamic->count; i++) {
        if (!READ(object, dynamic->offset + i * sizeof(entry), &entry) || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == tag)
            return entry.d_un.d_val;
    }
    return 0;
}

static uint64_t table_of(const struct elf_object *object, const struct dynamic *dynamic,
                         int64_t tag)
{
    uint64_t address = entry_of(object, dynamic, tag);
    return address ? offset_of(object, dynamic->header, address) : 0;
}

static bool read_dynamic(struct elf_object *object, const struct dynamic *dynamic)
{
    struct tables tables = {
        .strings = table_of(object, dynamic, DT_STRTAB),
        .strings_size = entry_of(object, dynamic, DT_STRSZ),
        .symbols = table_of(object, dynamic, DT_SYMTAB),
        .versions = table_of(object, dynamic, DT_VERSYM),
        .needs = table_of(object, dynamic, DT_VERNEED),
        .need_count = entry_of(object, dynamic, DT_VERNEEDNUM),
        .defines = table_of(object, dynamic, DT_VERDEF),
        .define_count = entry_of(object, dynamic, DT_VERDEFNUM),
    };
    if (!tables.strings || !at(object, tables.strings, tables.strings_size))
        return false;
    tables.symbol_count = count_symbols(object, dynamic->header, table_of(object, dynamic, DT_HASH),
                                        table_of(object, dynamic, DT_GNU_HASH));
    object->needed = calloc(dynamic->count, sizeof(*object->needed));
    if (!object->needed)
        return false;
    Elf64_Dyn entry;
    for (uint64_t i = 0; i < dynamic->count; i++) {
        if (!READ(object, dynamic->offset + i * sizeof(entry), &entry) || entry.d_tag == DT_NULL)
            break;
        const char *text = string_at(object, &tables, entry.d_un.d_val);
        if (entry.d_tag == DT_NEEDED && text)
            object->needed[object->needs++] = text;
        else if (entry.d_tag == DT_SONAME)
            object->soname = text;
        else if (entry.d_tag == DT_RPATH)
            object->rpath = text;
        else if (entry.d_tag == DT_RUNPATH)
            object->runpath = text;
    }
    return read_symbols(object, &tables);
}

// ---- the file --------------------------------------------------------------------------------

static enum elf_opened read_file(struct elf_object *object)
{
    Elf64_Ehdr header;
    if (object->size < SELFMAG || memcmp(object->bytes, ELFMAG, SELFMAG) != 0)
        return ELF_NOT_ELF;
    if (object->size < sizeof(header))
        return ELF_TRUNCATED;
    if (!READ(object, 0, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_phentsize != sizeof(Elf64_Phdr) ||
        (header.e_shnum && header.e_shentsize != sizeof(Elf64_Shdr)))
        return ELF_OTHER_FORM;
    object->machine = header.e_machine;
    if (is_truncated(object, &header))
        return ELF_TRUNCATED;
    struct dynamic dynamic;
    object->dynamic = find_dynamic(object, &header, &dynamic);
    if (object->dynamic && dynamic.count && !read_dynamic(object, &dynamic))
        return ELF_OTHER_FORM;
    return ELF_OPENED;
}

// AddressSanitizer detects the end of memory of malloc(), but not of a file.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BYTES_ON_HEAP
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define BYTES_ON_HEAP
#endif

#ifdef BYTES_ON_HEAP
static const uint8_t *take_bytes(int fd, size_t size)
{
    uint8_t *bytes = malloc(size);
    for (size_t n = 0; bytes && n < size;) {
        ssize_t more = read(fd, bytes + n, size - n);
        if (more <= 0) {
            free(bytes);
            return NULL;
        }
        n += (size_t)more;
    }
    return bytes;
}

static void give_bytes(const uint8_t *bytes, size_t size)
{
    (void)size;
    free((void *)(uintptr_t)bytes);
}
#else
static const uint8_t *take_bytes(int fd, size_t size)
{
    const uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

static void give_bytes(const uint8_t *bytes, size_t size)
{
    munmap((void *)(uintptr_t)bytes, size);
}
#endif

enum elf_opened elf_object_open(struct elf_object *object, const char *path)
{
    *object = (struct elf_object){0};
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0)
        return ELF_NO_FILE;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EACCES;
        return ELF_NO_FILE;
    }
    if (status.st_size == 0)
        return ELF_NOT_ELF;
    object->bytes = take_bytes(fd, (size_t)status.st_size);
    if (!object->bytes)
        return ELF_NO_FILE;
    object->size = (size_t)status.st_size;
    enum elf_opened opened = read_file(object);
    if (opened != ELF_OPENED)
        elf_object_close(object);
    return opened;
}

void elf_object_close(struct elf_object *object)
{
    if (object->bytes)
        give_bytes(object->bytes, object->size);
    free(object->needed);
    free(object->symbols);
    free(object->versions);
    *object = (struct elf_object){0};
}

uint16_t elf_object_section(const struct elf_object *object, const char *name)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    if (!READ(object, 0, &header) || header.e_shstrndx >= header.e_shnum ||
        !READ(object, header.e_shoff + header.e_shstrndx * sizeof(names), &names))
        return 0;
    for (uint16_t i = 1; i < header.e_shnum; i++) {
        if (!READ(object, header.e_shoff + i * sizeof(section), &section))
            return 0;
        const char *text = text_at(object, names.sh_offset, names.sh_size, section.sh_name);
        if (text && strcmp(text, name) == 0)
            return i;
    }
    return 0;
}
