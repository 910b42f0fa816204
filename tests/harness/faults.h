// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Calls of the C library that fail when a test says so. The library stands before the C library,
// in the test because it is linked with it, in a daemon because it is preloaded (see
// faults_preload()). A page that the test shares with the process says which call fails; so one
// process can go through any number of failures. Its children do not follow the page, unless they
// say so.

#ifndef HARNESS_FAULTS_H
#define HARNESS_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum faults_function {
    FAULTS_NONE,
    FAULTS_MALLOC, // calloc and realloc, too
    FAULTS_MMAP,
    FAULTS_MEMFD_CREATE,
    FAULTS_SOCKETPAIR,
    FAULTS_EPOLL_CTL, // adding and changing
    FAULTS_EVENTFD,
    FAULTS_ACCEPT,
    FAULTS_RECVMSG,
    FAULTS_SENDMSG,
    FAULTS_PREAD,
    FAULTS_PTHREAD_CREATE,
    FAULTS_OPEN,
    FAULTS_FORK,
    FAULTS_DUP,  // fcntl(F_DUPFD_CLOEXEC)
    FAULTS_DISK, // what makes files longer: the disk is full
    FAULTS_FUNCTIONS,
};

struct faults {
    _Atomic int function;        // enum faults_function
    _Atomic long nth;            // this call fails, counted from 1
    _Atomic long calls;          // of the function since the test began to count
    _Atomic int fired;           // how many have failed
    _Atomic long blocks;         // of memory that the process has
    _Atomic int64_t clock_ahead; // seconds by which CLOCK_REALTIME is ahead
};

// A name of the function for people.
const char *faults_name(enum faults_function function);

// From now on this process follows the page; NULL: nothing fails.
void faults_follow(struct faults *page);

#endif
