// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// libibverbs is looked for when it is used first: where it is not installed, there are no RDMA
// devices, and everything else works.

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

void *verbs_find(const char *name);

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static void *library;

static void open_library(void)
{
    library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
}

// The first call is for the list of devices: NULL, there is none. Whatever else is called has an
// object of libibverbs, so it is loaded.
static void *not_there(void)
{
    errno = ENOSYS;
    return NULL;
}

// Never NULL.
void *verbs_find(const char *name)
{
    pthread_once(&opened, open_library);
    void *found = library ? dlsym(library, name) : NULL;
    return found ? found : (void *)(uintptr_t)not_there;
}
