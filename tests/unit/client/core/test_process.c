// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Tests what fork() does to the library's process-wide state.

#include "core/process.h"
#include "unit.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static int first_ran, second_ran;

static void first(void)
{
    first_ran++;
}

static void second(void)
{
    second_ran++;
}

static struct fork_hook first_hook = {.in_child = first};
static struct fork_hook second_hook = {.in_child = second};
static struct call_lock call = CALL_LOCK_INIT;

// Returns the exit status of a child of this process that runs `look`.
static int in_child(int (*look)(void))
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        alarm(30); // a lock that nobody lets go ends the child, not the test's patience
        _exit(look());
    }
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int hooks_ran(void)
{
    return first_ran * 10 + second_ran;
}

START_TEST(each_hook_runs_once_in_the_child)
{
    process_on_fork(&first_hook);
    process_on_fork(&second_hook);
    process_on_fork(&first_hook);
    ck_assert_int_eq(in_child(hooks_ran), 11);
    ck_assert_int_eq(hooks_ran(), 0);
}
END_TEST

static int child_of_child(void)
{
    return in_child(hooks_ran);
}

START_TEST(hooks_stay_in_children)
{
    process_on_fork(&first_hook);
    ck_assert_int_eq(in_child(child_of_child), 20);
}
END_TEST

static int take_both_locks(void)
{
    process_lock();
    process_unlock();
    call_lock(&call);
    call_unlock(&call);
    return 7;
}

START_TEST(locks_are_free_in_the_child)
{
    call_lock(&call);
    ck_assert_int_eq(in_child(take_both_locks), 7);
    call_unlock(&call);
    ck_assert_int_eq(take_both_locks(), 7);
}
END_TEST

static int prepared;

static void use_the_lock(void)
{
    process_lock();
    process_unlock();
    prepared++;
}

START_TEST(handler_of_the_program)
{
    // Registered before the library's, so that it runs after that one.
    ck_assert_int_eq(pthread_atfork(use_the_lock, NULL, NULL), 0);
    ck_assert_int_eq(take_both_locks(), 7);
    ck_assert_int_eq(in_child(take_both_locks), 7);
    ck_assert_int_eq(prepared, 1);
    ck_assert_int_eq(take_both_locks(), 7);
}
END_TEST

UNIT_MAIN("process", each_hook_runs_once_in_the_child, hooks_stay_in_children,
          locks_are_free_in_the_child, handler_of_the_program)
