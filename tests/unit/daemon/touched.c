// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors

#include "touched.h"

#include <check.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE    4096u
#define OBJECTS 16384u

static void *pages[OBJECTS];
static size_t n_pages;
static volatile sig_atomic_t n_touched;

void *touched_new_of(size_t size)
{
    const size_t whole = (size + PAGE - 1) / PAGE * PAGE;
    ck_assert_uint_lt(n_pages, OBJECTS);
    void *page = aligned_alloc(PAGE, whole);
    ck_assert_ptr_nonnull(page);
    pages[n_pages++] = page;
    return memset(page, 0, whole);
}

void *touched_new(void)
{
    return touched_new_of(PAGE);
}

static void on_touch(int signal, siginfo_t *info, void *context)
{
    uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
    (void)signal, (void)context;
    n_touched++;
    if (mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE) != 0)
        abort();
}

static void protect(int protection)
{
    for (size_t i = 0; i < n_pages; i++)
        ck_assert_int_eq(mprotect(pages[i], PAGE, protection), 0);
}

void touched_begin(void)
{
    struct sigaction action = {.sa_sigaction = on_touch, .sa_flags = SA_SIGINFO};
    ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
    n_touched = 0;
    protect(PROT_NONE);
}

size_t touched_end(void)
{
    protect(PROT_READ | PROT_WRITE);
    signal(SIGSEGV, SIG_DFL);
    return (size_t)n_touched;
}
