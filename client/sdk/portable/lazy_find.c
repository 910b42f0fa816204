// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Libraries that are loaded when they are used first. Where libibverbs is not installed there are
// no RDMA devices; for others libdoca-client calls library_is_there() to find what it supports.

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool library_is_there(const char *soname);
void *lazy_find(const char *name, const char *soname);

bool library_is_there(const char *soname)
{
    return dlopen(soname, RTLD_NOW | RTLD_LOCAL) != NULL; // it stays
}

// Programs first call libibverbs for the list of devices, and get NULL: there are none. All other
// functions take an object of the library, so it is loaded.
static void *not_there(void)
{
    errno = ENOSYS;
    return NULL;
}

// Never returns NULL.
void *lazy_find(const char *name, const char *soname)
{
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    return found ? found : (void *)(uintptr_t)not_there;
}
