// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "runtime.h"

#include "cleanup.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARIES_MAX 32 // of a directory

struct runtime_libraries {
    char *paths[LIBRARIES_MAX];
    size_t path_count;
    bool opened;
    struct elf_object objects[LIBRARIES_MAX]; // those that could be opened
    size_t count;
};

// ---- reading ---------------------------------------------------------------------------------

static void close_directory(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

// Finds the libraries of one directory; false if it has none, or no memory is left.
static bool read_runtime(struct runtime *runtime, const char *directory, const char *generation)
{
    *runtime = (struct runtime){0};
    if (asprintf(&runtime->path, "%s/sdk-%s", directory, generation) < 0) {
        runtime->path = NULL;
        return false;
    }
    snprintf(runtime->generation, sizeof(runtime->generation), "%s", generation);
    struct runtime_libraries *found = runtime->libraries = calloc(1, sizeof(*found));
    cleanup(close_directory) DIR *dir = opendir(runtime->path);
    struct dirent *entry;
    while (dir && found && (entry = readdir(dir)) && found->path_count < LIBRARIES_MAX)
        if (needs_is_vendors(entry->d_name) &&
            asprintf(&found->paths[found->path_count], "%s/%s", runtime->path, entry->d_name) > 0)
            found->path_count++;
    return found && found->path_count > 0;
}

static const struct runtime_libraries *libraries_of(const struct runtime *runtime)
{
    struct runtime_libraries *found = runtime->libraries;
    for (size_t i = 0; i < found->path_count && !found->opened; i++)
        if (elf_object_open(&found->objects[found->count], found->paths[i]) == ELF_OPENED)
            found->count++;
    found->opened = true;
    return found;
}

uint16_t runtime_machine(const struct runtime *runtime)
{
    struct elf_object first;
    if (elf_object_open(&first, runtime->libraries->paths[0]) != ELF_OPENED)
        return 0;
    uint16_t machine = first.machine;
    elf_object_close(&first);
    return machine;
}

static void free_runtime(struct runtime *runtime)
{
    struct runtime_libraries *libraries = runtime->libraries;
    for (size_t i = 0; libraries && i < libraries->count; i++)
        elf_object_close(&libraries->objects[i]);
    for (size_t i = 0; libraries && i < libraries->path_count; i++)
        free(libraries->paths[i]);
    free(libraries);
    free(runtime->path);
}

static int by_generation(const void *a, const void *b)
{
    return strcmp(((const struct runtime *)a)->generation, ((const struct runtime *)b)->generation);
}

const char *runtimes_read(struct runtimes *runtimes, const char *directory)
{
    *runtimes = (struct runtimes){0};
    cleanup(close_directory) DIR *dir = opendir(directory);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (strncmp(entry->d_name, "sdk-", 4) != 0)
            continue;
        struct runtime *grown = reallocarray(runtimes->all, runtimes->count + 1, sizeof(*grown));
        if (!grown)
            return "no memory is left";
        runtimes->all = grown;
        if (read_runtime(&grown[runtimes->count], directory, entry->d_name + 4))
            runtimes->count++;
        else
            free_runtime(&grown[runtimes->count]);
    }
    if (!runtimes->count)
        return "it has no directory sdk-<generation> with libraries";
    qsort(runtimes->all, runtimes->count, sizeof(*runtimes->all), by_generation);
    return NULL;
}

void runtimes_free(struct runtimes *runtimes)
{
    for (size_t i = 0; i < runtimes->count; i++)
        free_runtime(&runtimes->all[i]);
    free(runtimes->all);
    *runtimes = (struct runtimes){0};
}

const struct runtime *runtimes_find(const struct runtimes *runtimes, const char *generation)
{
    for (size_t i = 0; i < runtimes->count; i++)
        if (strcmp(runtimes->all[i].generation, generation) == 0)
            return &runtimes->all[i];
    return NULL;
}

// ---- libraries of a directory
// --------------------------------------------------------------------

enum runtime_has runtime_has(const struct runtime *runtime, const struct elf_symbol *symbol)
{
    const struct runtime_libraries *libraries = libraries_of(runtime);
    for (size_t i = 0; i < libraries->count; i++) {
        const struct elf_object *library = &libraries->objects[i];
        uint16_t lacking = elf_object_section(library, ".missing");
        for (size_t k = 0; k < library->count; k++) {
            const struct elf_symbol *found = &library->symbols[k];
            if (!found->needed && strcmp(found->name, symbol->name) == 0 &&
                (!symbol->version[0] || strcmp(found->version, symbol->version) == 0))
                return lacking && found->section == lacking ? RUNTIME_LACKS : RUNTIME_HAS;
        }
    }
    return RUNTIME_UNKNOWN;
}

static const struct elf_object *find_library(const struct runtime *runtime, const char *soname)
{
    const struct runtime_libraries *libraries = libraries_of(runtime);
    for (size_t i = 0; i < libraries->count; i++) {
        const struct elf_object *library = &libraries->objects[i];
        if (library->soname && strcmp(library->soname, soname) == 0)
            return library;
    }
    return NULL;
}

bool runtime_has_library(const struct runtime *runtime, const char *library)
{
    return find_library(runtime, library);
}

bool runtime_has_version(const struct runtime *runtime, const char *library, const char *version)
{
    const struct elf_object *found = find_library(runtime, library);
    return !found || needs_version_is_there(found, version);
}

// ---- the choice ------------------------------------------------------------------------------

// Returns the number in the name of the vendor's libraries, after ".so.".
static const char *number_of(const char *library)
{
    const char *dot = strstr(library, ".so.");
    return dot ? dot + 4 : "";
}

static bool has_number(const struct runtime *runtime, const struct needs *needs)
{
    const struct runtime_libraries *libraries = libraries_of(runtime);
    if (!libraries->count || !libraries->objects[0].soname)
        return false;
    for (size_t i = 0; i < needs->library_count; i++)
        if (strcmp(number_of(needs->libraries[i]), number_of(libraries->objects[0].soname)) == 0)
            return true;
    return needs->library_count == 0;
}

static size_t unknown_functions(const struct runtime *runtime, const struct needs *needs)
{
    size_t unknown = 0;
    for (size_t i = 0; i < needs->symbol_count; i++)
        unknown += runtime_has(runtime, needs->symbols[i]) == RUNTIME_UNKNOWN;
    return unknown;
}

// The generation of a release: 1.2 to 1.4, 1.5, 2.0 to 2.2, 2.5, 2.6, and all later ones.
static const char *generation_of(const char *release)
{
    unsigned major = 0, minor = 0;
    if (sscanf(release, "%2u.%2u", &major, &minor) != 2)
        return "";
    if (major < 2)
        return minor < 5 ? "1.3" : "1.5";
    if (major > 2 || minor > 6)
        return "3";
    return minor < 5 ? "2.2" : minor == 5 ? "2.5" : "2.6";
}

const struct runtime *runtimes_named(const struct runtimes *runtimes, const char *name)
{
    const struct runtime *found = runtimes_find(runtimes, name);
    return found ? found : runtimes_find(runtimes, generation_of(name));
}

bool runtime_is_certain(const struct runtime *runtime, const struct needs *needs)
{
    return strcmp(runtime->generation, generation_of(needs->release)) == 0;
}

// In DOCA 2.5 an RDMA context has one connection, which no function takes. Programs of later
// releases call functions that do.
static bool connects_as_2_5(const struct needs *needs)
{
    bool connects = false;
    for (size_t i = 0; i < needs->symbol_count; i++) {
        const char *name = needs->symbols[i]->name;
        if (strncmp(name, "doca_rdma_", 10) != 0)
            continue;
        if (strstr(name, "_connection") || strstr(name, "_addr") || strstr(name, "_bridge"))
            return false;
        connects |= strcmp(name, "doca_rdma_connect") == 0 || strcmp(name, "doca_rdma_export") == 0;
    }
    return connects;
}

// Nothing in a program of DOCA 1.2 or 1.3 says its release. It passes doca_argp_start() a third
// argument; and a flag of the command line is a structure of the program, where later programs have
// it of doca_argp_param_create().
static bool has_argp_of_1_3(const struct needs *needs)
{
    bool registers = needs->third_argument;
    for (size_t i = 0; i < needs->symbol_count; i++) {
        const char *name = needs->symbols[i]->name;
        if (strcmp(name, "doca_argp_param_create") == 0)
            return false;
        registers |= strcmp(name, "doca_argp_register_param") == 0;
    }
    return registers;
}

// Chooses the generation of a program among two with the same number of its functions: the one that
// is stored in it, else by how it makes RDMA connections and reads its
// command line, else the one that has all of
// its libraries (only 2.5 and 2.6 have libdoca_cc), else by the symbol versions that it needs.
// Programs from 2.5 on need DOCA_2.
static int preference(const struct runtime *runtime, const struct needs *needs)
{
    bool stable = false;
    int libraries = 10;
    if (runtime_is_certain(runtime, needs))
        return 100;
    if (strcmp(runtime->generation, "2.5") == 0 && connects_as_2_5(needs))
        return 50;
    if (strcmp(runtime->generation, "1.3") == 0 && has_argp_of_1_3(needs))
        return 50;
    for (size_t i = 0; i < needs->library_count; i++)
        if (!runtime_has_library(runtime, needs->libraries[i]))
            libraries = 0;
    for (size_t i = 0; i < needs->symbol_count; i++)
        stable |= strcmp(needs->symbols[i]->version, "DOCA_2") == 0;
    const char *const order[] = {
        stable ? "2.2" : "2.6", stable ? "2.6" : "2.5", stable ? "2.5" : "3", "1.3", "1.5",
        stable ? "3" : "2.2"};
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        if (strcmp(order[i], runtime->generation) == 0)
            return libraries + (int)i + 1;
    return libraries;
}

const struct runtime *runtimes_choose(const struct runtimes *runtimes, const struct needs *needs)
{
    const struct runtime *best = NULL;
    size_t best_unknown = 0;
    for (size_t i = 0; i < runtimes->count; i++) {
        const struct runtime *runtime = &runtimes->all[i];
        if (!has_number(runtime, needs))
            continue;
        size_t unknown = unknown_functions(runtime, needs);
        if (!best || unknown < best_unknown ||
            (unknown == best_unknown && preference(runtime, needs) > preference(best, needs))) {
            best = runtime;
            best_unknown = unknown;
        }
    }
    return best;
}
