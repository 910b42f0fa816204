// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "needs.h"

#include "cleanup.h"
#include "third_argument.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

bool needs_is_vendors(const char *library)
{
    const char *dot = strstr(library, ".so.");
    return strncmp(library, "libdoca_", 8) == 0 && dot && isdigit((unsigned char)dot[4]);
}

// Programs that were built with docad's headers need it, and none of the vendor's libraries.
static bool is_docads(const char *library)
{
    return strncmp(library, "libdoca-client.so.", 18) == 0;
}

// ---- finding libraries ---------------------------------------------------------------------

static const char *multiarch(uint16_t machine)
{
    return machine == EM_AARCH64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

// Writes a directory of a search path, in which $ORIGIN is the directory of the object; false if
// it is too long.
static bool expand(char *out, size_t size, const char *directory, size_t length,
                   const char *object_path)
{
    const char *slash = strrchr(object_path, '/');
    int origin = slash ? (int)(slash - object_path) : 1;
    const char *origin_text = slash ? object_path : ".";
    size_t skip = 0;
    if (length >= 7 && strncmp(directory, "$ORIGIN", 7) == 0)
        skip = 7;
    else if (length >= 9 && strncmp(directory, "${ORIGIN}", 9) == 0)
        skip = 9;
    int n = skip ? snprintf(out, size, "%.*s%.*s", origin, origin_text, (int)(length - skip),
                            directory + skip)
                 : snprintf(out, size, "%.*s", (int)length, directory);
    return n > 0 && (size_t)n < size;
}

// Opens the library in one of the directories of a search path. The caller owns `*path` then.
static bool open_in(const struct elf_object *program, const char *search, const char *object_path,
                    const char *library, struct elf_object *out, char **path)
{
    while (search) {
        size_t length = strcspn(search, ":");
        char directory[PATH_MAX];
        cleanup_free char *file = NULL;
        if (length && expand(directory, sizeof(directory), search, length, object_path) &&
            asprintf(&file, "%s/%s", directory, library) > 0 &&
            elf_object_open(out, file) == ELF_OPENED) {
            if (out->machine == program->machine) {
                *path = steal_ptr(file);
                return true;
            }
            elf_object_close(out);
        }
        search = search[length] ? search + length + 1 : NULL;
    }
    return false;
}

// The loader's cache lists the libraries in the configured directories of this machine: numbers,
// and then paths, each with a terminating NUL. Those of other architectures do not open.
static bool open_cached(const struct elf_object *program, const char *library,
                        struct elf_object *out, char **path)
{
    cleanup_free char *name = NULL;
    cleanup_fd int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    struct stat status;
    bool found = false;
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size == 0 ||
        asprintf(&name, "/%s", library) < 0)
        return false;
    size_t size = (size_t)status.st_size, length = strlen(name) + 1; // with the NUL
    char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    for (char *at = bytes; !found; at++) {
        at = memmem(at, size - (size_t)(at - bytes), name, length);
        if (!at)
            break;
        const char *start = at;
        while (start > bytes && start[-1])
            start--;
        if (elf_object_open(out, start) != ELF_OPENED)
            continue;
        found = out->machine == program->machine && (*path = strdup(start));
        if (!found)
            elf_object_close(out);
    }
    munmap(bytes, size);
    return found;
}

static bool open_library(const struct needs *needs, size_t asker, const char *library,
                         struct elf_object *out, char **path)
{
    const struct elf_object *program = needs->objects[0], *object = needs->objects[asker];
    char usual[256];
    snprintf(usual, sizeof(usual), "/lib/%1$s:/usr/lib/%1$s:/lib64:/usr/lib64:/lib:/usr/lib",
             multiarch(program->machine));
    const char *const searches[] = {object->rpath, program->rpath, getenv("LD_LIBRARY_PATH"),
                                    object->runpath, usual};
    const char *const origins[] = {needs->paths[asker], needs->paths[0], "", needs->paths[asker],
                                   ""};
    if (strchr(library, '/'))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(searches); i++)
        if (searches[i] && open_in(program, searches[i], origins[i], library, out, path))
            return true;
    return open_cached(program, library, out, path);
}

// ---- lists -----------------------------------------------------------------------------------

static bool add_name(const char ***names, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*names)[i], name) == 0)
            return true;
    const char **grown = reallocarray(*names, *count + 1, sizeof(*grown));
    if (!grown)
        return false;
    *names = grown;
    grown[(*count)++] = name;
    return true;
}

static bool is_known(const struct needs *needs, const char *library)
{
    for (size_t i = 0; i < needs->object_count; i++) {
        const char *soname = needs->objects[i]->soname;
        if (soname && strcmp(soname, library) == 0)
            return true;
    }
    return false;
}

// Takes over the object, and the path.
static bool add_object(struct needs *needs, struct elf_object *object, char *path)
{
    struct elf_object *kept = malloc(sizeof(*kept));
    if (!kept || needs->object_count == NEEDS_OBJECTS) {
        elf_object_close(object);
        free(kept);
        free(path);
        return kept != NULL;
    }
    *kept = *object;
    needs->paths[needs->object_count] = path;
    needs->objects[needs->object_count++] = kept;
    needs->has_rpath |= kept->rpath && !kept->runpath;
    return true;
}

// ---- functions -------------------------------------------------------------------------------

bool needs_asks_vendor(const struct elf_object *object)
{
    for (size_t i = 0; i < object->needs; i++)
        if (needs_is_vendors(object->needed[i]))
            return true;
    return false;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The names that the objects export, in order. Returns NULL if no memory is left.
static const char **exported_names(const struct needs *needs, size_t *count)
{
    size_t most = 1;
    for (size_t i = 0; i < needs->object_count; i++)
        most += needs->objects[i]->count;
    const char **names = calloc(most, sizeof(*names));
    *count = 0;
    for (size_t i = 0; i < needs->object_count && names; i++)
        for (size_t k = 0; k < needs->objects[i]->count; k++)
            if (!needs->objects[i]->symbols[k].needed)
                names[(*count)++] = needs->objects[i]->symbols[k].name;
    if (names)
        qsort(names, *count, sizeof(*names), by_text);
    return names;
}

// Where libraries are absent, their exported symbols are unknown: then the name has to decide.
static bool may_be_vendors(const struct needs *needs, const struct elf_object *object,
                           const struct elf_symbol *symbol)
{
    const char *name = symbol->name;
    if (strncmp(name, "doca_", 5) == 0)
        return true;
    return !symbol->weak && // gcc's own in every program
           needs_asks_vendor(object) && (!needs->absent_count || strstr(name, "doca_"));
}

static bool is_new(const struct needs *needs, const struct elf_symbol *symbol)
{
    for (size_t i = 0; i < needs->symbol_count; i++)
        if (strcmp(needs->symbols[i]->name, symbol->name) == 0 &&
            strcmp(needs->symbols[i]->version, symbol->version) == 0)
            return false;
    return true;
}

static bool add_symbols(struct needs *needs, const struct elf_object *object,
                        const char *const *exported, size_t exported_count)
{
    const struct elf_symbol **grown =
        reallocarray(needs->symbols, needs->symbol_count + object->count + 1, sizeof(*grown));
    if (!grown)
        return false;
    needs->symbols = grown;
    for (size_t i = 0; i < object->count; i++) {
        const struct elf_symbol *symbol = &object->symbols[i];
        bool vendors = symbol->file ? needs_is_vendors(symbol->file)
                                    : may_be_vendors(needs, object, symbol) &&
                                          !bsearch(&symbol->name, exported, exported_count,
                                                   sizeof(*exported), by_text);
        if (symbol->needed && vendors && is_new(needs, symbol))
            grown[needs->symbol_count++] = symbol;
    }
    return true;
}

static bool add_all_symbols(struct needs *needs)
{
    size_t count;
    cleanup_free const char **exported = exported_names(needs, &count);
    bool ok = exported;
    for (size_t i = 0; i < needs->object_count && ok; i++)
        ok = add_symbols(needs, needs->objects[i], exported, count);
    return ok;
}

// ---- versions --------------------------------------------------------------------------------

static const struct elf_object *find_object(const struct needs *needs, const char *soname)
{
    for (size_t i = 0; i < needs->object_count; i++)
        if (needs->objects[i]->soname && strcmp(needs->objects[i]->soname, soname) == 0)
            return needs->objects[i];
    return NULL;
}

// The loader does not look at libraries without any version.
bool needs_version_is_there(const struct elf_object *library, const char *version)
{
    bool has_any = false;
    for (size_t i = 0; i < library->version_count; i++) {
        if (library->versions[i].file)
            continue;
        if (strcmp(library->versions[i].name, version) == 0)
            return true;
        has_any = true;
    }
    return !has_any;
}

static bool add_versions(struct needs *needs, const struct elf_object *object)
{
    for (size_t i = 0; i < object->version_count; i++) {
        const struct elf_version *version = &object->versions[i];
        const struct elf_object *library = version->file ? find_object(needs, version->file) : NULL;
        if (!library || version->weak || needs_version_is_there(library, version->name))
            continue;
        const struct elf_version **grown =
            reallocarray(needs->versions, needs->version_count + 1, sizeof(*grown));
        if (!grown)
            return false;
        needs->versions = grown;
        grown[needs->version_count++] = version;
    }
    return true;
}

// ---- the release -----------------------------------------------------------------------------

// The length of a release, as 2.5.0108, that is the whole text here; or 0.
static size_t release_at(const uint8_t *text, size_t size)
{
    size_t n = 0, digits = 0;
    if (size < 9 || text[0] < '1' || text[0] > '9' || text[1] != '.')
        return 0;
    for (n = 2; n < 4 && isdigit(text[n]); n++)
        ;
    if (n == 2 || text[n] != '.')
        return 0;
    for (n++; n < size && isdigit(text[n]); n++)
        digits++;
    return digits == 4 && n < size && text[n] == '\0' ? n : 0;
}

// Programs contain the version of the headers that they were compiled with, as a text, if a
// function returns it. Two different ones are no evidence.
static void find_release(struct needs *needs)
{
    const struct elf_object *program = needs->objects[0];
    for (size_t i = 1; i < program->size; i++) {
        size_t length =
            program->bytes[i - 1] == '\0' ? release_at(program->bytes + i, program->size - i) : 0;
        if (!length)
            continue;
        if (needs->release[0] && strncmp(needs->release, (const char *)program->bytes + i,
                                         sizeof(needs->release)) != 0) {
            needs->release[0] = '\0';
            return;
        }
        snprintf(needs->release, sizeof(needs->release), "%s", program->bytes + i);
    }
}

// ---- the program -----------------------------------------------------------------------------

static enum elf_opened no_memory(struct needs *needs)
{
    needs_free(needs);
    errno = ENOMEM;
    return ELF_NO_FILE;
}

// The loader itself and the C library are part of this process.
static bool is_loaders(const char *library)
{
    return strncmp(library, "ld-linux", 8) == 0 || strcmp(library, "libc.so.6") == 0;
}

// A library that the object `asker` names; false if no memory is left.
static bool add_need(struct needs *needs, size_t asker, const char *library)
{
    struct elf_object object;
    char *path;

    if (needs_is_vendors(library))
        return add_name(&needs->libraries, &needs->library_count, library);
    if (is_known(needs, library))
        return true;
    if (open_library(needs, asker, library, &object, &path)) {
        needs->has_docads |= is_docads(library);
        if (!is_docads(library))
            return add_object(needs, &object, path);
        elf_object_close(&object);
        free(path);
        return true;
    }
    return is_loaders(library) || strchr(library, '/') ||
           add_name(&needs->absent, &needs->absent_count, library);
}

enum elf_opened needs_read(struct needs *needs, const char *program)
{
    struct elf_object object;

    *needs = (struct needs){0};
    enum elf_opened opened = elf_object_open(&object, program);
    if (opened != ELF_OPENED)
        return opened;
    char *own_path = strdup(program);
    if (!own_path) {
        elf_object_close(&object);
        return no_memory(needs);
    }
    if (!add_object(needs, &object, own_path))
        return no_memory(needs);
    for (size_t i = 0; i < needs->object_count; i++)
        for (size_t k = 0; k < needs->objects[i]->needs; k++)
            if (!add_need(needs, i, needs->objects[i]->needed[k]))
                return no_memory(needs);
    if (!add_all_symbols(needs))
        return no_memory(needs);
    for (size_t i = 0; i < needs->object_count; i++)
        if (!add_versions(needs, needs->objects[i]))
            return no_memory(needs);
    find_release(needs);
    for (size_t i = 0; i < needs->object_count; i++)
        needs->third_argument |= passes_third_address(needs->objects[i], "doca_argp_start");
    return ELF_OPENED;
}

void needs_free(struct needs *needs)
{
    for (size_t i = 0; i < needs->object_count; i++) {
        elf_object_close(needs->objects[i]);
        free(needs->objects[i]);
        free(needs->paths[i]);
    }
    free(needs->symbols);
    free(needs->libraries);
    free(needs->absent);
    free(needs->versions);
    *needs = (struct needs){0};
}
