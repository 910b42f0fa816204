// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// What a data path does not do once everything has started: allocate, lock, enter the system. The
// round trips may use nothing but the interface: the assertions of Check enter the system, too.

#ifndef TESTS_QUIET_PATH_H
#define TESTS_QUIET_PATH_H

#include "counted.h"

#include <check.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUIET_TRIPS 1000

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QUIET_SANITIZED true // a sanitizer enters the system as it likes
#else
#define QUIET_SANITIZED false
#endif

typedef bool (*quiet_trip)(unsigned i);

static bool quiet_trips(quiet_trip trip)
{
    bool good = true;
    for (unsigned i = 0; i < QUIET_TRIPS && good; i++)
        good = trip(i);
    return good;
}

static void assert_no_allocation_or_lock(quiet_trip trip)
{
    ck_assert_uint_gt(allocations, 0); // counting works: something was made before
    ck_assert_uint_gt(locks, 0);
    allocations = locks = 0;
    bool good = quiet_trips(trip);
    unsigned allocated = allocations, locked = locks;
    ck_assert(good);
    ck_assert_uint_eq(allocated, 0);
    ck_assert_uint_eq(locked, 0);
}

// The kernel kills a process in strict mode that does more than read, write and exit.
static void assert_no_system_call(quiet_trip trip)
{
    int status;
    pid_t pid = QUIET_SANITIZED ? 0 : fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0 && !QUIET_SANITIZED) {
        bool good = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0 && quiet_trips(trip);
        syscall(SYS_exit, good ? 0 : 1);
    }
    if (pid) {
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
    }
}

#endif
