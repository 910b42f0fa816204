// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026, the docad authors
//
// Threads other than the loop's.

#ifndef DAEMON_THREAD_H
#define DAEMON_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// Like pthread_create(), for a thread that receives no signals: the loop handles them.
int thread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*work)(void *), void *arg);

// Joins a thread that ends before clock_ms() is `until_ms`; that clock cannot be set. Returns false
// if it continues: it is not joined.
bool thread_join_until(pthread_t thread, uint64_t until_ms);

// Called when a thread has not ended in time: it keeps what it uses, until the process ends. A
// reference stays, so that leak checkers do not report it when the thread ends first.
void thread_keep(void *used);

#endif
