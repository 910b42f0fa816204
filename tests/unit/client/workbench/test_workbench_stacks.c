// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Stacks of calls that are made again and again, from several places, at several depths and in
// several threads.

#include "unit.h"

#include "stacks.h"

#include <dlfcn.h>
#include <pthread.h>

#define ROUNDS 100

// Of a module of its own, whose frames are left out: it stands for the workbench.
static void (*take)(struct stack *stack);

static void load(void)
{
    void *module = dlopen(STACKS_MODULE, RTLD_NOW);
    void (*start)(void);
    ck_assert_msg(module != NULL, "%s", dlerror());
    *(void **)&start = dlsym(module, "stacks_start");
    *(void **)&take = dlsym(module, "stack_take");
    ck_assert(start != NULL && take != NULL);
    start();
}

// Returns the place in this function from which it was taken.
static __attribute__((noinline)) void *check(const void *second, const void *third)
{
    struct stack stack;
    take(&stack);
    ck_assert_int_ge(stack.count, 3);
    ck_assert_ptr_eq(stack.frames[1], __builtin_return_address(0));
    if (second)
        ck_assert_ptr_eq(stack.frames[2], second);
    if (third)
        ck_assert_ptr_eq(stack.frames[3], third);
    return stack.frames[0];
}

// Two functions with frames of one size, each of which calls from two places.
static __attribute__((noinline)) void call_a(const void *second)
{
    void *first = check(__builtin_return_address(0), second);
    ck_assert_ptr_eq(check(__builtin_return_address(0), second), first);
    __asm__ volatile("" ::: "memory"); // the last call has a frame, too
}

static __attribute__((noinline)) void call_b(const void *second)
{
    void *first = check(__builtin_return_address(0), second);
    ck_assert_ptr_eq(check(__builtin_return_address(0), second), first);
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void deeper(unsigned depth)
{
    volatile char room[64]; // moves the frames below
    room[0] = (char)depth;
    call_a(__builtin_return_address(0));
    if (depth)
        deeper(depth - 1);
    call_b(__builtin_return_address(0));
    ck_assert_int_eq(room[0], (char)depth);
}

static void *run(void *unused)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        call_a(NULL);
        call_b(NULL);
        deeper(i % 4);
    }
    return unused;
}

START_TEST(each_place_has_its_stack)
{
    load();
    run(NULL);
}
END_TEST

START_TEST(each_thread_has_its_stack)
{
    pthread_t threads[4];
    load();
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run, NULL), 0);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

UNIT_MAIN("workbench_stacks", each_place_has_its_stack, each_thread_has_its_stack)
