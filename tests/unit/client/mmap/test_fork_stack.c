// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests fork() on a stack whose pages were moved to a memory file, as that of a coroutine may be.

#include "fork_steps.h"
#include "mmap/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

// ---- what runs apart

static size_t handled;

static void count_signal(int number)
{
    (void)number;
    handled++;
}

static void signal_itself(void *arg)
{
    (void)kill((pid_t)syscall(SYS_getpid), *(int *)arg);
}

START_TEST(apart_without_signals)
{
    static _Alignas(16) char stack[APART_STACK];
    int usual = SIGUSR1, last = SIGKILL;
    sigset_t before, after;
    signal(SIGUSR1, count_signal);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    ck_assert_int_eq(run_apart(signal_itself, &usual, stack), 0);
    ck_assert_uint_eq(handled, 0);
    ck_assert_int_eq(run_apart(signal_itself, &last, stack), -ECANCELED);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    ck_assert_int_eq(sigismember(&after, SIGUSR1), sigismember(&before, SIGUSR1));
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_uint_eq(handled, 1);
}
END_TEST

// ---- stacks in maps

#define STACK_PAGES 40

static struct backing *stack_backing;
static int stack_file; // a descriptor of its file

// AddressSanitizer keeps local variables elsewhere, where it can.
#define ON_THE_STACK __attribute__((noinline, no_sanitize("address")))

static ON_THE_STACK void scribble(uint8_t value)
{
    volatile uint8_t array[3 * 4096];
    for (size_t i = 0; i < sizeof(array); i++)
        array[i] = value;
}

static void use_the_stack(void *arg)
{
    volatile uint8_t *kept = arg;
    for (size_t i = 0; i < 3 * page_size(); i++)
        kept[i] = 'c';
    scribble('c');
}

static void stack_is_shared(volatile uint8_t *kept, uint8_t value)
{
    kept[5000] = value;
    ck_assert(mapping_of((void *)&kept[0]).shared);
    uint64_t offset =
        stack_backing->parts[0].offset + ((uintptr_t)&kept[5000] - stack_backing->parts[0].start);
    uint8_t seen;
    ck_assert_int_eq(pread(stack_file, &seen, 1, (off_t)offset), 1);
    ck_assert_uint_eq(seen, value);
}

// Runs on a stack that is in a map.
static ON_THE_STACK void fork_here(void)
{
    volatile uint8_t kept[3 * 4096];
    for (int i = 0; i < 3; i++) {
        for (size_t j = 0; j < sizeof(kept); j++)
            kept[j] = 'p';
        in_child(use_the_stack, (void *)kept);
        ck_assert(all_are(kept, sizeof(kept), 'p'));
        stack_is_shared(kept, (uint8_t)('0' + i));
    }
}

static ucontext_t main_context, coroutine;

static void run_on(uint8_t *stack, void (*fn)(void))
{
    ck_assert_int_eq(getcontext(&coroutine), 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = STACK_PAGES * page_size();
    coroutine.uc_link = &main_context;
    makecontext(&coroutine, fn, 0);
    ck_assert_int_eq(swapcontext(&main_context, &coroutine), 0);
}

static uint8_t *map_stack(void)
{
    uint8_t *stack = anonymous(STACK_PAGES);
    stack_backing = make(stack, STACK_PAGES * page_size());
    stack_file = stack_backing->memfd;
    return stack;
}

static void unmap_stack(uint8_t *stack)
{
    backing_free(stack_backing);
    munmap(stack, STACK_PAGES * page_size());
}

START_TEST(coroutine_in_a_map)
{
    uint8_t *stack = map_stack();
    run_on(stack, fork_here);
    unmap_stack(stack);
}
END_TEST

START_TEST(coroutine_in_a_sealed_map)
{
    const uint32_t access = DOCA_ACCESS_DPU_READ_ONLY;
    struct errtext err;
    uint8_t *stack = anonymous(STACK_PAGES);
    ck_assert_int_eq(
        backing_new((uintptr_t)stack, STACK_PAGES * page_size(), access, &stack_backing, &err),
        DOCA_SUCCESS);
    ck_assert_int_eq(backing_seal(stack_backing, access), 0);
    stack_file = stack_backing->memfd;
    run_on(stack, fork_here);
    unmap_stack(stack);
}
END_TEST

// Another file of the program's has the number.
START_TEST(coroutine_without_the_descriptor)
{
    set_limit("0");
    uint8_t *stack = map_stack();
    int number = stack_backing->memfd, other = memfd_create("other", MFD_CLOEXEC);
    ck_assert_int_eq(ftruncate(other, (off_t)(STACK_PAGES * page_size())), 0);
    stack_file = fcntl(number, F_DUPFD_CLOEXEC, 0);
    ck_assert_int_eq(dup2(other, number), number);
    run_on(stack, fork_here);
    ck_assert_int_eq(dup2(stack_file, number), number);
    unmap_stack(stack);
}
END_TEST

static ON_THE_STACK void fork_with_a_guard(void)
{
    uint8_t here;
    uint8_t *guard = (uint8_t *)page_down((uintptr_t)&here) - 12 * page_size();
    ck_assert_int_eq(mprotect(guard, page_size(), PROT_NONE), 0);
    fork_here();
    ck_assert(!mapping_of(guard).readable);
    ck_assert(mapping_of(guard).shared);
}

START_TEST(coroutine_with_a_guard_page)
{
    uint8_t *stack = map_stack();
    run_on(stack, fork_with_a_guard);
    unmap_stack(stack);
}
END_TEST

UNIT_MAIN("fork_stack", apart_without_signals, coroutine_in_a_map, coroutine_in_a_sealed_map,
          coroutine_without_the_descriptor, coroutine_with_a_guard_page)
